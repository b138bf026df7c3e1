internal import RegnumEngine

// Shapes in predicate strings: geoBox(…), geoCircle(…) and geoPolygon(…), and points within them.

extension PredicateParser {
    /// Parses what follows the name of a shape.
    mutating func shape(_ name: PredicateToken) throws(PredicateMistake) -> PredicateShape {
        try require(symbol: "(")
        let kind: PredicateShape.Kind
        switch name.keyword {
        case "geobox":
            let bottomLeft = try point()
            try require(symbol: ",")
            kind = .box(bottomLeft, try point())
        case "geocircle":
            let center = try point()
            try require(symbol: ",")
            kind = .circle(center, radius: try plainOperand("Expected a number"))
        default:
            var rings: [[PredicateShape.Point]] = []
            repeat { rings.append(try ring()) } while consume(symbol: ",")
            kind = .polygon(rings)
        }
        try require(symbol: ")")
        return PredicateShape(kind: kind, offset: name.offset)
    }

    /// Parses `{point, …}`.
    private mutating func ring() throws(PredicateMistake) -> [PredicateShape.Point] {
        try require(symbol: "{")
        var points: [PredicateShape.Point] = []
        repeat { points.append(try point()) } while consume(symbol: ",")
        try require(symbol: "}")
        return points
    }

    /// Parses `[longitude, latitude]`, with an altitude or without.
    private mutating func point() throws(PredicateMistake) -> PredicateShape.Point {
        let offset = next.offset
        try require(symbol: "[")
        var coordinates = [try plainOperand("Expected a number")]
        try require(symbol: ",")
        coordinates.append(try plainOperand("Expected a number"))
        if consume(symbol: ",") { coordinates.append(try plainOperand("Expected a number")) }
        try require(symbol: "]")
        return PredicateShape.Point(coordinates: coordinates, offset: offset)
    }
}

extension PredicateBinder {
    /// Returns a shape that was written in the string.
    func shape(_ syntax: PredicateShape) throws(PredicateMistake) -> any GeoShape {
        switch syntax.kind {
        case .box(let bottomLeft, let topRight):
            return GeoBox(bottomLeft: try point(bottomLeft), topRight: try point(topRight))
        case .circle(let center, let radius):
            let (center, radians) = (try point(center), try coordinate(radius))
            if let circle = GeoCircle(center: center, radiusInRadians: radians) { return circle }
            throw PredicateMistake(
                message: "The radius of a circle can't be negative.", offset: radius.offset)
        case .polygon(let syntax):
            var rings: [[GeoPoint]] = []
            for ring in syntax {
                var points: [GeoPoint] = []
                for place in ring { points.append(try point(place)) }
                rings.append(points)
            }
            if let outer = rings.first,
                let polygon = GeoPolygon(outerRing: outer, holes: Array(rings.dropFirst()))
            {
                return polygon
            }
        }
        throw PredicateMistake(
            message: "Each ring of a polygon needs at least four points, the last one repeating "
                + "the first.", offset: syntax.offset)
    }

    private func point(_ syntax: PredicateShape.Point) throws(PredicateMistake) -> GeoPoint {
        var numbers: [Double] = []
        for operand in syntax.coordinates { numbers.append(try coordinate(operand)) }
        guard
            let point = GeoPoint(
                latitude: numbers[1], longitude: numbers[0],
                altitude: numbers.count > 2 ? numbers[2] : 0)
        else {
            throw PredicateMistake(
                message: "A point is [longitude, latitude] in degrees, from -180 to 180 and from "
                    + "-90 to 90. An altitude after them can't be negative.",
                offset: syntax.offset)
        }
        return point
    }

    private func coordinate(_ operand: PredicateOperand) throws(PredicateMistake) -> Double {
        if case .constant(let constant) = try side(operand),
            case .double(let number)? = constant.stored(as: _StorageType(.double))
        {
            return number
        }
        throw PredicateMistake(message: "Expected a number.", offset: operand.offset)
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
