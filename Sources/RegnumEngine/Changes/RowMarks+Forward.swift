internal import RegnumStore

extension VersionStep {
    /// Returns the marks for at least some rows of a class: the same as `marks` gives for them, and
    /// possibly marks for other rows.
    ///
    /// If many rows reach the changes but only a few are of interest, it is faster to follow those
    /// few forward. Which direction is shorter can't be known in advance, so both are tried in
    /// turns, each time with four times the number of rows to visit, until one of them completes.
    /// Marks found by the backward search are kept in the step for all streams.
    ///
    /// - Parameter maximumFirstCount: the number of rows to visit backward before trying forward.
    /// - Complexity: O(rows to visit) in the shorter direction. If all marks are known: O(1), or
    ///   O(`rows`) if there are fewer of these than marks.
    package func marks(
        _ tableName: String, _ filter: ChangeFilter, route: Route? = nil,
        among rows: some RandomAccessCollection<ObjectKey>, maximumFirstCount: Int = 256
    ) -> RowMarks {
        guard let table = new.schema.table(named: tableName) else { return RowMarks() }
        let key = FoundMarks.Key(table: table.key, filter: filter)
        if foundMarks.withLock({ $0.marks[key] == nil }) {
            var few: RowMarks?
            switch filter {
            case .deep(let depth):
                if depth > 0 && depth <= VersionStep.maximumForwardDepth {
                    few = marks(among: rows, key, maximumFirstCount) {
                        deepMarks(table, depth, maximumCount: $0)
                    } forward: {
                        ForwardSearch(self, table, depth, maximumCount: $0)
                    }
                }
            case .paths(let paths):
                if paths.allSatisfy({ $0.hops.count <= VersionStep.maximumForwardDepth }) {
                    var searches = searches(table, paths)
                    few = marks(among: rows, key, maximumFirstCount) {
                        pathMarks(table, &searches, maximumCount: $0)
                    } forward: {
                        ForwardPathSearch(searches, maximumCount: $0)
                    }
                }
            }
            if let few { return few }
        }
        let marks = marks(tableName, filter, route: route)
        guard rows.count < marks.rows.count / 2 else { return marks }
        var found = RowMarks()
        for row in rows {
            if let mark = marks.rows[row] { found.rows[row] = mark }
        }
        return found
    }

    /// A greater depth, and a longer path, is only searched backward: the forward searches call
    /// themselves for each link.
    private static let maximumForwardDepth = 64

    /// Returns the marks of some rows, or `nil` after storing the marks of all rows.
    private func marks<Search: ForwardMarking>(
        among rows: some RandomAccessCollection<ObjectKey>, _ key: FoundMarks.Key,
        _ maximumFirstCount: Int, backward: (Int) -> RowMarks?, forward: (Int) -> Search
    ) -> RowMarks? {
        var maximumCount = max(maximumFirstCount, 1)
        while true {
            if let found = backward(maximumCount) {
                foundMarks.withLock { $0.marks[key] = found }
                return nil
            }
            if rows.count <= maximumCount,
                let found = marks(of: rows, forward(maximumCount), maximumCount: maximumCount)
            {
                return found
            }
            maximumCount *= 4
        }
    }

    /// Returns the marks of some rows by following each of them forward, or `nil` if more than
    /// `maximumCount` rows would have to be visited.
    func marks(
        of rows: some RandomAccessCollection<ObjectKey>, _ search: some ForwardMarking,
        maximumCount: Int
    ) -> RowMarks? {
        var search = search
        defer { counters.rowsReached.add(search.rowsReached) }
        var marks = RowMarks()
        for row in rows where search.rowsReached <= maximumCount {
            if let mark = search.mark(row) { marks.rows[row] = mark }
        }
        return search.rowsReached <= maximumCount ? marks : nil
    }
}

/// A search for the marks of rows that follows each of them forward.
protocol ForwardMarking {
    var rowsReached: Int { get }
    /// Returns the mark of a row, or `nil` if it has none.
    mutating func mark(_ row: ObjectKey) -> RowMarks.Mark?
}

/// A search that finds out which changed rows the rows of one class reach in the new version. Its
/// results are valid only while `rowsReached` doesn't exceed `maximumCount`.
struct ForwardSearch: ForwardMarking {
    private let content: DatabaseContent
    private let schema: DatabaseSchema
    private let table: TableSchema
    private let depth: Int
    private let firstInserted: UInt64
    /// By table key: the changed rows.
    private var own: [RowMarks]
    /// By table key: the least number of links, at least one, to a class with changed rows.
    private var ahead: [Int]
    /// By table key: the distance of unchanged rows to the nearest changed row, and the limit up to
    /// which it was searched.
    private var known: [[UInt64: (limit: Int, distance: Int)]]
    private let maximumCount: Int
    private(set) var rowsReached = 0

