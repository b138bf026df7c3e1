import Foundation
import Regnum
import RegnumTestSupport
import Synchronization
import Testing

@testable import RegnumTestModels

/// When a migration runs, concurrent openings, and other ways to use it: explicitly, in memory
/// only, not at all.
@Suite struct MigrationOpeningTests {
    @Test func realmIsDeletedInstead() async throws {
        let realm = try await MigrationRealm.first()
        func opened(_ version: UInt64, _ types: [ObjectBase.Type]) async throws -> Realm {
            var configuration = realm.configuration(version, types) { _, _ in
                Issue.record("The block ran.")
            }
            configuration.deleteRealmIfMigrationNeeded = true
            return try await Realm.open(configuration)
        }
        let same = try await opened(1, MigFirst.types)
        expectEqual(same.snapshot().objects(MigFirst.MigPet.self).count, 3)
        let busy = await realmError { try await opened(1, MigSecond.types) }
        expectEqual(busy?.code, .alreadyOpen)
        await same.close()
        let other = try await opened(1, MigSecond.types)
        expectTrue(other.isEmpty)
        try await other.write { try $0.add(MigSecond.MigPet()) }
        await other.close()
        let later = try await opened(2, MigSecond.types)
        expectTrue(later.isEmpty)
        try await later.write { try $0.add(MigSecond.MigPet()) }
        await later.close()
        let older = await realmError { try await opened(1, MigSecond.types) }
        expectEqual(older?.code, .schemaMismatch)
        try await expectEqual(realm.version, 2)
    }

    // Covers 5.84, 12.13, .alreadyOpen
    @Test func migrationRunsByItself() async throws {
        let realm = try await MigrationRealm.first()
        let configuration = realm.configuration(2, MigSecond.types, MigSecond.migration)
        let preview = try #require(try await Realm.previewMigration(for: configuration))
        try await expectEqual(realm.version, 1)
        let open = try await Realm.open(realm.configuration(1, MigFirst.types))
        let error = await realmError { try await Realm.performMigration(for: configuration) }
        expectEqual(error?.code, .alreadyOpen)
        await open.close()
        let report = try #require(try await Realm.performMigration(for: configuration))
        expectEqual(report.description, preview.description)
        expectTrue(report.versions == (1, 2))
        expectEqual(report.objectCounts["MigFound"]?.new, 1)
        expectEqual(report.objectCounts["MigPerson"].map { $0 == (3, 3) }, true)
        for line in [
            "MigPerson.age changes from Int to String.", "MigPerson.first is removed.",
            "MigPet.weight changes from Double to Double?.", "MigAddress becomes embedded.",
            "MigLost is removed.", "MigFound is added.",
            "MigPerson.fullName of type String is added.",
        ] {
            expectTrue(report.changes.contains(line), "\(line)")
        }
        try await expectEqual(realm.version, 2)
        try await expectNil(Realm.performMigration(for: configuration))
        try await expectNil(Realm.previewMigration(for: configuration))
        try await realm.migrate(2, MigSecond.types)
    }

    @Test func realmThatOthersOpenMeanwhileStaysOpen() async throws {
        let realm = try await MigrationRealm.first()
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        let configuration = realm.configuration(2, MigSecond.types) { migration, version in
            continuation.finish()
            Thread.sleep(forTimeInterval: 0.3)
            try MigSecond.migration(migration, version)
        }
        let migrating = Task { try await Realm.performMigration(for: configuration) }
        for await _ in begun {}
        let opened = try await Realm.open(configuration)
        try await expectEqual(migrating.value?.versions.new, 2)
        try await opened.write { try $0.add(MigSecond.MigPet()) }
        await opened.close()
        // closed again if nobody else has it
        try await expectNil(Realm.performMigration(for: configuration))
        try await expectTrue(Realm.deleteFiles(for: configuration))
    }

