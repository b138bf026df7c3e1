import Foundation
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

extension GenericOwner {
    /// Everything in its collections, read through the class's own accessors.
    fileprivate var contents: String {
        var texts = pets.map(\.name) + friends.map(\.name)
        texts += byRole.map { "\($0.key)\($0.value?.name ?? "")" }
        texts += parts.map { "\($0.key)\($0.value?.label ?? "")" }
        texts += scores.map { "\($0)" }
        texts += grades.map { "\($0 ?? 0)" }
        return texts.joined()
    }
}

/// Collections that refer to rows that don't exist, as only in a forged file: each view throws an
/// error instead of leaving them out or returning a default.
@Suite struct ForgedReferenceTests {
    // Covers .invalidDatabase
    @Test(arguments: ["pets", "friends", "byRole", "parts", "scores", "grades"])
    func missingRowsAreErrors(property: String) async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("forged.realm", genericClasses))
        try await realm.write { tx in try tx.add(GenericOwner("Ann")) }
        try expectEqual(read(forged(realm) { _, _, _ in }), "")

        let snapshot = try forged(realm) { transaction, owners, row in
            let list = try requireValue(owners.list(named: property))
            let isDone = transaction.content.splice(
                ListPlace(table: owners.key, list: list.key), row.rawValue, at: 0, removing: 0,
                inserting: [999][...], transaction.edit.nodes)
            expectTrue(isDone)
        }
        let frozen = #expect(throws: Realm.Error.self) {
            try snapshot.read { snapshot in
                let owner = try requireValue(
                    snapshot.object(GenericOwner.self, forPrimaryKey: "Ann"))
                return frozenDescription(of: owner, property)
            }
        }
        expectEqual(frozen?.code, .invalidDatabase)
        let confined = #expect(throws: Realm.Error.self) { try read(snapshot) }
        expectEqual(confined?.code, .invalidDatabase)
        let export = await #expect(throws: Realm.Error.self) {
            try await snapshot.exportJSON { _ in }
        }
        expectEqual(export?.code, .invalidDatabase)
    }

    private func frozenDescription(of owner: Frozen<GenericOwner>, _ property: String) -> String {
        switch property {
        case "pets": owner.pets.map { $0.name }.joined()
        case "friends": owner.friends.map { $0.name }.joined()
        case "byRole": owner.byRole.map { "\($0.key)\($0.value?.name ?? "")" }.joined()
        case "parts": owner.parts.map { "\($0.key)\($0.value?.label ?? "")" }.joined()
        case "scores": owner.scores.map { "\($0)" }.joined()
        default: owner.grades.map { "\($0 ?? 0)" }.joined()
        }
    }

    private func read(_ snapshot: Snapshot) throws -> String? {
        try snapshot.read { snapshot in
            snapshot.object(GenericOwner.self, forPrimaryKey: "Ann")?.contents
        }
    }

    /// Returns a snapshot with unchecked changes.
    private func forged(
        _ realm: Realm, _ body: (EngineTransaction, TableSchema, ObjectKey) throws -> Void
    ) throws -> Snapshot {
        let core = realm.snapshot().core
        let owners = try requireValue(core.root.schema.table(named: "GenericOwner"))
        let row = try requireValue(core.root.find(owners.key, primaryKey: .string("Ann")))
        let transaction = EngineTransaction(base: core.root)
        try body(transaction, owners, row)
        let root = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        return Snapshot(core: SnapshotCore(realm: core.realm, root: root, place: core.place))
    }
}
