import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Cursors of `.relaxed` commits that a power failure has taken.
@Suite(.timeLimit(.minutes(40))) struct LostCursorTests {
    private func open(_ disk: SimFileSystem) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/sim/lost.realm")), objectTypes: [BackupAccount.self])
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.store.firstSegmentByteCount = 8192
        }
        return try await Realm.open(configuration)
    }

    private func add(_ realm: Realm, _ id: Int) async throws {
        try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": 1])) }
    }

    // Covers O34
    @Test func cursorOfALostCommitIsRefusedOnceAnotherHasItsVersion() async throws {
        let disk = SimFileSystem()
        let realm = try await open(disk)
        try await add(realm, 0)
        let kept = realm.snapshot().cursor
        let id = try await addUnsynced(to: realm, from: 1)
        let (version, lost) = (realm.snapshot().version, realm.snapshot().cursor)
        let machine = disk.crashImages()[0].fileSystem  // nothing that wasn't synced
        await realm.close()
        let again = try await open(machine)
        expectEqual(again.snapshot().version, version - 1)
        for next in id..<id + 3 { try await add(again, next) }
        expectEqual(again.snapshot().version, version + 2)
        let error = await realmError {
            var commits = again.commits(since: lost).makeAsyncIterator()
            _ = try await commits.next(within: .seconds(20))
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.isHistoryUnavailable, true)
        var commits = again.commits(since: kept).makeAsyncIterator()
        try await expectEqual(commits.next()?.version, kept.version + 1)
        await again.close()
    }
}
