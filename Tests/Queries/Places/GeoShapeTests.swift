import Regnum
import RegnumTestSupport
import Testing

/// The types of points, distances and shapes.
@Suite struct GeoShapeTests {
    private func point(_ latitude: Double, _ longitude: Double) throws -> GeoPoint {
        try requireValue(GeoPoint(latitude: latitude, longitude: longitude))
    }

    // Covers 9.1
    @Test func pointsHaveValidCoordinates() throws {
        let point = try requireValue(GeoPoint(latitude: 1, longitude: 2, altitude: 3))
        expectTrue(point.latitude == 1 && point.longitude == 2 && point.altitude == 3)
        expectEqual(GeoPoint(latitude: 1, longitude: 2)?.altitude, 0)
        for latitude in [-90, 90, 0.0] {
            for longitude in [-180, 180, 0.0] {
                expectTrue(GeoPoint(latitude: latitude, longitude: longitude) != nil)
            }
        }
        let infinity = Double.infinity
        for latitude in [-90.1, 90.1, -.infinity, infinity, .nan] {
            expectNil(GeoPoint(latitude: latitude, longitude: 0))
        }
        for longitude in [-180.1, 180.1, -.infinity, infinity, .nan] {
            expectNil(GeoPoint(latitude: 0, longitude: longitude))
        }
        for altitude in [-0.1, -.infinity, .nan] {
            expectNil(GeoPoint(latitude: 0, longitude: 0, altitude: altitude))
        }
    }

    // Covers 9.7
    @Test func distancesConvertBetweenUnits() throws {
        let distance = try requireValue(Distance.kilometers(6_378.1))
        let pi = Double.pi
        expectEqual(distance.asRadians(), 1)
        expectEqual(distance.asMeters(), 6_378_100)
        expectEqual(distance.asKilometers(), 6_378.1)
        expectTrue(abs(distance.asMiles() - 6_378.1 / 1.609344) < 1e-9)
        expectTrue(abs(distance.asDegrees() - 180 / pi) < 1e-12)
        let halves: [Distance?] = [
            .radians(0.5), .degrees(90 / pi), .meters(3_189_050), .kilometers(3_189.05),
            .miles(3_189.05 / 1.609344),
        ]
        for half in halves {
            #expect(abs(try #require(half).asRadians() - 0.5) < 1e-15)
        }
        expectEqual(Distance.radians(0)?.asMiles(), 0)
        let makers: [(Double) -> Distance?] = [
            Distance.meters, Distance.kilometers, Distance.miles, Distance.degrees,
            Distance.radians,
        ]
        for make in makers {
            for value in [-1e-9, -.infinity, Double.nan] { expectNil(make(value)) }
        }
    }

    // Covers 9.5, 9.6
    @Test func circlesHaveValidRadii() throws {
        let center = try point(1, 2)
        let circle = try requireValue(GeoCircle(center: center, radiusInRadians: 0.25))
        expectTrue(circle.center == center && circle.radiusInRadians == 0.25)
        expectEqual(GeoCircle(center: (1, 2), radiusInRadians: 0.25), circle)
        let distance = try requireValue(Distance.radians(0.25))
        expectEqual(GeoCircle(center: center, radius: distance), circle)
        expectEqual(GeoCircle(center: (1, 2), radius: distance), circle)
        for radius in [-1e-9, -.infinity, Double.nan] {
            expectNil(GeoCircle(center: center, radiusInRadians: radius))
            expectNil(GeoCircle(center: (1, 2), radiusInRadians: radius))
        }
        expectNil(GeoCircle(center: (91, 2), radiusInRadians: 1))
        expectNil(GeoCircle(center: (1, 181), radius: distance))
    }

    // Covers 9.3
    @Test func boxesHaveTwoCorners() throws {
        let box = GeoBox(bottomLeft: try point(1, 2), topRight: try point(3, 4))
        expectEqual(GeoBox(bottomLeft: (1, 2), topRight: (3, 4)), box)
        expectNil(GeoBox(bottomLeft: (91, 2), topRight: (3, 4)))
        expectNil(GeoBox(bottomLeft: (1, 2), topRight: (3, 181)))
    }

