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
    init(_ table: Table, _ predicate: CompiledPredicate, _ content: DatabaseContent) {
        let clusterCount = Int(truncatingIfNeeded: (table.nextKey + 1023) >> 10)
        var found = [UInt64](repeating: 0, count: wordsPerCluster * clusterCount)
        table.forEachCluster { cluster in
            let rows = predicate.matches(cluster, cluster.liveMask, content)
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
    /// - Parameter isComplete: Whether the predicate is evaluated for all of these rows, not just
    ///   for the first ones or those that other terms leave.
    /// - Complexity: about that of scanning the other classes, if anything changes.
    func prepared(
        rowCount: Int, isComplete: Bool, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        guard readsOtherRows, rowCount >= CompiledPredicate.minimumSetRowCount || isNested else {
            return self
        }
        func prepared(_ path: CompiledPath, _ term: CompiledPredicate) -> PathCondition {
            let wayCount = isComplete ? path.elementCount(content) : 0
            let term = term.preparedSet(path.target, rowCount, wayCount, content, &statistics)
            return (CompiledPath(hops: path.hops, endLevelCount: term.pathLevelCount), term)
        }
        func preparedPart(_ term: CompiledPredicate) -> CompiledPredicate {
            term.prepared(rowCount: rowCount, isComplete: false, content, &statistics)
        }
        switch self {
        case .through(let link, let term, let whenNull):
            if let set = term.rowSet(link.target, rowCount, rowCount, content, &statistics) {
                return .throughSet(link, set, whenNull: whenNull)
            }
            return .through(link, preparedPart(term), whenNull: whenNull)
        case .and(let terms):
            return .and(terms.map(preparedPart))
        case .or(let terms):
            return .or(terms.map(preparedPart))
        case .not(let term):
            return .not(
                term.prepared(
                    rowCount: rowCount, isComplete: isComplete, content, &statistics))
        case .related(let path, let term)
        where path.isNesting(from: rowCount):
            return path.nesting(term)
                .prepared(rowCount: rowCount, isComplete: isComplete, content, &statistics)
        case .compareNumbers where !isNested:
            return self
        default:
            return mapPaths(prepared)
        }
    }

    /// Returns an equivalent predicate for all of some rows of a class, ascending. Conditions on
    /// lists of lists are evaluated once for all rows that the paths lead to.
    func prepared(
        for rows: [UInt64], _ table: TableKey, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        guard pathLevelCount > 1 else { return self }
        if case .and(let terms) = self {
            // each term only for the rows that meet those before it, which cost less
            return .isRow(
                terms.reduce(rows) { $1.matching($0, table, content, &statistics) })
        }
        if rows.count < CompiledPredicate.minimumSetRowCount {
            return resolved(for: rows, table, content, &statistics)
        }
        return prepared(rowCount: rows.count, isComplete: true, content, &statistics)
            .resolved(for: rows, table, content, &statistics)
    }

    /// Returns an equivalent predicate for evaluating many rows of a class.
    private func preparedSet(
        _ target: TableKey, _ rowCount: Int, _ wayCount: Int, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> CompiledPredicate {
        if let set = rowSet(target, rowCount, wayCount, content, &statistics) {
            return .inSet(set)
        }
        return prepared(rowCount: rowCount, isComplete: false, content, &statistics)
    }

    /// Returns the matching rows of a class, or `nil` if evaluating those that `rowCount` rows lead
    /// to is less work.
    ///
    /// - Parameter wayCount: The number of ways to rows of the class; 0 if few of them may be
    ///   followed.
    private func rowSet(
        _ target: TableKey, _ rowCount: Int, _ wayCount: Int, _ content: DatabaseContent,
        _ statistics: inout QueryStatistics
    ) -> RowSet? {
        switch self {
        case .constant, .isRow, .inSet: return nil
        default: break
        }
        guard let table = content.table(target) else { return nil }
        // costly conditions are evaluated for the whole class only if that spares repetitions
        let isCostly = readsOtherRows && !isNested && wayCount / 4 < table.count
        guard table.count <= (isCostly ? rowCount / 2 : 4 * rowCount),
            table.nextKey <= 16 * (UInt64(table.count) + 4_096)
        else { return nil }
        statistics.rowsEvaluated += table.count
        let predicate =
            pathLevelCount > 1
            ? prepared(for: table.keys, target, content, &statistics)
            : prepared(rowCount: table.count, isComplete: true, content, &statistics)
        return RowSet(table, predicate, content)
    }
}

extension CompiledPath {
    /// The number of elements of the longest of the lists that the path leads through, in all rows
    /// together.
    fileprivate func elementCount(_ content: DatabaseContent) -> Int {
        hops.reduce(0) { count, hop in
            switch hop {
            case .list(let list, _), .listOrigins(let list):
                max(count, content[list.table.index].elements(list.list.index).tree.count)
            case .link, .element, .linkOrigins, .entryTargets, .entryOrigins: count
            }
        }
    }
}
