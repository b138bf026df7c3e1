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
            { $0.buildsIndexes = false }, { $0.indexProgress = { _ in } },
            { $0.shouldCompactOnLaunch = { _, _ in true } }, { $0.scrubBytesPerSecond = 1 },
            { $0.resumableMigration = ResumableMigration() },
            { $0.resumableMigration = ResumableMigration(name: "second") },
        ]
        var others = [one]
        for change in changes {
            var other = one
            change(&other)
            expectTrue(!others.contains(other))
            others.append(other)
        }
    }

    @Test func historyRetentionReachesTheStore() throws {
        var configuration = Realm.Configuration(location: .file(URL(filePath: "/tmp/a.realm")))
        let standard = try configuration.coordinatorOptions().store.retention
        expectTrue(standard.ageNanoseconds == 604_800_000_000_000 && standard.byteCount == 16 << 20)
        expectEqual(standard.nodesByteCount, 64 << 20)
        let history = Realm.HistoryRetention(age: .seconds(60), byteCount: 9)
        expectEqual(history.storeRetention.ageNanoseconds, 60_000_000_000)
        expectTrue(
            history.storeRetention.byteCount == 9 && history.storeRetention.nodesByteCount == nil)
        expectEqual(Realm.HistoryRetention(history.storeRetention), history)
        configuration.historyRetention = history
        expectEqual(
            configuration.description, "a.realm (file /tmp/a.realm; history 60.0 seconds, 9 bytes)")
    }

    private typealias Change = (inout Realm.Configuration) -> Void

    // Covers .invalidInput
    @Test func settingsHaveTheirLimits() throws {
        func keep(_ age: Duration, _ byteCount: Int, _ contentByteCount: Int?) -> Change {
            {
                $0.historyRetention = Realm.HistoryRetention(
                    age: age, byteCount: byteCount, contentByteCount: contentByteCount)
            }
        }
        let valid: [Change] = [
            { $0.schemaVersion = .max - 1 }, { $0.maximumNumberOfActiveVersions = 1 },
            { $0.maximumNumberOfActiveVersions = .max }, keep(.zero, 0, 0), keep(.zero, 1, nil),
            keep(.seconds(Int64.max), .max, .max), { $0.scrubBytesPerSecond = 1 },
            { $0.scrubBytesPerSecond = .max },
        ]
        let invalid: [(String, Change)] = [
            ("schemaVersion", { $0.schemaVersion = .max }),
            ("maximumNumberOfActiveVersions", { $0.maximumNumberOfActiveVersions = 0 }),
            ("historyRetention", keep(.nanoseconds(-1), 0, 0)),
            ("historyRetention", keep(.zero, -1, 0)), ("historyRetention", keep(.zero, 0, -1)),
            ("historyRetention", keep(.zero, .min, .min)),
            ("scrubBytesPerSecond", { $0.scrubBytesPerSecond = 0 }),
            ("scrubBytesPerSecond", { $0.scrubBytesPerSecond = .min }),
        ]
        let plain = Realm.Configuration(location: .inMemory(identifier: "limits"))
        for change in valid {
            var configuration = plain
            change(&configuration)
            try configuration.checkSettings()
        }
        for (name, change) in invalid {
            var configuration = plain
            change(&configuration)
            let error = #expect(throws: Realm.Error.self) { try configuration.checkSettings() }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains("Configuration.\(name) is "), true)
        }
    }

    @Test func durationsAreClamped() {
        let most = UInt64.max / 4
        let cases: [(Duration, UInt64)] = [
            (.seconds(Int64.min), 0), (.nanoseconds(-1), 0), (.zero, 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
            (.nanoseconds(1), 1), (.nanoseconds(Int64(most) - 1), most - 1),
            (.nanoseconds(Int64(most)), most), (.nanoseconds(Int64(most) + 1), most),
            (.nanoseconds(Int64.max), most), (.seconds(Int64.max), most),
        ]
        for (duration, nanoseconds) in cases {
            expectEqual(duration.nanosecondsClamped, nanoseconds, "\(duration)")
        }
        let longest = Realm.HistoryRetention(
            age: .seconds(Int64.max), byteCount: .max, contentByteCount: .max)
        let stored = Realm.HistoryRetention(longest.storeRetention)
        expectEqual(stored.age, .nanoseconds(Int64(most)))
        expectTrue(stored.byteCount == .max && stored.contentByteCount == .max)
    }

    @Test(arguments: [Duration.seconds(Int64.min), .zero, .nanoseconds(1), .seconds(Int64.max)])
    func anyDurationsCanBeSet(_ duration: Duration) async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration()
        configuration.writeTimeout = duration
        configuration.durability = .relaxed(within: duration)
        configuration.historyRetention = Realm.HistoryRetention(
            age: max(duration, .zero), byteCount: .max, contentByteCount: .max)
        for count in 1...2 {
            let realm = try await Realm.open(configuration)
            try await realm.write { try $0.add(Room("\(count)")) }
            expectEqual(realm.snapshot().objects(Room.self).count, count)
            let kept = try await realm.historyRetention()
            expectTrue(kept.byteCount == .max && kept.contentByteCount == .max)
            await realm.close()
        }
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
        configuration.buildsIndexes = false
        configuration.indexProgress = { _ in }
        configuration.deleteRealmIfMigrationNeeded = true
        expectEqual(
            configuration.description,
            "a.realm (file /tmp/a.realm; classes Room; schema version 3; a migration; "
                + "migration progress reported; migration backup /tmp/b.realm; "
                + "resumable migration \"ages\"; indexes not built; index progress reported; "
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
