internal import RegnumEngine

// Shapes in predicate strings: geoBox(…), geoCircle(…) and geoPolygon(…), and points within them.

extension PredicateParser {
    /// Parses what follows the name of a shape.
    mutating func shape(_ name: PredicateToken) throws(PredicateMistake) -> any GeoShape {
        try require(symbol: "(")
        let shape: (any GeoShape)?
        switch name.keyword {
        case "geobox":
            let bottomLeft = try point()
            try require(symbol: ",")
            shape = GeoBox(bottomLeft: bottomLeft, topRight: try point())
        case "geocircle":
            let center = try point()
            try require(symbol: ",")
            shape = GeoCircle(center: center, radiusInRadians: try coordinate())
        default:
            var rings: [[GeoPoint]] = []
            repeat { rings.append(try ring()) } while take(symbol: ",")
            shape = GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst()))
        }
        try require(symbol: ")")
        if let shape { return shape }
        throw PredicateMistake(
            message: name.keyword == "geocircle"
                ? "The radius of a circle can't be negative."
                : "Each ring of a polygon needs at least four points, the last one being the "
                    + "first one again.", offset: name.offset)
    }

    /// Parses `{point, …}`.
    private mutating func ring() throws(PredicateMistake) -> [GeoPoint] {
        try require(symbol: "{")
        var points: [GeoPoint] = []
        repeat { points.append(try point()) } while take(symbol: ",")
        try require(symbol: "}")
        return points
    }

    /// Parses `[longitude, latitude]`, with an altitude or without.
    private mutating func point() throws(PredicateMistake) -> GeoPoint {
        let offset = next.offset
        try require(symbol: "[")
        let longitude = try coordinate()
        try require(symbol: ",")
        let latitude = try coordinate()
        let altitude = take(symbol: ",") ? try coordinate() : 0
        try require(symbol: "]")
        guard
            let point = GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude)
        else {
            throw PredicateMistake(
                message: "A point is [longitude, latitude]: from -180 to 180 and from -90 to 90, "
                    + "in degrees. An altitude after them can't be negative.", offset: offset)
        }
        return point
    }

    private mutating func coordinate() throws(PredicateMistake) -> Double {
        let operand = try plainOperand("Expected a number")
        guard case .literal(.number(let text)) = operand.kind, let number = Double(text) else {
            throw PredicateMistake(message: "Expected a number.", offset: operand.offset)
        }
        return number
    }
}

extension PredicateConstant {
    /// The shape that a caller passed or that was written; `nil` for other values.
    var shape: (any GeoShape)? {
        if case .value(let value) = self { value as? any GeoShape } else { nil }
    }
}

extension PredicateBinder {
    /// Tests whether an embedded object is a point within a shape.
    func isWithin(
        _ shape: some GeoShape, _ place: PredicatePlace, _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard case .objects(let schema) = place.kind else {
            throw refused(
                place, "isn't an embedded object or a list of them, as GEOWITHIN requires", offset)
        }
        let predicate: Predicate
        do throws(GeoMistake) {
            predicate = try schema.isWithin(shape)
        } catch {
            throw PredicateMistake(message: error.message, offset: offset)
        }
        let (several, links) = place.hops.splitAtLastCollection
        return try quantified(several, quantifier, .exists(links, predicate), place, offset)
    }

    static func needsShape(_ place: PredicatePlace, _ offset: Int) -> PredicateMistake {
        PredicateMistake(
            message: "\(place.name) needs a shape after GEOWITHIN: geoBox(…), geoCircle(…), "
                + "geoPolygon(…), or a value of type GeoBox, GeoCircle or GeoPolygon.",
            offset: offset)
    }
}
