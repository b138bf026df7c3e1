import Regnum

/// Models with points, for geospatial queries.

/// A point in the form of GeoJSON.
final class GeoSpot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
    @Persisted var note: String?

    convenience init(_ latitude: Double, _ longitude: Double, type: String = "Point") {
        self.init([longitude, latitude], type: type)
    }

    convenience init(_ coordinates: [Double], type: String = "Point") {
        self.init()
        self.type = type
        self.coordinates.append(contentsOf: coordinates)
    }
}

/// A point whose columns have the names that the form requires.
final class GeoRenamedSpot: EmbeddedObject {
    @Persisted var kind: String?
    @Persisted var place: List<Double?>

    override class func propertiesMapping() -> [String: String] {
        ["kind": "type", "place": "coordinates"]
    }
}

/// Not a point: the coordinates are floats, and `kind` isn't called `type` in the realm.
final class GeoLabel: EmbeddedObject {
    @Persisted var type: String
    @Persisted var coordinates: List<Float>
}

final class GeoShop: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String
    @Persisted var spot: GeoSpot?
    @Persisted var renamed: GeoRenamedSpot?
    @Persisted var label: GeoLabel?
    @Persisted var branches: List<GeoSpot>
    @Persisted var partner: GeoShop?
    @Persisted var rivals: List<GeoShop>

    convenience init(_ number: Int, _ name: String = "", _ spot: GeoSpot? = nil) {
        self.init()
        self.number = number
        self.name = name
        self.spot = spot
    }

    static func realm(
        _ fill: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> Realm {
        let realm = try await Realm.temporary([
            GeoShop.self, GeoSpot.self, GeoRenamedSpot.self, GeoLabel.self,
        ])
        try await realm.write { tx in try fill(tx) }
        return realm
    }

    /// A realm with shops in Nordic cities, numbered from 0.
    static func cities() async throws -> Realm {
        try await realm { tx in
            for (number, city) in Self.cityPoints.enumerated() {
                try tx.add(GeoShop(number, city.name, GeoSpot(city.latitude, city.longitude)))
            }
            try tx.add(GeoShop(5, "nowhere"))
        }
    }

    private static let cityPoints: [(name: String, latitude: Double, longitude: Double)] = [
        ("Copenhagen", 55.6761, 12.5683), ("Malmö", 55.6050, 13.0038), ("Oslo", 59.9139, 10.7522),
        ("Aarhus", 56.1629, 10.2039), ("Reykjavik", 64.1466, -21.9426),
    ]
}
