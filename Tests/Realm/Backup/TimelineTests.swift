import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Cursors of realms, their copies and restored states: each is refused where it doesn't lead to a
/// gapless continuation.
@Suite(.timeLimit(.minutes(40))) struct TimelineTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func open(_ name: String) async throws -> Realm {
        try await Realm.open(folder.configuration(name, [BackupAccount.self]))
    }

    private func add(_ realm: Realm, _ ids: Range<Int>) async throws {
        for id in ids {
            try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": 1])) }
        }
    }

    /// Returns the versions of the commits since a cursor.
    private func versions(_ realm: Realm, since cursor: ChangeCursor) async throws -> [UInt64] {
        let newest = realm.snapshot().version
        var commits = realm.commits(since: cursor).makeAsyncIterator()
        var versions: [UInt64] = []
        while (versions.last ?? cursor.version) < newest {
            versions.append(try requireValue(try await commits.next()).version)
        }
        return versions
    }

    private func error(_ realm: Realm, since cursor: ChangeCursor) async -> Realm.Error? {
        let error = await realmError {
            // a cursor that isn't refused has nothing to wait for
            var commits = realm.commits(since: cursor).makeAsyncIterator()
            _ = try await commits.next(within: .seconds(20))
        }
        let other = await realmError {
            var changes = realm.objects(BackupAccount.self).changes(since: cursor)
                .makeAsyncIterator()
            _ = try await changes.next(within: .seconds(20))
        }
        let third = await realmError { try await realm.snapshot(atLeast: cursor) }
        for same in [other, third] {
            expectEqual(error?.code, same?.code)
            expectEqual(error?.message, same?.message)
            expectEqual(same?.isHistoryUnavailable, true)
        }
        expectEqual(error?.isHistoryUnavailable, true)
        return error
    }

    // Covers O34
    @Test func restoredRealmRefusesCursorsOfCommitsThatItLacks() async throws {
        let realm = try await open("test.realm")
        try await add(realm, 0..<10)
        let kept = realm.snapshot().cursor
        try await realm.backup(to: folder["copy.realm"])
        try await add(realm, 10..<20)
        let lost = realm.snapshot().cursor
        await realm.close()

        try FileManager.default.moveItem(at: folder["test.realm"], to: folder["old.realm"])
        try FileManager.default.copyItem(at: folder["copy.realm"], to: folder["test.realm"])
        let restored = try await open("test.realm")
        expectEqual(restored.snapshot().cursor, kept)
        let before = try requireValue(await error(restored, since: lost))
        expectTrue(before.code == .invalidInput && before.message.contains("restored"))
        // Also once it has commits with these versions, and more.
        for count in [10, 5] {
            let next = Int(restored.snapshot().version)
            try await add(restored, 1_000 + next..<1_000 + next + count)
            let after = try requireValue(await error(restored, since: lost))
            expectTrue(after.code == .invalidInput && after.message.contains("restored"))
        }
        // Cursors from before that continue, and so do new ones after a restart.
        let own = restored.snapshot().cursor
        try await expectEqual(
            versions(restored, since: kept), Array(kept.version + 1...own.version))
        await restored.close()
        let again = try await open("test.realm")
        try await add(again, 3_000..<3_001)
        try await expectEqual(versions(again, since: own), [own.version + 1])
        try await expectEqual(
            versions(again, since: kept), Array(kept.version + 1...own.version + 1))
        await expectEqual(error(again, since: lost)?.code, .invalidInput)
        await again.close()
        let original = try await open("old.realm")
        await expectEqual(error(original, since: own)?.code, .invalidInput)
        try await expectEqual(
            versions(original, since: kept), Array(kept.version + 1...lost.version))
        await original.close()
    }

    // Covers O34
    @Test func twoCopiesOfOneBackupDoNotShareATimeline() async throws {
        let realm = try await open("test.realm")
        try await add(realm, 0..<3)
        try await realm.backup(to: folder["backup.realm"])
        await realm.close()
        var cursors: [ChangeCursor] = []
        for name in ["one.realm", "two.realm"] {
            try FileManager.default.copyItem(at: folder["backup.realm"], to: folder[name])
            let copy = try await open(name)
            try await add(copy, 10..<14)
            cursors.append(copy.snapshot().cursor)
            await copy.close()
        }
        expectEqual(cursors[0].version, cursors[1].version)
        expectTrue(cursors[0] != cursors[1])
        let two = try await open("two.realm")
        await expectEqual(error(two, since: cursors[0])?.code, .invalidInput)
        try await expectEqual(versions(two, since: cursors[1]), [])
        await two.close()
    }

    @Test func snapshotHasTheCommitsOfAnotherProcessUpToACursor() async throws {
        let realm = try await open("test.realm")
        try await add(realm, 0..<3)
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        let copy = try await open("copy.realm")
        var configuration = folder.configuration("copy.realm", [BackupAccount.self])
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let follower = try await Realm.open(configuration)
        let start = follower.snapshot().cursor
        for id in 10..<30 {
            try await add(copy, id..<id + 1)
            let cursor = copy.snapshot().cursor
            let snapshot = try await follower.snapshot(atLeast: cursor)
            expectEqual(snapshot.cursor, cursor)
            expectEqual(snapshot.object(BackupAccount.self, forPrimaryKey: id)?.amount, 1)
        }
        await follower.close()
        let last = copy.snapshot().cursor
        for cursor in [start, last] {
            try await expectEqual(follower.snapshot(atLeast: cursor).cursor, last)
        }
        try await add(copy, 30..<31)
        let newest = copy.snapshot().cursor
        let closed = await realmError { try await follower.snapshot(atLeast: newest) }
        expectEqual(closed?.code, .closed)
        await copy.close()
    }

    /// Another process reads the first commits of a copy all at once.
    // Covers O34
    @Test func followerNamesTheTimelineOfEachCommit() async throws {
        let realm = try await open("test.realm")
        try await add(realm, 0..<3)
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        let copy = try await open("copy.realm")
        var configuration = folder.configuration("copy.realm", [BackupAccount.self])
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let follower = try await Realm.open(configuration)
        let start = follower.snapshot().cursor
        try await add(copy, 10..<110)
        let newest = copy.snapshot().cursor
        expectTrue(newest.timeline != start.timeline)
        var commits = follower.commits(since: start).makeAsyncIterator()
        var version = start.version
        while version < newest.version {
            let cursor = try requireValue(try await commits.next()).cursor
            expectEqual(cursor.timeline, newest.timeline, "\(cursor)")
            version = cursor.version
        }
        await follower.close()
        await copy.close()
    }

    // Covers O34
    @Test func copiesInMemoryHaveTheirOwnTimeline() async throws {
        let realm = try await open("test.realm")
        try await add(realm, 0..<3)
        let shared = realm.snapshot().cursor
        let copy = try await Realm.temporary([BackupAccount.self], from: folder["test.realm"])
        expectEqual(copy.snapshot().cursor, shared)
        try await add(copy, 10..<12)
        try await add(realm, 20..<23)
        let own = copy.snapshot().cursor
        await expectEqual(error(realm, since: own)?.code, .invalidInput)
        await expectEqual(error(copy, since: realm.snapshot().cursor)?.code, .invalidInput)
        try await expectEqual(versions(realm, since: shared).count, 3)
        // A copy of the copy refuses the same cursors.
        try await copy.backup(to: folder["copy.realm"])
        let file = try await open("copy.realm")
        expectEqual(file.snapshot().cursor, own)
        try await add(file, 30..<34)
        await expectEqual(error(file, since: realm.snapshot().cursor)?.code, .invalidInput)
        try await expectEqual(versions(file, since: own).count, 4)
        for each in [realm, copy, file] { await each.close() }
    }

    // Covers O34
    @Test func seededRealmsHaveTheirOwnTimelines() async throws {
        let seed = try await open("seed.realm")
        try await add(seed, 0..<3)
        await seed.close()
        var cursors: [ChangeCursor] = []
        for name in ["one.realm", "two.realm"] {
            var configuration = folder.configuration(name, [BackupAccount.self])
            configuration.seedFile = folder["seed.realm"]
            let realm = try await Realm.open(configuration)
            try await add(realm, 10..<12)
            for cursor in cursors {
                await expectEqual(error(realm, since: cursor)?.code, .invalidInput)
            }
            cursors.append(realm.snapshot().cursor)
            await realm.close()
        }
        expectEqual(Set(cursors).count, 2)
    }
}
