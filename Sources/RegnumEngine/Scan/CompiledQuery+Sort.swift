/// Evaluation of plans whose order is that of keys or of a sort without links.
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
    ///
    /// - Parameter start: The place that the rows come after, if not all rows are wanted.
    func sortedRanks(
        _ root: DatabaseContent, limit: Int, after start: PageStart? = nil,
        _ statistics: inout QueryStatistics
    ) -> [RankedKey] {
        var pairs = PairBuffer(firstRank)
        collect(root, limit, keepsTies: false, after: start, &pairs, &statistics)
        return pairs.withPairs { Array($0) }
    }

    /// Returns the first `limit` rows by all sort terms: sorted by the rank of the first, then rows
    /// of equal rank by comparison.
    ///
    /// - Parameter start: The place that the rows come after, if not all rows are wanted.
    func sortedEntries(
        _ root: DatabaseContent, limit: Int, after start: PageStart? = nil,
        _ statistics: inout QueryStatistics
    ) -> [ResultEntry] {
        guard let key = table, let table = root.table(key) else { return [] }
        var pairs = PairBuffer(firstRank)
        collect(root, limit, keepsTies: true, after: start, &pairs, &statistics)
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
        _ root: DatabaseContent, _ limit: Int, keepsTies: Bool, after start: PageStart?,
        _ pairs: inout PairBuffer, _ statistics: inout QueryStatistics
    ) {
        guard let key = table, let table = root.table(key) else { return }
        if case .constant(true) = predicate, limit >= table.count {
            pairs.reserve(table.count + rowsPerCluster)
        }
        var full = limit >= table.count ? Int.max : 2 * limit + 64
        forEachMatch(root, &statistics) { cluster, rows in
            pairs.append(cluster, start?.following(cluster, rows, root) ?? rows)
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

    /// The ranks of the first sort term, which must exist.
    var firstRank: SortRank {
        SortRank(column: sort[0], isDescending: order.descending & 1 != 0)
    }
}