    @Test func copyIsMadeBefore() async throws {
        let realm = try await MigrationRealm.first()
        let copy = realm.folder["copy.realm"]
        var configuration = realm.configuration(2, MigSecond.types) { _, _ in
            throw MigrationFailure.wanted
        }
        configuration.migrationBackup = copy
        _ = try? await Realm.previewMigration(for: configuration)
        try expectEqual(realm.folder.names(), ["test.realm"])
        for _ in 0..<2 {  // the second time the copy exists
            let failing = configuration
            await #expect(throws: MigrationFailure.wanted) { try await Realm.open(failing) }
        }
        try await realm.write(1, MigFirst.types) { try $0.add(MigFirst.MigLost()) }
        let stale = configuration
        let error = await realmError { try await Realm.open(stale) }
        expectEqual(error?.code, .fileExists)
        try await expectEqual(realm.version, 1)
        let fresh = realm.folder["fresh.realm"]
        configuration.migrationBackup = fresh
        configuration.migration = MigSecond.migration
        try await Realm.open(configuration).close()
        try await expectEqual(realm.version, 2)
        try await expectEqual(Realm.schemaVersion(at: fresh), 1)
        var first = realm.folder.configuration("fresh.realm", MigFirst.types)
        first.schemaVersion = 1
        let old = try await Realm.open(first)
        expectEqual(old.snapshot().objects(MigFirst.MigLost.self).count, 2)
        await old.close()
        configuration.migrationBackup = realm.folder["none.realm"]
        try await Realm.open(configuration).close()  // nothing to migrate
        try expectEqual(realm.folder.names(), ["copy.realm", "fresh.realm", "test.realm"])
    }

    @Test func previewChangesNothing() async throws {
        let realm = try await MigrationRealm.first(people: 1_500)
        let before = try realm.folder.state()
        let done = Mutex<[MigrationProgress]>([])
        var configuration = realm.configuration(2, MigSecond.types, MigSecond.migration)
        configuration.migrationProgress = { progress in done.withLock { $0.append(progress) } }
        try await expectEqual(Realm.previewMigration(for: configuration)?.changes.isEmpty, false)
        try expectEqual(realm.folder.state(), before)
        let people = done.withLock { $0 }.filter { $0.className == "MigPerson" }
        expectEqual(people.map(\.objectsDone), [1_024, 1_500])
        expectTrue(people.allSatisfy { $0.objectCount == 1_500 })
    }

    @Test func realmInMemoryMigratesItsSeed() async throws {
        let realm = try await MigrationRealm.first()
        var configuration = realm.configuration(2, MigSecond.types, MigSecond.migration)
        configuration.location = .inMemory(identifier: "migration-\(UUID())")
        configuration.seedFile = realm.folder["test.realm"]
        let opened = try await Realm.open(configuration)
        expectEqual(
            opened.snapshot().objects(MigSecond.MigPerson.self).first?.fullName, "First0 Last0")
        try await opened.write { try $0.add(MigSecond.MigPerson()) }
        expectEqual(opened.snapshot().objects(MigSecond.MigPerson.self).count, 4)
        await opened.close()
        try await expectEqual(realm.version, 1)
    }

    @Test func blockNeedsTheListOfClasses() async throws {
        let realm = try await MigrationRealm.first()
        var configuration = realm.configuration(2, []) { _, _ in }
        configuration.objectTypes = nil
        let error = await realmError { try await Realm.open(configuration) }
        expectEqual(error?.code, .invalidInput)
        try await expectEqual(realm.version, 1)
    }

