import Glibc

/// A point on the unit sphere.
///
/// The coordinates are multiples of 2^-52: the point is less than 2e-16 radians (about 1 nm on the
/// Earth) from the exact one. So no product underflows, and the orientation of three points is
/// computed exactly.
package struct GeoVector: Hashable, Sendable {
    package let x: Double
    package let y: Double
    package let z: Double

    /// Rounds the coordinates of a point on the unit sphere.
    init(_ x: Double, _ y: Double, _ z: Double) {
        // adding zero makes a negative zero positive
        self.x = (x * 0x1p52).rounded() * 0x1p-52 + 0
        self.y = (y * 0x1p52).rounded() * 0x1p-52 + 0
        self.z = (z * 0x1p52).rounded() * 0x1p-52 + 0
    }

    /// Returns the point at a latitude and a longitude in degrees, which must be in their ranges.
    /// The longitudes -180 and 180 are the same, as are all longitudes at a pole.
    package init(latitude: Double, longitude: Double) {
        let (height, radius) = GeoVector.sineAndCosine(latitude)
        let (sine, cosine) = GeoVector.sineAndCosine(longitude)
        self.init(radius * cosine, radius * sine, height)
    }

    /// Returns the sine and cosine of an angle in degrees, exact for multiples of 90.
    private static func sineAndCosine(_ degrees: Double) -> (Double, Double) {
        let rest = degrees.remainder(dividingBy: 90)
        let quarters = Int((degrees - rest) / 90) & 3
        let (s, c) = (sin(rest * .pi / 180), cos(rest * .pi / 180))
        switch quarters {
        case 0: return (s, c)
        case 1: return (c, -s)
        case 2: return (-s, -c)
        default: return (-c, s)
        }
    }

    var opposite: GeoVector { GeoVector(-x, -y, -z) }

    var coordinates: SIMD3<Double> { SIMD3(x, y, z) }

    /// Whether the point comes before another one in an arbitrary fixed order.
    fileprivate func precedes(_ other: GeoVector) -> Bool {
        (x, y, z) < (other.x, other.y, other.z)
    }
}

extension SIMD3<Double> {
    func dot(_ other: SIMD3<Double>) -> Double {
        x * other.x + y * other.y + z * other.z
    }

    func cross(_ other: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(
            y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    var length: Double { dot(self).squareRoot() }

    /// Returns the angle between two vectors, from 0 to pi.
    func angle(to other: SIMD3<Double>) -> Double {
        atan2(cross(other).length, dot(other))
    }
}

// MARK: Orientation

extension GeoVector {
    /// More than the rounding error of the determinant of three unit vectors, computed as the dot
    /// product of a vector and a cross product.
    static let maximumDeterminantError = 5 * Double.ulpOfOne

    /// Returns 1 if the points a, b and c are in counterclockwise order, seen from outside the
    /// sphere, and -1 if they are in clockwise order; 0 only if two of them are the same.
    ///
    /// Computed exactly. Three points on one great circle are ordered as if each were moved by an
    /// infinitesimal distance (Edelsbrunner and Mücke, Simulation of Simplicity, 1990), which is
    /// what S2 does. So all decisions about points and edges are consistent.
    static func orientation(_ a: GeoVector, _ b: GeoVector, _ c: GeoVector) -> Int {
        let determinant = a.coordinates.cross(b.coordinates).dot(c.coordinates)
        if determinant > maximumDeterminantError { return 1 }
        if determinant < -maximumDeterminantError { return -1 }
        return exactOrientation(a, b, c)
    }

    @inline(never)
    static func exactOrientation(_ a: GeoVector, _ b: GeoVector, _ c: GeoVector) -> Int {
        if a == b || b == c || c == a { return 0 }
        var points = (a, b, c)
        var parity = 1
        if points.1.precedes(points.0) {
            swap(&points.0, &points.1)
            parity = -parity
        }
        if points.2.precedes(points.1) {
            swap(&points.1, &points.2)
            parity = -parity
        }
        if points.1.precedes(points.0) {
            swap(&points.0, &points.1)
            parity = -parity
        }
        return parity * ascendingOrientation(points.0, points.1, points.2)
    }

    /// - Precondition: The points are in ascending order.
    private static func ascendingOrientation(
        _ a: GeoVector, _ b: GeoVector, _ c: GeoVector
    ) -> Int {
        var sum = ExactSum()
        sum.add(a.x, b.y, c.z)
        sum.add(-a.x, b.z, c.y)
        sum.add(a.y, b.z, c.x)
        sum.add(-a.y, b.x, c.z)
        sum.add(a.z, b.x, c.y)
        sum.add(-a.z, b.y, c.x)
        if sum.sign != 0 { return sum.sign }
        // The coefficients of the displacements, from the largest to the smallest, with the
        // displacements of a larger than those of b, and those of z larger than those of y and x.
        let coefficients = [
            sign(b.x, c.y, b.y, c.x), sign(b.z, c.x, b.x, c.z), sign(b.y, c.z, b.z, c.y),
            sign(c.x, a.y, c.y, a.x), sign(c.x), -sign(c.y),
            sign(c.z, a.x, c.x, a.z), sign(c.z),
            sign(a.x, b.y, a.y, b.x), -sign(b.x), sign(b.y), sign(a.x),
        ]
        return coefficients.first { $0 != 0 } ?? 1
    }

    private static func sign(_ x: Double) -> Int { x > 0 ? 1 : (x < 0 ? -1 : 0) }

    /// Returns the sign of a * b - c * d.
    private static func sign(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Int {
        let (left, right) = (a * b, c * d)
        // rounding keeps the order
        if left != right { return left > right ? 1 : -1 }
        return sign((-left).addingProduct(a, b) - (-right).addingProduct(c, d))
    }
}

/// A sum of products that is exact as long as nothing underflows, as a sum of doubles that don't
/// overlap (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997).
private struct ExactSum {
    /// By ascending magnitude, with zeros between them.
    private var terms: [Double] = []

    mutating func add(_ a: Double, _ b: Double, _ c: Double) {
        let product = a * b
        add(product, c)
        add((-product).addingProduct(a, b), c)
    }

    private mutating func add(_ a: Double, _ b: Double) {
        let product = a * b
        add((-product).addingProduct(a, b))
        add(product)
    }

    private mutating func add(_ value: Double) {
        var rest = value
        for index in terms.indices {
            let term = terms[index]
            let sum = rest + term
            let part = sum - rest
            terms[index] = (rest - (sum - part)) + (term - part)
            rest = sum
        }
        terms.append(rest)
    }

    var sign: Int {
        guard let largest = terms.last(where: { $0 != 0 }) else { return 0 }
        return largest > 0 ? 1 : -1
    }
}
