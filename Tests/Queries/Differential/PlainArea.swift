import Regnum
import RegnumTestSupport

/// What an object stores as a point: longitude and latitude in degrees, if it is valid.
struct PlainPoint: Sendable {
    var type = ""
    var coordinates: [Double] = []

    static func sample(_ random: inout SeededRandom) -> PlainPoint {
        let coordinates: [[Double]] = [
            [0, 0], [1, 1], [20, 10], [170, -30], [-100, 80], [0, 0, 7], [], [1], [181, 0],
            [0, 95],
        ]
        return PlainPoint(
            type: random.oneOf(["Point", "Point", "POINT", "Line"]),
            coordinates: random.oneOf(coordinates))
    }
}

/// An area whose edge is far from all points of the tests.
enum PlainArea: Sendable {
    case circle(latitude: Double, longitude: Double, radius: Double)
    case box(latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>)

    static let all: [PlainArea] = [
        .circle(latitude: 0, longitude: 0, radius: 0.1),
        .circle(latitude: 10, longitude: 20, radius: 0.5),
        .circle(latitude: -30, longitude: -179, radius: 0.3),
        .circle(latitude: 80, longitude: 10, radius: 4),
        .box(latitudes: -5...5, longitudes: -5...5),
        .box(latitudes: 5...15, longitudes: 10...30),
    ]

    var shape: any GeoShape {
        let shape: (any GeoShape)? =
            switch self {
            case .circle(let latitude, let longitude, let radius):
                GeoCircle(center: (latitude, longitude), radiusInRadians: radius)
            case .box(let latitudes, let longitudes):
                GeoBox(
                    bottomLeft: (latitudes.lowerBound, longitudes.lowerBound),
                    topRight: (latitudes.upperBound, longitudes.upperBound))
            }
        guard let shape else { fatalError("\(self) isn't an area.") }
        return shape
    }

    func contains(_ point: PlainPoint) -> Bool {
        guard point.type.lowercased() == "point", point.coordinates.count >= 2 else { return false }
        let (longitude, latitude) = (point.coordinates[0], point.coordinates[1])
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return false }
        switch self {
        case .circle(let centerLatitude, let centerLongitude, let radius):
            let center = NaiveSphere.Place(latitude: centerLatitude, longitude: centerLongitude)
            let place = NaiveSphere.Place(latitude: latitude, longitude: longitude)
            return NaiveSphere.distance(center, place) <= radius
        case .box(let latitudes, let longitudes):
            return latitudes.contains(latitude) && longitudes.contains(longitude)
        }
    }
}
