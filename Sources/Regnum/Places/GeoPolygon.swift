/// The area within a ring of points and outside of holes in it, for queries.
///
/// The edges are arcs of great circles. A ring encloses the smaller of the two areas that it
/// bounds, whatever its direction, so a polygon is never larger than a hemisphere. Points are
/// rounded to less than 2e-16 radians (about 1 nm); everything else is exact and agrees with the S2
/// library, which Realm uses: of the polygons on the two sides of an edge, exactly one contains a
/// point on the edge, and of the polygons around a vertex, exactly one contains the vertex.
///
/// The following are errors, which are reported when the query is used: a ring with fewer than
/// three different points, or one that crosses itself, passes through a point twice or has an edge
/// between antipodal points; rings that cross, or share an edge or more than one point; a hole that
/// isn't within the outer ring, or that overlaps another hole; thousands of long edges side by
/// side, or of holes, which would take too long to compare. A point that repeats the previous one
/// is ignored.
public struct GeoPolygon: GeoShape {
    /// The points of the outer ring; the last one repeats the first.
    public let outerRing: [GeoPoint]
    /// The points of each hole, in the same form.
    public let holes: [[GeoPoint]]

    /// Creates a polygon from its rings. Returns `nil` if one of them has fewer than four points,
    /// or doesn't end where it starts.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        guard ([outerRing] + holes).allSatisfy(\.isClosed) else { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// Creates a polygon from its rings, like ``init(outerRing:holes:)-([GeoPoint],[[GeoPoint]])``.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// Creates a polygon from rings of latitude-longitude pairs. Returns `nil` if one of the pairs
    /// isn't valid for ``GeoPoint``, a ring has fewer than four, or a ring doesn't end where it
    /// starts.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        guard let outerRing = [GeoPoint](outerRing) else { return nil }
        let rings = holes.compactMap { [GeoPoint]($0) }
        guard rings.count == holes.count else { return nil }
        self.init(outerRing: outerRing, holes: rings)
    }

    /// Creates a polygon from rings of latitude-longitude pairs.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// An implementation detail of queries.
    ///
    /// - Complexity: O(n log² n) for n points, if few edges are close to each other, and O(n) for
    ///   each hole.
    public var _area: _GeoArea { _GeoArea(rings: [outerRing] + holes, text: description) }

    /// The polygon as written in predicate strings.
    public var description: String {
        let rings = ([outerRing] + holes).map { ring in
            "{\(ring.map(\.description).joined(separator: ", "))}"
        }
        return "geoPolygon(\(rings.joined(separator: ", ")))"
    }
}

extension [GeoPoint] {
    fileprivate var isClosed: Bool {
        guard count >= 4, let first, let last else { return false }
        return first.latitude == last.latitude && first.longitude == last.longitude
    }
}
