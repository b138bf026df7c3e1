import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Migrations that can't be read.
extension SalvageTests {
    /// The later records fit the classes from before, although their objects were migrated.
    @Test func objectsInsertedAfterALostMigrationAreUncertain() async throws {
        try await makeBackup(count: 10)
        var configuration = configuration("backup.realm")
        configuration.schemaVersion = 1
        configuration.migration = { migration, _ in
            try migration.enumerateObjects(ofType: "Crate") { _, new in new?["ratio"] = 2.0 }
        }
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            let crate = Crate()
            crate.id = 10
            crate.name = Self.name(10)
            crate.tags.append("tag 10")
            try tx.add(crate)
        }
        await realm.close()
        // the directory of the migration, which is the last one
        let names = try folder.names(in: "backup.realm").filter { $0.hasPrefix("nodes-") }
        let name = try requireValue(names.max())
        try flip("backup.realm", name) { bytes in
            bytes.range(of: Data("RGDI".utf8), options: .backwards)?.lowerBound
        }
        let report = try await salvage("backup.realm")
        expectEqual(report.missingCommits.count, 1)
        expectEqual(report.missingCommits.first?.last, report.version - 1)
        let counts = try crates(report)
        expectTrue(counts.savedCount == 11 && counts.uncertainCount == 11, "\(report)")
        try await expectEqual(saved(), Set(0...10))
    }
}
