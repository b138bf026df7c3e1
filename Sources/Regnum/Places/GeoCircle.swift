internal import RegnumEngine

/// The area within a distance of a point, measured on the sphere, for queries.
///
/// The edge is accurate to about 1e-15 radians (6 nm); opposite the center, to about 1e-8 radians.
/// A circle with a radius of 0 is a single point; with a radius of half the Earth's circumference
/// or more, it is the whole sphere.
public struct GeoCircle: GeoShape {
    /// The center.
    public let center: GeoPoint
    /// The radius as an angle seen from the center of the Earth.
    public let radiusInRadians: Double

    /// Creates a circle. Returns `nil` if the radius is negative or NaN.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    /// Creates a circle. The result is optional as in Realm, but never `nil`.
    public init?(center: GeoPoint, radius: Distance) {
        self.init(center: center, radiusInRadians: radius.asRadians())
    }

    /// Creates a circle around a latitude-longitude pair. Returns `nil` if it isn't valid for
    /// ``GeoPoint``, or the radius is negative or NaN.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// Creates a circle around a latitude-longitude pair. Returns `nil` if it isn't valid for
    /// ``GeoPoint``.
    public init?(center: (Double, Double), radius: Distance) {
        self.init(center: center, radiusInRadians: radius.asRadians())
    }

    /// An implementation detail of queries.
    public var _area: _GeoArea {
        _GeoArea(
            GeoArea(center: center.vector, radius: radiusInRadians, text: description))
    }

    /// The circle as written in predicate strings.
    public var description: String { "geoCircle(\(center), \(radiusInRadians))" }
}
