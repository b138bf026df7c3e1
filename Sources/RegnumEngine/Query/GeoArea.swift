import Glibc

/// An area on the sphere: a polygon with holes, or a circle.
///
/// Whether a polygon contains a point is decided by the rules of S2 (see `GeoRing`); its
/// coordinates are rounded to less than 2e-16 radians (about 1 nm on the Earth), and everything
/// else is exact. A circle is precise to about 1e-15 radians.
package struct GeoArea: Hashable, Sendable {
    private enum Shape: Hashable {
        /// The center, and the square of the greatest distance from it, in a straight line.
        case circle(GeoVector, Double)
        /// The outer ring, and the holes in it.
        case polygon(GeoRing, holes: [GeoRing])
    }

    private let shape: Shape
    /// Ranges of coordinates outside which the area has no point.
    let bounds: GeoBounds
    /// The area as written in predicate strings.
    package let text: String

    /// Creates a circle. A radius of pi or more makes it the whole sphere.
    package init(center: GeoVector, radius: Double, text: String) {
        self.text = text
        let sine = radius < .pi ? sin(radius / 2) : 2
        shape = .circle(center, 4 * sine * sine)
        bounds = GeoBounds(center: center.coordinates, radius: radius)
    }

    /// - Precondition: The holes are within the ring, and don't overlap.
    init(_ ring: GeoRing, holes: [GeoRing], text: String) {
        self.text = text
        shape = .polygon(ring, holes: holes)
        bounds = GeoBounds(containing: ring.vertices)
    }

    /// Whether the area contains the point at a latitude and a longitude; false if these aren't in
    /// their ranges.
    ///
    /// - Complexity: O(n) for n vertices; O(1) for most points far from the area.
    package func contains(latitude: Double, longitude: Double) -> Bool {
        guard abs(latitude) <= 90, abs(longitude) <= 180,
            bounds.mayContain(latitude: latitude, longitude: longitude)
        else { return false }
        let point = GeoVector(latitude: latitude, longitude: longitude)
        switch shape {
        case .circle(let center, let distanceSquared):
            let difference = point.coordinates - center.coordinates
            return difference.dot(difference) <= distanceSquared
        case .polygon(let ring, let holes):
            return ring.contains(point) && !holes.contains { $0.contains(point) }
        }
    }
}

/// Ranges of coordinates outside which an area has no point. Wider than needed by much more than
/// rounding errors.
struct GeoBounds: Hashable {
    private var latitudes = -91.0...91.0
    private var longitude = 0.0
    /// The maximum difference of longitudes; 180 or more for all of them.
    private var longitudeDifference = 180.0

    fileprivate static let tolerance = 1e-6

    /// Longitudes and latitudes of rectangles that have every point for which `mayContain` is true:
    /// two of them across the antimeridian.
    var rectangles: [(longitudes: ClosedRange<Double>, latitudes: ClosedRange<Double>)] {
        // more than the rounding errors of `mayContain`
        let difference = longitudeDifference + 1e-9
        guard difference < 180 else { return [(-180...180, latitudes)] }
        let (west, east) = (longitude - difference, longitude + difference)
        if west < -180 { return [(-180...east, latitudes), (west + 360...180, latitudes)] }
        if east > 180 { return [(west...180, latitudes), (-180...east - 360, latitudes)] }
        return [(west...east, latitudes)]
    }

    /// Creates the bounds of the points within an angle around a center.
    init(center: SIMD3<Double>, radius: Double) {
        guard radius < .pi / 2 else { return }
        let latitude = atan2(center.z, SIMD2(center.x, center.y).length)
        let low = (latitude - radius) * 180 / .pi - GeoBounds.tolerance
        let high = (latitude + radius) * 180 / .pi + GeoBounds.tolerance
        latitudes = low...high
        guard low > -89.9, high < 89.9 else { return }
        longitude = atan2(center.y, center.x) * 180 / .pi
        longitudeDifference =
            asin(min(sin(radius) / cos(latitude), 1)) * 180 / .pi + 1_000 * GeoBounds.tolerance
    }

    /// Creates the bounds of the area of at most a hemisphere that a ring encloses.
    init(containing vertices: [GeoVector]) {
        let circle = GeoCircumcircle(vertices)
        self.init(center: circle.center, radius: circle.radius)
    }

    @inline(__always)
    func mayContain(latitude: Double, longitude: Double) -> Bool {
        guard latitudes.contains(latitude) else { return false }
        let difference = abs(longitude - self.longitude)
        return min(difference, 360 - difference) <= longitudeDifference
    }
}

/// A circle around the area of at most a hemisphere that a ring encloses: one of less than a
/// hemisphere that contains the vertices also contains the edges, and therefore the area.
struct GeoCircumcircle {
    /// A unit vector, unless the radius is pi.
    let center: SIMD3<Double>
    /// An angle; pi if the vertices aren't in a smaller circle around the center.
    let radius: Double

    init(_ vertices: [GeoVector]) {
        let sum = vertices.reduce(SIMD3<Double>()) { $0 + $1.coordinates }
        let length = sum.length
        var greatest = Double.pi
        if length > 1e-6 {
            greatest = vertices.reduce(0) { max($0, sum.angle(to: $1.coordinates)) }
        }
        let isNarrow = greatest < .pi / 2 - GeoBounds.tolerance
        center = isNarrow ? sum / length : sum
        radius = isNarrow ? greatest : .pi
    }

    /// Whether the circles are far enough from each other to have no point in common.
    func isApart(from other: GeoCircumcircle) -> Bool {
        guard radius < .pi, other.radius < .pi else { return false }
        // a straight line is shorter than the arc
        let difference = center - other.center
        let reach = radius + other.radius + 1e-12
        return difference.dot(difference) > reach * reach
    }
}

extension SIMD2<Double> {
    fileprivate var length: Double { (x * x + y * y).squareRoot() }
}