    init(_ step: VersionStep, _ table: TableSchema, _ depth: Int, maximumCount: Int) {
        self.table = table
        self.maximumCount = maximumCount
        self.depth = depth
        content = step.new.content
        schema = step.new.schema
        firstInserted = step.firstInserted(table.key)
        let reach = LinkReach(from: table.key, depth: depth, in: schema)
        own = schema.tables.map { reach[$0.key] <= depth ? step.ownMarks($0) : RowMarks() }
        ahead = [Int](repeating: LinkReach.never, count: schema.tables.count)
        known = [[UInt64: (limit: Int, distance: Int)]](repeating: [:], count: own.count)
        for _ in 0..<depth {
            for other in schema.tables {
                for target in schema.forwardTargets(other.key.index) {
                    let distance = own[target].isEmpty ? ahead[target] : 0
                    ahead[other.key.index] = min(ahead[other.key.index], distance + 1)
                }
            }
        }
    }

    /// Returns the mark of a row of the class, or `nil` if it has none.
    mutating func mark(_ row: ObjectKey) -> RowMarks.Mark? {
        guard row.rawValue < firstInserted else { return nil }
        let ownMark = own[table.key.index].rows[row]
        if ahead[table.key.index] > depth { return ownMark }
        guard let place = content[table.key.index].place(row.rawValue) else { return nil }
        rowsReached += 1
        var mark = ownMark ?? RowMarks.Mark()
        var isMarked = ownMark != nil
        for link in schema.relations[table.key.index].links {
            guard let target = linked(place, link),
                distance(link.target.index, target, limit: depth - 1) < depth
            else { continue }
            mark.columns.insert(link.column)
            isMarked = true
        }
        for list in table.lists where isFollowed(list, limit: depth - 1) {
            content[table.key.index].elements(list.key.index).visit(row.rawValue) { element in
                guard distance(list.target.index, element, limit: depth - 1) < depth else {
                    return rowsReached <= maximumCount
                }
                mark.lists.insert(list.key)
                isMarked = true
                return false
            }
        }
        for list in table.lists {
            if nearestEntry(of: row.rawValue, table.key.index, list, limit: depth - 1) < depth {
                mark.lists.insert(list.key)
                isMarked = true
            }
        }
        return isMarked ? mark : nil
    }

    /// Returns the least number of links from the objects in a row's map to a changed row; `never`
    /// if it exceeds `limit` or the list isn't a map of objects.
    private mutating func nearestEntry(
        of row: UInt64, _ index: Int, _ list: ListSchema, limit: Int
    ) -> Int {
        let entries = list.target.index
        guard schema.tables[entries].kind == .elements,
            let link = schema.relations[entries].links.first,
            !own[link.target.index].isEmpty || ahead[link.target.index] <= limit
        else { return LinkReach.never }
        var nearest = LinkReach.never
        content[index].elements(list.key.index).visit(row) { entry in
            rowsReached += 1
            if let place = content[entries].place(entry), let target = linked(place, link) {
                nearest = min(nearest, distance(link.target.index, target, limit: limit))
            }
            return nearest > 0 && rowsReached <= maximumCount
        }
        return nearest
    }

    private func isFollowed(_ list: ListSchema, limit: Int) -> Bool {
        let target = list.target.index
        return schema.tables[target].kind != .elements
            && (!own[target].isEmpty || ahead[target] <= limit)
    }

    private func linked(
        _ place: (cluster: Cluster, row: Int), _ link: LinkColumn
    ) -> UInt64? {
        LinkHop(column: link.column.index, target: link.target)
            .follow(place.cluster, place.row, content)
            .map { $0.cluster.firstKey + UInt64($0.row) }
    }

    /// Returns the number of links from a row to the nearest changed row; `never` if it exceeds
    /// `limit`.
    private mutating func distance(_ index: Int, _ row: UInt64, limit: Int) -> Int {
        rowsReached += 1
        if own[index].rows[ObjectKey(rawValue: row)] != nil { return 0 }
        if ahead[index] > limit { return LinkReach.never }
        if let known = known[index][row] {
            if known.distance <= limit { return known.distance }
            if known.limit >= limit { return LinkReach.never }
        }
        guard let place = content[index].place(row) else { return LinkReach.never }
        var nearest = LinkReach.never
        for link in schema.relations[index].links where nearest > 1 {
            guard let target = linked(place, link) else { continue }
            nearest = min(nearest, distance(link.target.index, target, limit: limit - 1) + 1)
        }
        for list in schema.tables[index].lists
        where nearest > 1 && isFollowed(list, limit: limit - 1) {
            content[index].elements(list.key.index).visit(row) { element in
                nearest = min(
                    nearest, distance(list.target.index, element, limit: limit - 1) + 1)
                return nearest > 1 && rowsReached <= maximumCount
            }
        }
        for list in schema.tables[index].lists where nearest > 1 {
            nearest = min(nearest, nearestEntry(of: row, index, list, limit: limit - 1) + 1)
        }
        if nearest > limit { nearest = LinkReach.never }
        known[index][row] = (limit, nearest)
        return nearest
    }
}
