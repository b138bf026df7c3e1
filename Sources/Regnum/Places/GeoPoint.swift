internal import RegnumEngine

/// A point on the Earth, for queries with `geoWithin`.
///
///     let copenhagen = GeoPoint(latitude: 55.68, longitude: 12.57)
///
/// A `GeoPoint` can't be stored: models store points in embedded objects, as described at
/// ``GeoShape``.
public struct GeoPoint: Hashable, Sendable {
    /// The latitude in degrees, from -90 to 90.
    public let latitude: Double
    /// The longitude in degrees, from -180 to 180.
    public let longitude: Double
    /// The altitude, at least 0. It has no effect on queries.
    public let altitude: Double

    /// Creates a point. Returns `nil` if the latitude isn't between -90 and 90, the longitude isn't
    /// between -180 and 180, the altitude is negative, or one of them is NaN.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    init?(_ coordinates: (latitude: Double, longitude: Double)) {
        self.init(latitude: coordinates.latitude, longitude: coordinates.longitude)
    }

    var vector: GeoVector { GeoVector(latitude: latitude, longitude: longitude) }
}

extension GeoPoint: CustomStringConvertible {
    /// The point as written in predicate strings: the longitude first.
    public var description: String {
        "[\(longitude), \(latitude)\(altitude == 0 ? "" : ", \(altitude)")]"
    }
}

extension [GeoPoint] {
    /// Returns the points at latitude-longitude pairs, or `nil` if one of them isn't valid.
    init?(_ pairs: [(Double, Double)]) {
        self = []
        reserveCapacity(pairs.count)
        for pair in pairs {
            guard let point = GeoPoint(pair) else { return nil }
            append(point)
        }
    }
}
