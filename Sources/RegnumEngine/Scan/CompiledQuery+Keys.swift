import CRegnum

/// Evaluation of plans with any source and order.
extension CompiledQuery {
    /// Returns the first `max` keys of the result.
    ///
    /// - Complexity: evaluates only as many rows as `max` and the limit require; a sort through
    ///   links sorts all matches.
    func keys(
        _ plan: QueryPlan, _ root: DatabaseContent, max: Int, _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        let limit = min(max, plan.maximumKeyCount)
        if limit <= 0 { return [] }
        var keys: [UInt64]
        let needed: Int
        switch steps.first {
        case nil: needed = limit
        case .limit(let count): needed = count
        case .distinct, .sort: needed = .max
        }
        if needed <= 0 { return [] }
        if source == .table, linkedSort.isEmpty {
            keys = tableKeys(plan.shape, root, limit: needed, &statistics)
        } else {
            let isSorted = !plan.sort.isEmpty
            let firstCount = needed
            let needed = isSorted ? .max : needed
            keys =
                source == .table
                ? matchingKeys(root, limit: needed, &statistics)
                : sourceKeys(root, limit: needed, &statistics)
            if isSorted {
                sort(&keys, sortPaths, order, root, limit: firstCount)
            }
        }
        for (index, step) in steps.enumerated() {
            let limit = index == steps.count - 1 ? limit : .max
            switch step {
            case .distinct(let columns): keys = firstOfEach(keys, columns, root, limit: limit)
            case .sort(let terms, let order): sort(&keys, terms, order, root, limit: limit)
            case .limit(let count): if keys.count > count { keys.removeLast(keys.count - count) }
            }
        }
        if keys.count > limit { keys.removeLast(keys.count - limit) }
        return keys
    }

    /// Returns the first `limit` matching rows of a source other than the table, in its order.
    func sourceKeys(
        _ root: DatabaseContent, limit: Int, _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        guard case .related(let hop, let table, let row) = source,
            let place = root.table(table)?.place(row)
        else { return [] }
        if case .constant(false) = predicate { return [] }
        let path = CompiledPath(hops: [hop])
        if limit < .max, predicate.isNested {
            var all = KeyCollector(predicate: .constant(true), limit: .max)
            path.walk(place.cluster, place.row, root, &all)
            return predicate.firstMatching(
                all.keys, path.target, root, limit: limit, &statistics)
        }
        let predicate =
            limit == .max ? prepared(path, of: row, table, root, &statistics) : predicate
        var collector = KeyCollector(predicate: predicate, limit: limit)
        path.walk(place.cluster, place.row, root, &collector)
        statistics.rowsEvaluated += collector.rowCount
        return collector.keys
    }

    /// Returns the number of matching rows of a source other than the table.
    func sourceCount(_ root: DatabaseContent, _ statistics: inout QueryStatistics) -> Int {
        guard case .related(let hop, let table, let row) = source,
            let place = root.table(table)?.place(row)
        else { return 0 }
        let path = CompiledPath(hops: [hop])
        if case .constant(let answer) = predicate {
            if !answer { return 0 }
            if let count = path.count(of: row, root) { return count }
        }
        let predicate = prepared(path, of: row, table, root, &statistics)
        var counter = MatchCounter(predicate: predicate, max: .max)
        path.walk(place.cluster, place.row, root, &counter)
        statistics.rowsEvaluated += counter.rowCount
        return counter.count
    }

    /// Returns an equivalent predicate for the rows of a source.
    private func prepared(
        _ path: CompiledPath, of row: UInt64, _ table: TableKey, _ root: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        guard predicate.pathLevelCount > 1 else { return predicate }
        let rows = path.ends(of: [row], table, root)
        return predicate.prepared(for: rows, path.target, root, &statistics)
    }

    // MARK: Order

