/// The order of a query's result, for comparing rows with the place where a page ended.
struct PageOrder: Sendable {
    let terms: [PathColumn]
    /// The direction of each term.
    let areDescending: [Bool]

    /// Returns the sort values of a row below the cluster's `rowCount`, and its key.
    func entry(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> ResultEntry {
        var entry = ResultEntry(key: cluster.firstKey + UInt64(row))
        guard let first = terms.first else { return entry }
        entry.first = first.value(cluster, row, content)
        if terms.count > 1 {
            entry.rest = terms[1...].map { $0.value(cluster, row, content) }
        }
        return entry
    }

    /// Compares the sort values of two rows.
    func compareValues(_ a: ResultEntry, _ b: ResultEntry) -> Int {
        guard let isDescending = areDescending.first else { return 0 }
        let order = Value.compare(a.first, b.first)
        if order != 0 { return isDescending ? -order : order }
        for index in 0..<min(a.rest.count, b.rest.count) {
            let order = Value.compare(a.rest[index], b.rest[index])
            if order != 0 { return areDescending[index + 1] ? -order : order }
        }
        return 0
    }

    /// Compares two rows by their sort values, then by key.
    func compare(_ a: ResultEntry, _ b: ResultEntry) -> Int {
        let order = compareValues(a, b)
        if order != 0 { return order }
        return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1)
    }
}

/// The place after which a page of a class's sorted rows starts.
struct PageStart: Sendable {
    private let order: PageOrder
    private let entry: ResultEntry
    private let rank: SortRank
    private let startRank: UInt64

    /// - Parameter rank: The ranks of the first sort term.
    init(_ order: PageOrder, _ entry: ResultEntry, _ rank: SortRank) {
        self.order = order
        self.entry = entry
        self.rank = rank
        startRank = SortRank.rank(entry.first, isDescending: rank.isDescending).rank
    }

    /// Returns the rows of a cluster that come after the place. Only rows with the same rank are
    /// compared by their values.
    func following(_ cluster: Cluster, _ rows: RowMask, _ content: DatabaseContent) -> RowMask {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: rowsPerCluster) { ranks in
            // Guard: a buffer of this capacity has a base address.
            let ranks = ranks.baseAddress.unsafelyUnwrapped
            _ = rank.fill(cluster, rows, ranks)
            return rows.filter { row in
                if ranks[row] != startRank { return ranks[row] > startRank }
                return order.compare(order.entry(cluster, row, content), entry) > 0
            }
        }
    }
}
