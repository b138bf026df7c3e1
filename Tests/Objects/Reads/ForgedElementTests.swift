import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Collections with elements whose rows don't exist, as only in a forged file: each call that
/// encounters one fails its transaction.
@Suite struct ForgedElementTests {
    private typealias Call<T> = (name: String, call: @Sendable (T) throws -> Void)

    private static let reads: [Call<GenericOwner>] = [
        ("pets[0]", { _ = $0.pets[0].name }),
        ("for pet in pets", { for pet in $0.pets { _ = pet.name } }),
        ("pets[..<1]", { _ = $0.pets[..<1].map(\.name) }),
        ("scores[0]", { _ = $0.scores[0] }),
        ("scores.first", { _ = $0.scores.first }),
        ("for score in scores", { for _ in $0.scores {} }),
        ("scores[..<1]", { _ = $0.scores[..<1].map { $0 } }),
        ("scores.index(of:)", { _ = $0.scores.index(of: 5) }),
        ("grades[0]", { _ = $0.grades[0] }),
        ("for grade in grades", { for _ in $0.grades {} }),
        ("grades.contains", { _ = $0.grades.contains(1.5) }),
        ("for friend in friends", { for friend in $0.friends { _ = friend.name } }),
        ("byRole.keys", { _ = $0.byRole.keys }),
        ("byRole[key]", { _ = $0.byRole["k"] }),
        ("for entry in byRole", { for _ in $0.byRole {} }),
        ("parts.values", { _ = $0.parts.values }),
        ("dynamic scores[0]", { _ = try $0.dynamicList("scores")[0] }),
        ("dynamic scores", { _ = try $0.dynamicList("scores").map { $0 as Any } }),
        ("dynamic pets[0]", { _ = try $0.dynamicList("pets")[0] }),
        ("dynamic pets", { _ = try $0.dynamicList("pets").map { $0 as Any } }),
        ("dynamic byRole", { _ = try $0.dynamicMap("byRole").keys }),
        ("dynamic byRole[key]", { _ = try $0.dynamicMap("byRole")["k"] }),
    ]

    private static let writes: [Call<GenericOwner>] = [
        ("scores[0] = 1", { $0.scores[0] = 1 }),
        ("pets[0].age = 1", { $0.pets[0].age = 1 }),
        ("grades.insert", { $0.grades.insert(1.5) }),
        ("grades.remove", { $0.grades.remove(1.5) }),
        ("grades.formIntersection", { $0.grades.formIntersection([1.5]) }),
        ("byRole[key] = nil", { $0.byRole["k"] = .some(nil) }),
        ("byRole.removeObject", { $0.byRole.removeObject(for: "k") }),
        ("parts[key] = part", { $0.parts["k"] = GenericPart("a") }),
        ("dynamic grades.insert", { try $0.dynamicMutableSet("grades").insert(1.5) }),
        ("dynamic grades.remove", { try $0.dynamicMutableSet("grades").remove(1.5) }),
        ("dynamic byRole.set", { try $0.dynamicMap("byRole").set(nil, forKey: "k") }),
    ]

