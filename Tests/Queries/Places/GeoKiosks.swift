import Regnum
import RegnumTestSupport

/// A point with a geospatial index.
final class GeoIndexedSpot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>

    convenience init(_ coordinates: [Double]) {
        self.init()
        self.coordinates.append(objectsIn: coordinates)
    }
}

/// The same point with and without a geospatial index, alone and in lists.
final class GeoKiosk: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var spot: GeoIndexedSpot?
    @Persisted var plain: GeoPlainSpot?
    @Persisted var stops: List<GeoIndexedSpot>
    @Persisted var plainStops: List<GeoPlainSpot>
    @Persisted var next: GeoKiosk?

    convenience init(_ number: Int, _ coordinates: [Double]) {
        self.init()
        self.number = number
        move(to: coordinates)
    }

    func move(to coordinates: [Double]) {
        spot = GeoIndexedSpot(coordinates)
        plain = GeoPlainSpot(coordinates)
    }

    func stop(at coordinates: [Double]) {
        stops.append(GeoIndexedSpot(coordinates))
        plainStops.append(GeoPlainSpot(coordinates))
    }
}

final class GeoPlainSpot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    convenience init(_ coordinates: [Double]) {
        self.init()
        self.coordinates.append(objectsIn: coordinates)
    }
}

enum GeoKiosks {
    static let types: [ObjectBase.Type] = [
        GeoKiosk.self, GeoIndexedSpot.self, GeoPlainSpot.self,
    ]

    /// Random coordinates, many of them close together, at a pole, on the antimeridian or invalid.
    static func coordinates(_ random: inout SeededRandom) -> [Double] {
        let latitude = Double.random(in: -90...90, using: &random)
        let longitude = Double.random(in: -180...180, using: &random)
        return switch random.below(10) {
        case 0: random.oneOf([[], [1], [181, 0], [0, 90.5], [.nan, 0], [0, .nan]])
        case 1: [longitude, random.oneOf([-90, 90, 89.99, -89.99])]
        case 2: [random.oneOf([-180, 180, 179.99, -179.99]), 10 + latitude / 1_000]
        case 3...6: [10 + longitude / 1_000, 10 + latitude / 1_000, 50]
        default: [longitude, latitude]
        }
    }

    /// A random shape.
    static func shape(_ random: inout SeededRandom) -> any GeoShape {
        let centers = [
            (10.0, 10.0), (10, 180), (10, -180), (90, 0), (-90, 0), (10, 10.1), (60, 20),
        ]
        let (latitude, longitude) = random.oneOf(centers)
        let size = random.oneOf([0.0, 1e-6, 0.01, 0.1, 1, 20, 100, 180])
        if random.oneIn(2), abs(latitude) < 90, abs(longitude) < 180, size > 0, size < 30 {
            let (south, north) = (latitude - size, latitude + size)
            let (west, east) = (longitude - size, longitude + size)
            if random.oneIn(2),
                let box = GeoBox(bottomLeft: (south, west), topRight: (north, east))
            {
                return box
            }
            let (low, high) = (latitude - size / 4, latitude + size / 4)
            let (left, right) = (longitude - size / 4, longitude + size / 4)
            let hole = [(low, left), (low, right), (high, right), (high, left), (low, left)]
            let outer = [
                (south, west), (south, east), (north, east), (north, west), (south, west),
            ]
            if let polygon = GeoPolygon(outerRing: outer, holes: [hole]) { return polygon }
        }
        guard
            let circle = GeoCircle(
                center: (latitude, longitude), radiusInRadians: size * .pi / 180)
        else { fatalError("a radius is negative") }
        return circle
    }
}
