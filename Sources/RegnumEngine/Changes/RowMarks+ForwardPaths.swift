/// A search that follows paths from rows of one class and finds out whether changes are on them in
/// the new version. Its results are valid only while `rowsReached` doesn't exceed `maximumCount`.
struct ForwardPathSearch: ForwardMarking {
    private let searches: [PathSearch]
    private let maximumCount: Int
    /// For each path and position on it: whether the path is hit from there on, by row.
    private var known: [[[UInt64: Bool]]]
    /// For each path: the last position where something changed, -1 for none.
    private let ends: [Int]
    private(set) var rowsReached = 0

    init(_ searches: [PathSearch], maximumCount: Int) {
        self.searches = searches
        self.maximumCount = maximumCount
        known = searches.map { [[UInt64: Bool]](repeating: [:], count: $0.properties.count) }
        ends = searches.map { search in search.changed.lastIndex { !$0.isEmpty } ?? -1 }
    }

    /// Returns the mark of a row, or `nil` if it has none.
    mutating func mark(_ row: ObjectKey) -> RowMarks.Mark? {
        guard let search = searches.first, let table = search.tables.first,
            row.rawValue < search.step.firstInserted(table.key),
            search.step.new.contains(table.key, row)
        else { return nil }
        rowsReached += 1
        var mark = RowMarks.Mark()
        for number in searches.indices where isHit(number, 0, row.rawValue) {
            mark.paths.insert(number)
        }
        return mark.paths.isEmpty ? nil : mark
    }

    /// Whether the path is hit at a position or after it.
    private mutating func isHit(_ number: Int, _ place: Int, _ row: UInt64) -> Bool {
        if place > ends[number] { return false }
        rowsReached += 1
        let search = searches[number]
        if search.changed[place].contains(row) { return true }
        if place == ends[number] { return false }
        if let known = known[number][place][row] { return known }
        let content = search.step.new.content
        let table = search.tables[place].key
        var isHit = false
        func check(_ next: UInt64) -> Bool {
            isHit = self.isHit(number, place + 1, next)
            return !isHit && rowsReached <= maximumCount
        }
        switch search.properties[place] {
        case .column(let column):
            let link = LinkPlace(table: table, column: column)
            search.step.new.linkTargets(of: [ObjectKey(rawValue: row)], link) { _ = check($0) }
        case .list(let list):
            content[table.index].elements(list.index).visit(row) { check($0) }
        case .linkOrigins(let link):
            let index = content.index(link.table, link.column)
            index?.forEachRow(DatabaseContent.linkKey(row)) { check($0) }
        case .listOrigins(let list):
            content[list.table.index].backlinks(list.list.index)
                .forEachRepeatedRow(row) { check($0) }
        }
        known[number][place][row] = isHit
        return isHit
    }
}