    /// Sorts rows of the table, keeping the order of rows with equal values. The order after the
    /// first `limit` keys is unspecified.
    ///
    /// - Complexity: O(m), plus comparisons between rows whose first values have the same rank.
    func sort(
        _ keys: inout [UInt64], _ terms: [PathColumn], _ order: ResultOrder,
        _ root: DatabaseContent, limit: Int = .max
    ) {
        guard keys.count > 1, !terms.isEmpty, let key = table, let table = root.table(key)
        else { return }
        let isDescending = order.descending & 1 != 0
        var finder = RowFinder(table)
        var pairs: [cregnum_pair] = []
        pairs.reserveCapacity(keys.count)
        for (position, key) in keys.enumerated() {
            guard let place = finder.place(key) else { continue }
            let value = terms[0].value(place.cluster, place.row, root)
            let (rank, flag) = SortRank.rank(value, isDescending: isDescending)
            pairs.append(cregnum_pair(rank: rank, key: UInt64(position) | flag))
        }
        var scratch = pairs
        cregnum_sort_pairs(&pairs, &scratch, pairs.count)
        var positions = pairs.map { Int($0.key & ~SortRank.flag) }
        if pairs.count > 1, terms.count > 1 || !SortRank.decides(terms[0].column.type) {
            var start = 0
            for end in 1...pairs.count
            where end == pairs.count || pairs[end].rank != pairs[start].rank {
                if end - start > 1 {
                    sort(&positions[start..<end], terms, order, keys, table, root)
                }
                start = end
                if start >= limit { break }
            }
        }
        keys = positions.map { keys[$0] }
    }

    /// Sorts a slice of positions in `keys` by all terms.
    private func sort(
        _ positions: inout ArraySlice<Int>, _ terms: [PathColumn], _ order: ResultOrder,
        _ keys: [UInt64], _ table: Table, _ root: DatabaseContent
    ) {
        var entries: [ResultEntry] = []
        entries.reserveCapacity(positions.count)
        for position in positions {
            guard let place = table.place(keys[position]) else { continue }
            // the position in place of the key makes the sort stable
            var entry = ResultEntry(key: UInt64(position))
            entry.first = terms[0].value(place.cluster, place.row, root)
            for term in terms.dropFirst() {
                entry.rest.append(term.value(place.cluster, place.row, root))
            }
            entries.append(entry)
        }
        entries.sort { order.compare($0, $1) < 0 }
        for (index, entry) in entries.enumerated() {
            positions[positions.startIndex + index] = Int(entry.key)
        }
    }

    // MARK: Distinct

    /// Returns the first `limit` keys that are the first with their values, leaving out rows for
    /// which a link on the path to a value is null.
    private func firstOfEach(
        _ keys: [UInt64], _ columns: [PathColumn], _ root: DatabaseContent, limit: Int
    ) -> [UInt64] {
        guard let key = table, let table = root.table(key) else { return [] }
        var finder = RowFinder(table)
        var found: [UInt64] = []
        var single: Set<Value> = []
        var tuples: Set<[Value]> = []
        rows: for key in keys {
            guard let place = finder.place(key) else { continue }
            if columns.count == 1 {
                guard let value = columns[0].read(place.cluster, place.row, root) else { continue }
                if !single.insert(value.canonical).inserted { continue }
            } else {
                var tuple: [Value] = []
                tuple.reserveCapacity(columns.count)
                for column in columns {
                    guard let value = column.read(place.cluster, place.row, root) else {
                        continue rows
                    }
                    tuple.append(value.canonical)
                }
                if !tuples.insert(tuple).inserted { continue }
            }
            found.append(key)
            if found.count == limit { break }
        }
        return found
    }
}

/// Collects the keys of matching rows at the end of a path.
private struct KeyCollector: EndVisitor {
    let predicate: CompiledPredicate
    let limit: Int
    var keys: [UInt64] = []
    var rowCount = 0

    mutating func visit(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        rowCount += 1
        if predicate.matches(cluster, row, content) { keys.append(cluster.firstKey + UInt64(row)) }
        return keys.count < limit
    }
}
