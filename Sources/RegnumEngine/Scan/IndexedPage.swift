import RegnumStore

/// A page of a class's sorted rows, found by walking the index of the first sort term.
struct IndexedPage {
    private let query: CompiledQuery
    private let order: PageOrder
    private let start: ResultEntry?
    private let limit: Int
    private let content: DatabaseContent
    private let tree: IndexTree
    private var finder: RowFinder
    /// The number of entries that may be read before scanning all rows is less work.
    private let maximumEntryCount: Int
    /// Whether the predicate may lead from each row to the same other rows.
    private let isNested: Bool
    private(set) var entriesRead = 0
    private var keys: [UInt64] = []
    /// Rows in the order of the page for which a nested condition hasn't been evaluated yet.
    private var pending: [UInt64] = []
    /// The number of rows for which it is evaluated next, together: one, then more and more.
    private var partCount = 1
    /// The rows evaluated for nested conditions, other than those of the index.
    private(set) var nested = QueryStatistics()

    /// Returns `nil` if there is no index in the order of the first sort term, or if a scan of
    /// `lookup` or of all rows is likely to be less work.
    ///
    /// - Parameters:
    ///   - start: The place that the rows come after.
    ///   - limit: The maximum number of rows.
    ///   - lookup: The candidate rows of the query's predicate, if indexes determine any.
    init?(
        _ query: CompiledQuery, _ order: PageOrder, after start: ResultEntry?, limit: Int,
        _ content: DatabaseContent, _ table: Table, _ lookup: IndexLookup?
    ) {
        guard let key = query.table, let first = query.sort.first, let stored = first.stored,
            stored.hasIndex, stored.linkTarget == nil, SortRank.decides(stored.type),
            let tree = content.index(key, stored.key), tree.count == table.count,
            limit < table.count / 4
        else { return nil }
        if let lookup, query.isWorthwhile(lookup, table) {
            // If the candidates are spread evenly, a walk passes this many entries for a page.
            let candidates = Double(max(lookup.maximumCount, 1))
            if candidates <= Double(limit) * Double(table.count) / candidates { return nil }
        }
        self.query = query
        self.order = order
        self.start = start
        self.limit = limit
        self.content = content
        self.tree = tree
        finder = RowFinder(table)
        maximumEntryCount = max(table.count / 16, 4 * limit + 1_024)
        isNested = query.predicate.isNested
    }

    /// Returns the keys of the rows. Returns `nil` after too many entries, most of which don't
    /// match, or have the same value and have to be sorted by the other terms.
    mutating func find() -> [UInt64]? {
        walk()
        // These may be enough, even if there were too many entries for the next part.
        if keys.count < limit { evaluatePending() }
        return keys.count < limit && entriesRead > maximumEntryCount
            ? nil : Array(keys.prefix(limit))
    }

    /// Visits the groups of rows with one value. Rows with null share a key with a value, but come
    /// before or after all values.
    private mutating func walk() {
        let isDescending = order.areDescending[0]
        let hasNulls = query.sort[0].isOptional
        let startsAtNull = start?.first.isNull ?? false
        if hasNulls, !isDescending, start == nil || startsAtNull {
            if !add(IndexKey.null, areNull: true) { return }
        }
        var next: UInt64?
        if let start, !startsAtNull {
            next = IndexKey.key(start.first, seed: content.context.seed)
        } else if !isDescending {
            next = tree.first(from: 0, 0)?.key
        } else if start == nil, tree.count > 0 {
            next = tree.entry(at: tree.count - 1)?.key
        }
        while let key = next {
            if !add(key, areNull: false) { return }
            next = keyFollowing(key, isDescending)
        }
        if hasNulls, isDescending { _ = add(IndexKey.null, areNull: true) }
    }

    private func keyFollowing(_ key: UInt64, _ isDescending: Bool) -> UInt64? {
        if !isDescending { return key == .max ? nil : tree.first(from: key + 1, 0)?.key }
        let position = tree.rank(below: key)
        return position > 0 ? tree.entry(at: position - 1)?.key : nil
    }

    /// Adds the rows with a key, or only those of them with null. Returns whether to continue.
    private mutating func add(_ key: UInt64, areNull: Bool) -> Bool {
        let isOnlyTerm = order.terms.count == 1
        var first: UInt64 = 0
        if isOnlyTerm, let start, start.first.isNull == areNull,
            IndexKey.key(start.first, seed: content.context.seed) == key
        {
            first = start.key + 1
        }
        var group: [ResultEntry] = []
        let tree = tree
        tree.visit(from: key, first) { found, row in
            guard found == key else { return false }
            entriesRead += 1
            if entriesRead > maximumEntryCount { return false }
            guard let place = finder.place(row),
                isNested || query.predicate.matches(place.cluster, place.row, content)
            else { return true }
            let entry = order.entry(place.cluster, place.row, content)
            if entry.first.isNull != areNull { return true }
            if let start, order.compare(entry, start) <= 0 { return true }
            if !isOnlyTerm {
                group.append(entry)
                return true
            }
            take(row)
            return keys.count < limit
        }
        if !isOnlyTerm, entriesRead <= maximumEntryCount {
            group.sort { order.compare($0, $1) < 0 }
            for entry in group where keys.count < limit { take(entry.key) }
        }
        return keys.count < limit && entriesRead <= maximumEntryCount
    }

    /// Adds a row to the page, or to those for which a nested condition is evaluated together.
    private mutating func take(_ row: UInt64) {
        guard isNested else { return keys.append(row) }
        pending.append(row)
        if pending.count == partCount { evaluatePending() }
    }

    private mutating func evaluatePending() {
        guard let key = query.table else { return }
        keys += query.predicate.matching(inAnyOrder: pending, key, content, &nested)
        pending = []
        partCount *= 16
    }
}
