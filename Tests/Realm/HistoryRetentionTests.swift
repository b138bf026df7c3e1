import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumStore
@testable import RegnumTestModels

/// The amount of history that a realm keeps, whoever opens it.
@Suite(.timeLimit(.minutes(40))) struct HistoryRetentionTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func configuration(_ retention: Realm.HistoryRetention?) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", [Person.self])
        configuration.historyRetention = retention
        configuration.adjust = { options in
            options.store.firstSegmentByteCount = 8192
            options.checkpoint.maximumCommitCount = 4
            options.checkpoint.paceNanoseconds = 0
        }
        return configuration
    }

    /// Makes commits, with checkpoints in between.
    private func work(_ realm: Realm, _ count: Int = 24) async throws {
        let coordinator = realm.core.coordinator
        var checkpointCount = coordinator.statistics.checkpoints
        for number in 0..<count {
            try await realm.write {
                try $0.add(Person(String(repeating: "name", count: 60), age: number))
            }
            guard number % 8 == 7 else { continue }
            let end = ContinuousClock.now + .seconds(400)
            while coordinator.statistics.checkpoints == checkpointCount, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(1))
            }
            checkpointCount = coordinator.statistics.checkpoints
        }
    }

    // Covers O33, O34
    @Test func cursorsWorkAfterARestartByDefault() async throws {
        var realm = try await Realm.open(configuration(nil))
        try await expectEqual(realm.historyRetention(), .standard)
        try await realm.write { try $0.add(Person("first", age: 0)) }
        let cursor = realm.snapshot().cursor
        try await work(realm)
        await realm.close()
        realm = try await Realm.open(configuration(nil))
        try await work(realm, 8)
        var commits = realm.commits(since: cursor).makeAsyncIterator()
        for number in 1...32 {
            try await expectEqual(commits.next()?.cursor.version, cursor.version + UInt64(number))
        }
        await realm.close()
    }

    // Covers O34, .historyTrimmed
    @Test func theRealmKeepsWhatWasSetWhoeverOpensIt() async throws {
        var realm = try await Realm.open(configuration(.nothing))
        try await realm.write { try $0.add(Person("first", age: 0)) }
        let cursor = realm.snapshot().cursor
        await realm.close()
        realm = try await Realm.open(configuration(nil))
        try await expectEqual(realm.historyRetention(), .nothing)
        try await work(realm, 40)
        let error = await realmError {
            var commits = realm.commits(since: cursor).makeAsyncIterator()
            _ = try await commits.next()
        }
        expectEqual(error?.code, .historyTrimmed)
        await realm.close()
        let long = Realm.HistoryRetention(age: .seconds(90), byteCount: 9, contentByteCount: 7)
        realm = try await Realm.open(configuration(long))
        // The same realm again, opened without a retention.
        #expect(try await Realm.open(configuration(nil)) === realm)
        try await expectEqual(realm.historyRetention(), long)
        await realm.close()
        realm = try await Realm.open(configuration(nil))
        try await expectEqual(realm.historyRetention(), long)
        await realm.close()
        #expect(try await Realm.deleteFiles(for: configuration(nil)))
    }

    // Covers .diskFull
    @Test func aRealmOnAFullDiskOpensWithAnotherRetention() async throws {
        let disk = SimFileSystem()
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/sim")), objectTypes: [Person.self])
        configuration.adjust = { $0.fileSystem = disk }
        var realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(Person("first", age: 0)) }
        await realm.close()
        disk.capacityByteCount = disk.usedByteCount
        configuration.historyRetention = .nothing
        realm = try await Realm.open(configuration)
        expectEqual(realm.snapshot().objects(Person.self).count, 1)
        try await expectEqual(realm.historyRetention(), .standard)
        disk.capacityByteCount = nil
        #expect(try await Realm.open(configuration) === realm)
        try await expectEqual(realm.historyRetention(), .nothing)
        await realm.close()
    }
}
