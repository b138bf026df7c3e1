/// A reason why rings of points aren't the boundary of a polygon, as a sentence.
package struct GeoMistake: Error {
    package let message: String

    package init(message: String) { self.message = message }
}

extension GeoArea {
    /// Creates a polygon from closed rings: its outer ring, and holes.
    ///
    /// The edges are arcs of great circles. A ring encloses the smaller of the two areas that it
    /// bounds. A point that repeats the one before it is ignored.
    ///
    /// Throws if an outer ring is missing; if a ring has fewer than three different points, passes
    /// through a point twice, or has an edge between antipodal points; if edges cross or are the
    /// same; if two rings share more than one point; if a hole isn't within the outer ring, or is
    /// within another hole.
    /// - Complexity: O(n log n) for n points, if few edges are close to each other.
    package init(rings: [[GeoVector]], text: String) throws(GeoMistake) {
        var edges: [GeoEdge] = []
        var areas: [GeoRing] = []
        for (index, points) in rings.enumerated() {
            let vertices = try GeoArea.vertices(points, index)
            for (place, vertex) in vertices.enumerated() {
                let next = vertices[(place + 1) % vertices.count]
                edges.append(GeoEdge(start: vertex, end: next, ring: index))
            }
            areas.append(GeoRing(vertices))
        }
        guard let outer = areas.first else {
            throw GeoMistake(message: "A polygon has no outer ring.")
        }
        try GeoEdge.checkCrossings(&edges)
        try GeoArea.checkNesting(areas)
        self.init(outer, holes: Array(areas.dropFirst()), text: text)
    }

    /// Returns the points of a ring without repeated ones.
    private static func vertices(
        _ points: [GeoVector], _ index: Int
    ) throws(GeoMistake) -> [GeoVector] {
        var vertices: [GeoVector] = []
        for point in points where point != vertices.last { vertices.append(point) }
        if vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
        guard vertices.count >= 3 else {
            throw GeoMistake(
                message: "\(name(index)) has fewer than three different points: it encloses no "
                    + "area.")
        }
        guard Set(vertices).count == vertices.count else {
            throw GeoMistake(message: "\(name(index)) passes through a point twice.")
        }
        for (place, vertex) in vertices.enumerated()
        where vertices[(place + 1) % vertices.count] == vertex.opposite {
            throw GeoMistake(
                message: "\(name(index)) has an edge between two antipodal points, so its "
                    + "direction is undefined.")
        }
        return vertices
    }

    /// Checks that the holes are within the outer ring and not within each other, given that no
    /// edges cross.
    private static func checkNesting(_ areas: [GeoRing]) throws(GeoMistake) {
        let points = areas.map { Set($0.vertices) }
        for (index, ring) in areas.enumerated().dropFirst() {
            for (other, area) in areas[..<index].enumerated() {
                guard points[index].intersection(points[other]).count <= 1 else {
                    throw GeoMistake(
                        message: "\(name(index)) shares more than one point with "
                            + "\(name(other, isFirst: false)).")
                }
                let own = ring.vertices.lazy.filter { !points[other].contains($0) }
                if other == 0 {
                    if own.contains(where: { !area.contains($0) }) {
                        throw GeoMistake(message: "\(name(index)) isn't within the outer ring.")
                    }
                    continue
                }
                let others = area.vertices.lazy.filter { !points[index].contains($0) }
                if own.contains(where: area.contains) || others.contains(where: ring.contains) {
                    throw GeoMistake(
                        message: "\(name(index)) and \(name(other, isFirst: false)) overlap.")
                }
            }
        }
    }

    fileprivate static func name(_ ring: Int, isFirst: Bool = true) -> String {
        if ring == 0 { return isFirst ? "The outer ring" : "the outer ring" }
        return "\(isFirst ? "Hole" : "hole") \(ring)"
    }
}

/// An edge of a polygon.
private struct GeoEdge {
    let start: GeoVector
    let end: GeoVector
    let ring: Int
    /// The ends of the box around the edge.
    let low: SIMD3<Double>
    let high: SIMD3<Double>

    init(start: GeoVector, end: GeoVector, ring: Int) {
        self.start = start
        self.end = end
        self.ring = ring
        let (a, b) = (start.coordinates, end.coordinates)
        // the greatest distance of an arc from its chord
        let half = (b - a).length / 2
        let bulge = 1 - max(1 - half * half, 0).squareRoot() + 1e-12
        low = pointwiseMin(a, b) - bulge
        high = pointwiseMax(a, b) + bulge
    }

    /// Throws if two edges cross or are the same. Changes the order of the edges.
    static func checkCrossings(_ edges: inout [GeoEdge]) throws(GeoMistake) {
        edges.sort { $0.low.x < $1.low.x }
        for index in edges.indices {
            let edge = edges[index]
            for other in edges[(index + 1)...] {
                if other.low.x > edge.high.x { break }
                try edge.checkCrossing(other)
            }
        }
    }

    private func checkCrossing(_ other: GeoEdge) throws(GeoMistake) {
        let isApart = (other.low .> high) .| (other.high .< low)
        if any(isApart) { return }
        let isSame = start == other.start && end == other.end
        let what: String
        if isSame || start == other.end && end == other.start {
            what = "share an edge"
        } else if GeoRing.cross(start, end, other.start, other.end) {
            what = "cross"
        } else {
            return
        }
        let (first, second) = (min(ring, other.ring), max(ring, other.ring))
        throw GeoMistake(
            message: first == second
                ? "\(GeoArea.name(first)) crosses itself."
                : "\(GeoArea.name(first)) and \(GeoArea.name(second, isFirst: false)) \(what).")
    }
}