    // Covers 6.21
    @Test func schemasBeforeAndAfterAreShown() async throws {
        let realm = try await MigrationRealm.first()
        try await realm.migrate(
            2, MigSecond.types,
            { migration, _ in
                expectEqual(migration.oldSchema["MigPerson"]?["age"]?.type, .int)
                expectEqual(migration.newSchema["MigPerson"]?["age"]?.type, .string)
                expectNil(migration.oldSchema["MigPerson"]?["fullName"])
                expectEqual(migration.newSchema["MigFound"]?["text"]?.type, .string)
                let pets = migration.oldSchema["MigPerson"]?["pets"]
                expectTrue(pets?.isArray == true && pets?.objectClassName == "MigPet")
                expectEqual(
                    migration.oldSchema["MigPet"]?.properties.map { "\($0)" },
                    ["name: String", "weight: Double"])
                expectEqual(
                    migration.newSchema["MigPet"]?.properties.map { "\($0)" },
                    ["name: String", "weight: Double?"])
                expectNil(migration.oldSchema["MigLost"]?.objectClass)
                expectTrue(migration.oldSchema.version == 1 && migration.newSchema.version == 2)
                expectEqual(migration.newSchema["MigAddress"]?.isEmbedded, true)
                expectEqual(migration.oldSchema["MigAddress"]?.isEmbedded, false)
            })
    }

    // Covers 5.6, 5.7, 6.1
    @Test func blockRunsOnceAndOnlyForAnOlderRealm() async throws {
        let realm = try MigrationRealm()
        let runs = MigrationCounter()
        let seen = Mutex<[UInt64]>([])
        let block: MigrationBlock = { _, oldVersion in
            runs.add()
            seen.withLock { $0.append(oldVersion) }
        }
        for version: UInt64 in [3, 3, 5, 5, 6] {
            let opened = try await Realm.open(
                realm.configuration(version, MigFirst.types, block))
            await opened.close()
        }
        expectEqual(seen.withLock { $0 }, [3, 5])  // not for the new realm
        expectEqual(runs.count, 2)
        let error = await realmError {
            try await Realm.open(realm.configuration(4, MigFirst.types, block))
        }
        expectEqual(error?.code, .schemaMismatch)
        expectEqual(error?.message.contains("version 6"), true)
        expectEqual(error?.message.contains("has 4"), true)
    }

    /// A class can have the name of a type of values.
    // Covers .schemaMismatch
    @Test func valuesAreNotTakenForObjectsOfAClassWithTheNameOfTheirType() async throws {
        enum Before {
            final class MigPaper: Object {
                @Persisted var day: Foundation.Date?
                @Persisted var days: List<Foundation.Date>
            }
        }
        enum After {
            final class Date: Object { @Persisted var text: String }
            final class MigPaper: Object {
                @Persisted var day: Date?
                @Persisted var days: List<Date>
            }
            static let types: [ObjectBase.Type] = [Date.self, MigPaper.self]
        }
        let realm = try MigrationRealm()
        try await realm.write(1, [Before.MigPaper.self]) { tx in
            let day = Foundation.Date(timeIntervalSinceReferenceDate: 1)
            try tx.create(Before.MigPaper.self, value: ["day": day, "days": [day]])
        }
        let error = await realmError { try await Realm.open(realm.configuration(1, After.types)) }
        expectEqual(error?.code, .schemaMismatch)
        expectEqual(error?.message.contains("stored as Date?, with values"), true)
        expectEqual(error?.message.contains("stored as List<Date>, with values"), true)
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigPaper") { old, new in
                let day = try requireValue(old?["day"] as? Foundation.Date)
                new?["day"] = ["text": "\(day.timeIntervalSinceReferenceDate)"]
            }
        }
        try await realm.migrate(2, After.types, block) { tx in
            let paper = tx.objects(After.MigPaper.self)[0]
            expectTrue(paper.day?.text == "1.0" && paper.days.isEmpty)
        }
    }

    // Covers 6.1, 6.32
    @Test func concurrentOpenersMigrateOnceAndReadTheResult() async throws {
        let realm = try await MigrationRealm.first(people: 300)
        let runs = MigrationCounter()
        await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let opened = try await Realm.open(
                        realm.configuration(2, MigSecond.types) { migration, version in
                            runs.add()
                            try MigSecond.migration(migration, version)
                        })
                    return opened.snapshot().objects(MigSecond.MigPerson.self)
                        .where { $0.fullName.starts(with: "First") }.count
                }
            }
            do {
                for try await count in group { expectEqual(count, 300) }
            } catch {
                Issue.record(error)
            }
        }
        expectEqual(runs.count, 1)
    }
}
