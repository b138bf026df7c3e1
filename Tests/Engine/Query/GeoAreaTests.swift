import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// The exact decisions about points and edges on the sphere.
@Suite struct GeoAreaTests {
    private func area(_ corners: [(Double, Double)]) throws -> GeoArea {
        let ring = corners.map { GeoVector(latitude: $0.0, longitude: $0.1) }
        return try GeoArea(rings: [ring], text: "")
    }

    @Test func longitudesOfOnePointAreTheSame() {
        func vector(_ latitude: Double, _ longitude: Double) -> GeoVector {
            GeoVector(latitude: latitude, longitude: longitude)
        }
        expectEqual(vector(30, 180), vector(30, -180))
        expectEqual(vector(90, 12), vector(90, -70))
        expectEqual(vector(-90, 12), vector(-90, 180))
        expectEqual(vector(-30, -150), vector(30, 30).opposite)
        expectTrue(vector(0, 90).coordinates == [0, 1, 0])
    }

    /// Points on one great circle, and very close to each other, have an orientation that agrees
    /// with that of their permutations.
    @Test func orientationsOfPermutationsAgree() {
        var random = SeededRandom("GeoAreaTests.orientations")
        for _ in 0..<3_000 {
            let step = [0.0, 1e-15, 1e-13, 1, 45][random.below(5)]
            let (latitude, longitude) = ([0.0, 45, 90, -30][random.below(4)], 45.0)
            let points = (0..<3).map { _ in
                GeoVector(
                    latitude: latitude + (random.oneIn(2) ? 0 : -step * Double(random.below(2))),
                    longitude: longitude + step * Double(random.below(3)))
            }
            let (a, b, c) = (points[0], points[1], points[2])
            let sign = GeoVector.orientation(a, b, c)
            expectEqual(sign == 0, Set(points).count < 3)
            for (other, parity) in [
                ((b, c, a), 1), ((c, a, b), 1), ((b, a, c), -1), ((a, c, b), -1), ((c, b, a), -1),
            ] {
                let found = GeoVector.orientation(other.0, other.1, other.2)
                expectEqual(found, parity * sign, "\(points)")
            }
        }
    }

    /// Each point is in exactly one box of a grid, also on edges and corners.
    @Test func adjacentBoxesShareNoPoint() throws {
        var boxes: [GeoArea] = []
        for latitude in stride(from: -20.0, to: 20, by: 10) {
            for longitude in stride(from: 150.0, to: 210, by: 10) {
                let (west, east) = (wrapped(longitude), wrapped(longitude + 10))
                boxes.append(
                    try area([
                        (latitude, west), (latitude, east), (latitude + 10, east),
                        (latitude + 10, west),
                    ]))
            }
        }
        for latitude in stride(from: -18.0, through: 18, by: 2) {
            for longitude in stride(from: 152.0, through: 208, by: 2) {
                let count = boxes.count {
                    $0.contains(latitude: latitude, longitude: wrapped(longitude))
                }
                expectEqual(count, 1, "\(latitude), \(longitude)")
            }
        }
    }

