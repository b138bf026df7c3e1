import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Updates of backups of a realm whose log is damaged.
@Suite(.timeLimit(.minutes(20))) struct BackupUpdateDamageTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func open(_ name: String) async throws -> Realm {
        var configuration = folder.configuration(name, [BackupAccount.self])
        configuration.logger = nil
        configuration.adjust = {
            $0.store.firstSegmentByteCount = 16_384
            $0.checkpoint.minimumClosingByteCount = 1
        }
        return try await Realm.open(configuration)
    }

    private func write(_ realm: Realm, _ ids: Range<Int>) async throws {
        for id in ids {
            try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": -id])) }
        }
    }

    private var log: URL { folder["test.realm"].appending(path: "log-0-0") }

    /// Returns the offset of the last byte that was written to the first segment.
    private func end() throws -> Int {
        try requireValue(Data(contentsOf: log).lastIndex { $0 != 0 })
    }

    /// The commits of which one is damaged, all of them in one segment.
    enum Place: CaseIterable {
        case beforeTheBackup, lastOfTheBackup, afterTheBackup
    }

    /// Only the commits since the backup are needed.
    @Test(arguments: Place.allCases)
    func damageBeforeTheBackupDoesNotPreventAnUpdate(place: Place) async throws {
        let realm = try await open("test.realm")
        try await write(realm, 0..<3)
        var offsets: [Place: Int] = [:]
        offsets[.beforeTheBackup] = try end()
        try await write(realm, 3..<6)
        offsets[.lastOfTheBackup] = try end()
        try await realm.backup(to: folder["backup.realm"])
        try await write(realm, 6..<7)
        offsets[.afterTheBackup] = try end()
        try await write(realm, 7..<9)
        var id = 9
        try #require(!folder.names(in: "test.realm").contains("log-0-1"))
        while try !folder.names(in: "test.realm").contains("log-0-1") {
            try await write(realm, id..<id + 1)
            id += 1
        }
        await realm.close()
        var bytes = try Data(contentsOf: log)
        let offset = try requireValue(offsets[place])
        bytes[offset] ^= 1
        try bytes.write(to: log)

        let damaged = try await open("test.realm")
        let expected = place == .afterTheBackup ? 6 : id
        if place == .afterTheBackup {
            let error = await realmError {
                try await damaged.updateBackup(at: folder["backup.realm"])
            }
            expectEqual(error?.code, .invalidDatabase)
        } else {
            let version = try await damaged.updateBackup(at: folder["backup.realm"])
            expectEqual(version, damaged.snapshot().version)
        }
        await damaged.close()
        let backup = try await open("backup.realm")
        try await backup.snapshot().checkIntegrity()
        expectEqual(backup.snapshot().objects(BackupAccount.self).map(\.id), Array(0..<expected))
        await backup.close()
    }
}
