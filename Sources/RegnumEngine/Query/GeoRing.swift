import Glibc

/// A closed line of great-circle edges on the sphere, and the area on its left.
///
/// Follows the rules of S2. The area is half-open: of the rings that share an edge and lie on its
/// two sides, exactly one contains a point on that edge, and of those around a vertex exactly one
/// contains the vertex.
package struct GeoRing: Hashable, Sendable {
    /// At least three different points; the last one is joined to the first.
    private(set) var vertices: [GeoVector]
    /// Whether the area contains the reference point.
    private var containsReference = false

    /// A point that is unlikely to be on an edge or to be queried.
    private static let reference: GeoVector = {
        let direction = SIMD3(0.00457, 1, 0.0321)
        let unit = direction / direction.length
        return GeoVector(unit.x, unit.y, unit.z)
    }()

    /// Creates the ring of an area of at most a hemisphere: the direction of the vertices is
    /// reversed if they enclose more.
    ///
    /// - Precondition: There are at least three vertices, all different; no two edges cross.
    init(_ vertices: [GeoVector]) {
        self.vertices = vertices
        if turningAngle < -1e-14 { self.vertices.reverse() }
        locateReference()
    }

    /// Decides from the angle at a vertex whether the area contains the vertex, and from that
    /// whether it contains the reference point.
    private mutating func locateReference() {
        let vertex = vertices[1]
        let isInside = GeoRing.isOrdered(
            vertex.orthogonal, vertices[0], vertices[2], around: vertex)
        containsReference = isInside != contains(vertex)
    }

    /// The sum of the changes of direction at the vertices: 2 pi less the area on the left.
    private var turningAngle: Double {
        var sum = 0.0
        var (a, b) = (vertices[vertices.count - 2], vertices[vertices.count - 1])
        for c in vertices {
            let angle = a.normal(to: b).angle(to: b.normal(to: c))
            sum += GeoVector.orientation(a, b, c) > 0 ? angle : -angle
            (a, b) = (b, c)
        }
        return sum
    }

    /// Whether the area contains a point.
    ///
    /// - Complexity: O(n) for n vertices.
    func contains(_ point: GeoVector) -> Bool {
        var isInside = containsReference
        let reference = GeoRing.reference
        // Each edge that the line from the reference point to the point crosses changes the side.
        let normal = reference.coordinates.cross(point.coordinates)
        func side(_ vertex: GeoVector) -> Int {
            let determinant = normal.dot(vertex.coordinates)
            if determinant > GeoVector.maximumDeterminantError { return 1 }
            if determinant < -GeoVector.maximumDeterminantError { return -1 }
            return GeoVector.exactOrientation(reference, point, vertex)
        }
        var previous = vertices[vertices.count - 1]
        var previousSide = side(previous)
        for vertex in vertices {
            let side = side(vertex)
            if side != previousSide || side == 0,
                GeoRing.crosses(
                    reference, point, previous, vertex, -previousSide, side)
            {
                isInside.toggle()
            }
            (previous, previousSide) = (vertex, side)
        }
        return isInside
    }

    /// Whether two edges cross, at a point that isn't the end of one of them.
    static func cross(
        _ a: GeoVector, _ b: GeoVector, _ c: GeoVector, _ d: GeoVector
    ) -> Bool {
        let (acb, bda) = (-GeoVector.orientation(a, b, c), GeoVector.orientation(a, b, d))
        return acb == bda && acb != 0 && cross(a, b, c, d, acb)
    }

    /// Whether two edges cross, given that c and d are on different sides of the circle through a
    /// and b, and `acb` is the orientation of these points.
    private static func cross(
        _ a: GeoVector, _ b: GeoVector, _ c: GeoVector, _ d: GeoVector, _ acb: Int
    ) -> Bool {
        GeoVector.orientation(c, d, b) == -acb && GeoVector.orientation(c, d, a) == acb
    }

    /// Whether an edge from a to b crosses the edge from c to d of a ring, so that a and b are on
    /// different sides of the ring. Of the edges of a ring that meet in b, it crosses an odd number
    /// exactly if the ring contains b and not a, or a and not b.
    private static func crosses(
        _ a: GeoVector, _ b: GeoVector, _ c: GeoVector, _ d: GeoVector, _ acb: Int, _ bda: Int
    ) -> Bool {
        if acb == bda && acb != 0 { return cross(a, b, c, d, acb) }
        if acb != 0, bda != 0 { return false }
        if a == b || c == d { return false }
        if a == d { return isOrdered(a.orthogonal, c, b, around: a) }
        if b == c { return isOrdered(b.orthogonal, d, a, around: b) }
        if a == c { return isOrdered(a.orthogonal, d, b, around: a) }
        if b == d { return isOrdered(b.orthogonal, c, a, around: b) }
        return false
    }

    /// Whether the directions from a center to a, b and c are met in this order when turning
    /// counterclockwise; true if b is a or c, otherwise false if a is c.
    private static func isOrdered(
        _ a: GeoVector, _ b: GeoVector, _ c: GeoVector, around center: GeoVector
    ) -> Bool {
        let first = GeoVector.orientation(b, center, a) >= 0 ? 1 : 0
        let second = GeoVector.orientation(c, center, b) >= 0 ? 1 : 0
        let third = GeoVector.orientation(a, center, c) > 0 ? 1 : 0
        return first + second + third >= 2
    }
}

extension GeoVector {
    /// A point at a right angle, in a direction that is the same for all edges at this point.
    fileprivate var orthogonal: GeoVector {
        let magnitudes = (abs(x), abs(y), abs(z))
        var other = SIMD3(0.012, 0.0053, 0.00457)
        if magnitudes.0 > magnitudes.1 {
            other[magnitudes.0 > magnitudes.2 ? 2 : 1] = 1
        } else {
            other[magnitudes.1 > magnitudes.2 ? 0 : 1] = 1
        }
        let direction = coordinates.cross(other)
        let unit = direction / direction.length
        return GeoVector(unit.x, unit.y, unit.z)
    }

    /// Returns a vector at right angles to both points, also precise for points that are close to
    /// each other.
    fileprivate func normal(to other: GeoVector) -> SIMD3<Double> {
        (coordinates + other.coordinates).cross(other.coordinates - coordinates)
    }
}
