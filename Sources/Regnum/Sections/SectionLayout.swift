/// The distribution of the rows of a result over sections, by position.
struct SectionLayout: Sendable, Hashable {
    /// The section of each position.
    let sections: [Int]
    /// The row within its section of each position.
    let rows: [Int]
    /// The positions, ordered by section and row.
    private let positions: [Int]
    /// For each section, the index of its first row in `positions`; then the number of positions.
    private let starts: [Int]

    /// - Parameters:
    ///   - sections: The section of each position.
    ///   - count: The number of sections, none of which is empty.
    /// - Complexity: O(n) for n positions.
    init(sections: [Int] = [], count: Int = 0) {
        var rows: [Int] = []
        rows.reserveCapacity(sections.count)
        var counts = [Int](repeating: 0, count: count)
        for section in sections {
            rows.append(counts[section])
            counts[section] += 1
        }
        var starts = [0]
        starts.reserveCapacity(count + 1)
        for (section, count) in counts.enumerated() { starts.append(starts[section] + count) }
        var positions = [Int](repeating: 0, count: sections.count)
        for position in sections.indices {
            positions[starts[sections[position]] + rows[position]] = position
        }
        self.sections = sections
        self.rows = rows
        self.positions = positions
        self.starts = starts
    }

    /// The number of sections.
    var count: Int { starts.count - 1 }

    /// Returns the positions of the rows of a section, in order.
    func positions(in section: Int) -> ArraySlice<Int> {
        positions[starts[section]..<starts[section + 1]]
    }

    /// Returns the number of rows of a section.
    func rowCount(in section: Int) -> Int { starts[section + 1] - starts[section] }

    /// Returns the path of a position.
    func path(of position: Int) -> SectionPath {
        SectionPath(section: sections[position], row: rows[position])
    }

    /// Returns the position at a path, or `nil` if there is none.
    func position(at path: SectionPath) -> Int? {
        guard path.section >= 0, path.section < count, path.row >= 0,
            path.row < rowCount(in: path.section)
        else { return nil }
        return positions[starts[path.section] + path.row]
    }
}
