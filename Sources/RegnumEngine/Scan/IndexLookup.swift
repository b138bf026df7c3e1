import RegnumStore

/// The rows for which a predicate can hold, derived from indexes without reading rows.
struct IndexLookup {
    /// The entries of one index in a range of keys.
    struct Range {
        let tree: IndexTree
        let column: Int
        let keys: ClosedRange<UInt64>
        let count: Int

        init(_ tree: IndexTree, _ column: Int, _ keys: ClosedRange<UInt64>) {
            self.tree = tree
            self.column = column
            self.keys = keys
            count = tree.count(in: keys)
        }
    }

    /// The ranges of index entries. A row may be in several of them and in `rows`.
    var ranges: [Range]
    /// Rows found by following paths backward; ascending, without duplicates.
    var rows: [UInt64] = []
    /// Whether the predicate holds for every one of the rows.
    var isExact: Bool
    /// Whether a scan would read texts word by word, so that the rows are worth evaluating even if
    /// they are many.
    var savesWords = false
    /// The columns with full-text indexes that `rows` were found in.
    var wordColumns: [Int] = []
    /// The lists with geospatial indexes that `rows` were found in, or the rows from which paths
    /// were followed backward.
    var geoIndexes: [ListPlace] = []
    /// The first hops of the paths that were followed backward to find `rows`.
    var paths: [CompiledHop] = []

    /// The maximum number of rows.
    var maximumCount: Int { ranges.reduce(rows.count) { $0 + $1.count } }

    /// The number of entries that ``keys()`` reads. Those that led to `rows` were read before.
    var entryCount: Int { maximumCount - rows.count }

    /// The number of rows for which the predicate holds, if the indexes alone determine it.
    var exactCount: Int? {
        isExact && (ranges.isEmpty || ranges.count == 1 && rows.isEmpty) ? maximumCount : nil
    }

    /// The entries of one key of one index, if these are exactly the rows.
    var exactKey: Range? {
        guard isExact, isOneRange, ranges[0].keys.lowerBound == ranges[0].keys.upperBound else {
            return nil
        }
        return ranges[0]
    }

    /// Whether one key of an index has more than `limit` rows. Only the first ones are read then,
    /// whereas a scan could pass many others.
    func hasMore(than limit: Int) -> Bool { exactKey.map { limit < $0.count } ?? false }

    /// Returns the number of rows that satisfy a comparison with a constant, if one index alone
    /// determines it. Avoids the cost of compiling a plan.
    static func exactCount(
        _ root: DatabaseContent, _ tableName: String, _ reference: ColumnReference,
        _ comparison: Comparison, _ value: Value
    ) throws(StoreError) -> Int? {
        guard reference.type == value.type, reference.hops.isEmpty,
            SortRank.decides(reference.type)
        else { return nil }
        let compiler = QueryCompiler(root.schema, tableName)
        guard let table = compiler.table else { return nil }
        return try compiler.resolve(reference)
            .lookup(root, table.key, comparison, value, reference.type)?.exactCount
    }

    /// Returns the first `limit` rows from a key on, ascending, without duplicates.
    ///
    /// - Complexity: O(log n + limit) for one key of an index; otherwise as for all rows.
    func keys(from first: UInt64 = 0, limit: Int) -> [UInt64] {
        if let range = exactKey, limit < range.count {
            var rows: [UInt64] = []
            rows.reserveCapacity(limit)
            range.tree.visit(from: range.keys.lowerBound, first) { key, row in
                guard key == range.keys.lowerBound else { return false }
                rows.append(row)
                return rows.count < limit
            }
            return rows
        }
        let rows = keys(from: first)
        return rows.count <= limit ? rows : Array(rows[..<limit])
    }

    /// Returns the rows from a key on, ascending, without duplicates.
    func keys(from first: UInt64) -> [UInt64] {
        let rows = keys()
        guard first > 0, let least = rows.first, least < first else { return rows }
        return Array(rows.drop { $0 < first })
    }

