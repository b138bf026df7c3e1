import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumTestModels

/// Backups to which the commits since are added.
@Suite(.timeLimit(.minutes(40))) struct BackupUpdateTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func configuration(_ name: String) -> Realm.Configuration {
        folder.configuration(name, [BackupAccount.self])
    }

    private func write(_ realm: Realm, _ ids: Range<Int>) async throws {
        for id in ids {
            try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": -id])) }
        }
    }

    private func ids(_ name: String) async throws -> [Int] {
        let realm = try await Realm.open(configuration(name))
        try await realm.snapshot().checkIntegrity()
        let ids = realm.snapshot().objects(BackupAccount.self).map(\.id)
        await realm.close()
        return ids
    }

    private func copy(_ name: String, to target: String) throws {
        try FileManager.default.copyItem(at: folder[name], to: folder[target])
    }

    @Test func backupHasEachVersionSinceItWasMade() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await write(realm, 0..<20)
        let first = try await realm.backup(to: folder["backup.realm"])
        for round in 1..<4 {
            try await write(realm, round * 20..<round * 20 + 20)
            let version = try await realm.updateBackup(at: folder["backup.realm/"])
            expectEqual(version, realm.snapshot().version)
            // Nothing new: nothing happens.
            try await expectEqual(realm.updateBackup(at: folder["backup.realm"]), version)
        }
        await realm.close()
        try FileManager.default.removeItem(at: folder["test.realm"])
        for count in [20, 21, 37, 40, 79, 80] {
            let version = first + UInt64(count - 20)
            try await Realm.restore(
                from: folder["backup.realm"], to: folder["\(count).realm"],
                upTo: .version(version))
            try await expectEqual(ids("\(count).realm"), Array(0..<count))
        }
        let early = await realmError {
            try await Realm.restore(
                from: folder["backup.realm"], to: folder["none.realm"], upTo: .version(first - 1))
        }
        expectEqual(early?.code, .historyTrimmed)
        expectTrue(
            early?.message.contains("versions \(first) to \(first + 60)") == true,
            "\(early?.message ?? "")")
        try await expectEqual(ids("backup.realm"), Array(0..<80))
    }

    /// The original was itself a copy that had not been written to.
    @Test func backupFollowsTheOriginalIntoANewTimeline() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await write(realm, 0..<5)
        try await realm.backup(to: folder["moved.realm"])
        await realm.close()
        let moved = try await Realm.open(configuration("moved.realm"))
        try await moved.backup(to: folder["backup.realm"])
        try await write(moved, 5..<9)
        let cursor = moved.snapshot().cursor
        try await moved.updateBackup(at: folder["backup.realm"])
        try await write(moved, 9..<11)
        try await moved.updateBackup(at: folder["backup.realm"])
        await moved.close()

        let original = try await Realm.open(configuration("test.realm"))
        try await write(original, 100..<104)
        let other = original.snapshot().cursor
        expectEqual(other.version, cursor.version)
        let error = await realmError {
            try await original.updateBackup(at: folder["backup.realm"])
        }
        expectEqual(error?.code, .invalidInput)
        await original.close()
        try await expectEqual(ids("backup.realm"), Array(0..<11))
        let backup = try await Realm.open(configuration("backup.realm"))
        var commits = backup.commits(since: cursor).makeAsyncIterator()
        try await expectEqual(commits.next()?.version, cursor.version + 1)
        let refused = await realmError {
            var commits = backup.commits(since: other).makeAsyncIterator()
            _ = try await commits.next()
        }
        expectEqual(refused?.code, .invalidInput)
        await backup.close()
    }

    // Covers .historyTrimmed, .invalidInput, .fileNotFound
    @Test func whatCannotBeContinuedIsRefusedAndUnchanged() async throws {
        var configuration = self.configuration("test.realm")
        configuration.historyRetention = .nothing
        configuration.adjust = { $0.store.firstSegmentByteCount = 8192 }
        let realm = try await Realm.open(configuration)
        try await write(realm, 0..<5)
        try await realm.backup(to: folder["backup.realm"])
        try copy("backup.realm", to: "written.realm")
        let written = try await Realm.open(self.configuration("written.realm"))
        try await write(written, 50..<52)
        await written.close()
        try await write(realm, 5..<10)
        try copy("backup.realm", to: "newer.realm")
        try await realm.updateBackup(at: folder["newer.realm"])

        let other = try await Realm.open(self.configuration("other.realm"))
        try await write(other, 0..<3)
        await other.close()
        let old = try await Realm.open(self.configuration("written.realm"))
        for (source, target, reason) in [
            (realm, "written.realm", "made commits"), (realm, "other.realm", "another realm"),
            (realm, "test.realm", "the realm itself"), (old, "newer.realm", "is at version"),
        ] {
            let error = await realmError { try await source.updateBackup(at: folder[target]) }
            expectEqual(error?.code, .invalidInput, "\(target)")
            expectTrue(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
        await old.close()
        let missing = await realmError { try await realm.updateBackup(at: folder["none.realm"]) }
        expectEqual(missing?.code, .fileNotFound)
        expectTrue(!FileManager.default.fileExists(atPath: folder["none.realm"].path))

        // The log since the backup is gone.
        for round in 2..<200 { try await write(realm, round * 10..<round * 10 + 1) }
        _ = try await realm.compact()
        let trimmed = await realmError {
            try await realm.updateBackup(at: folder["backup.realm"])
        }
        expectEqual(trimmed?.code, .historyTrimmed)
        await realm.close()
        try await expectEqual(ids("backup.realm"), Array(0..<5))
        try await expectEqual(ids("newer.realm"), Array(0..<10))
    }

    @Test func relaxedCommitsAreSyncedBeforeTheyAreAdded() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await write(realm, 0..<2)
        try await realm.backup(to: folder["backup.realm"])
        for id in 2..<6 {
            try await realm.write(durability: .relaxed(within: .seconds(3_600))) { tx in
                try tx.add(BackupAccount(value: ["id": id, "amount": 0]))
            }
        }
        let version = realm.snapshot().version
        try await expectEqual(realm.updateBackup(at: folder["backup.realm"]), version)
        try await expectEqual(ids("backup.realm"), Array(0..<6))
        await realm.close()
    }

    /// The sync isn't left to the process that is writing.
    @Test func relaxedCommitsAreSyncedWhileAnotherProcessWrites() async throws {
        var configuration = self.configuration("test.realm")
        configuration.adjust = {
            $0.fileSystem = PosixFileSystem()
            $0.store.idleDelayNanoseconds = 3_600_000_000_000
        }
        let writer = try await Realm.open(configuration)
        try await write(writer, 0..<2)
        let realm = try await Realm.open(self.configuration("test.realm"))
        try await realm.backup(to: folder["backup.realm"])
        let id = try await addUnsynced(to: writer, from: 2)
        let turn = try await writer.core.coordinator.beginWrite()
        let version = writer.snapshot().version
        try await expectEqual(realm.updateBackup(at: folder["backup.realm"]), version)
        try await writer.core.coordinator.abandon(turn)
        await writer.close()
        await realm.close()
        try await expectEqual(ids("backup.realm"), Array(0..<id))
    }

    /// The backup has commits that this process hasn't read yet.
    @Test func backupThatAnotherProcessHasJustUpdatedIsNotRefused() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await write(realm, 0..<3)
        try await realm.backup(to: folder["backup.realm"])
        var configuration = self.configuration("test.realm")
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let other = try await Realm.open(configuration)
        try await write(realm, 3..<6)
        let version = try await realm.updateBackup(at: folder["backup.realm"])
        let update = CopyExtension(
            of: other.core.coordinator, at: folder["backup.realm"].path
        ) { true }
        try await expectEqual(update.make(), version)
        await other.close()
        await realm.close()
    }

    /// Opening a backup for writing, and even compacting it, isn't a commit.
    @Test func openingABackupRemovesNoHistory() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await write(realm, 0..<5)
        let first = try await realm.backup(to: folder["backup.realm"])
        try await write(realm, 5..<25)
        try await realm.updateBackup(at: folder["backup.realm"])
        var configuration = self.configuration("backup.realm")
        configuration.historyRetention = .nothing
        configuration.adjust = { $0.store.firstSegmentByteCount = 8192 }
        for _ in 0..<2 {
            let backup = try await Realm.open(configuration)
            _ = try await backup.compact()
            await backup.close()
        }
        try await write(realm, 25..<27)
        try await realm.updateBackup(at: folder["backup.realm"])
        await realm.close()
        for count in [5, 6, 25, 27] {
            try await Realm.restore(
                from: folder["backup.realm"], to: folder["\(count).realm"],
                upTo: .version(first + UInt64(count - 5)))
            try await expectEqual(ids("\(count).realm"), Array(0..<count))
        }
        // From the first commit on, it is a realm like any other.
        let backup = try await Realm.open(configuration)
        try await write(backup, 100..<101)
        _ = try await backup.compact()
        await backup.close()
        let error = await realmError {
            try await Realm.restore(
                from: folder["backup.realm"], to: folder["none.realm"], upTo: .version(first))
        }
        expectEqual(error?.code, .historyTrimmed)
    }

    /// The directory of a realm that was copied by other means isn't a backup.
    // Covers .invalidInput
    @Test func realmThatIsNotABackupIsRefusedAndUnchanged() async throws {
        let first = try await Realm.open(configuration("test.realm"))
        try await write(first, 0..<5)
        await first.close()
        try copy("test.realm", to: "live.realm")
        let realm = try await Realm.open(configuration("test.realm"))
        try await write(realm, 5..<8)
        let error = await realmError { try await realm.updateBackup(at: folder["live.realm"]) }
        expectEqual(error?.code, .invalidInput)
        expectTrue(
            error?.message.contains("wasn't made as a backup") == true, "\(error?.message ?? "")")
        await realm.close()
        try await expectEqual(ids("live.realm"), Array(0..<5))
    }

    /// As if only `LOCK` had been restored: the log is authoritative.
    @Test func outdatedLockHidesNothingFromAReadOnlyUpdate() async throws {
        let first = try await Realm.open(configuration("test.realm"))
        try await write(first, 0..<3)
        try await first.backup(to: folder["backup.realm"])
        await first.close()
        let lock = try Data(contentsOf: folder["test.realm/LOCK"])
        let second = try await Realm.open(configuration("test.realm"))
        try await write(second, 3..<6)
        let version = second.snapshot().version
        await second.close()
        try lock.write(to: folder["test.realm/LOCK"])
        var configuration = self.configuration("test.realm")
        configuration.readOnly = true
        let reader = try await Realm.open(configuration)
        expectEqual(reader.snapshot().version, version)
        try await expectEqual(reader.updateBackup(at: folder["backup.realm"]), version)
        await reader.close()
        try await expectEqual(ids("backup.realm"), Array(0..<6))
    }

    private func openSimulated(_ disk: SimFileSystem) async throws -> Realm {
        _ = try disk.openDirectory("/sim", .creating)
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/sim/a.realm")), objectTypes: [BackupAccount.self])
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.store.firstSegmentByteCount = 8192
        }
        return try await Realm.open(configuration)
    }

    // Covers .ioFailed
    @Test(arguments: [EffectKind.create, .write, .sync, .rename, .syncDirectory])
    func failedUpdateCanBeRepeated(_ kind: EffectKind) async throws {
        let backup = URL(filePath: "/sim/b.realm")
        var nth = 1
        while true {
            let disk = SimFileSystem(seed: 5)
            let realm = try await openSimulated(disk)
            try await write(realm, 0..<3)
            try await realm.backup(to: backup)
            try await write(realm, 3..<100)
            disk.inject(SimFailure(kind, nth: nth))
            let error = await realmError { try await realm.updateBackup(at: backup) }
            let hasFired = disk.firedFailureCount > 0
            disk.clearFailures()
            if let error { expectEqual(error.code, .ioFailed, "\(kind) \(nth): \(error)") }
            let newest = realm.snapshot().version
            try await expectEqual(realm.updateBackup(at: backup), newest, "\(kind) \(nth)")
            let content = realm.core.coordinator.published.stateHash()
            await realm.close()
            try expectEqual(reopened("/sim/b.realm", disk).root.stateHash(), content)
            guard hasFired else { break }
            nth += 1
        }
        expectTrue(nth > 1, "\(kind)")
    }

    @Test func backupMayBeOnANetworkFileSystem() async throws {
        let disk = SimFileSystem(seed: 4)
        let realm = try await openSimulated(disk)
        try await write(realm, 0..<3)
        disk.networkName.withLock { $0 = "NFS" }
        let backup = URL(filePath: "/sim/b.realm")
        try await realm.backup(to: backup)
        try await write(realm, 3..<5)
        try await expectEqual(realm.updateBackup(at: backup), realm.snapshot().version)
        await realm.close()
    }

    // Covers .historyTrimmed
    @Test func largeTransactionNeedsANewBackup() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { try $0.add(BackupBook(value: ["id": 1, "title": "a"])) }
        try await realm.backup(to: folder["backup.realm"])
        try await realm.write { try $0.add(BackupBook(value: ["id": 2, "title": "b"])) }
        try await realm.write { tx in
            let book = BackupBook(value: ["id": 3, "title": "c"])
            book.cover = Data(repeating: 1, count: 5 << 20)
            try tx.add(book)
        }
        let before = try folder.names(in: "backup.realm")
        let error = await realmError { try await realm.updateBackup(at: folder["backup.realm"]) }
        expectEqual(error?.code, .historyTrimmed)
        expectTrue(error?.message.contains("large transaction") == true)
        try expectEqual(folder.names(in: "backup.realm"), before)
        let memory = try await Realm.temporary(nil, from: folder["backup.realm"])
        let unlogged = await realmError {
            try await memory.updateBackup(at: folder["backup.realm"])
        }
        expectEqual(unlogged?.code, .historyTrimmed)
        await memory.close()
        await realm.close()
        let backup = try await Realm.open(folder.configuration("backup.realm"))
        expectEqual(backup.snapshot().objects(BackupBook.self).map(\.id), [1])
        await backup.close()
    }
}
