import Regnum
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Inverses in migrations, and stored properties that have the names of inverses.
@Suite struct MigrationInverseTests {
    private enum Old {
        final class InvShelf: Object {
            @Persisted var name: String
            @Persisted var top: InvThing?
            @Persisted var things: List<InvThing>
        }
        final class InvThing: Object {
            @Persisted var text: String
            @Persisted(originProperty: "things") var shelves: LinkingObjects<InvShelf>
        }
        static let types: [ObjectBase.Type] = [InvShelf.self, InvThing.self]
    }
    private enum Renamed {
        final class InvShelf: Object {
            @Persisted var name: String
            @Persisted var top: InvThing?
            @Persisted var contents: List<InvThing>
        }
        final class InvThing: Object {
            @Persisted var text: String
            @Persisted(originProperty: "contents") var shelves: LinkingObjects<InvShelf>
        }
        static let types: [ObjectBase.Type] = [InvShelf.self, InvThing.self]
    }
    private enum Owned {
        final class InvShelf: Object {
            @Persisted var name: String
            @Persisted var top: InvThing?
            @Persisted(originProperty: "shelf") var things: LinkingObjects<InvNote>
        }
        final class InvThing: EmbeddedObject { @Persisted var text: String }
        final class InvNote: Object { @Persisted var shelf: InvShelf? }
        static let types: [ObjectBase.Type] = [InvShelf.self, InvThing.self, InvNote.self]
    }

    private func oldRealm() async throws -> MigrationRealm {
        let realm = try MigrationRealm()
        try await realm.write(1, Old.types) { tx in
            _ = try tx.create(
                Old.InvShelf.self,
                value: ["name": "a", "top": ["text": "x"], "things": [["text": "y"]]])
        }
        return realm
    }

    private func count(_ realm: MigrationRealm, _ version: UInt64) async throws -> Int? {
        let opened = try await Realm.open(realm.configuration(version, Owned.types))
        let root = opened.snapshot().root
        let count = root.schema.table(named: "InvThing").map { root.count($0.key) }
        await opened.close()
        return count
    }

    /// It isn't empty.
    // Covers .invalidInput
    @Test func inverseOfARenamedPropertyIsAnErrorInOldObjects() async throws {
        let realm = try await oldRealm()
        let block: MigrationBlock = { migration, _ in
            try migration.renameProperty(onType: "InvShelf", from: "things", to: "contents")
            try migration.enumerateObjects(ofType: "InvThing") { old, new in
                let error = #expect(throws: Realm.Error.self) { try old?.value(of: "shelves") }
                expectTrue(error?.code == .invalidInput && error?.property == "shelves")
                let isThere = old?["text"] as? String == "y"
                let owners = try old?.linkingObjects(ofType: "InvShelf", property: "things")
                expectEqual(owners?.count, isThere ? 1 : 0)
                expectEqual((new?["shelves"] as? DynamicLinkingObjects)?.count, isThere ? 1 : 0)
            }
        }
        try await realm.migrate(2, Renamed.types, block) { tx in
            let things = try tx.objects(Renamed.InvThing.self).sorted(byKeyPath: "text")
            expectEqual(things.map(\.shelves.count), [0, 1])
        }
    }

    @Test func inverseOfAStoredPropertyIsReadableInOldObjects() async throws {
        let realm = try await oldRealm()
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "InvThing") { old, _ in
                let owners = old?["shelves"] as? DynamicLinkingObjects
                expectEqual(owners?.count, old?["text"] as? String == "y" ? 1 : 0)
            }
        }
        try await realm.migrate(2, Old.types, block)
    }

    /// The list would own the objects, although no program can read it.
    @Test func listWithTheNameOfAnInverseDoesNotOwnObjects() async throws {
        let realm = try await oldRealm()
        let block: MigrationBlock = { _, _ in }
        try await realm.migrate(2, Owned.types, block) { tx in
            expectEqual(tx.objects(Owned.InvShelf.self)[0].top?.text, "x")
            expectEqual(tx.objects(Owned.InvShelf.self)[0].things.count, 0)
        }
        try await expectEqual(count(realm, 2), 1)
    }

    @Test func propertyWithTheNameOfAnInverseCanBeDeletedAndRenamed() async throws {
        enum Moved {
            final class InvShelf: Object {
                @Persisted var label: String
                @Persisted var contents: List<InvThing>
                @Persisted(originProperty: "shelf") var things: LinkingObjects<InvNote>
                @Persisted(originProperty: "shelf") var name: LinkingObjects<InvNote>
            }
            final class InvThing: Object { @Persisted var text: String }
            final class InvNote: Object { @Persisted var shelf: InvShelf? }
        }
        let realm = try await oldRealm()
        let block: MigrationBlock = { migration, _ in
            let error = #expect(throws: Realm.Error.self) {
                try migration.renameProperty(onType: "InvShelf", from: "top", to: "things")
            }
            expectTrue(error?.message.contains("things is not a stored property") == true)
            try migration.renameProperty(onType: "InvShelf", from: "things", to: "contents")
            try migration.deleteProperty(onType: "InvShelf", "name")
        }
        let types: [ObjectBase.Type] = [
            Moved.InvShelf.self, Moved.InvThing.self, Moved.InvNote.self,
        ]
        try await realm.migrate(2, types, block) { tx in
            let shelf = try tx.dynamicObjects("InvShelf")[0]
            expectEqual(shelf.propertyNames, ["contents", "label", "top"])
            expectEqual(tx.objects(Moved.InvShelf.self)[0].contents.map(\.text), ["y"])
        }
    }
}
