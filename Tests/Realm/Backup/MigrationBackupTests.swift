import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumEngine
@testable import RegnumSimulation
@testable import RegnumTestModels

/// The copy that is made before a migration has the state that is migrated.
@Suite(.timeLimit(.minutes(40))) struct MigrationBackupTests {
    private func migrating(_ configuration: Realm.Configuration) -> Realm.Configuration {
        var configuration = configuration
        configuration.schemaVersion = 1
        configuration.migration = { _, _ in }
        return configuration
    }

    private func add(_ realm: Realm, _ ids: Range<Int>) async throws {
        for id in ids {
            try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": 1])) }
        }
    }

    /// A restored realm has made another commit with the version of which there is a copy.
    // Covers .fileExists
    @Test func copyOfAnotherTimelineIsNotReused() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("test.realm", [BackupAccount.self]))
        try await add(realm, 0..<3)
        try await realm.backup(to: folder["old.realm"])
        try await add(realm, 3..<4)
        let version = try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        let old = folder.configuration("old.realm", [BackupAccount.self])
        let restored = try await Realm.open(old)
        try await add(restored, 10..<11)
        expectEqual(restored.snapshot().version, version)
        await restored.close()
        for (name, code) in [("old.realm", Realm.Error.Code.fileExists), ("test.realm", nil)] {
            var configuration = migrating(folder.configuration(name, [BackupAccount.self]))
            configuration.migrationBackup = folder["copy.realm"]
            let opening = configuration
            let error = await realmError { try await Realm.open(opening).close() }
            expectEqual(error?.code, code, "\(name)")
        }
    }

    /// Another process is writing without syncing each commit.
    @Test func relaxedCommitsAreDurableBeforeTheyAreCopied() async throws {
        let disk = SimFileSystem(seed: 6)
        _ = try disk.openDirectory("/sim", .creating)
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/sim/a.realm")), objectTypes: [BackupAccount.self])
        configuration.adjust = { options in
            options.fileSystem = SimView(disk)
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.store.firstSegmentByteCount = 16384
            options.store.openTimeoutNanoseconds = 1_000_000_000_000_000_000
        }
        let writer = try await Realm.open(configuration)
        try await add(writer, 0..<2)
        let id = try await addUnsynced(to: writer, from: 2)
        let turn = try await writer.core.coordinator.beginWrite()

        let isDurable = Guarded<Bool?>(nil)
        disk.onEffect = { [unowned disk] kind, _ in
            guard kind == .makeDirectory else { return }
            let log = disk.contents(of: "log-0-0", in: "/sim/a.realm")
            let durable = disk.durableContents(of: "log-0-0", in: "/sim/a.realm")
            isDurable.withLock { $0 = $0 ?? (log == durable) }
        }
        var next = migrating(configuration)
        next.migrationBackup = URL(filePath: "/sim/b.realm")
        let opening = Task { [next] in try await Realm.open(next) }
        // It has read the relaxed commit and waits for the lock.
        let lock = try requireValue(writer.core.coordinator.state.withLock { $0.log?.lock })
        try await eventually { lock.isLockedElsewhere(.waiters) }
        try await writer.core.coordinator.abandon(turn)
        let realm = try await opening.value
        disk.onEffect = nil
        expectEqual(isDurable.withLock { $0 }, true)
        expectEqual(realm.snapshot().objects(BackupAccount.self).count, id)
        await realm.close()
        await writer.close()
    }
}
