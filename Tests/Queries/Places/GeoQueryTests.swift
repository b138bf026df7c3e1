import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// `geoWithin` in typed queries.
@Suite struct GeoQueryTests {
    /// Checks the numbers of the shops that a condition finds, in all views.
    private func expect(
        _ realm: Realm, _ expected: [Int], sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @Sendable (Query<GeoShop>) -> Query<Bool>
    ) async throws {
        let frozen = try realm.snapshot().read {
            $0.objects(GeoShop.self).where(condition).map(\.number)
        }
        expectEqual(frozen, expected, "frozen", sourceLocation: sourceLocation)
        let live = realm.objects(GeoShop.self).where(condition)
        expectEqual(live.current.map(\.number), expected, "live", sourceLocation: sourceLocation)
        expectEqual(live.count, expected.count, "count", sourceLocation: sourceLocation)
        let confined = try await realm.write { tx in
            tx.objects(GeoShop.self).where(condition).map(\.number)
        }
        expectEqual(confined, expected, "confined", sourceLocation: sourceLocation)
    }

    private func box(
        _ bottomLeft: (Double, Double), _ topRight: (Double, Double)
    ) throws -> GeoBox {
        try requireValue(GeoBox(bottomLeft: bottomLeft, topRight: topRight))
    }

    // Covers 3.38, 9.3, 9.5, 9.6, 9.8
    @Test func shapesContainCitiesInAllViews() async throws {
        let realm = try await GeoShop.cities()
        let center = try requireValue(GeoPoint(latitude: 55.6761, longitude: 12.5683))
        // Malmö is 28 km from Copenhagen, Aarhus 157 km, Oslo 483 km.
        for (kilometers, expected) in [(27.0, [0]), (30, [0, 1]), (200, [0, 1, 3]), (0, [0])] {
            let radius = try requireValue(Distance.kilometers(kilometers))
            let circle = try requireValue(GeoCircle(center: center, radius: radius))
            try await expect(realm, expected) { $0.spot.geoWithin(circle) }
        }
        let world = try requireValue(GeoCircle(center: center, radiusInRadians: 4))
        try await expect(realm, [0, 1, 2, 3, 4]) { $0.spot.geoWithin(world) }
        let denmark = try box((54.5, 8), (57.8, 12.9))
        try await expect(realm, [0, 3]) { $0.spot.geoWithin(denmark) }
        let polygon = try requireValue(
            GeoPolygon(
                outerRing: [(54, 8), (54, 14), (61, 14), (61, 8), (54, 8)],
                holes: [(55.5, 12.8), (55.5, 13.2), (55.7, 13.2), (55.7, 12.8), (55.5, 12.8)]))
        try await expect(realm, [0, 2, 3]) { $0.spot.geoWithin(polygon) }
    }

    // Covers 9.3
    @Test func wideBoxesHaveGreatCircleEdges() async throws {
        let realm = try await GeoShop.realm { tx in
            for (number, latitude) in [39.0, 41, 51, 53, 55, 60].enumerated() {
                try tx.add(GeoShop(number, "", GeoSpot(latitude, 0)))
            }
        }
        // The arc between longitudes -45 and 45 at latitude 40 passes through latitude 49.9 in the
        // middle, and that at latitude 45 through 54.7.
        let box = try box((40, -45), (45, 45))
        try await expect(realm, [2, 3]) { $0.spot.geoWithin(box) }
        let south = try self.box((-45, -45), (45, 45))
        try await expect(realm, [0, 1, 2, 3]) { $0.spot.geoWithin(south) }
    }

    // Covers 9.3, 9.4
    @Test func shapesLargerThanAHemisphereAreTheirComplement() async throws {
        let realm = try await GeoShop.realm { tx in
            try tx.add(GeoShop(0, "", GeoSpot(0, 0)))
            try tx.add(GeoShop(1, "", GeoSpot(0, 180)))
            try tx.add(GeoShop(2, "", GeoSpot(0, -180)))
            try tx.add(GeoShop(3, "", GeoSpot(90, 50)))
        }
        let box = try box((-60, -140), (60, 140))
        try await expect(realm, [1, 2]) { $0.spot.geoWithin(box) }
        // Both directions of the same ring enclose the smaller area.
        let ring: [(Double, Double)] = [(60, 0), (60, 120), (60, -120), (60, 0)]
        for ring in [ring, ring.reversed()] {
            let pole = try requireValue(GeoPolygon(outerRing: ring))
            try await expect(realm, [3]) { $0.spot.geoWithin(pole) }
        }
        let date = try requireValue(
            GeoPolygon(outerRing: [(-1, 179), (-1, -179), (1, -179), (1, 179), (-1, 179)]))
        try await expect(realm, [1, 2]) { $0.spot.geoWithin(date) }
    }