    // Covers 9.4
    @Test func ringsOfPolygonsAreClosed() throws {
        let ring: [(Double, Double)] = [(0, 0), (0, 9), (9, 9), (0, 0)]
        let hole: [(Double, Double)] = [(1, 2), (1, 3), (2, 3), (1, 2)]
        let points = try ring.map { try point($0.0, $0.1) }
        let holePoints = try hole.map { try point($0.0, $0.1) }
        let polygon = try requireValue(GeoPolygon(outerRing: points, holes: [holePoints]))
        expectTrue(polygon.outerRing == points && polygon.holes == [holePoints])
        expectEqual(GeoPolygon(outerRing: points, holes: holePoints), polygon)
        expectEqual(GeoPolygon(outerRing: ring, holes: hole), polygon)
        expectEqual(GeoPolygon(outerRing: ring, holes: [hole]), polygon)
        expectEqual(GeoPolygon(outerRing: points, holes: holePoints, holePoints)?.holes.count, 2)
        expectEqual(GeoPolygon(outerRing: points)?.holes, [])
        expectEqual(GeoPolygon(outerRing: ring)?.outerRing, points)
        expectNil(GeoPolygon(outerRing: Array(points.dropLast())))
        expectNil(GeoPolygon(outerRing: [points[0], points[1], points[0]]))
        expectNil(GeoPolygon(outerRing: [GeoPoint]()))
        expectNil(GeoPolygon(outerRing: points, holes: Array(holePoints.dropFirst())))
        expectNil(GeoPolygon(outerRing: points, holes: [[]]))
        expectNil(GeoPolygon(outerRing: [(0, 0), (0, 9), (91, 9), (0, 0)]))
        expectNil(GeoPolygon(outerRing: ring, holes: [(0, 0), (0, 181), (9, 9), (0, 0)]))
    }

    // Covers 9.13
    @Test func shapesAreEqualByValue() throws {
        let a = try point(1, 2)
        expectEqual(a, try point(1, 2))
        expectTrue(a != GeoPoint(latitude: 1, longitude: 2, altitude: 1))
        #expect(a.hashValue == (try point(1, 2)).hashValue)
        let boxes = Set(
            [(2.0, 4.0), (2, 5), (2, 4)].map { GeoBox(bottomLeft: (1, 1), topRight: $0) })
        expectEqual(boxes.count, 2)
        let circles = Set([1.0, 2, 1].map { GeoCircle(center: a, radiusInRadians: $0) })
        expectEqual(circles.count, 2)
        let rings: [[(Double, Double)]] = [
            [(0, 0), (0, 9), (9, 9), (0, 0)], [(0, 0), (9, 9), (0, 9), (0, 0)],
            [(0, 0), (0, 9), (9, 9), (0, 0)],
        ]
        expectEqual(Set(rings.map { GeoPolygon(outerRing: $0) }).count, 2)
        let distances = Set([Distance.radians(1), .kilometers(6_378.1), .radians(2)])
        expectEqual(distances.count, 2)
    }

    @Test func descriptionsAreThoseOfPredicateStrings() throws {
        let box = try requireValue(GeoBox(bottomLeft: (1, -2.5), topRight: (3, 4)))
        expectEqual("\(box)", "geoBox([-2.5, 1.0], [4.0, 3.0])")
        let center = try requireValue(GeoPoint(latitude: 1, longitude: 2, altitude: 3))
        let circle = try requireValue(GeoCircle(center: center, radiusInRadians: 0.5))
        expectEqual("\(circle)", "geoCircle([2.0, 1.0, 3.0], 0.5)")
        let polygon = try requireValue(
            GeoPolygon(
                outerRing: [(0, 0), (0, 9), (9, 9), (0, 0)],
                holes: [(1, 2), (1, 3), (2, 3), (1, 2)]))
        expectEqual(
            "\(polygon)",
            "geoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]}, "
                + "{[2.0, 1.0], [3.0, 1.0], [3.0, 2.0], [2.0, 1.0]})")
    }
}
