import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

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
            (realm, "written.realm", "commits of its own"), (realm, "other.realm", "another realm"),
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
