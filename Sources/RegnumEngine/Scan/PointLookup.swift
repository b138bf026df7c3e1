extension CompiledLayout {
    /// The number of ranges of keys that an area is covered by: with more of them fewer rows
    /// outside the area are found, but each range is a search in the index.
    private static let maximumRangeCount = 64

    /// Returns the rows that may be points in an area, according to the geospatial index of their
    /// coordinates. Returns `nil` if there is no such index, or it has more than `candidateCount`
    /// entries near the area, or more than for a quarter of the rows.
    ///
    /// - Complexity: O(log n), and O(1) for each entry near the area.
    func lookup(
        _ root: DatabaseContent, _ area: GeoArea, _ candidateCount: Int,
        _ statistics: inout QueryStatistics
    ) -> IndexLookup? {
        let kind = ColumnTree(pointsOf: coordinates.list)
        // In a forged file, the first column of the elements, which is indexed, can be another one.
        guard element.index == 0 else { return nil }
        guard let tree = root.index(coordinates.table, kind.column, kind.kind) else { return nil }
        let rowCount = root[coordinates.table.index].count
        let boxes = area.bounds.rectangles.compactMap {
            PointBox(longitudes: $0.longitudes, latitudes: $0.latitudes)
        }
        let covers = boxes.map { box in
            box.ranges(maximumCount: CompiledLayout.maximumRangeCount / boxes.count)
        }
        let count = covers.joined().reduce(0) { $0 + tree.count(in: $1) }
        guard count <= min(candidateCount, max(rowCount / 4, 16)) else { return nil }
        var rows: [UInt64] = []
        for (box, ranges) in zip(boxes, covers) {
            for range in ranges {
                tree.visit(from: range.lowerBound) { key, row in
                    guard key <= range.upperBound else { return false }
                    if box.contains(key) { rows.append(row) }
                    return true
                }
            }
        }
        statistics.indexEntriesRead += count
        return IndexLookup(
            ranges: [], rows: rows.sortedUniquely(), isExact: false, geoIndexes: [coordinates])
    }
}
