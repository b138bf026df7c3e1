import Foundation
import Regnum

/// What the public interface of Regnum did not have when the workloads were written. The rows that
/// need it are left out and named, until they are switched on:
///
/// - `4d`, `5a`, `5b`: build with `REGNUM_COMING_API=1` in the environment (Package.swift turns it
///   into a compilation condition). Once the interface is there, remove the condition here.
/// - `7a`: set `addsIndexes`, once opening with a class that declares one more index builds it.
enum RegnumComing {
    /// Whether opening a realm with a class that declares another index adds that index.
    static let addsIndexes = false

    /// The rows that cannot be measured.
    static var missingRows: Set<String> {
        #if REGNUM_COMING_API
            addsIndexes ? [] : ["7a"]
        #else
            addsIndexes ? ["4d", "5a", "5b"] : ["4d", "5a", "5b", "7a"]
        #endif
    }

    static func countOfNotes(_ text: String, _ people: Results<Person>) throws -> Int {
        #if REGNUM_COMING_API
            people.where { $0.note.contains(text) }.count
        #else
            throw notPossible
        #endif
    }

    static func sumOfAges(_ people: Results<Person>) throws -> Int {
        #if REGNUM_COMING_API
            people.sum(of: \.age)
        #else
            throw notPossible
        #endif
    }

    static func maximumOfScores(_ people: Results<Person>) throws -> Double {
        #if REGNUM_COMING_API
            people.max(of: \.score) ?? 0
        #else
            throw notPossible
        #endif
    }

    /// Opens a realm that was made without the index with the class that declares it, makes a
    /// commit, and counts by the index once.
    static func buildAgeIndex(in directory: URL) async throws {
        let store = try await RegnumStore.open(in: directory, StoreOptions(isIndexed: true))
        try await store.realm.write { tx in
            guard let person = tx.object(Indexed.Person.self, forPrimaryKey: 0) else {
                throw Failure("Regnum has no person 0.")
            }
            let age = person.age
            person.age = age
        }
        _ = try await store.countByAge([42])
        await store.close()
    }

    static let sentence = "not possible through the public API yet"
    private static let notPossible = Failure("Regnum: \(sentence).")
}
