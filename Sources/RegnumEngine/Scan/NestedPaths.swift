/// Conditions at the end of a path that follow further paths, such as nested subqueries. The number
/// of ways along all of these paths grows exponentially with the nesting, so each row that they
/// lead to is evaluated once for each level.
extension CompiledPath {
    /// The number of lists and inverses that the path leads through, followed by those of the
    /// conditions at its end.
    var levelCount: Int { hops.count { !$0.leadsToOneRow } + endLevelCount }

    /// Whether there may be many more ways than rows. The ways through two lists are at most as
    /// many as the elements of all lists.
    var isNested: Bool { endLevelCount > 0 && levelCount > CompiledPredicate.maximumWayLevelCount }

    /// Returns the rows that the path leads to from a row and that match: ascending, without
    /// duplicates.
    func matchingEnds(
        _ predicate: CompiledPredicate, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> [UInt64] {
        var first = RowCollector()
        CompiledPath(hops: [hops[0]]).walk(cluster, row, content, &first)
        let rest = CompiledPath(hops: Array(hops.dropFirst()))
        let ends = rest.ends(of: first.ascending, hops[0].target, content)
        return predicate.matching(ends, target, content)
    }

    /// Returns the rows that the path leads to from some rows of a class: ascending, without
    /// duplicates.
    func ends(
        of rows: [UInt64], _ table: TableKey, _ content: DatabaseContent
    ) -> [UInt64] {
        var (rows, table) = (rows, table)
        for hop in hops {
            let path = CompiledPath(hops: [hop])
            var finder = RowFinder(content[table.index])
            var ends = RowCollector()
            for row in rows {
                guard let place = finder.place(row) else { continue }
                path.walk(place.cluster, place.row, content, &ends)
            }
            (rows, table) = (ends.ascending, hop.target)
        }
        return rows
    }

    /// Whether to follow the path, through two or more lists or inverses, from a number of rows by
    /// nested conditions (`nesting`). From a few, it is followed separately, because that often
    /// ends early, at the first matching row.
    func isNesting(from rowCount: Int) -> Bool {
        rowCount > CompiledPath.maximumSearchCount && hops.count { !$0.leadsToOneRow } > 1
    }

    /// The number of rows up to which a path is followed from each of them separately.
    static let maximumSearchCount = 8

    /// Returns the condition that the path leads to a matching row as nested ones, each of which
    /// follows a single list or inverse.
    func nesting(_ term: CompiledPredicate) -> CompiledPredicate {
        var (hops, term) = (hops, term)
        while let split = hops.indices.dropFirst().last(where: { !hops[$0].leadsToOneRow }) {
            let rest = CompiledPath(hops: Array(hops[split...]), endLevelCount: term.pathLevelCount)
            term = .related(rest, term)
            hops.removeSubrange(split...)
        }
        return .related(CompiledPath(hops: hops, endLevelCount: term.pathLevelCount), term)
    }
}

extension CompiledPredicate {
    /// The number of nested lists and inverses up to which all ways are followed.
    static let maximumWayLevelCount = 2

    /// Whether there may be many more ways along the paths of the condition than rows.
    var isNested: Bool { pathLevelCount > CompiledPredicate.maximumWayLevelCount }

    /// The highest number of nested lists and inverses that the condition leads through.
    ///
    /// - Complexity: O(1) for each path, whatever the conditions at its end.
    var pathLevelCount: Int {
        switch self {
        case .related(let path, _), .count(let path, _, _, _), .aggregate(let path, _):
            path.levelCount
        case .through(_, let term, _), .not(let term): term.pathLevelCount
        case .and(let terms), .or(let terms): terms.reduce(0) { max($0, $1.pathLevelCount) }
        case .compareNumbers(let a, _, let b): max(a.pathLevelCount, b.pathLevelCount)
        case .constant, .compare, .compareColumns, .matchText, .matchWords, .isIn, .throughSet,
            .inSet, .compareValues, .matchTextColumns, .isKind, .isRow, .within:
            0
        }
    }

    /// Returns those of some rows of a class, ascending, that match.
    func matching(
        _ rows: [UInt64], _ table: TableKey, _ content: DatabaseContent
    ) -> [UInt64] {
        var statistics = QueryStatistics()
        return matching(rows, table, content, &statistics)
    }

    /// As above, adding the work done to `statistics`, except for the rows themselves.
    func matching(
        _ rows: [UInt64], _ table: TableKey, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        let predicate = prepared(for: rows, table, content, &statistics)
        var found: [UInt64] = []
        content[table.index].forEachCluster(of: rows) { cluster, rows in
            predicate.select(cluster, rows, content).visit { row in
                found.append(cluster.firstKey + UInt64(row))
                return true
            }
        }
        return found
    }

    /// Returns the first `limit` of some rows of a class, in any order, that match: those of the
    /// first one, then of more and more together, because each may lead to the same rows.
    func firstMatching(
        _ rows: [UInt64], _ table: TableKey, _ content: DatabaseContent, limit: Int,
        _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        var found: [UInt64] = []
        var rest = rows[...]
        var partCount = 1
        while !rest.isEmpty, found.count < limit {
            let part = Array(rest.prefix(partCount))
            rest = rest.dropFirst(partCount)
            partCount *= 16
            statistics.rowsEvaluated += part.count
            found += matching(inAnyOrder: part, table, content, &statistics)
        }
        return Array(found.prefix(limit))
    }

