import RegnumStore

extension ResolvedColumn {
    /// Returns whether the text of a row below `rowCount` matches.
    func matches(_ cluster: Cluster, _ row: Int, _ search: WordSearch) -> Bool {
        guard isStored(in: cluster) else { return search.matches(fallback) }
        if cluster.isNull(row, index) { return search.matchesNull }
        return search.matches(cluster.bytes(row, index))
    }

    /// Returns the rows of a search according to the column's full-text index: those of the rarest
    /// required word that have the other words as well, as far as these have keys of their own. The
    /// index doesn't know the order of words, so phrases are left to `WordSearch.matches`.
    /// Returns `nil` if there is no index, no word is required, or the rarest one has more than
    /// `candidateCount` entries.
    ///
    /// - Complexity: O(n log m) for the n entries of the rarest word and the index's m entries.
    func lookup(
        _ root: DatabaseContent, _ table: TableKey, _ search: WordSearch, _ candidateCount: Int,
        _ statistics: inout QueryStatistics
    ) -> IndexLookup? {
        guard let stored, stored.isFullTextIndexed,
            let tree = root.index(table, stored.key, .words)
        else { return nil }
        let seed = root.context.seed
        let ranges = search.required.map { $0.keys(seed: seed) }
        let counts = ranges.map { tree.count(in: $0) }
        guard let rarest = counts.indices.min(by: { counts[$0] < counts[$1] }),
            counts[rarest] <= candidateCount
        else { return nil }
        var isExact = search.required[rarest].hasOwnKeys && !search.hasPhrases
        var rows: [UInt64] = []
        rows.reserveCapacity(counts[rarest])
        tree.rows(
            from: IndexTree.Entry(key: ranges[rarest].lowerBound, row: 0),
            through: IndexTree.Entry(key: ranges[rarest].upperBound, row: .max), into: &rows)
        statistics.indexEntriesRead += rows.count
        if search.required[rarest].isPrefix { rows = rows.sortedUniquely() }
        for (index, term) in search.required.enumerated() where index != rarest {
            if !term.hasOwnKeys { isExact = false }
            if term.isPrefix {
                // one row can have several of the words
                isExact = false
            } else {
                let key = ranges[index].lowerBound
                rows.removeAll { !tree.contains(key, $0) }
            }
        }
        for word in search.excluded {
            if WordKey.isExact(word) {
                let key = WordKey.key(word, seed: seed)
                rows.removeAll { tree.contains(key, $0) }
            } else {
                isExact = false
            }
        }
        return IndexLookup(
            ranges: [], rows: rows, isExact: isExact, savesWords: true, wordColumns: [index])
    }
}

extension WordSearch.Term {
    /// The keys of the words that the term matches.
    func keys(seed: Identity128) -> ClosedRange<UInt64> {
        if isPrefix { return WordKey.keys(prefix: word) }
        let key = WordKey.key(word, seed: seed)
        return key...key
    }

    /// Whether no other words have these keys.
    fileprivate var hasOwnKeys: Bool { WordKey.isExact(word) }
}
