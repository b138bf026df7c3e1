package import RegnumStore

extension QueryPlan {
    /// The result at one version. Equalities on the primary key or an indexed property, also in
    /// conjunctions and as all terms of a disjunction, find their rows through the index, unless
    /// that would be more than a quarter of all rows.
    ///
    /// Throws `invalidQuery` for a comparison of unequal types or more than 64 sort terms, and
    /// `schemaMismatch` where the stored column is of another type than the query says.
    /// - Complexity: O(candidates), and O(m log m) to sort m matches.
    package func evaluate(_ root: DatabaseRoot) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        return try evaluate(root, statistics: &statistics)
    }

    /// The result in a transaction's current state.
    package func evaluate(_ transaction: EngineTransaction) throws(StoreError) -> ResultTree {
        try evaluate(transaction.root)
    }

    /// As `evaluate(_:)`, and adds what it did to `statistics`.
    package func evaluate(
        _ root: DatabaseRoot, statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        let query = try CompiledQuery(self, root.schema)
        var entries: [ResultEntry] = []
        query.forEachMatch(root, &statistics) { key, row in
            entries.append(query.entry(key, row))
        }
        if !query.sort.isEmpty { sortEntries(&entries, query.order) }
        return ResultTree(SortedTree(order: query.order, sorted: entries))
    }

    /// How many rows match at one version, without making a result.
    ///
    /// Throws as `evaluate`.
    package func count(_ root: DatabaseRoot) throws(StoreError) -> Int {
        let query = try CompiledQuery(self, root.schema)
        if case .constant(true) = query.predicate, let table = query.table {
            return root.count(table)
        }
        var statistics = QueryStatistics()
        var count = 0
        query.forEachMatch(root, &statistics) { _, _ in count += 1 }
        return count
    }
}

/// Sorts by the result order: values and keys, unique by key.
private func sortEntries(_ entries: inout [ResultEntry], _ order: ResultOrder) {
    entries.sort { order.compare($0, $1) < 0 }
}

extension CompiledQuery {
    /// Calls `body` for each matching row, ascending by key.
    @inline(__always)
    func forEachMatch(
        _ root: DatabaseRoot, _ statistics: inout QueryStatistics,
        _ body: (UInt64, borrowing Row) -> Void
    ) {
        guard let table, let state = root.state(table) else { return }
        if case .constant(false) = predicate { return }
        // Looking up a row costs several times what passing it in a scan does.
        let candidateCount = predicate.candidateCount(state) ?? .max
        if candidateCount <= max(state.rows.count / 4, 16),
            let keys = predicate.candidates(state, &statistics)
        {
            statistics.usedIndex = true
            statistics.rowsEvaluated += keys.count
            for key in keys {
                guard let row = state.rows.find(key.rawValue)?.row else { continue }
                if predicate.matches(row) { body(key.rawValue, row) }
            }
            return
        }
        statistics.rowsEvaluated += state.rows.count
        state.rows.visit { entry in
            if predicate.matches(entry.row) { body(entry.key, entry.row) }
            return true
        }
    }
}

extension CompiledPredicate {
    /// The rows that can match, ascending, if indexes tell; nil if only a scan does.
    func candidates(_ state: TableState, _ statistics: inout QueryStatistics) -> [ObjectKey]? {
        guard candidateCount(state) != nil else { return nil }
        switch self {
        case .compare(let column, _, let value, _):
            guard let stored = column.stored, let index = state.index(of: stored.key) else {
                return nil
            }
            let keys = index.candidates(value)
            statistics.indexEntriesRead += keys.count
            return keys
        case .and(let terms):
            var best: (term: CompiledPredicate, count: Int)?
            for term in terms {
                guard let count = term.candidateCount(state) else { continue }
                if let found = best, found.count <= count { continue }
                best = (term, count)
            }
            return best?.term.candidates(state, &statistics)
        case .or(let terms):
            var keys: Set<ObjectKey> = []
            for term in terms {
                guard let more = term.candidates(state, &statistics) else { return nil }
                keys.formUnion(more)
            }
            return keys.sorted()
        case .constant, .compareColumns, .not:
            return nil
        }
    }

    /// How many rows `candidates` would find at most, or nil if only a scan tells.
    fileprivate func candidateCount(_ state: TableState) -> Int? {
        switch self {
        case .compare(let column, .equal, let value, let type):
            guard let stored = column.stored, let index = state.index(of: stored.key),
                value.isNull || value.type == type
            else { return nil }
            return index.countMax(value)
        case .and(let terms):
            return terms.compactMap { $0.candidateCount(state) }.min()
        case .or(let terms):
            var sum = 0
            for term in terms {
                guard let count = term.candidateCount(state) else { return nil }
                sum += count
            }
            return sum
        case .compare, .constant, .compareColumns, .not:
            return nil
        }
    }
}