    /// Returns the rows, ascending, without duplicates.
    func keys() -> [UInt64] {
        if ranges.isEmpty { return rows }
        var keys = rows
        keys.reserveCapacity(maximumCount)
        var isAscending = ranges.count <= 1 && rows.isEmpty
        for range in ranges where range.count > 0 {
            range.tree.rows(
                from: IndexTree.Entry(key: range.keys.lowerBound, row: 0),
                through: IndexTree.Entry(key: range.keys.upperBound, row: .max), into: &keys)
            if range.keys.lowerBound != range.keys.upperBound { isAscending = false }
        }
        return isAscending ? keys : keys.sortedUniquely()
    }
}

extension CompiledPredicate {
    /// Returns the candidate rows according to indexes, or `nil` if the predicate requires a scan.
    ///
    /// Conditions on other rows are looked up backward from these, if that is less work than
    /// evaluating `candidateCount` rows.
    /// - Complexity: O(log n) for each comparison with a constant.
    func lookup(
        _ root: DatabaseContent, _ table: TableKey, candidateCount: Int,
        _ statistics: inout QueryStatistics
    ) -> IndexLookup? {
        switch self {
        case .compare(let column, let comparison, let value, let type):
            return column.lookup(root, table, comparison, value, type)
        case .isIn(let column, let set):
            var lookup = IndexLookup(ranges: [], isExact: true)
            for value in Set(set.values) {
                guard let one = column.lookup(root, table, .equal, value, column.type) else {
                    return nil
                }
                lookup.ranges += one.ranges
                lookup.isExact = lookup.isExact && one.isExact
            }
            return lookup
        case .and(let terms):
            return intersection(terms, root, table, candidateCount, &statistics)
        case .or(let terms):
            return union(terms, root, table, candidateCount, &statistics)
        case .constant(false):
            return IndexLookup(ranges: [], isExact: true)
        case .isRow(let keys):
            guard let table = root.table(table) else { return nil }
            return IndexLookup(ranges: [], rows: keys.filter { table.contains($0) }, isExact: true)
        case .matchWords(let column, let search):
            return column.lookup(root, table, search, candidateCount, &statistics)
        case .within(let layout, let area):
            return layout.lookup(root, area, candidateCount, &statistics)
        case .through, .related, .count:
            return backwardLookup(root, table, candidateCount, &statistics)
        case .constant, .compareColumns, .matchText, .compareValues, .matchTextColumns, .aggregate,
            .throughSet, .inSet, .not, .compareNumbers, .isKind:
            return nil
        }
    }

    /// Whether the lookup reads index entries, starting from other rows, words or points.
    private var isCostlyToLookUp: Bool {
        switch self {
        case .through, .related, .count, .matchWords, .within: true
        case .and(let terms), .or(let terms): terms.contains { $0.isCostlyToLookUp }
        default: false
        }
    }

    private func union(
        _ terms: [CompiledPredicate], _ root: DatabaseContent, _ table: TableKey,
        _ candidateCount: Int, _ statistics: inout QueryStatistics
    ) -> IndexLookup? {
        var lookup = IndexLookup(ranges: [], isExact: true)
        // the cheap lookups first, because one term without a lookup is enough to give up
        for isCostly in [false, true] {
            for term in terms where term.isCostlyToLookUp == isCostly {
                guard
                    let one = term.lookup(
                        root, table, candidateCount: candidateCount, &statistics)
                else { return nil }
                lookup.ranges += one.ranges
                lookup.rows = IndexLookup.union(lookup.rows, one.rows)
                lookup.isExact = lookup.isExact && one.isExact
                lookup.savesWords = lookup.savesWords || one.savesWords
                lookup.wordColumns += one.wordColumns
                lookup.geoIndexes += one.geoIndexes
                lookup.paths += one.paths
            }
        }
        return lookup
    }

