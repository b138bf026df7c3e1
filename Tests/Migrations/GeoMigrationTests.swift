import Foundation
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Geospatial indexes that migrations add, keep and drop, and exports.
@Suite struct GeoMigrationTests {
    private enum Plain {
        final class MigStand: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var place: MigPlace?
        }
        final class MigPlace: EmbeddedObject {
            @Persisted var type = "Point"
            @Persisted var coordinates: List<Double>
        }
    }
    private enum Indexed {
        final class MigStand: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var place: MigPlace?
        }
        final class MigPlace: EmbeddedObject {
            @Persisted var type = "Point"
            @Persisted(geoIndexed: true) var coordinates: List<Double>
        }
    }
    private enum Texts {
        final class MigStand: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var place: MigPlace?
        }
        final class MigPlace: EmbeddedObject {
            @Persisted var type = "Point"
            @Persisted var coordinates: List<String>
        }
    }

    private static let plain: [ObjectBase.Type] = [Plain.MigStand.self, Plain.MigPlace.self]
    private static let indexed: [ObjectBase.Type] = [Indexed.MigStand.self, Indexed.MigPlace.self]
    private static let texts: [ObjectBase.Type] = [Texts.MigStand.self, Texts.MigPlace.self]

    /// With a block, indexes are built and dropped in the commit of the migration.
    private static let unchanged: MigrationBlock = { _, _ in }

    private func check(
        _ realm: MigrationRealm, _ version: UInt64, _ types: [ObjectBase.Type], isIndexed: Bool
    ) async throws {
        let open = try await Realm.open(realm.configuration(version, types))
        let table = open.core.coordinator.published.schema.table(named: "MigPlace")
        expectEqual(table?.list(named: "coordinates")?.isGeoIndexed, isIndexed)
        try await open.snapshot().checkIntegrity()
        await open.close()
    }

    private static func stand(_ number: Int) -> [String: Any] {
        let place: [String: Any] = ["type": "Point", "coordinates": [Double(number), 10.0]]
        return ["number": number, "place": place]
    }

    // Covers 6.13, 9.14, 10.3
    @Test func indexesFollowTheDeclaration() async throws {
        let realm = try MigrationRealm()
        let circle = try requireValue(GeoCircle(center: (10, 50), radiusInRadians: 0.02))
        try await realm.write(1, Self.plain) { tx in
            for number in 0..<100 {
                try tx.create(Plain.MigStand.self, value: Self.stand(number))
            }
        }
        try await check(realm, 1, Self.plain, isIndexed: false)
        try await realm.migrate(2, Self.indexed, Self.unchanged) { tx in
            let found = tx.objects(Indexed.MigStand.self).where { $0.place.geoWithin(circle) }
            expectEqual(found.map(\.number), [49, 50, 51])
        }
        try await check(realm, 2, Self.indexed, isIndexed: true)
        let preview = try await Realm.previewMigration(
            for: realm.configuration(3, Self.plain, Self.unchanged))
        expectEqual(preview?.changes, ["MigPlace.coordinates loses a geospatial index."])
        try await realm.migrate(3, Self.plain, Self.unchanged) { tx in
            let found = tx.objects(Plain.MigStand.self).where { $0.place.geoWithin(circle) }
            expectEqual(found.map(\.number), [49, 50, 51])
        }
        try await check(realm, 3, Self.plain, isIndexed: false)
        try await realm.migrate(4, Self.indexed, Self.unchanged) { tx in
            let found = tx.objects(Indexed.MigStand.self).where { $0.place.geoWithin(circle) }
            expectEqual(found.count, 3)
        }
        // Lists of another type take the place of those with the index.
        try await realm.migrate(5, Self.texts, Self.unchanged) { tx in
            expectEqual(tx.objects(Texts.MigStand.self).count, 100)
        }
        try await check(realm, 5, Self.texts, isIndexed: false)
    }

    // Covers 9.14
    @Test func exportedSchemasHaveGeospatialIndexes() async throws {
        let realm = try await Realm.temporary(Self.indexed)
        try await realm.write { try $0.create(Indexed.MigStand.self, value: Self.stand(7)) }
        let folder = try RealmFolder()
        try await realm.snapshot().exportJSON(to: folder["stands.jsonl"])
        let text = try String(contentsOf: folder["stands.jsonl"], encoding: .utf8)
        let property = #""name":"coordinates","list":true,"type":"double","geoIndexed":true"#
        expectTrue(text.contains(property))
        let second = try await Realm.temporary()
        try await second.importJSON(from: folder["stands.jsonl"])
        let stored = second.core.coordinator.published.schema.table(named: "MigPlace")
        expectEqual(stored?.list(named: "coordinates")?.isGeoIndexed, true)
        try await second.snapshot().checkIntegrity()
    }
}