    private func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude
    }

    /// Triangles around a vertex, such as a pole, share it so that exactly one contains it.
    @Test func oneOfTheTrianglesAroundAVertexContainsIt() throws {
        for (latitude, longitude) in [(90.0, 0.0), (-90, 0), (10, 20), (0, 180), (0, 0)] {
            let corners = (0..<7).map { number -> (Double, Double) in
                let angle = Double(number) * 360 / 7
                if abs(latitude) == 90 { return (latitude * 0.9, wrapped(angle)) }
                let north = [5.0, 4, 1, -3, -5, -2, 3][number]
                let east = [0.0, 4, 5, 4, 0, -5, -4][number]
                return (latitude + north, wrapped(longitude + east))
            }
            let triangles = try corners.indices.map { index in
                try area([(latitude, longitude), corners[index], corners[(index + 1) % 7]])
            }
            let count = triangles.count { $0.contains(latitude: latitude, longitude: longitude) }
            expectEqual(count, 1, "\(latitude), \(longitude)")
        }
    }

    @Test func circlesReachAsFarAsTheirRadius() {
        let circle = GeoArea(
            center: GeoVector(latitude: 0, longitude: 0), radius: .pi / 2, text: "")
        expectTrue(circle.contains(latitude: 89.999_999, longitude: 77))
        expectTrue(circle.contains(latitude: -40, longitude: 89.999_999))
        expectEqual(circle.contains(latitude: 0, longitude: 90.000_001), false)
        expectEqual(circle.contains(latitude: 0, longitude: -180), false)
        let world = GeoArea(center: GeoVector(latitude: 5, longitude: 6), radius: .pi, text: "")
        expectTrue(world.contains(latitude: -5, longitude: -174))
        let point = GeoArea(center: GeoVector(latitude: 5, longitude: 6), radius: 0, text: "")
        expectTrue(point.contains(latitude: 5, longitude: 6))
        expectEqual(point.contains(latitude: 5, longitude: 6.000_000_1), false)
    }

    @Test func onlyValidCoordinatesAreContained() {
        let world = GeoArea(center: GeoVector(latitude: 0, longitude: 0), radius: 4, text: "")
        for (latitude, longitude) in [
            (90.5, 0.0), (0, 180.5), (.nan, 0), (0, .nan), (.infinity, 0),
        ] {
            expectEqual(world.contains(latitude: latitude, longitude: longitude), false)
        }
    }

    /// The ends of edges that are ordered along one axis only are all the same along it, on a
    /// meridian; those along a parallel are the same along another one.
    @Test func edgesOnMeridiansAndParallelsAreComparedWithFewOthers() throws {
        let count = 1_000
        let steps = (0..<count).map { Double($0) * 10 / Double(count) }
        let sides: [[(Double, Double)]] = [
            steps.map { (40, 90 + $0) }, steps.map { (40 + $0, 100) },
            steps.map { (50, 100 - $0) }, steps.map { (50 - $0, 90) },
        ]
        let strip: [(Double, Double)] =
            steps.map { ($0, 90) } + steps.reversed().map { ($0, 90.001) }
        for corners in [sides.flatMap { $0 }, strip] {
            let ring = corners.map { GeoVector(latitude: $0.0, longitude: $0.1) }
            let area = try GeoArea(rings: [ring], text: "", maximumPairCount: 200 * corners.count)
            let isInside = area.contains(latitude: 45, longitude: 95)
            expectEqual(isInside, corners.count > 2 * count)
        }
    }

    /// Returns a ring with teeth side by side, each as long as the whole, in no direction of an
    /// axis: the boxes around all of them overlap.
    private func comb(_ toothCount: Int) -> [GeoVector] {
        func point(_ along: Double, _ across: Double) -> GeoVector {
            GeoVector(latitude: 30 + along - across, longitude: 40 + along + across)
        }
        let width = 1 / Double(toothCount)
        let teeth = (0..<toothCount).flatMap { number in
            let at = Double(number) * width
            return [point(0.1, at), point(9, at), point(9, at + width / 2)]
                + [point(0.1, at + width / 2)]
        }
        return teeth + [point(0, 1), point(0, 0)]
    }

    @Test func polygonsWithManyEdgesSideBySideAreLimited() throws {
        let teeth = comb(60)
        _ = try GeoArea(rings: [teeth], text: "")
        let error = #expect(throws: GeoMistake.self) {
            try GeoArea(rings: [teeth], text: "", maximumPairCount: 2_000)
        }
        expectEqual(error?.message.contains("too many edges"), true)
    }

    @Test func polygonsWithManyHolesAreLimited() throws {
        func ring(_ corners: [(Double, Double)]) -> [GeoVector] {
            corners.map { GeoVector(latitude: $0.0, longitude: $0.1) }
        }
        func hole(_ number: Int) -> [GeoVector] {
            let (x, y) = (Double(5 + number / 30), Double(5 + number % 30))
            return ring([(x, y), (x + 0.3, y), (x, y + 0.3)])
        }
        let outer = ring([(0, 0), (0, 40), (40, 40), (40, 0)])
        let rings = [outer] + (0..<900).map(hole)
        let area = try GeoArea(rings: rings, text: "")
        expectTrue(area.contains(latitude: 20.5, longitude: 20.5))
        expectEqual(area.contains(latitude: 20.1, longitude: 20.1), false)
        let error = #expect(throws: GeoMistake.self) {
            try GeoArea(rings: rings, text: "", maximumPairCount: 390_000)
        }
        expectEqual(error?.message.contains("too many holes"), true)
        let overlapping = ring([(20.1, 20.1), (20.1, 21), (21, 20.1)])
        let overlap = #expect(throws: GeoMistake.self) {
            try GeoArea(rings: rings + [overlapping], text: "")
        }
        expectEqual(overlap?.message.contains("cross"), true)
        let inner = ring([(20.1, 20.1), (20.15, 20.1), (20.1, 20.15)])
        let nested = #expect(throws: GeoMistake.self) {
            try GeoArea(rings: rings + [inner], text: "")
        }
        expectEqual(nested?.message.contains("overlap"), true)
    }

    /// Holes are compared with the outer ring by one point that they don't share with it.
    @Test func holesThatShareAPointWithTheOuterRing() throws {
        func vectors(_ corners: [(Double, Double)]) -> [GeoVector] {
            corners.map { GeoVector(latitude: $0.0, longitude: $0.1) }
        }
        let outer = vectors([(0, 0), (0, 9), (9, 9), (9, 0)])
        for shift in 0..<3 {
            func turned(_ corners: [(Double, Double)]) -> [GeoVector] {
                vectors(Array(corners[shift...] + corners[..<shift]))
            }
            let inner = try GeoArea(rings: [outer, turned([(0, 0), (3, 2), (2, 3)])], text: "")
            expectTrue(!inner.contains(latitude: 2, longitude: 2))
            let error = #expect(throws: GeoMistake.self) {
                try GeoArea(rings: [outer, turned([(0, 0), (-3, -2), (-2, -3)])], text: "")
            }
            expectEqual(error?.message.contains("isn't within the outer ring"), true)
        }
    }
}
