/// A set of rows of one table: key k is bit k % 64 of word k / 64.
struct RowSet: Sendable {
    private var words: [UInt64]

    @inline(__always)
    func contains(_ key: UInt64) -> Bool {
        let word = Int(truncatingIfNeeded: key >> 6)
        return word < words.count && words[word] >> (key & 63) & 1 != 0
    }

    /// Returns the rows of a cluster that are in the set.
    func mask(_ cluster: Cluster) -> RowMask {
        let first = Int(truncatingIfNeeded: cluster.firstKey >> 6)
        guard first + wordsPerCluster <= words.count else { return RowMask() }
        return words.withUnsafeBufferPointer { words in
            words.baseAddress.map { RowMask($0 + first) } ?? RowMask()
        }
    }

    /// Creates the set of matching rows of a table.
    init(
        _ table: Table, _ key: TableKey, _ predicate: CompiledPredicate, _ content: DatabaseContent
    ) {
        let clusterCount = Int(truncatingIfNeeded: (table.nextKey + 1023) >> 10)
        var found = [UInt64](repeating: 0, count: wordsPerCluster * clusterCount)
        table.forEachCluster { cluster in
            let live = cluster.liveMask
            let rows = predicate.resolved(for: live, of: cluster, key, content)
                .matches(cluster, live, content)
            let first = Int(truncatingIfNeeded: cluster.firstKey >> 6)
            if first + wordsPerCluster <= found.count {
                for word in 0..<wordsPerCluster { found[first + word] = rows.words[word] }
            }
            return true
        }
        words = found
    }
}

extension CompiledPredicate {
    /// Scans of fewer rows than this evaluate conditions on other rows one by one.
    private static let minimumSetRowCount = 1_024

    /// Returns an equivalent predicate for a scan of `rowCount` rows. Conditions on another class
    /// are evaluated once for all rows of that class instead of for each scanned row.
    ///
    /// - Complexity: about that of scanning the other classes, if anything changes.
    func prepared(
        rowCount: Int, _ content: DatabaseContent, _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        guard readsOtherRows, rowCount >= CompiledPredicate.minimumSetRowCount || isNested else {
            return self
        }
        func prepared(_ path: CompiledPath, _ term: CompiledPredicate) -> PathCondition {
            let term = term.preparedSet(path.target, rowCount, content, &statistics)
            return (CompiledPath(hops: path.hops, endLevelCount: term.pathLevelCount), term)
        }
        switch self {
        case .through(let link, let term, let whenNull):
            if let set = term.rowSet(link.target, rowCount, content, &statistics) {
                return .throughSet(link, set, whenNull: whenNull)
            }
            return .through(
                link, term.prepared(rowCount: rowCount, content, &statistics), whenNull: whenNull)
        case .and(let terms):
            return .and(terms.map { $0.prepared(rowCount: rowCount, content, &statistics) })
        case .or(let terms):
            return .or(terms.map { $0.prepared(rowCount: rowCount, content, &statistics) })
        case .not(let term):
            return .not(term.prepared(rowCount: rowCount, content, &statistics))
        case .related(let path, let term) where path.isNesting(from: rowCount):
            return path.nesting(term).prepared(rowCount: rowCount, content, &statistics)
        case .compareNumbers where !isNested:
            return self
        default:
            return mapPaths(prepared)
        }
    }

    /// Returns an equivalent predicate for evaluating many rows of a class.
    private func preparedSet(
        _ target: TableKey, _ rowCount: Int, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        if let set = rowSet(target, rowCount, content, &statistics) { return .inSet(set) }
        return prepared(rowCount: rowCount, content, &statistics)
    }

    /// Returns the matching rows of a class, or `nil` if evaluating `rowCount` rows is less work.
    private func rowSet(
        _ target: TableKey, _ rowCount: Int, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> RowSet? {
        switch self {
        case .constant, .isRow, .inSet: return nil
        default: break
        }
        guard let table = content.table(target),
            table.count <= (readsOtherRows && !isNested ? rowCount / 2 : 4 * rowCount),
            table.nextKey <= 16 * (UInt64(table.count) + 4_096)
        else { return nil }
        statistics.rowsEvaluated += table.count
        return RowSet(
            table, target, prepared(rowCount: table.count, content, &statistics), content)
    }
}
