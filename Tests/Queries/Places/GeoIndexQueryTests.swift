import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Geospatial indexes, compared with the same points without an index.
@Suite struct GeoIndexQueryTests {
    private typealias Condition = @Sendable (Query<GeoKiosk>) -> Query<Bool>

    /// Conditions on indexed points, with those on the same points without an index.
    private static func conditions(
        _ shape: some GeoShape
    ) -> [(indexed: Condition, plain: Condition)] {
        var pairs: [(indexed: Condition, plain: Condition)] = []
        func add(_ indexed: @escaping Condition, _ plain: @escaping Condition) {
            pairs.append((indexed, plain))
        }
        add({ $0.spot.geoWithin(shape) }, { $0.plain.geoWithin(shape) })
        add({ !$0.spot.geoWithin(shape) }, { !$0.plain.geoWithin(shape) })
        add({ $0.stops.geoWithin(shape) }, { $0.plainStops.geoWithin(shape) })
        add(
            { $0.stops.all { $0.geoWithin(shape) } },
            { $0.plainStops.all { $0.geoWithin(shape) } })
        add({ $0.next.spot.geoWithin(shape) }, { $0.next.plain.geoWithin(shape) })
        add(
            { $0.spot.geoWithin(shape) && $0.number < 40 },
            { $0.plain.geoWithin(shape) && $0.number < 40 })
        add(
            { $0.spot.geoWithin(shape) || $0.stops.geoWithin(shape) },
            { $0.plain.geoWithin(shape) || $0.plainStops.geoWithin(shape) })
        return pairs
    }

    private func check(
        _ snapshot: Snapshot, _ shape: some GeoShape, _ comment: String
    ) throws {
        let all = snapshot.objects(GeoKiosk.self)
        for (number, pair) in Self.conditions(shape).enumerated() {
            let expected = all.where(pair.plain).map(\.number)
            expectEqual(
                all.where(pair.indexed).map(\.number), expected, "\(comment), \(number): \(shape)")
            expectEqual(all.where(pair.indexed).count, expected.count, "\(comment), \(number)")
        }
        let text = try all.filter("spot GEOWITHIN \(shape)").map(\.number)
        try expectEqual(
            text, all.filter("plain GEOWITHIN \(shape)").map(\.number), "\(comment): \(shape)")
    }

    private func check(_ tx: Transaction, _ shape: some GeoShape, _ comment: String) {
        let all = tx.objects(GeoKiosk.self)
        for (number, pair) in Self.conditions(shape).enumerated() {
            let expected = all.where(pair.plain).map(\.number)
            expectEqual(
                all.where(pair.indexed).map(\.number), expected, "\(comment), \(number): \(shape)")
        }
    }

    private struct Stop: Error {}

    private func change(_ tx: Transaction, _ random: inout SeededRandom, count: Int) throws {
        for _ in 0..<count {
            let number = random.below(120)
            let coordinates = GeoKiosks.coordinates(&random)
            guard let kiosk = tx.object(GeoKiosk.self, forPrimaryKey: number) else {
                let kiosk = GeoKiosk(number, coordinates)
                for _ in 0..<random.below(3) { kiosk.stop(at: GeoKiosks.coordinates(&random)) }
                try tx.add(kiosk)
                continue
            }
            switch random.below(9) {
            case 0: tx.delete(kiosk)
            case 1:
                kiosk.spot = nil
                kiosk.plain = nil
            case 2: kiosk.stop(at: coordinates)
            case 3 where !kiosk.stops.isEmpty:
                let place = random.below(kiosk.stops.count)
                kiosk.stops.remove(at: place)
                kiosk.plainStops.remove(at: place)
            case 4:
                guard let spot = kiosk.spot?.coordinates, let plain = kiosk.plain?.coordinates,
                    spot.count >= 2
                else { continue }
                let degrees = Double.random(in: -100...100, using: &random)
                let place = random.below(2)
                spot[place] = degrees
                plain[place] = degrees
            case 5:
                kiosk.spot?.coordinates.removeAll()
                kiosk.plain?.coordinates.removeAll()
                for value in coordinates {
                    kiosk.spot?.coordinates.append(value)
                    kiosk.plain?.coordinates.append(value)
                }
            case 6:
                let type = random.oneOf(["Point", "point", "Line"])
                kiosk.spot?.type = type
                kiosk.plain?.type = type
            case 7: kiosk.next = tx.object(GeoKiosk.self, forPrimaryKey: random.below(120))
            default: kiosk.move(to: coordinates)
            }
        }
    }

