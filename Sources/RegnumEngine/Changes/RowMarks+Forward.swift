internal import RegnumStore

extension VersionStep {
    /// The marks of some rows of a class at least: those that `marks` gives for them, and perhaps for
    /// others.
    ///
    /// Where many rows reach what changed and few are asked for, these are asked themselves what they
    /// reach, forward. Neither way is known to be the shorter one before: both are tried in turns, with
    /// four times as many rows to look at in each, until one of them comes to its end. What was found
    /// backwards is kept in the step for all.
    ///
    /// - Parameter firstCountMax: how many rows are looked at backwards before it is tried forward.
    /// - Complexity: O(rows to look at) the shorter way; O(1), or O(`rows`) if there are fewer of
    ///   these than marks, when all marks are known.
    package func marks(
        _ tableName: String, _ filter: ChangeFilter, route: Route? = nil,
        among rows: some RandomAccessCollection<ObjectKey>, firstCountMax: Int = 256
    ) -> RowMarks {
        guard let table = new.schema.table(named: tableName) else { return RowMarks() }
        let key = FoundMarks.Key(table: table.key, filter: filter)
        if foundMarks.withLock({ $0.marks[key] == nil }) {
            let few: RowMarks?
            switch filter {
            case .deep(let depth):
                few = depth > 0 ? marks(table, depth, among: rows, key, firstCountMax) : nil
            case .paths(let paths):
                few = marks(table, paths, among: rows, key, firstCountMax)
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

    /// The marks of some rows, or nil and those of all are kept.
    private func marks(
        _ table: TableSchema, _ depth: Int, among rows: some RandomAccessCollection<ObjectKey>,
        _ key: FoundMarks.Key, _ firstCountMax: Int
    ) -> RowMarks? {
        var countMax = max(firstCountMax, 1)
        while true {
            if let found = deepMarks(table, depth, countMax: countMax) {
                foundMarks.withLock { $0.marks[key] = found }
                return nil
            }
            if rows.count <= countMax,
                let found = forwardMarks(of: rows, table, depth, countMax: countMax)
            {
                return found
            }
            countMax *= 4
        }
    }

    private func marks(
        _ table: TableSchema, _ paths: [ChangePath],
        among rows: some RandomAccessCollection<ObjectKey>, _ key: FoundMarks.Key,
        _ firstCountMax: Int
    ) -> RowMarks? {
        var searches = searches(table, paths)
        var countMax = max(firstCountMax, 1)
        while true {
            if let found = pathMarks(table, &searches, countMax: countMax) {
                foundMarks.withLock { $0.marks[key] = found }
                return nil
            }
            if rows.count <= countMax,
                let found = forwardMarks(of: rows, searches, countMax: countMax)
            {
                return found
            }
            countMax *= 4
        }
    }

    // MARK: Forward

    /// The marks of some rows, each asked itself what it reaches, however long that takes.
    package func forwardMarks(
        _ tableName: String, _ filter: ChangeFilter,
        of rows: some RandomAccessCollection<ObjectKey>
    ) -> RowMarks {
        guard let table = new.schema.table(named: tableName) else { return RowMarks() }
        switch filter {
        case .deep(let depth):
            return forwardMarks(of: rows, table, max(depth, 0), countMax: .max) ?? RowMarks()
        case .paths(let paths):
            return forwardMarks(of: rows, searches(table, paths), countMax: .max) ?? RowMarks()
        }
    }

    /// nil if more rows than `countMax` would have to be looked at.
    private func forwardMarks(
        of rows: some RandomAccessCollection<ObjectKey>, _ table: TableSchema, _ depth: Int,
        countMax: Int
    ) -> RowMarks? {
        var search = ForwardSearch(self, table, depth, countMax: countMax)
        defer { counters.rowsReached.add(search.rowsReached) }
        var marks = RowMarks()
        for row in rows where search.rowsReached <= countMax {
            if let mark = search.mark(row) { marks.rows[row] = mark }
        }
        return search.rowsReached <= countMax ? marks : nil
    }

    private func forwardMarks(
        of rows: some RandomAccessCollection<ObjectKey>, _ searches: [PathSearch], countMax: Int
    ) -> RowMarks? {
        var search = ForwardPathSearch(searches, countMax: countMax)
        defer { counters.rowsReached.add(search.rowsReached) }
        var marks = RowMarks()
        for row in rows where search.rowsReached <= countMax {
            if let mark = search.mark(row) { marks.rows[row] = mark }
        }
        return search.rowsReached <= countMax ? marks : nil
    }
}

/// Asks rows of one class which changed rows they reach in the new version. Answers count as long as
/// no more rows than `countMax` were looked at.
private struct ForwardSearch {
    private let content: DatabaseContent
    private let schema: DatabaseSchema
    private let table: TableSchema
    private let depth: Int
    private let firstInserted: UInt64
    /// By table key: the changed rows.
    private var own: [RowMarks]
    /// By table key: the least number of links, at least one, to a class with changed rows.
    private var ahead: [Int]
    /// By table key: of rows that did not change, how far it is to one that did, as far as it was
    /// looked for.
    private var known: [[UInt64: (limit: Int, distance: Int)]]
    private let countMax: Int
    private(set) var rowsReached = 0

    init(_ step: VersionStep, _ table: TableSchema, _ depth: Int, countMax: Int) {
        self.table = table
        self.countMax = countMax
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

    /// The mark of a row of the class; nil if it has none.
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
                    return rowsReached <= countMax
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

    /// How many links it is from the objects in a map of a row, the nearest one, to a row that changed;
    /// `never` if more than `limit`, and for what is no map of objects.
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
            return nearest > 0 && rowsReached <= countMax
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

    /// How many links it is from a row to one that changed; `never` if more than `limit`.
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
                return nearest > 1 && rowsReached <= countMax
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
