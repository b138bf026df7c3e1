import Foundation
import Logging
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Configurations as values, and the default configuration of the process.
@Suite(.serialized) struct ConfigurationTests {
    // Covers 5.14
    @Test func equalWhereAllIsTheSame() {
        let url = URL(filePath: "/tmp/a.realm")
        let one = Realm.Configuration(location: .file(url), objectTypes: [Room.self, Message.self])
        var same = Realm.Configuration(
            location: .file(url), objectTypes: [Message.self, Room.self])
        same.logger = Logger(label: "another")
        expectEqual(one, same)
        let changes: [(inout Realm.Configuration) -> Void] = [
            { $0.location = .inMemory(identifier: "a") }, { $0.objectTypes = [Room.self] },
            { $0.objectTypes = nil }, { $0.schemaVersion = 1 }, { $0.readOnly = true },
            { $0.durability = .relaxed(within: .seconds(1)) }, { $0.writeTimeout = .seconds(1) },
            { $0.seedFile = url }, { $0.maximumNumberOfActiveVersions = 5 }, { $0.name = "b" },
            { $0.historyRetention = Realm.HistoryRetention(age: .seconds(60)) },
            { $0.deleteRealmIfMigrationNeeded = true }, { $0.migration = { _, _ in } },
            { $0.migrationProgress = { _ in } }, { $0.migrationBackup = url },
            { $0.resumableMigration = ResumableMigration() },
            { $0.resumableMigration = ResumableMigration(name: "second") },
        ]
        var others = [one]
        for change in changes {
            var other = one
            change(&other)
            #expect(!others.contains(other))
            others.append(other)
        }
    }

    @Test func historyRetentionReachesTheStoreAndIsChecked() throws {
        var configuration = Realm.Configuration(location: .file(URL(filePath: "/tmp/a.realm")))
        let standard = configuration.coordinatorOptions.retention
        expectTrue(standard.ageNanoseconds == 604_800_000_000_000 && standard.byteCount == 16 << 20)
        expectEqual(standard.nodesByteCount, 64 << 20)
        var history = Realm.HistoryRetention(age: .seconds(60), byteCount: 9)
        expectEqual(history.storeRetention.ageNanoseconds, 60_000_000_000)
        expectTrue(
            history.storeRetention.byteCount == 9 && history.storeRetention.nodesByteCount == nil)
        expectEqual(Realm.HistoryRetention(history.storeRetention), history)
        configuration.historyRetention = history
        expectEqual(
            configuration.description, "a.realm (file /tmp/a.realm; history 60.0 seconds, 9 bytes)")
        history.byteCount = -1
        configuration.historyRetention = history
        let error = #expect(throws: Realm.Error.self) { try configuration.checkSettings() }
        expectEqual(error?.code, .invalidInput)
    }

    // Covers 5.14
    @Test func descriptionTellsWhatIsSet() {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/tmp/a.realm")), objectTypes: [Room.self])
        expectEqual(configuration.description, "a.realm (file /tmp/a.realm; classes Room)")
        configuration.readOnly = true
        configuration.schemaVersion = 3
        expectEqual(
            configuration.description,
            "a.realm (file /tmp/a.realm; classes Room; schema version 3; read-only)")
        configuration.readOnly = false
        configuration.migration = { _, _ in }
        configuration.migrationProgress = { _ in }
        configuration.migrationBackup = URL(filePath: "/tmp/b.realm")
        configuration.resumableMigration = ResumableMigration(name: "ages")
        configuration.deleteRealmIfMigrationNeeded = true
        expectEqual(
            configuration.description,
            "a.realm (file /tmp/a.realm; classes Room; schema version 3; a migration; "
                + "migration progress reported; migration backup /tmp/b.realm; "
                + "resumable migration \"ages\"; "
                + "deleted if it needs a migration)")
        let memory = Realm.Configuration(location: .inMemory(identifier: "chat"))
        expectEqual(memory.description, "chat (in memory \"chat\")")
    }

    // Covers 5.75
    @Test func defaultIsWhatWasSet() async throws {
        let before = Realm.Configuration.default
        expectEqual(before.location, .file(URL(filePath: "default.realm")))
        defer { Realm.Configuration.default = before }
        var configuration = Realm.Configuration(location: .inMemory(identifier: "the default"))
        configuration.schemaVersion = 3
        Realm.Configuration.default = configuration
        let realm = try await Realm.open()
        expectEqual(realm.configuration, configuration)
        Realm.Configuration.default.schemaVersion = 4
        expectEqual(realm.configuration.schemaVersion, 3)
        await realm.close()
    }
}
