import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Random shapes and points, against `NaiveSphere`.
@Suite struct GeoDifferentialTests {
    private typealias Place = NaiveSphere.Place

    /// A shape, and its decision by other methods; `nil` for a place too close to an edge.
    private struct Case {
        let shape: any GeoShape
        let contains: (Place) -> Bool?
    }

    /// A circle or star-shaped polygon of any size up to 75 degrees around a place.
    private func makeCase(
        _ random: inout SeededRandom, _ center: Place, _ scale: Double
    ) throws -> Case {
        if random.oneIn(3) {
            let radius = scale * .random(in: 0.1...1.5, using: &random)
            let circle = try requireValue(
                GeoCircle(
                    center: (center.latitude, center.longitude), radiusInRadians: radius))
            return Case(shape: circle) { place in
                let distance = NaiveSphere.distance(center, place)
                return abs(distance - radius) < 1e-7 ? nil : distance < radius
            }
        }
        let outer = ring(&random, center, scale, 0.6...1.3)
        let hasHole = random.oneIn(2)
        // within the edges between points of the outer ring, whose directions are close together
        let hole = ring(&random, center, scale, 0.05...0.3)
        let polygon = try requireValue(
            GeoPolygon(
                outerRing: closed(outer, &random), holes: hasHole ? [closed(hole, &random)] : []))
        return Case(shape: polygon) { place in
            // A ring that is wider than the sphere is at the opposite place winds around that too.
            let isNear = NaiveSphere.distance(center, place) < 1.5
            let first = NaiveSphere.winding(outer, around: place)
            let second = NaiveSphere.winding(hole, around: place)
            if min(first.distance, hasHole ? second.distance : 1) < 1e-9 { return nil }
            return isNear && first.isInside && !(hasHole && second.isInside)
        }
    }

    /// Returns points around a center, ten or more of them so that edges stay far from it.
    private func ring(
        _ random: inout SeededRandom, _ center: Place, _ scale: Double,
        _ distances: ClosedRange<Double>
    ) -> [Place] {
        let count = 10 + random.below(10)
        return (0..<count).map { number in
            let part = Double(number) + .random(in: 0.1...0.9, using: &random)
            return NaiveSphere.place(
                from: center, scale * .random(in: distances, using: &random),
                towards: 2 * .pi * part / Double(count))
        }
    }

    private func closed(_ ring: [Place], _ random: inout SeededRandom) -> [(Double, Double)] {
        let points = (ring + [ring[0]]).map { ($0.latitude, $0.longitude) }
        return random.oneIn(2) ? points : points.reversed()
    }

    // Covers 9.4, 9.5, 9.8, 9.14
    @Test func randomShapesAgreeWithOtherMethods() async throws {
        let seed = SeededRandom.seed()
        for number in 0..<Effort.count(gate: 40, soak: 2_000) {
            let runSeed = SeededRandom.seed(seed, ofRun: number)
            var random = SeededRandom(runSeed)
            let center = Place(
                latitude: asin(.random(in: -1...1, using: &random)) * 180 / .pi,
                longitude: .random(in: -180...180, using: &random))
            let scale = pow(10, Double.random(in: -4...0, using: &random))
            let test = try makeCase(&random, center, scale)
            let places = (0..<200).map { number in
                let isNear = number % 4 != 0
                let distance = Double.random(in: 0...(isNear ? 1.6 * scale : .pi), using: &random)
                return NaiveSphere.place(
                    from: center, distance, towards: .random(in: 0..<(2 * .pi), using: &random))
            }
            let found = try await self.found(places, within: test.shape)
            for (number, place) in places.enumerated() {
                guard let expected = test.contains(place) else { continue }
                expectEqual(
                    found.contains(number), expected,
                    "seed \(runSeed): \(place) in \(test.shape)")
            }
        }
    }

    /// Returns the numbers of the places within a shape; the same in all views, negated, and by a
    /// predicate string.
    private func found(
        _ places: [Place], within shape: some GeoShape
    ) async throws -> Set<Int> {
        let realm = try await Realm.temporary([
            GeoShop.self, GeoSpot.self, GeoRenamedSpot.self, GeoLabel.self,
        ])
        try await realm.write { tx in
            for (number, place) in places.enumerated() {
                try tx.add(GeoShop(number, "", GeoSpot(place.latitude, place.longitude)))
            }
        }
        let snapshot = realm.snapshot()
        let shops = snapshot.objects(GeoShop.self)
        let numbers = shops.where { $0.spot.geoWithin(shape) }.map(\.number)
        let others = shops.where { !$0.spot.geoWithin(shape) }.map(\.number)
        expectEqual((numbers + others).sorted(), Array(places.indices), "\(shape)")
        let text = try shops.filter("spot GEOWITHIN \(shape)").map(\.number)
        expectEqual(text, numbers, "\(shape)")
        let confined = try await realm.write { tx in
            tx.objects(GeoShop.self).where { $0.spot.geoWithin(shape) }.map(\.number)
        }
        expectEqual(confined, numbers, "\(shape)")
        return Set(numbers)
    }
}
