import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// A health check calls `catchUp` to learn whether a process can follow the others.
@Suite(.timeLimit(.minutes(8))) struct CatchUpTests {
    private final class Ping: Object {
        @Persisted var number: Int
    }

    private func open(_ disk: SimFileSystem, isReadOnly: Bool = false) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/pings")), objectTypes: [Ping.self])
        configuration.readOnly = isReadOnly
        configuration.logger = nil
        configuration.adjust = { [view = SimView(disk)] options in
            options.fileSystem = view
            options.store.idleDelayNanoseconds = 3_600_000_000_000
        }
        return try await Realm.open(configuration)
    }

    // Covers .ioFailed
    @Test(arguments: [false, true])
    func itThrowsWhatKeepsThisProcessFromFollowingForNow(isReadOnly: Bool) async throws {
        let disk = SimFileSystem()
        let other = try await open(disk)
        try await other.write { tx in try tx.add(Ping()) }
        let realm = try await open(disk, isReadOnly: isReadOnly)
        try await realm.catchUp()
        try await other.write { tx in try tx.add(Ping()) }
        try await realm.catchUp()
        expectEqual(realm.snapshot().objects(Ping.self).count, 2)
        try await other.write { tx in try tx.add(Ping()) }
        disk.inject(SimFailure(.read, code: .ioFailed, errno: 24, times: .forever))
        for _ in 0..<2 {
            await expectEqual(realmError { try await realm.catchUp() }?.code, .ioFailed)
        }
        // a stream waits, because this may pass
        var commits = realm.commits.makeAsyncIterator()
        expectEqual(try await commits.next(within: .zero), .timedOut)
        disk.clearFailures()
        try await realm.catchUp()
        expectEqual(realm.snapshot().objects(Ping.self).count, 3)
        await realm.close()
        await other.close()
    }

    /// Other processes then don't write to `LOCK`, which would wake this one.
    @Test(arguments: [true, false])
    func aReaderThatCannotLockOrHasNoLockChecksEverySecond(hasLock: Bool) async throws {
        let disk = SimFileSystem()
        let first = try await open(disk)
        try await first.write { tx in try tx.add(Ping()) }
        await first.close()
        if !hasLock { disk.removeFile("LOCK", in: "/pings") }
        let realm = try await open(disk, isReadOnly: true)
        // The watch works, but nothing happens in the directory, as the realm isn't there.
        let folder = try RealmFolder()
        try Data().write(to: folder["LOCK"])
        if hasLock { disk.inject(SimFailure(.lock, errno: 37, times: .forever)) }
        await realm.core.external.start(path: folder.url.path, logger: nil, name: "pings")
        disk.clearFailures()
        let other = try await open(disk)
        try await other.write { tx in try tx.add(Ping()) }
        while realm.snapshot().objects(Ping.self).count < 2 {
            try await Task.sleep(for: .milliseconds(20))
        }
        await realm.close()
        await other.close()
    }

    // Covers .closed, .fileMoved
    @Test func aRealmThatWasClosedOrMovedCannotCatchUp() async throws {
        let folder = try RealmFolder()
        for isMoved in [false, true] {
            let realm = try await Realm.open(folder.configuration("pings.realm", [Ping.self]))
            try await realm.catchUp()
            if isMoved {
                try FileManager.default.removeItem(at: folder["pings.realm"])
            } else {
                await realm.close()
            }
            // the place is checked ten times a second
            try await Task.sleep(for: .milliseconds(120))
            let error = await realmError { try await realm.catchUp() }
            expectEqual(error?.code, isMoved ? .fileMoved : .closed)
            await realm.close()
        }
    }

    @Test func aRealmInMemoryIsAlwaysCurrent() async throws {
        let realm = try await Realm.temporary([Ping.self])
        try await realm.catchUp()
        await realm.close()
    }
}
