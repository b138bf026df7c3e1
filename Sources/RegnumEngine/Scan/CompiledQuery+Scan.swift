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
        let isNested = predicate.isNested
        if let lookup, isWorthwhile(lookup, table) {
            let keys = lookup.keys(from: first)
            statistics.usedIndex = true
            statistics.indexEntriesRead += min(keys.count, lookup.entryCount)
            statistics.rowsEvaluated += keys.count
            table.forEachCluster(of: keys) { cluster, rows in
                if lookup.isExact { return body(cluster, rows) }
                let predicate =
                    isNested ? resolved(predicate, cluster, rows, root) : predicate
                let found = predicate.select(cluster, rows, root)
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
        var prepared = predicate
        var isFirst = !isNested || !isComplete
        var isPrepared = false
        table.forEachCluster(from: first) { cluster in
            if !isFirst, !isPrepared {
                // callers that want only a few rows have stopped by now
                prepared = predicate.prepared(
                    rowCount: table.count, isComplete: isComplete, root, &statistics)
                isPrepared = true
            }
            var rest = cluster.liveMask
            if cluster.firstKey < first {
                rest = rest.subtracting(RowMask(first: Table.row(first)))
            }
            // the rows of a part follow nested conditions to their ends
            var partCount = isFirst && isNested ? 1 : rowsPerCluster
            isFirst = false
            while !rest.isEmpty {
                let rows = partCount < rowsPerCluster ? rest.prefix(partCount) : rest
                rest = rest.subtracting(rows)
                partCount *= 16
                statistics.rowsEvaluated += rows.count
                let predicate = isNested ? resolved(prepared, cluster, rows, root) : prepared
                let found = predicate.matches(cluster, rows, root)
                if !found.isEmpty, !body(cluster, found) { return false }
            }
            return true
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

    private func resolved(
        _ predicate: CompiledPredicate, _ cluster: Cluster, _ rows: RowMask, _ root: DatabaseContent
    ) -> CompiledPredicate {
        table.map { predicate.resolved(for: rows, of: cluster, $0, root) } ?? predicate
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

extension Table {
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
