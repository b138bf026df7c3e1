import RegnumStore

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
    ///
    /// Throws as well if comparing the edges or the holes would take long: in polygons of thousands
    /// of long edges side by side, or of thousands of holes.
    ///
    /// - Parameter maximumPairCount: The number of pairs of edges that may be compared, and that of
    ///   pairs of holes and the vertices of those close to each other; `nil` for
    ///   `Limits.maximumEdgePairCount`, and more for many edges.
    /// - Complexity: O(n log² n) for n points, if few edges are close to each other, and O(n) for
    ///   each hole.
    package init(
        rings: [[GeoVector]], text: String, maximumPairCount: Int? = nil
    ) throws(GeoMistake) {
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
        let pairCount = maximumPairCount ?? Limits.maximumEdgePairCount + 512 * edges.count
        try GeoEdgeTree(edges).checkCrossings(maximumPairCount: pairCount)
        try GeoArea.checkNesting(areas, maximumCount: pairCount)
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
    ///
    /// Two rings that share at most one point and don't cross are on one side of each other: one of
    /// the other points tells which.
    private static func checkNesting(
        _ areas: [GeoRing], maximumCount: Int
    ) throws(GeoMistake) {
        let points = areas.map { Set($0.vertices) }
        let circles = areas.map { GeoCircumcircle($0.vertices) }
        var left = maximumCount
        for (index, ring) in areas.enumerated().dropFirst() {
            for (other, area) in areas[..<index].enumerated() {
                let areApart = other > 0 && circles[index].isApart(from: circles[other])
                left -= areApart ? 1 : ring.vertices.count + area.vertices.count
                guard left >= 0 else {
                    throw GeoMistake(message: "The polygon has too many holes.")
                }
                if areApart { continue }
                guard points[index].intersection(points[other]).count <= 1 else {
                    throw GeoMistake(
                        message: "\(name(index)) shares more than one point with "
                            + "\(name(other, isFirst: false)).")
                }
                let own = ring.vertices.first { !points[other].contains($0) }
                if other == 0 {
                    if let own, !area.contains(own) {
                        throw GeoMistake(message: "\(name(index)) isn't within the outer ring.")
                    }
                    continue
                }
                let others = area.vertices.first { !points[index].contains($0) }
                if own.map(area.contains) ?? false || others.map(ring.contains) ?? false {
                    throw GeoMistake(
                        message: "\(name(index)) and \(name(other, isFirst: false)) overlap.")
                }
            }
        }
    }

    static func name(_ ring: Int, isFirst: Bool = true) -> String {
        if ring == 0 { return isFirst ? "The outer ring" : "the outer ring" }
        return "\(isFirst ? "Hole" : "hole") \(ring)"
    }
}