    /// Returns the lookup of the term with the fewest rows. Ranges of one index are intersected
    /// first, so that a lower and an upper bound work together.
    private func intersection(
        _ terms: [CompiledPredicate], _ root: DatabaseContent, _ table: TableKey,
        _ candidateCount: Int, _ statistics: inout QueryStatistics
    ) -> IndexLookup? {
        var lookups: [IndexLookup] = []
        var fewest = candidateCount
        for isCostly in [false, true] {
            for term in terms where term.isCostlyToLookUp == isCostly {
                guard
                    let lookup = term.lookup(root, table, candidateCount: fewest, &statistics)
                else { continue }
                if lookup.ranges.isEmpty, lookup.rows.isEmpty { return lookup }
                fewest = min(fewest, lookup.maximumCount)
                lookups.append(lookup)
            }
        }
        let hasAll = lookups.count == terms.count
        var merged: [IndexLookup] = []
        for lookup in lookups {
            guard lookup.isOneRange,
                let same = merged.firstIndex(where: {
                    $0.isOneRange && $0.ranges[0].column == lookup.ranges[0].column
                })
            else {
                merged.append(lookup)
                continue
            }
            let a = merged[same].ranges[0]
            let b = lookup.ranges[0]
            guard a.keys.overlaps(b.keys) else { return IndexLookup(ranges: [], isExact: true) }
            merged[same].ranges = [IndexLookup.Range(a.tree, a.column, a.keys.clamped(to: b.keys))]
            merged[same].isExact = merged[same].isExact && lookup.isExact
        }
        guard var best = merged.min(by: { $0.maximumCount < $1.maximumCount }) else { return nil }
        // The other terms haven't been checked for its rows.
        if !hasAll || merged.count > 1 { best.isExact = false }
        return best
    }
}

extension IndexLookup {
    fileprivate var isOneRange: Bool { ranges.count == 1 && rows.isEmpty }

    /// Returns the rows of both, ascending, without duplicates.
    static func union(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        return (a + b).sortedUniquely()
    }

}

extension ResolvedColumn {
    func lookup(
        _ root: DatabaseContent, _ table: TableKey, _ comparison: Comparison, _ value: Value,
        _ type: ValueType
    ) -> IndexLookup? {
        guard comparison != .notEqual, let stored, stored.hasIndex,
            let tree = root.index(table, stored.key)
        else { return nil }
        if value.isNull {
            guard comparison == .equal else { return nil }
            return one(tree, IndexKey.null...IndexKey.null, isExact: false)
        }
        switch (type, value) {
        case (.int, .int(let x)):
            return ordered(tree, comparison, IndexKey.key(x), 0...UInt64.max)
        case (.int, .double(let x)):
            switch comparison.asIntegers(x) {
            case .no: return IndexLookup(ranges: [], isExact: true)
            case .every: return nil
            case .compare(let comparison, let bound):
                return ordered(tree, comparison, IndexKey.key(bound), 0...UInt64.max)
            }
        case (.date, .date(let x)), (.double, .double(let x)):
            if x.isNaN { return IndexLookup(ranges: [], isExact: true) }
            let all = IndexKey.key(-Double.infinity)...IndexKey.key(Double.infinity)
            return ordered(tree, comparison, IndexKey.key(x), all)
        case (.bool, .bool(let x)):
            return ordered(tree, comparison, IndexKey.key(x), 0...1)
        default:
            guard value.type == type, comparison == .equal else { return nil }
            let key = IndexKey.key(value, seed: root.context.seed)
            return one(tree, key...key, isExact: false)
        }
    }

    /// Returns the entries that compare to `key` as wanted, out of those in `all`.
    private func ordered(
        _ tree: IndexTree, _ comparison: Comparison, _ key: UInt64, _ all: ClosedRange<UInt64>
    ) -> IndexLookup {
        var low = all.lowerBound
        var high = all.upperBound
        switch comparison {
        case .equal: (low, high) = (key, key)
        case .less where key == low, .greater where key == high:
            return IndexLookup(ranges: [], isExact: true)
        case .less: high = key - 1
        case .lessOrEqual: high = key
        case .greater: low = key + 1
        case .greaterOrEqual: low = key
        case .notEqual: break
        }
        // The key of null may be among these keys.
        let isExact = !isOptional || IndexKey.null < low || high < IndexKey.null
        return one(tree, low...high, isExact: isExact)
    }

    private func one(
        _ tree: IndexTree, _ keys: ClosedRange<UInt64>, isExact: Bool
    ) -> IndexLookup {
        IndexLookup(ranges: [IndexLookup.Range(tree, index, keys)], isExact: isExact)
    }
}
