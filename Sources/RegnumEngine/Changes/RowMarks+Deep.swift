extension VersionStep {
    /// Returns the marks of `.deep`, searching level by level from the changed rows back to the
    /// rows that link to them.
    ///
    /// - Parameter maximumCount: the maximum number of rows to visit; `nil` is returned if it is
    ///   exceeded.
    func deepMarks(_ table: TableSchema, _ depth: Int, maximumCount: Int = .max) -> RowMarks? {
        var search = DeepSearch(self, table, LinkReach.limited(depth), maximumCount: maximumCount)
        defer { counters.rowsReached.add(search.rowsReached) }
        return search.run() ? search.marks : nil
    }
}

/// A breadth-first search from the changed rows of a step back to rows of one class. Each row is
/// found at its least distance, and its incoming links are followed once.
///
/// The search only visits classes that rows of the class can reach forward within the remaining
/// depth. Rows that the step inserted are skipped: whatever links to one of them and existed before
/// has changed itself, so they are on no shortest path.
private struct DeepSearch {
    private let step: VersionStep
    private let content: DatabaseContent
    private let table: TableKey
    private let depth: Int
    private let reach: LinkReach
    private let maximumCount: Int
    private(set) var marks = RowMarks()
    private(set) var rowsReached = 0
    /// By table key: rows whose distance is known.
    private var known: [Set<UInt64>]
    /// By table key: rows at the next distance.
    private var next: [[UInt64]]

    init(_ step: VersionStep, _ table: TableSchema, _ depth: Int, maximumCount: Int) {
        self.step = step
        self.maximumCount = maximumCount
        self.table = table.key
        self.depth = depth
        content = step.new.content
        let schema = step.new.schema
        reach = LinkReach(from: table.key, depth: depth, in: schema)
        known = [Set<UInt64>](repeating: [], count: schema.tables.count)
        next = [[UInt64]](repeating: [], count: schema.tables.count)
    }

    /// Returns `false` if more than `maximumCount` rows would have to be visited.
    mutating func run() -> Bool {
        let schema = step.new.schema
        for other in schema.tables where reach[other.key] <= depth {
            let own = step.ownMarks(other)
            if other.key == table { marks = own }
            guard reach.approaches[other.key.index] < depth, !own.isEmpty else { continue }
            rowsReached += own.rows.count
            if rowsReached > maximumCount { return false }
            let rows = own.rows.keys.map(\.rawValue).sorted()
            known[other.key.index] = Set(rows)
            next[other.key.index] = rows
        }
        for distance in 1...depth {
            let level = next
            var isLast = true
            for index in level.indices where !level[index].isEmpty {
                next[index] = []
                isLast = false
            }
            if isLast { return true }
            for index in level.indices where !level[index].isEmpty {
                findOrigins(of: level[index], in: index, at: distance)
                if rowsReached > maximumCount { return false }
            }
        }
        return true
    }

    /// Finds the rows whose links and lists contain the given rows of a class: they are at
    /// `distance`.
    private mutating func findOrigins(of rows: [UInt64], in index: Int, at distance: Int) {
        let relations = step.new.schema.relations[index]
        for place in relations.incomingLinks where reach[place.table] <= depth - distance {
            guard let tree = content.index(place.table, place.column), tree.count > 0 else {
                continue
            }
            collect(place.table, column: place.column, at: distance, from: rows) {
                tree.forEachRow(DatabaseContent.linkKey($0), $1)
            }
            if rowsReached > maximumCount { return }
        }
        // Entries of maps in between don't count as links.
        for place in relations.incomingLinks {
            guard let owner = step.new.schema.entryOwner(place.table),
                reach[owner.table] <= depth - distance,
                let tree = content.index(place.table, place.column), tree.count > 0
            else { continue }
            let owners = content[owner.table.index].backlinks(owner.list.index)
            collect(owner.table, list: owner.list, at: distance, from: rows) { row, body in
                tree.forEachRow(DatabaseContent.linkKey(row)) { entry in
                    var shouldContinue = true
                    owners.forEachRepeatedRow(entry) { origin in
                        shouldContinue = body(origin)
                        return shouldContinue
                    }
                    return shouldContinue
                }
            }
            if rowsReached > maximumCount { return }
        }
        for place in relations.incomingLists where reach[place.table] <= depth - distance {
            let tree = content[place.table.index].backlinks(place.list.index)
            if tree.count == 0 { continue }
            collect(place.table, list: place.list, at: distance, from: rows) {
                tree.forEachRepeatedRow($0, $1)
            }
            if rowsReached > maximumCount { return }
        }
    }

    /// Takes the rows of a class that `visit` finds for each of the given rows, through a link
    /// column or a list. Marks those of the searched class, and queues them for the next distance
    /// if that can lead to the class.
    @inline(__always)
    private mutating func collect(
        _ origin: TableKey, column: ColumnKey? = nil, list: ListKey? = nil, at distance: Int,
        from rows: [UInt64], _ visit: (UInt64, (UInt64) -> Bool) -> Void
    ) {
        let firstInserted = step.firstInserted(origin)
        let isQueued = reach.approaches[origin.index] < depth - distance
        for row in rows where rowsReached <= maximumCount {
            visit(row) { found in
                rowsReached += 1
                if found < firstInserted {
                    if isQueued, known[origin.index].insert(found).inserted {
                        next[origin.index].append(found)
                    }
                    if origin == table {
                        let key = ObjectKey(rawValue: found)
                        if let column { marks.rows[key, default: .init()].columns.insert(column) }
                        if let list { marks.rows[key, default: .init()].lists.insert(list) }
                    }
                }
                return rowsReached <= maximumCount
            }
        }
    }
}
