import RegnumStore

extension QueryPlan {
    /// Returns the result at one version. Comparisons with the primary key or an indexed property
    /// (equality; ranges of integers, dates and booleans) find their rows through the index, also
    /// in conjunctions and as all terms of a disjunction, unless that would be more than a quarter
    /// of all rows.
    ///
    /// Throws `invalidQuery` for a comparison of different types or more than 64 sort terms, and
    /// `schemaMismatch` if the stored column has another type than in the query.
    /// - Complexity: O(candidates), plus sorting m matches: O(m) by a single number, otherwise O(m
    ///   log m).
    func evaluate(_ root: DatabaseContent) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        return try evaluate(root, statistics: &statistics)
    }

    /// As `evaluate(_:)`, adding the work done to `statistics`. If `holder` is the root of the
    /// content, the result may hold it and read from it.
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

    /// Returns the number of matching rows at one version, without making a result.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(log n) if the predicate is a range of one index (of integers, dates or
    ///   booleans); no row is read then.
    func count(_ root: DatabaseContent) throws(StoreError) -> Int {
        var statistics = QueryStatistics()
        return try count(root, statistics: &statistics)
    }

    /// As `count(_:)`, adding the work done to `statistics`.
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
        return min(count, keyCountMax)
    }

    /// Returns the first `limit` keys of the result, without making the rest of it.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(candidates) for a sort, with memory for about 2 x `limit` rows; without a
    ///   sort, stops at the last row needed.
    func firstKeys(_ limit: Int, _ root: DatabaseContent) throws(StoreError) -> [ObjectKey] {
        var statistics = QueryStatistics()
        return try firstKeys(limit, root, statistics: &statistics)
    }

    /// As `firstKeys(_:_:)`, adding the work done to `statistics`.
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
        try firstKeys(1, root).first
    }
}

extension CompiledQuery {
    /// Returns the first `limit` keys of the table's matching rows in the order of a sort without
    /// links.
    func tableKeys(
        _ shape: QueryPlan.Shape, _ root: DatabaseContent, limit: Int,
        _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        switch shape {
        case .keys: matchingKeys(root, limit: limit, &statistics)
        case .ranks: sortedRanks(root, limit: limit, &statistics).map(\.key)
        case .values: sortedEntries(root, limit: limit, &statistics).map(\.key)
        }
    }

    /// Returns the first `limit` rows by the first sort term, whose ranks determine the order.
    fileprivate func sortedRanks(
        _ root: DatabaseContent, limit: Int, _ statistics: inout QueryStatistics
    ) -> [RankedKey] {
        var pairs = PairBuffer(firstRank)
        collect(root, limit, keepsTies: false, &pairs, &statistics)
        return pairs.withPairs { Array($0) }
    }

    /// Returns the first `limit` rows by all sort terms: sorted by the rank of the first, then rows
    /// of equal rank by comparison.
    fileprivate func sortedEntries(
        _ root: DatabaseContent, limit: Int, _ statistics: inout QueryStatistics
    ) -> [ResultEntry] {
        guard let key = table, let table = root.table(key) else { return [] }
        var pairs = PairBuffer(firstRank)
        collect(root, limit, keepsTies: true, &pairs, &statistics)
        var entries: [ResultEntry] = pairs.withPairs { pairs in
            var entries: [ResultEntry] = []
            entries.reserveCapacity(pairs.count)
            var runStart = 0
            for (index, pair) in pairs.enumerated() {
                if index > 0, pair.rank != pairs[index - 1].rank {
                    sort(&entries, from: runStart)
                    runStart = entries.count
                }
                guard let place = table.place(pair.key) else { continue }
                entries.append(ResultOrder.element(self, place.cluster, place.row))
            }
            sort(&entries, from: runStart)
            return entries
        }
        if entries.count > limit { entries.removeLast(entries.count - limit) }
        return entries
    }

    private func sort(_ entries: inout [ResultEntry], from start: Int) {
        if entries.count - start > 1 {
            entries[start...].sort { order.compare($0, $1) < 0 }
        }
    }

    /// Collects and sorts the rows that can be among the first `limit`. Whenever twice that number
    /// has been collected, half of them are dropped, and rows after all of the remaining ones are
    /// skipped from then on.
    private func collect(
        _ root: DatabaseContent, _ limit: Int, keepsTies: Bool, _ pairs: inout PairBuffer,
        _ statistics: inout QueryStatistics
    ) {
        guard let key = table, let table = root.table(key) else { return }
        if case .constant(true) = predicate, limit >= table.count {
            pairs.reserve(table.count + rowsPerCluster)
        }
        var full = limit >= table.count ? Int.max : 2 * limit + 64
        forEachMatch(root, &statistics) { cluster, rows in
            pairs.append(cluster, rows)
            if pairs.count >= full {
                pairs.cut(to: limit, keepsTies: keepsTies)
                full = max(full, 2 * pairs.count)
            }
            return true
        }
        if pairs.count > limit {
            pairs.cut(to: limit, keepsTies: keepsTies)
        } else {
            pairs.sort()
        }
    }
}
