import Glibc
package import RegnumStore

/// A row of a result, and how well it matches the searches of the query.
package struct ScoredRow: Sendable {
    package let key: ObjectKey
    package let score: Double

    package init(key: ObjectKey, score: Double) {
        self.key = key
        self.score = score
    }
}

/// A search of a query on a property of the rows themselves, as it is declared.
private struct ScoredSearch {
    let column: ColumnReference
    let text: StoredText
    /// Whether every row of the result matches it.
    let isNecessary: Bool
}

extension Predicate {
    /// The searches for words that count for the relevance of a row: those on its own properties,
    /// except within a negation.
    fileprivate func scoredSearches(isNecessary: Bool = true) -> [ScoredSearch] {
        switch self {
        case .matchWords(let column, let text) where column.hops.isEmpty:
            [ScoredSearch(column: column, text: text, isNecessary: isNecessary)]
        case .and(let terms): terms.flatMap { $0.scoredSearches(isNecessary: isNecessary) }
        case .or(let terms): terms.flatMap { $0.scoredSearches(isNecessary: false) }
        default: []
        }
    }
}

extension QueryPlan {
    /// Returns the first `limit` rows of the result by descending relevance, which is the sum of
    /// the BM25 scores of the row's texts (see `SearchScoring`). Rows of equal relevance keep their
    /// order.
    ///
    /// Throws the errors of `evaluate`, and `invalidQuery` if the query has no search for words in
    /// properties of the rows themselves.
    /// - Complexity: That of `evaluate`, plus O(m log m) for m matches, whose texts are read. The
    ///   frequency of a word takes O(log n), that of a prefix O(e log e) for its e index entries.
    package func mostRelevant(
        _ limit: Int, _ state: QueryState
    ) throws(StoreError) -> [ScoredRow] {
        let content = state.content
        let query = try CompiledQuery(self, content.schema)
        let compiler = QueryCompiler(content.schema, tableName)
        var scorings: [SearchScoring] = []
        for declared in predicate.scoredSearches() {
            let search = try WordSearch(declared.text.wrappedValue)
            if search.required.isEmpty { continue }
            scorings.append(
                SearchScoring(
                    try compiler.resolve(declared.column), search,
                    isNecessary: declared.isNecessary))
        }
        guard !scorings.isEmpty else {
            throw StoreError(
                .invalidQuery,
                "Only objects found by a full-text search of their own properties have a "
                    + "relevance; the query for \(tableName) has no such search for a word.",
                className: tableName)
        }
        var statistics = QueryStatistics()
        let keys = query.keys(self, content, max: .max, &statistics)
        state.counters?.add(statistics, foundCount: keys.count)
        guard let key = query.table, let table = content.table(key), !keys.isEmpty else {
            return []
        }
        var scores = [Double](repeating: 0, count: keys.count)
        for scoring in scorings { scoring.add(to: &scores, of: keys, content, key, table) }
        let order = scores.indices.sorted { a, b in
            scores[a] != scores[b] ? scores[a] > scores[b] : a < b
        }
        return order.prefix(limit).map { position in
            ScoredRow(key: ObjectKey(rawValue: keys[position]), score: scores[position])
        }
    }
}

/// The BM25 scores of texts for one search.
///
/// S. Robertson and H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009,
/// with the parameters k1 = 1.2 and b = 0.75 and, as in Lucene, a weight that is never negative.
private struct SearchScoring {
    private static let k1 = 1.2
    private static let b = 0.75

    private let column: ResolvedColumn
    private let search: WordSearch
    private let isNecessary: Bool

    init(_ column: ResolvedColumn, _ search: WordSearch, isNecessary: Bool) {
        self.column = column
        self.search = search
        self.isNecessary = isNecessary
    }

    /// Adds the score of each row. Rows that don't match the search score 0.
    func add(
        to scores: inout [Double], of keys: [UInt64], _ content: DatabaseContent, _ key: TableKey,
        _ table: Table
    ) {
        let weights = search.required.map { term in
            let found = Double(frequency(of: term, content, key, table))
            return log(1 + (Double(table.count) - found + 0.5) / (found + 0.5))
        }
        let termCount = weights.count
        // for each row, the number of words in its text, and of those that each term matches
        var wordCounts: [Int] = []
        wordCounts.reserveCapacity(keys.count)
        var counts = [Int](repeating: 0, count: keys.count * termCount)
        var finder = RowFinder(table)
        for (position, key) in keys.enumerated() {
            guard let place = finder.place(key) else {
                wordCounts.append(0)
                continue
            }
            let count = column.withText(place.cluster, place.row) { text in
                guard isNecessary || search.matches(text) else { return WordReader.count(in: text) }
                return search.count(in: text, &counts, from: position * termCount)
            }
            wordCounts.append(count)
        }
        let mean = Double(wordCounts.reduce(0, +)) / Double(keys.count)
        for position in keys.indices {
            let length = 1 - SearchScoring.b + SearchScoring.b * Double(wordCounts[position]) / mean
            var score = 0.0
            for term in 0..<termCount {
                let count = Double(counts[position * termCount + term])
                if count == 0 { continue }
                score +=
                    weights[term] * count * (SearchScoring.k1 + 1)
                    / (count + SearchScoring.k1 * length)
            }
            scores[position] += score
        }
    }

    /// Returns the number of rows of the class that have a term, according to the keys of a
    /// full-text index: the keys of words with more than eight letters may be those of others.
    private func frequency(
        of term: WordSearch.Term, _ content: DatabaseContent, _ key: TableKey, _ table: Table
    ) -> Int {
        let seed = content.context.seed
        let keys = term.keys(seed: seed)
        guard let stored = column.stored, stored.isFullTextIndexed,
            let tree = content.index(key, stored.key, .words)
        else {
            // not built yet
            var count = 0
            table.forEachCluster { cluster in
                count +=
                    cluster.liveMask.filter { row in
                        column.withText(cluster, row) { text in
                            WordKey.keys(text, seed: seed).contains { keys.contains($0) }
                        }
                    }.count
                return true
            }
            return count
        }
        guard term.isPrefix else { return tree.count(in: keys) }
        var rows: [UInt64] = []
        tree.rows(
            from: IndexTree.Entry(key: keys.lowerBound, row: 0),
            through: IndexTree.Entry(key: keys.upperBound, row: .max), into: &rows)
        return rows.sortedUniquely().count
    }
}

extension ResolvedColumn {
    /// Passes the text of a row below `rowCount` to a closure; null is an empty text.
    fileprivate func withText<Result>(
        _ cluster: Cluster, _ row: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        if isStored(in: cluster) {
            if !cluster.isNull(row, index) { return body(cluster.bytes(row, index)) }
        } else if case .string(let text) = fallback {
            return withUTF8(text) { body($0) }
        }
        return body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}
