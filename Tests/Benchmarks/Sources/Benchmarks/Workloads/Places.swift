import BenchmarkKit
import Foundation
import Regnum

/// A place on the Earth, stored with a geospatial index.
final class IndexedPlace: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var location: IndexedLocation?
}

final class IndexedLocation: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>
}

/// The same place without an index.
final class ScannedPlace: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var location: ScannedLocation?
}

final class ScannedLocation: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

/// Counts the places within a circle, with a geospatial index and by a scan.
struct Places: Workload {
    private static let radius = 10.0
    private static let indexedCount = 200
    private static let scannedCount = 3
    /// The number of places that a transaction stores.
    private static let batch = 20_000

    let name = "7g"
    var notes: [String] {
        [
            "places uniform on the Earth: the median time to count those within 10 km of one of",
            "them by a scan (7g-scan) to that with a geospatial index (7g-index).",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        guard setting.engines.contains(.regnum) else { return [] }
        let points = Self.points(setting.objectCount)
        let realm = try await Self.realm(points, setting)
        return [Contender(.regnum) { try await measure(realm, points, setting) }]
    }

    /// Longitudes and latitudes, uniform on the sphere.
    private static func points(_ count: Int) -> [(Double, Double)] {
        var generator = SeededGenerator(seed: People.seed)
        return (0..<count).map { _ in
            let longitude = Double.random(in: -180...180, using: &generator)
            let height = Double.random(in: -1...1, using: &generator)
            return (longitude, asin(height) * 180 / .pi)
        }
    }

    private static func realm(
        _ points: [(Double, Double)], _ setting: Setting
    ) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(setting.directory.appending(path: "places.realm")),
            objectTypes: [
                IndexedPlace.self, IndexedLocation.self, ScannedPlace.self, ScannedLocation.self,
            ])
        configuration.durability = .relaxed(within: .seconds(1))
        let realm = try await Realm.open(configuration)
        for start in stride(from: 0, to: points.count, by: batch) {
            let part = start..<min(start + batch, points.count)
            try await realm.write { tx in
                for id in part {
                    let coordinates = [points[id].0, points[id].1]
                    let indexed = IndexedPlace()
                    indexed.id = id
                    let location = IndexedLocation()
                    location.coordinates.append(objectsIn: coordinates)
                    indexed.location = location
                    try tx.add(indexed)
                    let scanned = ScannedPlace()
                    scanned.id = id
                    let other = ScannedLocation()
                    other.coordinates.append(objectsIn: coordinates)
                    scanned.location = other
                    try tx.add(scanned)
                }
            }
        }
        return realm
    }

    @concurrent
    private func measure(
        _ realm: Realm, _ points: [(Double, Double)], _ setting: Setting
    ) async throws -> [Sample] {
        var generator = SeededGenerator(seed: People.seed)
        let snapshot = realm.snapshot()
        var indexed: [Double] = []
        var scanned: [Double] = []
        for number in 0..<Self.indexedCount {
            let (longitude, latitude) = points[Int.random(in: points.indices, using: &generator)]
            guard let radius = Distance.kilometers(Self.radius),
                let circle = GeoCircle(center: (latitude, longitude), radius: radius)
            else { throw Failure("7g: a place is invalid.") }
            var start = monotonicNanoseconds()
            let count = snapshot.objects(IndexedPlace.self)
                .where { $0.location.geoWithin(circle) }.count
            indexed.append(milliseconds(since: start))
            if number >= Self.scannedCount { continue }
            start = monotonicNanoseconds()
            let other = snapshot.objects(ScannedPlace.self)
                .where { $0.location.geoWithin(circle) }.count
            scanned.append(milliseconds(since: start))
            guard count == other, count > 0 else {
                throw Failure("7g: the index finds \(count) places, the scan \(other).")
            }
        }
        let (ofIndex, ofScan) = (Statistics.median(indexed), Statistics.median(scanned))
        return [
            Sample(name, ofScan / ofIndex, .ratio),
            Sample("\(name)-index", ofIndex, .milliseconds),
            Sample("\(name)-scan", ofScan, .milliseconds),
        ]
    }
}
