import Foundation

/// Areas on the sphere, decided by other methods than the engine's: angles turned around a point,
/// and haversines.
enum NaiveSphere {
    struct Place {
        var latitude: Double
        var longitude: Double

        fileprivate var vector: SIMD3<Double> {
            let (a, b) = (latitude * .pi / 180, longitude * .pi / 180)
            return SIMD3(cos(a) * cos(b), cos(a) * sin(b), sin(a))
        }
    }

    /// Returns the angle between two places as seen from the center of the sphere.
    static func distance(_ a: Place, _ b: Place) -> Double {
        let toRadians = Double.pi / 180
        let half = sin((b.latitude - a.latitude) * toRadians / 2)
        let side = sin((b.longitude - a.longitude) * toRadians / 2)
        let x =
            half * half + cos(a.latitude * toRadians) * cos(b.latitude * toRadians) * side * side
        return 2 * asin(min(x.squareRoot(), 1))
    }

    /// Whether a ring around less than a hemisphere winds around a place, and how close the place
    /// is to the great circle of one of its edges.
    static func winding(
        _ ring: [Place], around place: Place
    ) -> (isInside: Bool, distance: Double) {
        let center = place.vector
        var sum = 0.0
        var distance = Double.infinity
        let vectors = ring.map(\.vector)
        for (index, a) in vectors.enumerated() {
            let b = vectors[(index + 1) % vectors.count]
            let normal = cross(a, b)
            distance = min(distance, abs(dot(normal, center)) / dot(normal, normal).squareRoot())
            // the directions from the place to the ends of the edge
            let (u, v) = (a - center * dot(a, center), b - center * dot(b, center))
            sum += atan2(dot(center, cross(u, v)), dot(u, v))
        }
        return (abs(sum) > .pi, distance)
    }

    /// Returns the place at a distance from another one, both in radians, in a direction.
    static func place(from origin: Place, _ distance: Double, towards direction: Double) -> Place {
        let center = origin.vector
        var east = cross(SIMD3(0, 0, 1), center)
        east /= max(dot(east, east).squareRoot(), 1e-300)
        let north = cross(center, east)
        let side = east * cos(direction) + north * sin(direction)
        let end = center * cos(distance) + side * sin(distance)
        return Place(
            latitude: asin(max(-1, min(1, end.z))) * 180 / .pi,
            longitude: atan2(end.y, end.x) * 180 / .pi)
    }

    private static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        a.x * b.x + a.y * b.y + a.z * b.z
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