    // Covers 9.2, 9.11
    @Test func onlyValidPointsMatch() async throws {
        let realm = try await GeoShop.realm { tx in
            let spots = [
                nil, GeoSpot(1, 1), GeoSpot(1, 1, type: "POINT"), GeoSpot(1, 1, type: "pOiNt"),
                GeoSpot(1, 1, type: "Points"), GeoSpot(1, 1, type: "Polygon"),
                GeoSpot(1, 1, type: ""), GeoSpot(1, 1, type: "P\u{F8}nt"), GeoSpot([]),
                GeoSpot([1]), GeoSpot([1, 1, 500]), GeoSpot([1, 1, -5, 7, 8]), GeoSpot(91, 1),
                GeoSpot(1, -180.5), GeoSpot(.nan, 1), GeoSpot(1, .nan), GeoSpot(.infinity, 1),
            ]
            for (number, spot) in spots.enumerated() { try tx.add(GeoShop(number, "", spot)) }
        }
        let world = try requireValue(GeoCircle(center: (0, 0), radiusInRadians: 9))
        try await expect(realm, [1, 2, 3, 10, 11]) { $0.spot.geoWithin(world) }
        let box = try box((0, 0), (2, 2))
        try await expect(realm, [1, 2, 3, 10, 11]) { $0.spot.geoWithin(box) }
        let high = GeoBox(
            bottomLeft: try requireValue(GeoPoint(latitude: 0, longitude: 0, altitude: 9)),
            topRight: try requireValue(GeoPoint(latitude: 2, longitude: 2, altitude: 9)))
        try await expect(realm, [1, 2, 3, 10, 11]) { $0.spot.geoWithin(high) }
    }

    // Covers 9.2
    @Test func columnNamesDecideWhichPropertiesFormAPoint() async throws {
        let realm = try await GeoShop.realm { tx in
            for (number, kind) in ["point", nil, "line", "Point"].enumerated() {
                let shop = GeoShop(number)
                let spot = GeoRenamedSpot()
                spot.kind = kind
                spot.place.append(contentsOf: number == 3 ? [nil, 1, 1] : [1, 1])
                shop.renamed = spot
                try tx.add(shop)
            }
        }
        let box = try box((0, 0), (2, 2))
        try await expect(realm, [0]) { $0.renamed.geoWithin(box) }
        try await expect(realm, []) { $0.spot.geoWithin(box) }
    }

    // Covers 3.39, 9.15
    @Test func conditionsCombineAndNegate() async throws {
        let realm = try await GeoShop.cities()
        let denmark = try box((54.5, 8), (57.8, 12.9))
        let north = try box((58, -30), (66, 20))
        try await expect(realm, [1, 2, 4, 5]) { !$0.spot.geoWithin(denmark) }
        try await expect(realm, [0, 3]) { !(!$0.spot.geoWithin(denmark)) }
        try await expect(realm, [3]) { $0.spot.geoWithin(denmark) && $0.name.starts(with: "A") }
        try await expect(realm, [0, 2, 3, 4]) {
            $0.spot.geoWithin(denmark) || $0.spot.geoWithin(north)
        }
        try await expect(realm, [1, 5]) {
            !($0.spot.geoWithin(denmark) || $0.spot.geoWithin(north))
        }
        try await expect(realm, [1]) {
            !$0.spot.geoWithin(denmark) && !$0.spot.geoWithin(north) && $0.number < 5
        }
        try await expect(realm, [1, 2, 4, 5]) { $0.spot.geoWithin(denmark) == false }
    }

    // Covers 9.8, 9.10
    @Test func pointsAreReachedThroughLinksAndLists() async throws {
        let realm = try await GeoShop.cities()
        try await realm.write { tx in
            let shops = tx.objects(GeoShop.self)
            for number in 1..<5 { shops[number].partner = shops[number - 1] }
            shops[2].rivals.append(objectsIn: [shops[4], shops[0]])
            shops[3].rivals.append(shops[4])
            shops[0].branches.append(objectsIn: [GeoSpot(1, 1), GeoSpot(50, 50)])
            shops[1].branches.append(GeoSpot(1, 1))
            shops[2].branches.append(GeoSpot(1, 1, type: "line"))
        }
        let denmark = try box((54.5, 8), (57.8, 12.9))
        try await expect(realm, [1, 4]) { $0.partner.spot.geoWithin(denmark) }
        try await expect(realm, [2]) { $0.partner.partner.spot.geoWithin(denmark) }
        try await expect(realm, [2]) { $0.rivals.spot.geoWithin(denmark) }
        try await expect(realm, [2]) { $0.rivals.any { $0.spot.geoWithin(denmark) } }
        try await expect(realm, [0, 1, 4, 5]) { $0.rivals.all { $0.spot.geoWithin(denmark) } }
        let corner = try box((0, 0), (2, 2))
        try await expect(realm, [0, 1]) { $0.branches.geoWithin(corner) }
        try await expect(realm, [0, 1]) { $0.branches.any { $0.geoWithin(corner) } }
        try await expect(realm, [1, 3, 4, 5]) { $0.branches.all { $0.geoWithin(corner) } }
        try await expect(realm, [2, 3, 4, 5]) { $0.branches.none { $0.geoWithin(corner) } }
        try await expect(realm, [0]) {
            $0.branches.geoWithin(corner) && $0.branches.any { !$0.geoWithin(corner) }
        }
        try await expect(realm, [2]) {
            $0.branches.any { !$0.geoWithin(corner) && $0.type == "line" }
        }
        try await expect(realm, [1]) { $0.partner.branches.geoWithin(corner) && $0.number == 1 }
    }

