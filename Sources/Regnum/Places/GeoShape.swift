internal import RegnumEngine

/// An area on the Earth that a query can search: ``GeoBox``, ``GeoPolygon`` or ``GeoCircle``.
///
/// A point is stored as in GeoJSON, in an embedded object whose class has a string `type`, which is
/// "Point" (ignoring case), and a list of doubles `coordinates`: the *longitude*, then the
/// latitude, in degrees. Further elements, such as an altitude, are ignored. The properties may
/// have other names if ``ObjectBase/propertiesMapping()`` maps them to these names.
///
///     final class Location: EmbeddedObject {
///         @Persisted var type = "Point"
///         @Persisted(geoIndexed: true) var coordinates: List<Double>
///     }
///
///     let center = GeoPoint(latitude: 55.68, longitude: 12.57)!
///     let circle = GeoCircle(center: center, radius: .kilometers(2)!)!
///     realm.objects(Shop.self).where { $0.location.geoWithin(circle) }
///
/// The index is optional. With it, a query reads only points near the shape, if these are a small
/// fraction of all points. It never changes the result.
///
/// Shapes are equal if they have the same points and radius. Shapes that describe the same area
/// with different points aren't equal. The Earth is a sphere with a radius of 6,378.1 km.
///
/// Don't conform your own types to this protocol.
public protocol GeoShape: Hashable, Sendable, CustomStringConvertible {
    /// An implementation detail of queries.
    var _area: _GeoArea { get }
}

/// The points of a ``GeoShape``. An implementation detail of queries.
public struct _GeoArea: Sendable {
    /// The area, or the reason why the shape encloses none.
    let area: Result<GeoArea, GeoMistake>

    init(_ area: GeoArea) { self.area = .success(area) }

    init(rings: [[GeoPoint]], text: String) {
        area = Result { () throws(GeoMistake) in
            try GeoArea(rings: rings.map { $0.map(\.vector) }, text: text)
        }
    }
}
