import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Carries an object past the compiler's checks, as an error or `nonisolated(unsafe)` can. Guard of
/// the `@unchecked Sendable`: none, deliberately; one task uses it.
private final class Smuggler: @unchecked Sendable {
    var person: Person?
    var results: Results<Person>?
    var transaction: Transaction?
    var dynamicObjects: AnyIterator<DynamicObject>?

    /// Returns a realm with one person, and accessors that outlived the body of their transaction.
    static func make() async throws -> (Realm, Smuggler) {
        let realm = try await Realm.temporary([Person.self])
        let smuggler = Smuggler()
        try await realm.write { tx in
            let person = Person("Ann", age: 1)
            try tx.add(person)
            smuggler.person = person
            smuggler.results = tx.objects(Person.self)
            smuggler.transaction = tx
        }
        return (realm, smuggler)
    }
}

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Misuse that the compiler can't detect traps with a message.
@Suite struct TrapTests {
    @Test func deadAccessorTrapsWithClassPropertyAndPlace() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, smuggler) = try await Smuggler.make()
            _ = smuggler.person?.age
        }
        let text = sentence(result)
        expectTrue(text.contains("Person.age was used after the body of the transaction at"))
        expectTrue(text.contains("TrapTests.swift:"))
    }

    @Test func settingADeadAccessorTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, smuggler) = try await Smuggler.make()
            smuggler.person?.age = 3
        }
        expectTrue(sentence(result).contains("Person.age was used after the body"))
    }

    @Test func deadResultsAndTransactionTrap() async {
        let results = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, smuggler) = try await Smuggler.make()
            _ = smuggler.results?.count
        }
        expectTrue(sentence(results).contains("Results<Person> were used after the body"))
        let evaluated = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Person.self])
            let smuggler = Smuggler()
            try await realm.write { tx in
                try tx.add(Person("Ann", age: 1))
                smuggler.results = tx.objects(Person.self)
                _ = smuggler.results?.first
            }
            _ = smuggler.results?.first
        }
        expectTrue(sentence(evaluated).contains("Results<Person> were used after the body"))
        let dynamic = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, smuggler) = try await Smuggler.make()
            try await realm.read { tx in
                smuggler.dynamicObjects = try tx.dynamicObjects("Person").makeIterator()
            }
            _ = smuggler.dynamicObjects?.next()
        }
        expectTrue(sentence(dynamic).contains("makeIterator was used after the body"))
        let transaction = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, smuggler) = try await Smuggler.make()
            _ = smuggler.transaction?.objects(Person.self)
        }
        expectTrue(sentence(transaction).contains("Transaction.objects was used after the body"))
    }

    // Covers 1.9, 7.57
    @Test func deletedObjectFailsTheTransaction() async throws {
        let realm = try await Realm.temporary([Person.self])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let person = Person("Ann", age: 1)
                try tx.add(person)
                tx.delete(person)
                _ = person.name
                try tx.add(Person("Bob", age: 2))
            }
        }
        expectTrue(error?.code == .invalidInput && error?.property == "name")
        expectEqual(error?.message.contains("Person.name of a deleted object was used"), true)
        expectTrue(realm.snapshot().objects(Person.self).isEmpty)
    }

    @Test func settingInAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            try await realm.read { tx in tx.objects(Person.self)[0].age = 2 }
        }
        expectTrue(sentence(result).contains("Person.age was set in the read at"))
    }

    @Test func addingInAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            try await realm.read { tx in try tx.add(Person("Bob", age: 2)) }
        }
        expectTrue(sentence(result).contains("Transaction.add was called in the read at"))
    }

    @Test func objectOfAnotherTransactionTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, smuggler) = try await Smuggler.make()
            try await realm.write { tx in try tx.add(smuggler.person!) }
        }
        expectTrue(sentence(result).contains("The Person passed to Transaction.add at"))
        expectTrue(sentence(result).contains("belongs to another transaction"))
    }

    @Test func unmanagedObjectCannotBeDeleted() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            try await realm.write { tx in tx.delete(Person("Bob", age: 2)) }
        }
        expectTrue(sentence(result).contains("An unmanaged Person was passed to"))
    }

    // Covers 2.4
    @Test func indexOutOfRangeTraps() async {
        let line = #line + 1  // the place of code in an exit test is that of the macro
        let confined = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            try await realm.read { tx in _ = tx.objects(Person.self)[1] }
        }
        expectTrue(sentence(confined).contains("Index 1 of Results<Person> is out of range"))
        let place = "ObjectsTests/TrapTests.swift"
        expectTrue(sentence(confined).contains("The transaction is at \(place):\(line)."))
        let frozen = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            _ = realm.snapshot().objects(Person.self)[-1]
        }
        expectTrue(sentence(frozen).contains("The index of FrozenResults<Person> is negative: -1"))
        expectTrue(sentence(frozen).contains("The snapshot was taken at \(place):\(line + 9)."))
    }

    @Test func unlistedClassTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            _ = realm.objects(Room.self)
        }
        expectTrue(sentence(result).contains("The class Room is not among the objectTypes"))
    }

    // Covers 5.69
    @Test func wrongKeyTypeTraps() async {
        let type = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Room.self])
            _ = realm.object(Room.self, forPrimaryKey: 7)
        }
        expectTrue(sentence(type).contains("The primary key Room.name is of type String, not Int"))
        let none = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await Smuggler.make()
            _ = realm.object(Person.self, forPrimaryKey: 7)
        }
        expectTrue(sentence(none).contains("Person has no primary key"))
    }

    @Test func computedPropertyCannotBeQueried() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Message.self])
            _ = realm.objects(Message.self).where { $0.headline == "x" }
        }
        expectTrue(sentence(result).contains("is not a @Persisted property of Message"))
        let inherited = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Dog.self])
            _ = realm.objects(Dog.self).sorted(by: \.shout)
        }
        expectTrue(
            sentence(inherited).contains(
                #"\Dog.<String> is not a @Persisted property of Dog, which has name, "#))
        expectTrue(!sentence(inherited).contains("computed 0x"))
    }
}
