import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// `GEOWITHIN` in predicate strings.
@Suite struct GeoPredicateTests {
    /// A realm with cities, of which 0 and 3 are in Denmark; 1 and 2 have branches.
    private func realm() async throws -> Realm {
        let realm = try await GeoShop.cities()
        try await realm.write { tx in
            let shops = tx.objects(GeoShop.self)
            for number in 1..<5 { shops[number].partner = shops[number - 1] }
            shops[1].branches.append(objectsIn: [GeoSpot(1, 1), GeoSpot(1.5, 1.5)])
            shops[2].branches.append(objectsIn: [GeoSpot(1, 1), GeoSpot(50, 50)])
            shops[4].rivals.append(objectsIn: [shops[0], shops[1]])
        }
        return realm
    }

    private func expect(
        _ realm: Realm, _ text: String, _ expected: [Int], values: [(any Sendable)?] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        func check(_ numbers: [Int], _ view: String) {
            expectEqual(numbers, expected, "\(view): \(text)", sourceLocation: sourceLocation)
        }
        do {
            let frozen = try realm.snapshot().objects(GeoShop.self).filter(text, list: values)
            check(frozen.map(\.number), "frozen")
            let live = try realm.objects(GeoShop.self).filter(text, list: values)
            check(live.current.map(\.number), "live")
            let confined = try await realm.write { tx in
                try tx.objects(GeoShop.self).filter(text, list: values).map(\.number)
            }
            check(confined, "confined")
        } catch {
            Issue.record("\(text) throws \(error)", sourceLocation: sourceLocation)
        }
    }

    // Covers 3.79, 9.10
    @Test func shapesAreWrittenWithTheLongitudeFirst() async throws {
        let realm = try await realm()
        let denmark = "geoBox([8, 54.5], [12.9, 57.8])"
        try await expect(realm, "spot GEOWITHIN \(denmark)", [0, 3])
        try await expect(realm, "spot geowithin GEOBOX([+8.0,54.5, 9],[12.9,57.8])", [0, 3])
        try await expect(realm, "spot GEOWITHIN geoCircle([12.5683, 55.6761], 0.005)", [0, 1])
        try await expect(realm, "spot GEOWITHIN geoCircle([-21.9426, 64.1466], 0)", [4])
        try await expect(realm, "spot GEOWITHIN geoCircle([0, 0], inf)", [0, 1, 2, 3, 4])
        let ring = "{[8, 54], [14, 54], [14, 61], [8, 61], [8, 54]}"
        let hole = "{[12.8, 55.5], [13.2, 55.5], [13.2, 55.7], [12.8, 55.7], [12.8, 55.5]}"
        try await expect(realm, "spot GEOWITHIN geoPolygon(\(ring))", [0, 1, 2, 3])
        try await expect(realm, "spot GEOWITHIN geoPolygon(\(ring), \(hole))", [0, 2, 3])
        try await expect(realm, "NOT spot GEOWITHIN \(denmark)", [1, 2, 4, 5])
        try await expect(realm, "spot GEOWITHIN \(denmark) AND name BEGINSWITH 'A'", [3])
        try await expect(realm, "partner.spot GEOWITHIN \(denmark) SORT(number DESC)", [4, 1])
    }

    // Covers 3.79, 3.89, 9.10
    @Test func shapesAreArguments() async throws {
        let realm = try await realm()
        let box = try requireValue(GeoBox(bottomLeft: (54.5, 8), topRight: (57.8, 12.9)))
        let circle = try requireValue(GeoCircle(center: (55.6761, 12.5683), radiusInRadians: 0.005))
        let polygon = try requireValue(
            GeoPolygon(outerRing: [(54, 8), (54, 14), (61, 14), (61, 8), (54, 8)]))
        for text in ["spot GEOWITHIN $0", "spot GEOWITHIN %@", "spot IN %@", "%K IN %@"] {
            let path: [(any Sendable)?] = text.hasPrefix("%K") ? ["spot"] : []
            try await expect(realm, text, [0, 3], values: path + [box])
            try await expect(realm, text, [0, 1], values: path + [circle])
            try await expect(realm, text, [0, 1, 2, 3], values: path + [polygon])
        }
        for shape in [box, circle, polygon] as [any GeoShape] {
            let written = try realm.snapshot().objects(GeoShop.self)
                .filter("spot GEOWITHIN \(shape)")
            let given = try realm.snapshot().objects(GeoShop.self)
                .filter("spot GEOWITHIN $area", named: ["area": shape])
            expectEqual(written.map(\.number), given.map(\.number), "\(shape)")
        }
    }

    @Test func coordinatesAreArguments() async throws {
        let realm = try await realm()
        try await expect(
            realm, "spot GEOWITHIN geoCircle([$0, $1], $2)", [0, 1],
            values: [12.5683, 55.6761, Float(0.005)])
        try await expect(
            realm, "spot GEOWITHIN geoBox([%@, %@], [12.9, %@])", [0, 3], values: [8, 54.5, 57.8])
    }

    // Covers 9.10
    @Test func quantifiersApplyToListsOfPoints() async throws {
        let realm = try await realm()
        let corner = "geoBox([0, 0], [2, 2])"
        try await expect(realm, "branches GEOWITHIN \(corner)", [1, 2])
        try await expect(realm, "ANY branches GEOWITHIN \(corner)", [1, 2])
        try await expect(realm, "ALL branches GEOWITHIN \(corner)", [0, 1, 3, 4, 5])
        try await expect(realm, "NONE branches GEOWITHIN \(corner)", [0, 3, 4, 5])
        try await expect(realm, "branches[1] GEOWITHIN \(corner)", [1])
        try await expect(realm, "rivals.spot GEOWITHIN geoCircle([13.0038, 55.605], 0.0001)", [4])
        try await expect(
            realm, "ALL rivals.spot GEOWITHIN geoCircle([13, 55.6], 0.01) AND rivals.@count > 0",
            [4])
        try await expect(
            realm, "SUBQUERY(branches, $b, NOT $b GEOWITHIN \(corner)).@count == 1", [2])
    }

