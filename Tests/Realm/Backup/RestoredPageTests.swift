import Foundation
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// What clients keep of a page, and programs of an object, when a realm is restored, copied or
/// migrated: rows with the numbers of lost ones aren't mistaken for them.
@Suite struct RestoredPageTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func open(_ name: String) async throws -> Realm {
        try await Realm.open(folder.configuration(name, [BackupAccount.self]))
    }

    private func add(_ realm: Realm, _ ids: Range<Int>) async throws {
        try await realm.write { tx in
            for id in ids { try tx.add(BackupAccount(value: ["id": id, "amount": 1])) }
        }
    }

    private func message(
        _ accounts: LiveResults<BackupAccount>, after cursor: PageCursor?
    ) -> String {
        let error = #expect(throws: Realm.Error.self) {
            try accounts.page(after: cursor, limit: 3)
        }
        expectEqual(error?.code, .invalidInput)
        return error?.message ?? ""
    }

    // Covers 3.103
    @Test func restoredRealmRefusesCursorsOfLostRows() async throws {
        let realm = try await open("test.realm")
        let accounts = realm.objects(BackupAccount.self)
        try await add(realm, 0..<10)
        let kept = try requireValue(accounts.page(limit: 5).cursor)
        try await realm.backup(to: folder["copy.realm"])
        try await add(realm, 10..<20)
        let lost = try requireValue(accounts.page(limit: 15).cursor)
        await realm.close()

        let copy = try await open("copy.realm")
        let restored = copy.objects(BackupAccount.self)
        // until its first commit, the restored realm has no other rows in those places
        let empty = try restored.page(after: lost, limit: 3)
        expectTrue(empty.isEmpty && !empty.hasMore)
        expectEqual(empty.cursor, lost)
        try await add(copy, 100..<120)
        for cursor in [lost, empty.cursor] {
            let text = message(restored, after: cursor)
            expectTrue(text.contains("was restored"), "\(text)")
        }
        expectEqual(try restored.page(after: kept, limit: 6).map(\.id), [5, 6, 7, 8, 9, 100])
        let own = try requireValue(restored.page(limit: 12).cursor)
        try await copy.write { tx in
            let page = try tx.objects(BackupAccount.self).page(after: own, limit: 2)
            expectEqual(page.map(\.id), [102, 103])
        }
        await copy.close()

        let again = try await open("copy.realm")
        let page = try again.objects(BackupAccount.self).page(after: own, limit: 1)
        expectEqual(page.map(\.id), [102])
        await again.close()
        let original = try await open("test.realm")
        let text = message(original.objects(BackupAccount.self), after: own)
        expectTrue(text.contains("another copy"), "\(text)")
        await original.close()
    }

    // Covers 3.103
    @Test func forksRefuseEachOthersCursors() async throws {
        let realm = try await Realm.temporary([BackupAccount.self])
        let accounts = realm.objects(BackupAccount.self)
        try await add(realm, 0..<4)
        let shared = try requireValue(accounts.page(limit: 2).cursor)
        let fork = try await realm.fork()
        try await add(fork, 10..<14)
        try await add(realm, 20..<24)
        let forked = fork.objects(BackupAccount.self)
        _ = message(accounts, after: try forked.page(limit: 6).cursor)
        _ = message(forked, after: try accounts.page(limit: 6).cursor)
        expectEqual(try forked.page(after: shared, limit: 3).map(\.id), [2, 3, 10])
        expectEqual(try accounts.page(after: shared, limit: 3).map(\.id), [2, 3, 20])
    }

    // Covers 3.103
    @Test func cursorOfADroppedClassIsRefusedByTheNextOneOfItsName() async throws {
        var configuration = folder.configuration("test.realm", [BackupAccount.self, PageNote.self])
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in for _ in 0..<5 { try tx.add(PageNote()) } }
        let cursor = try requireValue(realm.objects(PageNote.self).page(limit: 5).cursor)
        await realm.close()
        configuration.objectTypes = [BackupAccount.self]
        configuration.schemaVersion = 2
        configuration.migration = { migration, _ in migration.deleteData(forType: "PageNote") }
        let dropped = try await Realm.open(configuration)
        await dropped.close()
        configuration.objectTypes = [BackupAccount.self, PageNote.self]
        configuration.migration = nil
        let again = try await Realm.open(configuration)
        try await again.write { tx in for _ in 0..<5 { try tx.add(PageNote()) } }
        let error = #expect(throws: Realm.Error.self) {
            try again.objects(PageNote.self).page(after: cursor, limit: 1)
        }
        expectEqual(error?.message.contains("removed from the realm and added again"), true)
        await again.close()
    }

    @Test func objectOfALostCommitIsNotOneOfTheRestoredRealm() async throws {
        let realm = try await open("test.realm")
        try await add(realm, 0..<2)
        let kept = realm.snapshot()
        try await realm.backup(to: folder["copy.realm"])
        try await add(realm, 2..<4)
        let lost = realm.snapshot()
        await realm.close()
        let again = try await open("test.realm")
        expectTrue(again.core.owns(kept.core) && again.core.owns(lost.core))
        await again.close()
        try FileManager.default.removeItem(at: folder["test.realm"])
        try FileManager.default.copyItem(at: folder["copy.realm"], to: folder["test.realm"])
        let restored = try await open("test.realm")
        expectTrue(restored.core.owns(kept.core) && !restored.core.owns(lost.core))
        try await add(restored, 10..<12)
        try await add(restored, 12..<14)
        expectTrue(restored.core.owns(kept.core) && !restored.core.owns(lost.core))
        let row = kept.objects(BackupAccount.self)[1]
        expectEqual(restored.object(following: row).current?.id, 1)
        await restored.close()
    }
}

private final class PageNote: Object {
    @Persisted var text: String
}
