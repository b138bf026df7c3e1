import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Invalid declarations of sets, and sets that are added to a stored class.
@Suite struct SetSchemaTests {
    enum Earlier {
        final class Box: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var tags: List<String>
            @Persisted var codes: MutableSet<Int>
            @Persisted var friends: MutableSet<Box>
        }
    }

    enum Later {
        final class Box: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var tags: MutableSet<String>
            @Persisted var codes: List<Int>
            @Persisted var friends: List<Box>
        }
    }

    enum Grown {
        final class Box: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var codes: MutableSet<Int>
            @Persisted var marks: MutableSet<String?>
            @Persisted var others: MutableSet<Box>
        }
    }

    final class Pip: EmbeddedObject {
        @Persisted var size: Int
    }

    final class Apple: Object {
        @Persisted var pips: MutableSet<Pip>
    }

    private func withEarlier(
        _ name: String = #function, _ body: (Realm) async throws -> Void
    ) async throws {
        let earlier = try await Realm.temporary([Earlier.Box.self])
        try await earlier.write { tx in
            _ = try tx.create(
                Earlier.Box.self,
                value: ["id": 1, "tags": ["x"], "codes": [2, 1]] as [String: Any])
        }
        try await body(try LaterProgram.core(of: earlier))
        await earlier.close()
    }

    @Test func listThatIsDeclaredAsASetAndBackNeedsAMigration() async throws {
        try await withEarlier { realm in
            let error = await #expect(throws: Realm.Error.self) {
                try await realm.write { tx in try tx.add(Later.Box()) }
            }
            expectTrue(error?.code == .schemaMismatch && error?.className == "Box")
            expectEqual(error?.property, "tags")
            for line in [
                "Box.tags is declared as MutableSet<String>, but stored as List<String>.",
                "Box.codes is declared as List<Int>, but stored as MutableSet<Int>.",
                "Box.friends is declared as List<Box>, but stored as MutableSet<Box>.",
            ] { expectEqual(error?.message.contains(line), true) }
        }
    }

    @Test func setsJoinAStoredClass() async throws {
        try await withEarlier { realm in
            try await realm.write { tx in
                let box = try requireValue(tx.object(Grown.Box.self, forPrimaryKey: 1))
                expectTrue(box.marks.isEmpty && !box.marks.contains("m"))
                expectEqual(Array(box.codes), [1, 2])
                box.marks.insert(objectsIn: ["m", nil])
                box.others.insert(box)
                expectTrue(Array(box.marks) == [nil, "m"] && box.others.contains(box))
            }
        }
    }

    // Covers 1.72, 2.83
    @Test func setOfEmbeddedObjectsCannotBeStored() async throws {
        let error = await realmError { try await Realm.temporary([Apple.self, Pip.self]) }
        expectEqual(error?.code, .invalidInput)
        expectEqual(
            error?.message.contains(
                "Apple.pips is of type MutableSet<Pip>: a set cannot hold embedded objects, which "
                    + "have a single owner. Declare a List<Pip>."), true)
        let realm = try await Realm.temporary()
        let late = await realmError { try await realm.write { tx in try tx.add(Apple()) } }
        expectTrue(late?.code == .invalidInput && late?.message.contains("Apple.pips") == true)
    }
}
