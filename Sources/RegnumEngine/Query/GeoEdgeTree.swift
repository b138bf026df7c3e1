/// An edge of a polygon.
struct GeoEdge {
    let start: GeoVector
    let end: GeoVector
    let ring: Int
    let box: GeoEdgeBox

    init(start: GeoVector, end: GeoVector, ring: Int) {
        self.start = start
        self.end = end
        self.ring = ring
        let (a, b) = (start.coordinates, end.coordinates)
        // the greatest distance of an arc from its chord
        let half = (b - a).length / 2
        let bulge = 1 - max(1 - half * half, 0).squareRoot() + 1e-12
        box = GeoEdgeBox(low: pointwiseMin(a, b) - bulge, high: pointwiseMax(a, b) + bulge)
    }

    /// Throws if the edges cross or are the same.
    fileprivate func checkCrossing(_ other: GeoEdge) throws(GeoMistake) {
        if box.isApart(from: other.box) { return }
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

/// A box around edges.
struct GeoEdgeBox {
    var low: SIMD3<Double>
    var high: SIMD3<Double>

    fileprivate func isApart(from other: GeoEdgeBox) -> Bool {
        any((low .> other.high) .| (high .< other.low))
    }

    fileprivate mutating func include(_ other: GeoEdgeBox) {
        low = pointwiseMin(low, other.low)
        high = pointwiseMax(high, other.high)
    }

    /// The axis along which the box is longest.
    fileprivate var longestAxis: Int {
        let size = high - low
        let axis = size.x >= size.y ? 0 : 1
        return size[axis] >= size.z ? axis : 2
    }
}

/// The edges of a polygon, in halves of halves with boxes around them.
struct GeoEdgeTree {
    private static let leafCount = 8
    private var edges: [GeoEdge]
    /// The whole is the first branch.
    private var branches: [Branch] = []

    private struct Branch {
        let edges: Range<Int>
        let box: GeoEdgeBox
        /// The places of the two halves; `nil` for a few edges.
        var halves: (Int, Int)?
    }

    /// - Precondition: There is at least one edge.
    init(_ edges: [GeoEdge]) {
        self.edges = edges
        _ = addBranch(edges.indices)
    }

    /// Adds a branch with its halves, and returns its place.
    private mutating func addBranch(_ range: Range<Int>) -> Int {
        var box = edges[range.lowerBound].box
        for index in range { box.include(edges[index].box) }
        let place = branches.count
        branches.append(Branch(edges: range, box: box))
        guard range.count > GeoEdgeTree.leafCount else { return place }
        let axis = box.longestAxis
        edges[range].sort {
            $0.box.low[axis] + $0.box.high[axis] < $1.box.low[axis] + $1.box.high[axis]
        }
        let middle = range.lowerBound + range.count / 2
        let lower = addBranch(range.lowerBound..<middle)
        let upper = addBranch(middle..<range.upperBound)
        branches[place].halves = (lower, upper)
        return place
    }

    /// Throws if two edges cross or are the same, and if more than `maximumPairCount` pairs would
    /// have to be compared.
    func checkCrossings(maximumPairCount: Int) throws(GeoMistake) {
        var left = maximumPairCount
        try compare(0, 0, &left)
    }

    /// Compares the edges of two branches, or those of one with each other.
    private func compare(_ first: Int, _ second: Int, _ left: inout Int) throws(GeoMistake) {
        let (one, other) = (branches[first], branches[second])
        if one.box.isApart(from: other.box) { return }
        switch (one.halves, other.halves) {
        case (nil, nil):
            left -= one.edges.count * other.edges.count
            guard left >= 0 else {
                throw GeoMistake(
                    message: "The polygon has too many edges that are close to each other.")
            }
            for index in one.edges {
                let others = first == second ? index + 1..<one.edges.upperBound : other.edges
                for place in others { try edges[index].checkCrossing(edges[place]) }
            }
        case (let halves?, _) where first == second:
            try compare(halves.0, halves.0, &left)
            try compare(halves.0, halves.1, &left)
            try compare(halves.1, halves.1, &left)
        case (let halves?, let others):
            if let others, other.edges.count > one.edges.count {
                try compare(first, others.0, &left)
                try compare(first, others.1, &left)
            } else {
                try compare(halves.0, second, &left)
                try compare(halves.1, second, &left)
            }
        case (nil, let others?):
            try compare(first, others.0, &left)
            try compare(first, others.1, &left)
        }
    }
}
