import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Indexes that are no longer declared.
@Suite struct IndexDropTests {
    /// Returns a disk with a closed realm that has all indexes.
    private func indexedDisk(seed: UInt64) async throws -> IndexDisk {
        let disk = try await IndexDisk(seed: seed)
        let realm = try await disk.open(IdxLater.types)
        expectEqual(realm.storedIndexes, IdxLater.indexes)
        await realm.close()
        return disk
    }

    // Covers 6.6, 10.2, 10.3
    @Test(arguments: [UInt64(0), 1]) func indexesAreDroppedOnDemand(seed: UInt64) async throws {
        let disk = try await indexedDisk(seed: seed)
        let plain = try await disk.open(IdxFirst.types)
        expectEqual(plain.storedIndexes, IdxLater.indexes)
        expectEqual(plain.stats().commits, 0)
        let old = plain.snapshot()
        try await expectEqual(plain.dropUndeclaredIndexes(), 3)
        expectEqual(plain.storedIndexes, [])
        expectEqual(plain.snapshot().version, old.version + 3)
        // older versions keep theirs
        let before = try old.objects(IdxFirst.IdxNote.self).where { $0.room == "r3" }.explain()
        expectTrue(before.contains("using the index on room"), "\(before)")
        let after = plain.snapshot().objects(IdxFirst.IdxNote.self)
        let inRoom = after.where { $0.room == "r3" }
        expectEqual(inRoom.count, 20)
        try expectEqual(inRoom.explain().contains("using the index"), false)
        try expectEqual(
            after.where { $0.number == 7 }.explain().contains("using the index on number"), true)
        try await plain.snapshot().checkIntegrity()
        try await expectEqual(plain.dropUndeclaredIndexes(), 0)
        try await plain.write { try IdxFirst.add(400..<401, to: $0) }
        let duplicate = await realmError {
            try await plain.write { try IdxFirst.add(400..<401, to: $0) }
        }
        expectEqual(duplicate?.code, .duplicatePrimaryKey)
        try await plain.write { tx in
            try tx.delete(requireValue(tx.object(IdxFirst.IdxNote.self, forPrimaryKey: 400)))
        }
        await plain.close()

        let none = try await disk.open(IdxFirst.types)
        expectEqual(none.storedIndexes, [])
        await none.close()
        let later = try await disk.open(IdxLater.types)
        try await later.checkQueries(IdxLater.indexes)
        await later.close()
    }

    @Test func indexesOfPropertiesThatTheProgramDoesNotHaveStay() async throws {
        let disk = try await indexedDisk(seed: 7)
        let narrow = try await disk.open(IdxNarrow.types)
        try await expectEqual(narrow.dropUndeclaredIndexes(), 1)
        expectEqual(narrow.storedIndexes, ["IdxNote.room", "IdxPlace.coordinates"])
        try await narrow.snapshot().checkIntegrity()
        await narrow.close()
    }

    // Covers 6.6, 10.3
    @Test func higherSchemaVersionDropsWithoutAMigration() async throws {
        let disk = try await indexedDisk(seed: 8)
        var configuration = disk.configuration(IdxFirst.types)
        configuration.schemaVersion = 1
        let report = try await requireValue(Realm.performMigration(for: configuration))
        expectEqual(
            report.changes.sorted(),
            [
                "IdxNote.room loses an index.", "IdxNote.text loses a full-text index.",
                "IdxPlace.coordinates loses a geospatial index.",
            ])
        let realm = try await Realm.open(configuration)
        expectEqual(realm.storedIndexes, [])
        try await realm.snapshot().checkIntegrity()
        await realm.close()
        let older = await realmError { try await disk.open(IdxLater.types) }
        expectEqual(older?.code, .schemaMismatch)
        var later = disk.configuration(IdxLater.types)
        later.schemaVersion = 2
        let again = try await Realm.open(later)
        try await again.checkQueries(IdxLater.indexes)
        await again.close()
    }

    /// The migration was committed, and the next one has nothing to report.
    @Test func aMigrationIsReportedEvenIfItsIndexesAreNotBuilt() async throws {
        let disk = try await IndexDisk(seed: 0)
        var configuration = disk.configuration(IdxLater.types)
        configuration.schemaVersion = 1
        configuration.logger = nil
        configuration.indexProgress = { _ in withUnsafeCurrentTask { $0?.cancel() } }
        let migration = Task { [configuration] in
            try await Realm.performMigration(for: configuration)
        }
        let report = try await requireValue(migration.value)
        expectTrue(report.versions == (0, 1))
        configuration.indexProgress = nil
        let realm = try await Realm.open(configuration)
        expectEqual(realm.storedIndexes, IdxLater.indexes)
        await realm.close()
    }
}
