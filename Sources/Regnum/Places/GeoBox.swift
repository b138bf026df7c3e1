/// The area between two opposite corners, for queries.
///
/// It is a polygon with four corners, whose edges are arcs of great circles. So its northern and
/// southern edges bulge away from the circles of latitude, noticeably if the box is wide. They
/// go the shorter way around the Earth, so a box wider than 180° of longitude encloses the area
/// on the other side: use two boxes. A box larger than a hemisphere is interpreted as the rest of
/// the sphere.
///
/// Corners at the same latitude or longitude enclose no area, which is an error that is reported
/// when the query is used. Points on an edge are treated as described at ``GeoPolygon``.
public struct GeoBox: GeoShape {
    /// The south-western corner.
    public let bottomLeft: GeoPoint
    /// The north-eastern corner.
    public let topRight: GeoPoint

    /// Creates a box from its corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Creates a box from latitude-longitude pairs. Returns `nil` if one of them isn't valid for
    /// ``GeoPoint``.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    /// An implementation detail of queries.
    public var _area: _GeoArea {
        let (low, high) = (bottomLeft, topRight)
        let corners = [
            (low.latitude, low.longitude), (low.latitude, high.longitude),
            (high.latitude, high.longitude), (high.latitude, low.longitude),
        ]
        return _GeoArea(rings: [[GeoPoint](corners) ?? []], text: description)
    }

    /// The box as written in predicate strings.
    public var description: String { "geoBox(\(bottomLeft), \(topRight))" }
}