    // MARK: Errors

    private func refusal(
        _ realm: Realm, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @escaping @Sendable (Query<GeoShop>) -> Query<Bool>
    ) async -> String {
        let error = await #expect(throws: Realm.Error.self, sourceLocation: sourceLocation) {
            try await realm.read { _ = $0.objects(GeoShop.self).where(condition).count }
        }
        expectEqual(error?.code, .invalidQuery, sourceLocation: sourceLocation)
        expectEqual(error?.className, "GeoShop", sourceLocation: sourceLocation)
        return error?.message ?? ""
    }

    // Covers 9.12, .invalidQuery
    @Test func classesThatArentPointsAreRefused() async throws {
        let realm = try await GeoShop.cities()
        let box = try box((0, 0), (1, 1))
        let message = await refusal(realm) { $0.label.geoWithin(box) }
        expectTrue(message.contains("GeoLabel doesn't store points"))
        expectTrue(message.contains("List<Double>"))
    }

    // Covers 9.4, .invalidQuery
    @Test func polygonsWithoutAProperAreaAreRefused() async throws {
        let realm = try await GeoShop.cities()
        func expect(
            _ words: String, _ outerRing: [(Double, Double)], _ holes: [(Double, Double)]...,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let polygon = try requireValue(GeoPolygon(outerRing: outerRing, holes: holes))
            let message = await refusal(realm, sourceLocation: sourceLocation) {
                $0.spot.geoWithin(polygon)
            }
            expectTrue(message.contains(words), "\(message)", sourceLocation: sourceLocation)
        }
        let square: [(Double, Double)] = [(0, 0), (0, 9), (9, 9), (9, 0), (0, 0)]
        let hole: [(Double, Double)] = [(2, 2), (2, 4), (4, 4), (4, 2), (2, 2)]
        try await expect("crosses itself", [(0, 0), (0, 9), (9, 0), (9, 9), (0, 0)])
        try await expect("fewer than three", [(0, 0), (0, 9), (0, 9), (0, 0)])
        try await expect("fewer than three", [(0, 0), (0, 0), (0, 0), (0, 0)])
        try await expect(
            "passes through a point twice", [(0, 0), (0, 9), (5, 5), (0, 9), (9, 9), (0, 0)])
        try await expect(
            "antipodal points", [(45, 20), (-45, -160), (0, 100), (45, 20)])
        try await expect(
            "isn't within the outer ring", square, [(20, 20), (20, 21), (21, 21), (20, 20)])
        try await expect(
            "The outer ring and hole 1 cross", square, [(2, 2), (2, 12), (4, 12), (4, 2), (2, 2)])
        try await expect("share an edge", square, [(0, 0), (0, 9), (4, 4), (0, 0)])
        try await expect(
            "Hole 1 shares more than one point", square, [(0, 0), (4, 3), (9, 9), (3, 4), (0, 0)])
        try await expect("Hole 1 and hole 2 share an edge", square, hole, hole)
        try await expect(
            "Hole 2 and hole 1 overlap", square, hole, [(2.5, 2.5), (2.5, 3), (3, 3), (2.5, 2.5)])
        try await expect(
            "Hole 2 and hole 1 overlap", square, [(2.5, 2.5), (2.5, 3), (3, 3), (2.5, 2.5)], hole)
        try await expect("Hole 1 crosses itself", square, [(2, 2), (2, 4), (4, 2), (4, 4), (2, 2)])
        let flat = try box((1, 1), (1, 5))
        let message = await refusal(realm) { $0.spot.geoWithin(flat) }
        expectTrue(message.contains("fewer than three different points"))
    }

    // Covers 9.4
    @Test func touchingHolesAndRepeatedPointsAreAllowed() async throws {
        let realm = try await GeoShop.realm { tx in
            for (number, place) in [(1.0, 0.2), (3, 3), (5, 5), (8, 1)].enumerated() {
                try tx.add(GeoShop(number, "", GeoSpot(place.0, place.1)))
            }
        }
        let polygon = try requireValue(
            GeoPolygon(
                outerRing: [(0, 0), (0, 9), (0, 9), (9, 9), (9, 0), (9, 0), (0, 0)],
                holes: [(0, 0), (2, 4), (4, 4), (4, 2), (0, 0)],
                [(4, 4), (4, 6), (6, 6), (6, 4), (4, 4)]))
        try await expect(realm, [0, 3]) { $0.spot.geoWithin(polygon) }
    }
}