    // Covers .invalidDatabase
    @Test func missingElementsFailTheTransaction() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in try tx.add(GenericOwner("Ann")) }
        let sound = realm.snapshot()
        let owners = try requireValue(sound.core.root.schema.table(named: "GenericOwner"))
        let row = try requireValue(sound.core.root.find(owners.key, primaryKey: .string("Ann")))
        let snapshot = try sound.forged { transaction in
            for list in owners.lists {
                transaction.forge(999, into: list, of: row, in: owners.key)
            }
        }
        for inWrite in [false, true] {
            for (name, call) in Self.reads + (inWrite ? Self.writes : []) {
                let error = await thrown(from: snapshot, inWrite, name, call)
                expectEqual(error?.code, .invalidDatabase, "\(name), \(inWrite): \(error as Any)")
            }
        }
        for update in [Realm.UpdatePolicy.modified, .all] {
            let error = violation(of: snapshot) { tx in
                try tx.create(
                    GenericOwner.self, value: ["name": "Ann", "parts": ["k": ["label": "x"]]],
                    update: update)
            }
            // Replacing the map doesn't read its entries.
            expectTrue(error?.code == (update == .modified ? .invalidDatabase : nil), "\(update)")
        }
    }

    private func thrown(
        from snapshot: Snapshot, _ inWrite: Bool, _ name: String,
        _ call: (GenericOwner) throws -> Void
    ) async -> Realm.Error? {
        do {
            return try snapshot.violation(inWrite: inWrite) { tx in
                let owner = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
                try call(owner)
            }
        } catch {
            return error as? Realm.Error
        }
    }

    private func violation(
        of snapshot: Snapshot, _ body: (Transaction) throws -> Void
    ) -> Realm.Error? {
        do { return try snapshot.violation(inWrite: true, body) } catch {
            return error as? Realm.Error
        }
    }

    private static let anyReads: [Call<AnyNote>] = [
        ("list[0]", { _ = $0.list[0] }),
        ("for value in list", { for _ in $0.list {} }),
        ("list.index(of:)", { _ = $0.list.index(of: .int(1)) }),
        ("set[0]", { _ = $0.set[0] }),
        ("set.contains", { _ = $0.set.contains(.int(1)) }),
        ("map.keys", { _ = $0.map.keys }),
        ("map[key]", { _ = $0.map["k"] }),
        ("for entry in map", { for _ in $0.map {} }),
        ("content[0]", { _ = $0.content.listValue?[0] }),
        ("for value in content", { for _ in $0.content.listValue ?? List() {} }),
        ("dynamic list[0]", { _ = try $0.dynamicList("list")[0] }),
        ("dynamic content[0]", { _ = try $0.dynamicList("content")[0] }),
    ]

    private static let anyWrites: [Call<AnyNote>] = [
        ("list[0] = 1", { $0.list[0] = .int(1) }),
        ("set.insert", { $0.set.insert(.int(1)) }),
        ("map[key] = 1", { $0.map["k"] = .int(1) }),
        ("content[0] = 1", { $0.content.listValue?[0] = .int(1) }),
        ("dynamic list.set", { try $0.dynamicList("list").set(1, at: 0) }),
    ]

    // Covers .invalidDatabase
    @Test func missingElementsOfAnyTypeFailTheTransaction() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in try tx.add(AnyNote(1, .fromArray([]))) }
        let sound = realm.snapshot()
        let notes = try requireValue(sound.core.root.schema.table(named: "AnyNote"))
        let row = try requireValue(sound.core.root.find(notes.key, primaryKey: .int(1)))
        let snapshot = try sound.forged { transaction in
            for list in notes.lists {
                transaction.forge(999, into: list, of: row, in: notes.key)
            }
        }
        for inWrite in [false, true] {
            for (name, call) in Self.anyReads + (inWrite ? Self.anyWrites : []) {
                var error: Realm.Error?
                do {
                    error = try snapshot.violation(inWrite: inWrite) { tx in
                        try call(try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1)))
                    }
                } catch let thrown as Realm.Error {
                    error = thrown
                }
                expectEqual(error?.code, .invalidDatabase, "\(name), \(inWrite): \(error as Any)")
            }
        }
    }

    /// Elements that the transaction has deleted itself aren't damage.
    @Test func elementsDeletedDuringALoopAreNotDamage() async throws {
        let realm = try await Realm.temporary(genericClasses + anyClasses)
        func fill(_ tx: Transaction) throws {
            let owner = try tx.create(GenericOwner.self, value: ["name": "Ann"], update: .modified)
            owner.scores.append(objectsIn: [1, 2, 3])
            owner.parts["k"] = GenericPart("a")
            owner.parts["l"] = GenericPart("b")
            let note = try tx.create(AnyNote.self, value: ["id": 1], update: .modified)
            note.list.append(objectsIn: [.int(1), .fromArray([])])
        }
        func empty(_ tx: Transaction) throws {
            let owner = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            var visited = 0
            for _ in owner.scores {
                owner.scores.removeAll()
                visited += 1
            }
            for _ in owner.parts {
                owner.parts.removeAll()
                visited += 1
            }
            for _ in note.list {
                note.list.removeAll()
                visited += 1
            }
            expectEqual(visited, 3)
        }
        // Old elements, new ones, and those of a savepoint.
        try await realm.write { tx in try fill(tx) }
        try await realm.write { tx in try empty(tx) }
        try await realm.write { tx in
            try fill(tx)
            try empty(tx)
        }
        try await realm.write { tx in
            let owner = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            for _ in 0..<2 {
                do {
                    try tx.savepoint {
                        owner.scores.append(objectsIn: [1, 2])
                        for _ in owner.scores { owner.scores.removeAll() }
                        throw CancellationError()
                    }
                } catch is CancellationError {}
            }
        }
    }
}