    /// Returns those of some rows of a class that match, in their order, adding the work done to
    /// `statistics`, except for the rows themselves.
    func matching(
        inAnyOrder rows: [UInt64], _ table: TableKey, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        let wanted = Set(matching(rows.sortedUniquely(), table, content, &statistics))
        return rows.filter { wanted.contains($0) }
    }

    /// Returns an equivalent predicate for some rows of a class, ascending. Nested conditions are
    /// evaluated for all rows that the paths lead to from these, and replaced by those that match.
    func resolved(
        for rows: [UInt64], _ table: TableKey, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        guard isNested else { return self }
        func found(_ path: CompiledPath, _ term: CompiledPredicate) -> PathCondition {
            guard path.isNested else { return (path, term) }
            let ends = path.ends(of: rows, table, content)
            statistics.rowsEvaluated += ends.count
            let matching = term.matching(ends, path.target, content, &statistics)
            return (CompiledPath(hops: path.hops), .isRow(matching))
        }
        switch self {
        case .related(let path, let term) where path.isNesting(from: rows.count):
            return path.nesting(term).resolved(for: rows, table, content, &statistics)
        case .related(let path, let term)
        where rows.count <= CompiledPath.maximumSearchCount && ReachSearch(path, term) != nil:
            return self
        case .through(let link, let term, let whenNull):
            let ends = CompiledPath(hops: [.link(link)]).ends(of: rows, table, content)
            return .through(
                link, term.resolved(for: ends, link.target, content, &statistics),
                whenNull: whenNull)
        case .and(let terms):
            // each term only for the rows that meet those before it, which cost less
            return .isRow(terms.reduce(rows) { $1.matching($0, table, content, &statistics) })
        case .or(let terms):
            return .or(terms.map { $0.resolved(for: rows, table, content, &statistics) })
        case .not(let term): return .not(term.resolved(for: rows, table, content, &statistics))
        default: return mapPaths(found)
        }
    }

    /// Returns the predicate with other paths and conditions of the rows that it searches or
    /// counts; itself if it is anything else, such as an operator.
    func mapPaths(
        _ transform: (CompiledPath, CompiledPredicate) -> PathCondition
    ) -> CompiledPredicate {
        switch self {
        case .related(let path, let term):
            let found = transform(path, term)
            return .related(found.path, found.term)
        case .count(let path, let term, let comparison, let number):
            let found = transform(path, term)
            return .count(found.path, found.term, comparison, number)
        case .compareNumbers(let a, let comparison, let b):
            return .compareNumbers(a.mapCounts(transform), comparison, b.mapCounts(transform))
        default: return self
        }
    }
}

extension CompiledExpression {
    var pathLevelCount: Int {
        switch self {
        case .constant, .column, .byteCount: 0
        case .count(let counted): counted.reduce(0) { max($0, $1.path.levelCount) }
        case .operation(_, let a, let b): max(a.pathLevelCount, b.pathLevelCount)
        }
    }

    /// Returns the expression with other paths and conditions of its counts.
    func mapCounts(
        _ transform: (CompiledPath, CompiledPredicate) -> PathCondition
    ) -> CompiledExpression {
        switch self {
        case .constant, .column, .byteCount: self
        case .count(let counted): .count(counted.map { transform($0.path, $0.term) })
        case .operation(let operation, let a, let b):
            .operation(operation, a.mapCounts(transform), b.mapCounts(transform))
        }
    }
}

/// A scan that evaluates a nested condition for many rows together, because each may lead to the
/// same other rows: for all of them or, if the scan may end early, for the first one, then for more
/// and more.
struct NestedParts {
    private let predicate: CompiledPredicate
    private let key: TableKey
    private let content: DatabaseContent
    /// The rows of the next part; ascending.
    private var rows: [UInt64] = []
    private var partCount: Int
    private var isOver = false

    /// Returns `nil` if the condition of the query isn't nested.
    init?(_ query: CompiledQuery, _ content: DatabaseContent, isComplete: Bool) {
        guard query.predicate.isNested, let key = query.table else { return nil }
        predicate = query.predicate
        self.key = key
        self.content = content
        partCount = isComplete ? .max : 1
    }

    /// Adds rows of a cluster, which come after those of earlier calls. Calls `body` with the
    /// matching rows of each part that is complete, as a scan does, until it returns `false`.
    /// Returns whether it never did.
    mutating func add(
        _ cluster: Cluster, _ rows: RowMask, _ statistics: inout QueryStatistics,
        _ body: (Cluster, RowMask) -> Bool
    ) -> Bool {
        var rest = rows
        while !rest.isEmpty, !isOver {
            let next = rest.prefix(partCount - self.rows.count)
            rest = rest.subtracting(next)
            next.visit { row in
                self.rows.append(cluster.firstKey + UInt64(row))
                return true
            }
            if self.rows.count < partCount { break }
            finish(&statistics, body)
            partCount *= 16
        }
        return !isOver
    }

    /// Evaluates the rows that remain, unless `body` has returned `false`.
    mutating func finish(
        _ statistics: inout QueryStatistics, _ body: (Cluster, RowMask) -> Bool
    ) {
        if isOver || rows.isEmpty { return }
        statistics.rowsEvaluated += rows.count
        let found = predicate.matching(rows, key, content, &statistics)
        rows = []
        let table = content[key.index]
        table.forEachCluster(of: found) { cluster, rows in
            isOver = !body(cluster, rows)
            return !isOver
        }
    }
}