    // Covers 3.85, 9.10
    @Test func conditionsOnPlacesArePrinted() async throws {
        let realm = try await realm()
        let corner = "geoBox([0.0, 0.0], [2.0, 2.0])"
        for text in [
            "spot GEOWITHIN \(corner)", "NOT partner.spot GEOWITHIN \(corner)",
            "ANY rivals.spot GEOWITHIN \(corner)", "ALL rivals.spot GEOWITHIN \(corner)",
            "ANY rivals.partner.spot GEOWITHIN \(corner)", "rivals[0].spot GEOWITHIN \(corner)",
            "ANY branches GEOWITHIN \(corner)", "branches[LAST] GEOWITHIN \(corner)",
            "SUBQUERY(rivals, $x, $x.spot GEOWITHIN \(corner) AND $x.number > 1).@count == 1",
        ] {
            let shops = try realm.snapshot().objects(GeoShop.self).filter(text)
            try expectEqual(shops.predicate, text)
        }
    }

    // Covers 3.79, 9.1, 9.4, 9.12, .invalidQuery
    @Test func mistakesAreReported() async throws {
        let realm = try await realm()
        let frozen = realm.snapshot().objects(GeoShop.self)
        let cases: [(text: String, words: String)] = [
            ("spot GEOWITHIN", "the string ends here"),
            ("spot GEOWITHIN geoBox([1, 2])", "Expected ,"),
            ("spot GEOWITHIN geoBox([1, 2], [3, 4]", "Expected )"),
            ("spot GEOWITHIN geoBox([1], [3, 4])", "Expected ,"),
            ("spot GEOWITHIN geoBox([1, 2], [3, 91])", "A point is [longitude, latitude]"),
            ("spot GEOWITHIN geoBox([1, 2], [-180.5, 4])", "A point is [longitude, latitude]"),
            ("spot GEOWITHIN geoBox([1, 2], [nan, 4])", "A point is [longitude, latitude]"),
            ("spot GEOWITHIN geoBox([1, 2, -3], [3, 4])", "An altitude after them"),
            ("spot GEOWITHIN geoBox([1, 'a'], [3, 4])", "Expected a number"),
            ("spot GEOWITHIN geoBox([1, {2}], [3, 4])", "Expected a number"),
            ("spot GEOWITHIN geoBox([1, geoBox([1, 2], [3, 4])], [3, 4])", "Expected a number"),
            ("spot GEOWITHIN geoBox([1, number], [3, 4])", "Expected a number"),
            ("spot GEOWITHIN geoBox([1, $0], [3, 4])", "number 0 is missing"),
            ("spot GEOWITHIN geoCircle([1, 2], -1)", "can't be negative"),
            ("spot GEOWITHIN geoPolygon([1, 2])", "Expected {"),
            ("spot GEOWITHIN geoPolygon({[1, 2], [3, 4], [1, 2]})", "at least four points"),
            ("spot GEOWITHIN geoPolygon({[1, 2], [3, 4], [5, 7], [8, 8]})", "repeating the first"),
            (
                "spot GEOWITHIN geoPolygon({[0, 0], [9, 0], [0, 9], [9, 9], [0, 0]})",
                "crosses itself"
            ),
            ("spot GEOWITHIN geoBox([1, 2], [1, 2])", "fewer than three different points"),
            ("spot GEOWITHIN 3", "needs a shape after GEOWITHIN"),
            ("spot GEOWITHIN nil", "needs a shape after GEOWITHIN"),
            ("spot GEOWITHIN {1, 2}", "needs a shape after GEOWITHIN"),
            ("spot GEOWITHIN partner.spot", "needs a shape after GEOWITHIN"),
            ("spot GEOWITHIN[c] geoBox([1, 2], [3, 4])", "can't ignore case"),
            ("geoBox([1, 2], [3, 4]) GEOWITHIN spot", "must be on the left of GEOWITHIN"),
            ("name GEOWITHIN geoBox([1, 2], [3, 4])", "isn't an embedded object"),
            ("branches.@count GEOWITHIN geoBox([1, 2], [3, 4])", "isn't an embedded object"),
            ("spot.coordinates GEOWITHIN geoBox([1, 2], [3, 4])", "isn't an embedded object"),
            ("partner GEOWITHIN geoBox([1, 2], [3, 4])", "GeoShop doesn't store points"),
            ("label GEOWITHIN geoBox([1, 2], [3, 4])", "GeoLabel doesn't store points"),
            ("ANY spot GEOWITHIN geoBox([1, 2], [3, 4])", "ANY, ALL and NONE require several"),
        ]
        for one in cases {
            let error = #expect(throws: Realm.Error.self, "\(one.text)") {
                _ = try frozen.filter(one.text)
            }
            expectEqual(error?.code, .invalidQuery, "\(one.text)")
            expectEqual(error?.message.contains(one.words), true, "\(error?.message ?? "")")
        }
        for text in ["spot == %@", "number == %@", "name CONTAINS %@", "number > %@"] {
            let box = try requireValue(GeoBox(bottomLeft: (1, 2), topRight: (3, 4)))
            let error = #expect(throws: Realm.Error.self, "\(text)") {
                _ = try frozen.filter(text, box)
            }
            expectEqual(error?.code, .invalidQuery, "\(text)")
        }
    }
}
