import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine
@testable import RegnumTestModels

/// Properties that a migration dropped still take up space.
extension SalvageTests {
    @Test func damagedSpaceOfADroppedPropertyCostsNothing() async throws {
        let source = try MigrationRealm()
        try await source.write(1, MigFirst.types) { tx in
            for number in 0..<20 {
                let person = MigFirst.MigPerson()
                person.first = "First\(number)"
                person.age = number
                try tx.add(person)
            }
        }
        let migrated = try await Realm.open(source.configuration(2, MigSecond.types) { _, _ in })
        try await migrated.backup(to: folder["backup.realm"])
        await migrated.close()
        let offset = try droppedColumn()
        try flip("backup.realm", "nodes-1") { _ in offset }
        let report = try await salvage("backup.realm")
        expectTrue(report.isComplete && report.damages.count == 1, "\(report)")
        let people = report.classes.first { $0.className == "MigPerson" }
        expectEqual(people?.savedCount, 20)
    }

    /// Returns the offset of the last value of a dropped property in the backup.
    private func droppedColumn() throws -> Int {
        let log = try LogCheck.run(
            PosixFileSystem.shared, path: folder["backup.realm"].path, options: StoreOptions(),
            limit: 1
        ) { false }
        let root = try CheckpointLoader.load(
            requireValue(log.checkpoints.first), in: requireValue(log.nodes))
        defer { withExtendedLifetime(root) {} }  // its clusters are only valid as long
        let table = try requireValue(root.schema.table(named: "MigPerson"))
        let dropped = try requireValue(table.columns.first { $0.isDropped })
        var offset: Int?
        root.content[table.key.index].forEachCluster { cluster in
            let extent = cluster.slot(dropped.key.index).chunkExtent & ~63
            if extent > 0 { offset = Int(extent) + Node.headerByteCount + 19 }
            return true
        }
        return try requireValue(offset)
    }
}
