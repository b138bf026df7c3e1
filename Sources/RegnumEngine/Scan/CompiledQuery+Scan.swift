extension CompiledQuery {
    /// Returns the number of matching rows of the table.
    ///
    /// - Complexity: O(log n) if an index alone has the answer; no row is read then.
    func count(_ root: DatabaseContent, _ statistics: inout QueryStatistics) -> Int {
        guard let key = table, let table = root.table(key) else { return 0 }
        if case .constant(let answer) = predicate { return answer ? table.count : 0 }
        let lookup = predicate.lookup(
            root, key, candidateCount: table.count, &statistics)
        if let count = lookup?.exactCount {
            statistics.usedIndex = true
            return count
        }
        var count = 0
        forEachMatch(root, table, lookup, isComplete: true, &statistics) { _, rows in
            count += rows.count
            return true
        }
        return count
    }

    /// Calls `body` with each cluster that has matching rows and a mask of these, ascending, until
    /// it returns `false`.
    ///
    /// - Parameter isComplete: Whether it probably never does.
    @inline(__always)
    func forEachMatch(
        _ root: DatabaseContent, isComplete: Bool = true, _ statistics: inout QueryStatistics,
        _ body: (Cluster, RowMask) -> Bool
    ) {
        guard let key = table, let table = root.table(key) else { return }
        if case .constant(false) = predicate { return }
        let lookup = predicate.lookup(
            root, key, candidateCount: table.count, &statistics)
        forEachMatch(root, table, lookup, isComplete: isComplete, &statistics, body)
    }

    /// - Parameter first: The least key of the rows.
    @inline(__always)
    private func forEachMatch(
        _ root: DatabaseContent, _ table: Table, _ lookup: IndexLookup?, from first: UInt64 = 0,
        isComplete: Bool, _ statistics: inout QueryStatistics,
        _ body: (Cluster, RowMask) -> Bool
    ) {
        if let lookup, isWorthwhile(lookup, table) {
            let keys = lookup.keys(from: first)
            statistics.usedIndex = true
            statistics.indexEntriesRead += min(keys.count, lookup.entryCount)
            if !lookup.isExact, var parts = NestedParts(self, root, isComplete: isComplete) {
                table.forEachCluster(of: keys) { parts.add($0, $1, &statistics, body) }
                return parts.finish(&statistics, body)
            }
            statistics.rowsEvaluated += keys.count
            table.forEachCluster(of: keys) { cluster, rows in
                let found = lookup.isExact ? rows : predicate.select(cluster, rows, root)
                return found.isEmpty || body(cluster, found)
            }
            return
        }
        if isComplete, let key = self.table, let (others, nested) = separated {
            let keys = others.matchingKeys(root, table, nil, from: first, &statistics)
            let rows = nested.reduce(keys) { $1.matching($0, key, root, &statistics) }
            table.forEachCluster(of: rows, body)
            return
        }
        if var parts = NestedParts(self, root, isComplete: isComplete) {
            table.forEachCluster(from: first) { cluster in
                parts.add(cluster, cluster.liveRows(from: first), &statistics, body)
            }
            return parts.finish(&statistics, body)
        }
        var prepared = predicate
        var isFirst = true
        var isPrepared = false
        table.forEachCluster(from: first) { cluster in
            if !isFirst, !isPrepared {
                // callers that want only a few rows have stopped by now
                prepared = predicate.prepared(
                    rowCount: table.count, isComplete: isComplete, root, &statistics)
                isPrepared = true
            }
            isFirst = false
            let rows = cluster.liveRows(from: first)
            statistics.rowsEvaluated += rows.count
            let found = prepared.matches(cluster, rows, root)
            return found.isEmpty || body(cluster, found)
        }
    }

    /// The query without those of several terms that follow lists of lists, and these terms: they
    /// are evaluated together for the rows that meet the others. `nil` if there are none.
    private var separated: (others: CompiledQuery, nested: [CompiledPredicate])? {
        guard case .and(let terms) = predicate else { return nil }
        let nested = terms.filter { $0.pathLevelCount > 1 }
        if nested.isEmpty { return nil }
        var others = self
        others.predicate = .and(terms.filter { $0.pathLevelCount <= 1 })
        return (others, nested)
    }

    /// Whether to use the lookup: looking up a row costs several times as much as scanning past it,
    /// unless that reads its text.
    func isWorthwhile(_ lookup: IndexLookup, _ table: Table) -> Bool {
        lookup.maximumCount <= max(lookup.savesWords ? table.count : table.count / 4, 16)
    }

    /// Calls `body` with the rows of some keys, skipping those that don't exist.
    @inline(__always)
    func forEachRow(_ keys: [UInt64], _ root: DatabaseContent, _ body: (Cluster, Int) -> Void) {
        guard let key = table, let table = root.table(key) else { return }
        var finder = RowFinder(table)
        for key in keys {
            guard let place = finder.place(key) else { continue }
            body(place.cluster, place.row)
        }
    }

    /// Returns up to `limit` keys of matching rows from a key on, ascending.
    func matchingKeys(
        _ root: DatabaseContent, from first: UInt64 = 0, limit: Int = .max,
        _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        guard let key = table, let table = root.table(key), limit > 0 else { return [] }
        if case .constant(false) = predicate { return [] }
        let lookup = predicate.lookup(
            root, key, candidateCount: table.count, &statistics)
        return matchingKeys(root, table, lookup, from: first, limit: limit, &statistics)
    }

    func matchingKeys(
        _ root: DatabaseContent, _ table: Table, _ lookup: IndexLookup?, from first: UInt64 = 0,
        limit: Int = .max, _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        if let lookup, lookup.isExact,
            isWorthwhile(lookup, table) || lookup.hasMore(than: limit)
        {
            let keys = lookup.keys(from: first, limit: limit)
            statistics.usedIndex = true
            statistics.indexEntriesRead += min(keys.count, lookup.entryCount)
            statistics.rowsEvaluated += keys.count
            return keys
        }
        var keys = KeyBuffer()
        let isComplete = first == 0 && limit == .max
        forEachMatch(
            root, table, lookup, from: first, isComplete: isComplete, &statistics
        ) { cluster, rows in
            keys.append(cluster.firstKey, rows)
            return keys.count < limit
        }
        return keys.prefix(limit)
    }
}

extension Cluster {
    /// The rows that aren't deleted, from a key in this or an earlier cluster on.
    fileprivate func liveRows(from first: UInt64) -> RowMask {
        firstKey < first ? liveMask.subtracting(RowMask(first: Table.row(first))) : liveMask
    }
}

extension Table {
    /// The keys of all rows, ascending.
    var keys: [UInt64] {
        var keys = KeyBuffer()
        forEachCluster { cluster in
            keys.append(cluster.firstKey, cluster.liveMask)
            return true
        }
        return keys.prefix(.max)
    }

    /// Calls `body` with the clusters of ascending keys and a mask of the live rows among these,
    /// until it returns `false`.
    @inline(__always)
    func forEachCluster(of keys: [UInt64], _ body: (Cluster, RowMask) -> Bool) {
        var next = 0
        while next < keys.count {
            let group = keys[next] >> 10
            var rows = RowMask()
            let first = next
            while next < keys.count, keys[next] >> 10 == group {
                rows.insert(Int(truncatingIfNeeded: keys[next] & 1023))
                next += 1
            }
            guard let cluster = cluster(containing: keys[first]) else { continue }
            rows = rows & cluster.liveMask
            if !rows.isEmpty, !body(cluster, rows) { return }
        }
    }
}