    // Covers 9.8, 9.11, 9.14, 9.15
    @Test func indexedPointsAreFoundLikeOthersInAllViews() async throws {
        let folder = try RealmFolder()
        let seed = SeededRandom.seed()
        for number in 0..<Effort.count(gate: 3, soak: 60) {
            let runSeed = SeededRandom.seed(seed, ofRun: number)
            var random = SeededRandom(runSeed)
            let configuration = folder.configuration("kiosks\(number)", GeoKiosks.types)
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in
                var random = SeededRandom(runSeed)
                try change(tx, &random, count: 150)
            }
            var held = realm.snapshot()
            for round in 0..<12 {
                let comment = "seed \(runSeed), round \(round)"
                let shape = GeoKiosks.shape(&random)
                let live = realm.objects(GeoKiosk.self).where { $0.spot.geoWithin(shape) }
                let stepSeed = random.next()
                let fails = random.oneIn(4)
                do {
                    try await realm.write { tx in
                        var random = SeededRandom(stepSeed)
                        try change(tx, &random, count: 20)
                        check(tx, shape, comment)
                        try? tx.savepoint {
                            try change(tx, &random, count: 5)
                            check(tx, shape, "\(comment), savepoint")
                            throw Stop()
                        }
                        check(tx, shape, "\(comment), rolled back")
                        if fails { throw Stop() }
                    }
                    expectEqual(fails, false)
                } catch is Stop {
                    expectEqual(fails, true)
                }
                let snapshot = realm.snapshot()
                try check(snapshot, shape, comment)
                try check(held, shape, "\(comment), held")
                let plain = snapshot.objects(GeoKiosk.self).where { $0.plain.geoWithin(shape) }
                expectEqual(live.current.map(\.number), plain.map(\.number), "\(comment)")
                try await snapshot.checkIntegrity()
                if random.oneIn(4) { held = snapshot }
                if round == 6 {
                    await realm.close()
                    realm = try await Realm.open(configuration)
                    held = realm.snapshot()
                }
            }
            await realm.close()
        }
    }

    // Covers 9.14
    @Test func streamsFollowIndexedPoints() async throws {
        let realm = try await Realm.temporary(GeoKiosks.types)
        let circle = try requireValue(GeoCircle(center: (10, 10), radiusInRadians: 0.002))
        var random = SeededRandom("GeoIndexQueryTests.streams")
        var stream = realm.objects(GeoKiosk.self).where { $0.spot.geoWithin(circle) }
            .sorted(by: \.number).changes.makeAsyncIterator()
        guard case .initial(let initial)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(initial.count, 0)
        for round in 0..<Effort.count(gate: 20, soak: 500) {
            let seed = random.next()
            try await realm.write { tx in
                var random = SeededRandom(seed)
                try change(tx, &random, count: 30)
                try tx.add(GeoKiosk(1_000 + round, [10, 10]))  // each commit changes the result
            }
            guard case .update(let now, _)? = try await stream.next() else {
                Issue.record("no update")
                return
            }
            let plain = realm.snapshot().objects(GeoKiosk.self)
                .where { $0.plain.geoWithin(circle) }
            expectEqual(now.map(\.number), plain.map(\.number).sorted())
        }
    }

    /// A grid of 60 x 60 points, 0.1 degrees apart.
    // Covers 9.14
    @Test func explanationsNameTheIndex() async throws {
        let realm = try await Realm.temporary(GeoKiosks.types)
        try await realm.write { tx in
            for number in 0..<3_600 {
                let (row, column) = (number / 60, number % 60)
                try tx.add(GeoKiosk(number, [5 + Double(column) / 10, 50 + Double(row) / 10]))
            }
        }
        let all = realm.snapshot().objects(GeoKiosk.self)
        // the point at 52, 7 and four neighbors, of which two are east and west of it
        let near = try requireValue(Distance.kilometers(12))
        let small = try requireValue(GeoCircle(center: (52, 7), radius: near))
        let found = all.where { $0.spot.geoWithin(small) }
        expectEqual(found.count, 5)
        let text = try found.explain()
        expectTrue(
            text.hasPrefix(
                "Finds 5 objects among 3600 objects of GeoKiosk using the geospatial index on "
                    + "GeoIndexedSpot.coordinates and reverse traversal of spot from matching "
                    + "objects.\n"), "\(text)")
        let count = try lookedAt(text)
        expectTrue(count < 40)
        let plain = try all.where { $0.plain.geoWithin(small) }.explain()
        expectEqual(plain.contains("geospatial index"), false, "\(plain)")
        let plainCount = try lookedAt(plain)
        expectTrue(plainCount >= 3_600)
        // most points are within
        let far = try requireValue(Distance.kilometers(2_000))
        let large = try requireValue(GeoCircle(center: (52, 7), radius: far))
        let scan = try all.where { $0.spot.geoWithin(large) }.explain()
        expectEqual(scan.contains("geospatial index"), false, "\(scan)")
    }

    /// Returns the number of objects in "Examined 40 objects and ...".
    private func lookedAt(_ explanation: String) throws -> Int {
        let parts = explanation.components(separatedBy: "Examined ")
        let number = try requireValue(parts.last?.split(separator: " ").first)
        return try requireValue(Int(number))
    }

    // MARK: Declarations

    private enum First {
        final class Stand: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var place: StandPlace?
        }
        final class StandPlace: EmbeddedObject {
            @Persisted var type = "Point"
            @Persisted var coordinates: List<Double>
        }
    }
    private enum Later {
        final class Stand: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var place: StandPlace?
        }
        final class StandPlace: EmbeddedObject {
            @Persisted var type = "Point"
            @Persisted(geoIndexed: true) var coordinates: List<Double>
        }
    }

    // Covers 9.14, 10.3
    @Test func declaredIndexIsBuiltByTheFirstWriteThatStoresAnObject() async throws {
        let realm = try await Realm.temporary([First.Stand.self, First.StandPlace.self])
        try await realm.write { tx in
            for number in 0..<2_000 {
                let place = First.StandPlace()
                place.coordinates.append(objectsIn: [Double(number) / 20, 10])
                let stand = First.Stand()
                stand.number = number
                stand.place = place
                try tx.add(stand)
            }
        }
        let later = try LaterProgram.core(of: realm)
        expectTrue(!hasIndex(realm))
        let circle = try requireValue(GeoCircle(center: (10, 50), radiusInRadians: 0.001))
        let stands = later.snapshot().objects(Later.Stand.self)
        expectEqual(stands.where { $0.place.geoWithin(circle) }.map(\.number), [999, 1_000, 1_001])
        try await later.write { tx in
            let stand = Later.Stand()
            stand.number = 5_000
            let place = Later.StandPlace()
            place.coordinates.append(objectsIn: [50, 10])
            stand.place = place
            try tx.add(stand)
            let found = tx.objects(Later.Stand.self).where { $0.place.geoWithin(circle) }
            expectEqual(found.map(\.number), [999, 1_000, 1_001, 5_000])
        }
        expectTrue(hasIndex(realm))
        // The older program continues, and maintains the index.
        try await realm.write { tx in
            tx.object(First.Stand.self, forPrimaryKey: 5_000)?.place?.coordinates[1] = 11
            tx.object(First.Stand.self, forPrimaryKey: 3)?.place?.coordinates[0] = 50
        }
        let now = later.snapshot().objects(Later.Stand.self)
        expectEqual(
            now.where { $0.place.geoWithin(circle) }.map(\.number), [3, 999, 1_000, 1_001])
        try await later.snapshot().checkIntegrity()
        let property = later.schema.objectSchema.first { $0.className == "StandPlace" }?
            .properties.first { $0.name == "coordinates" }
        expectEqual(property?.isGeoIndexed, true)
        expectEqual(
            property?.description, "coordinates: List<Double>, with a geospatial index")
    }

    private func hasIndex(_ realm: Realm) -> Bool {
        let schema = realm.core.coordinator.published.schema
        return schema.table(named: "StandPlace")?.list(named: "coordinates")?.isGeoIndexed ?? false
    }
}
