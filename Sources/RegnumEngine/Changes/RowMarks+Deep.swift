extension VersionStep {
    /// Returns the marks of `.deep`, searching level by level from the changed rows back to the
    /// rows that link to them.
    ///
    /// - Parameter countMax: the maximum number of rows to visit; `nil` is returned if it is
    ///   exceeded.
    func deepMarks(_ table: TableSchema, _ depth: Int, countMax: Int = .max) -> RowMarks? {
        var search = DeepSearch(self, table, LinkReach.limited(depth), countMax: countMax)
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
    private let countMax: Int
    private(set) var marks = RowMarks()
    private(set) var rowsReached = 0
    /// By table key: rows whose distance is known.
    private var known: [Set<UInt64>]
    /// By table key: rows at the next distance.
    private var next: [[UInt64]]

    init(_ step: VersionStep, _ table: TableSchema, _ depth: Int, countMax: Int) {
        self.step = step
        self.countMax = countMax
        self.table = table.key
        self.depth = depth
        content = step.new.content
        let schema = step.new.schema
        reach = LinkReach(from: table.key, depth: depth, in: schema)
        known = [Set<UInt64>](repeating: [], count: schema.tables.count)
        next = [[UInt64]](repeating: [], count: schema.tables.count)
    }

    /// Returns `false` if more than `countMax` rows would have to be visited.
    mutating func run() -> Bool {
        let schema = step.new.schema
        for other in schema.tables where reach[other.key] <= depth {
            let own = step.ownMarks(other)
            if other.key == table { marks = own }
            guard reach.approaches[other.key.index] < depth, !own.isEmpty else { continue }
            rowsReached += own.rows.count
            if rowsReached > countMax { return false }
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
                if rowsReached > countMax { return false }
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
            let origins = Origins(step, place.table, isMarked: place.table == table)
            for row in rows {
                tree.forEachRow(DatabaseContent.linkKey(row)) { origin in
                    if take(origin, origins, at: distance) {
                        marks.rows[ObjectKey(rawValue: origin), default: .init()].columns
                            .insert(place.column)
                    }
                    return rowsReached <= countMax
                }
                if rowsReached > countMax { return }
            }
        }
        for place in relations.incomingLinks {
            if let owner = step.new.schema.entryOwner(place.table),
                reach[owner.table] <= depth - distance
            {
                findOwners(of: rows, place, owner, at: distance)
                if rowsReached > countMax { return }
            }
        }
        for place in relations.incomingLists where reach[place.table] <= depth - distance {
            let tree = content[place.table.index].backlinks(place.list.index)
            if tree.count == 0 { continue }
            let origins = Origins(step, place.table, isMarked: place.table == table)
            for row in rows {
                tree.forEachRepeatedRow(row) { origin in
                    if take(origin, origins, at: distance) {
                        marks.rows[ObjectKey(rawValue: origin), default: .init()].lists
                            .insert(place.list)
                    }
                    return rowsReached <= countMax
                }
                if rowsReached > countMax { return }
            }
        }
    }

    /// Finds the rows whose maps contain the given rows of a class: they are at `distance`, since
    /// the entries in between don't count as links.
    private mutating func findOwners(
        of rows: [UInt64], _ entries: LinkPlace, _ owner: ListPlace, at distance: Int
    ) {
        guard let tree = content.index(entries.table, entries.column), tree.count > 0 else {
            return
        }
        let owners = content[owner.table.index].backlinks(owner.list.index)
        let origins = Origins(step, owner.table, isMarked: owner.table == table)
        for row in rows {
            tree.forEachRow(DatabaseContent.linkKey(row)) { entry in
                owners.forEachRepeatedRow(entry) { origin in
                    if take(origin, origins, at: distance) {
                        marks.rows[ObjectKey(rawValue: origin), default: .init()].lists
                            .insert(owner.list)
                    }
                    return rowsReached <= countMax
                }
                return rowsReached <= countMax
            }
            if rowsReached > countMax { return }
        }
    }

    /// The class of the rows that are found.
    private struct Origins {
        let index: Int
        let firstInserted: UInt64
        let isMarked: Bool

        init(_ step: VersionStep, _ table: TableKey, isMarked: Bool) {
            index = table.index
            firstInserted = step.firstInserted(table)
            self.isMarked = isMarked
        }
    }

    /// Records a row that was found, queueing it for the next distance if that can lead to the
    /// class. Returns whether to mark the row.
    private mutating func take(_ row: UInt64, _ origins: Origins, at distance: Int) -> Bool {
        rowsReached += 1
        guard row < origins.firstInserted else { return false }
        if reach.approaches[origins.index] < depth - distance,
            known[origins.index].insert(row).inserted
        {
            next[origins.index].append(row)
        }
        return origins.isMarked
    }
}
