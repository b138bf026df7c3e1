import RegnumStore

extension QueryPlan {
    /// Returns the result at one version. Comparisons with the primary key or an indexed property
    /// (equality; ranges of integers, dates and booleans) find their rows through the index, also
    /// in conjunctions and as all terms of a disjunction, unless that would be more than a quarter
    /// of all rows. Adds the work done to `statistics`. If `holder` is the root of the content, the
    /// result may hold it and read from it.
    ///
    /// Throws `invalidQuery` for a comparison of different types or more than 64 sort terms, and
    /// `schemaMismatch` if the stored column has another type than in the query.
    /// - Complexity: O(candidates), plus sorting m matches: O(m) by a single number, otherwise O(m
    ///   log m).
    func evaluate(
        _ root: DatabaseContent, holder: DatabaseRoot? = nil, statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        let query = try CompiledQuery(self, root.schema)
        if !isPlain {
            return ResultTree(.sequence(query.keys(self, root, max: .max, &statistics)))
        }
        switch shape {
        case .keys:
            return query.matchingRows(root, holder: holder, &statistics)
        case .ranks:
            return ResultTree(.rankList(query.sortedRanks(root, limit: .max, &statistics)))
        case .values:
            let entries = query.sortedEntries(root, limit: .max, &statistics)
            return ResultTree(.values(SortedTree(order: query.order, sorted: entries)))
        }
    }

    /// Returns the number of matching rows at one version, without making a result. Adds the
    /// work done to `statistics`.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(log n) if the predicate is a range of one index (of integers, dates or
    ///   booleans); no row is read then.
    func count(
        _ root: DatabaseContent, statistics: inout QueryStatistics
    ) throws(StoreError) -> Int {
        if case .compare(let reference, let comparison, let value) = predicate, sort.isEmpty,
            isPlain,
            let count = try IndexLookup.exactCount(
                root, tableName, reference, comparison, value)
        {
            statistics.usedIndex = true
            return count
        }
        let query = try CompiledQuery(self, root.schema)
        if !query.steps.isEmpty {
            return query.keys(self, root, max: .max, &statistics).count
        }
        let count =
            query.source == .table
            ? query.count(root, &statistics) : query.sourceCount(root, &statistics)
        return min(count, maximumKeyCount)
    }

    /// Returns the first `limit` keys of the result, without making the rest of it. Adds the
    /// work done to `statistics`.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(candidates) for a sort, with memory for about 2 x `limit` rows; without a
    ///   sort, stops at the last row needed.
    func firstKeys(
        _ limit: Int, _ root: DatabaseContent, statistics: inout QueryStatistics
    ) throws(StoreError) -> [ObjectKey] {
        let query = try CompiledQuery(self, root.schema)
        return query.keys(self, root, max: limit, &statistics).map { ObjectKey(rawValue: $0) }
    }

    /// Returns the first key of the result, or `nil` if nothing matches.
    ///
    /// Throws the errors of `evaluate`.
    func firstMatch(_ root: DatabaseContent) throws(StoreError) -> ObjectKey? {
        var statistics = QueryStatistics()
        return try firstKeys(1, root, statistics: &statistics).first
    }
}

extension CompiledQuery {
    /// Returns the matching rows, ascending. If `holder` is the root of the content, large results
    /// that need no search aren't copied but read from it.
    func matchingRows(
        _ root: DatabaseContent, holder: DatabaseRoot?, _ statistics: inout QueryStatistics
    ) -> ResultTree {
        guard let key = table, let table = root.table(key) else { return ResultTree() }
        switch predicate {
        case .constant(false):
            return ResultTree()
        case .constant(true):
            guard let holder, table.count >= LazyRows.minimumCount else { break }
            statistics.rowsEvaluated += table.count
            return ResultTree(.lazy(LazyRows(holder, .table(table), count: table.count)))
        default: break
        }
        let lookup = predicate.lookup(
            root, key, candidateCount: table.count, &statistics)
        if let holder, let range = lookup?.exactKey, range.count >= LazyRows.minimumCount {
            statistics.usedIndex = true
            let start = range.tree.rank(below: range.keys.lowerBound)
            return ResultTree(
                .lazy(LazyRows(holder, .entries(range.tree, start: start), count: range.count)))
        }
        return ResultTree(.keyList(matchingKeys(root, table, lookup, &statistics)))
    }
}
