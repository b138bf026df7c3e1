/// Answering conditions on other rows backward: finds the matching rows at the end of a path, then
/// the rows that lead to them, and so on back to the rows of the query.
extension CompiledPredicate {
    /// Returns the lookup of `through`, `related` or `count`. Returns `nil` if evaluating
    /// `candidateCount` rows is less work, or if rows that lead to no other row match as well.
    func backwardLookup(
        _ root: DatabaseContent, _ table: TableKey, _ candidateCount: Int,
        _ statistics: inout QueryStatistics
    ) -> IndexLookup? {
        let hops: [CompiledHop]
        let end: CompiledPredicate
        var isExact = true
        switch self {
        case .through(let link, let term, whenNull: false):
            (hops, end) = ([.link(link)], term)
        case .related(let path, let term):
            (hops, end) = (path.hops, term)
        case .count(let path, let term, let comparison, let number)
        where !comparison.holds(.int(0), .int(number)):
            (hops, end, isExact) = (path.hops, term, false)
        default:
            return nil
        }
        // the position or key isn't checked: a list may have the element elsewhere
        if hops.contains(where: { if case .element = $0 { true } else { false } }) {
            isExact = false
        }
        if candidateCount < CompiledPredicate.minimumBackwardCount { return nil }
        let maximumCount = min(candidateCount, max((root.table(table)?.count ?? 0) / 4, 16))
        var geoIndexes: [ListPlace] = []
        guard let target = hops.last?.target,
            var rows = end.rows(
                root, target, candidateCount, maximumCount, &geoIndexes, &statistics)
        else { return nil }
        for (index, hop) in hops.enumerated().reversed() {
            let origin = index == 0 ? table : hops[index - 1].target
            guard
                let origins = hop.origins(
                    of: rows, origin, root, maximumCount: maximumCount, &statistics)
            else { return nil }
            rows = origins
        }
        return IndexLookup(
            ranges: [], rows: rows, isExact: isExact, geoIndexes: geoIndexes, paths: [hops[0]])
    }

    /// With fewer candidates than this, each of them is evaluated.
    private static let minimumBackwardCount = 32
    /// The least cost of following a path from a row, in units of scanning past one row.
    private static let followingCost = 8

    /// Returns the matching rows of a class, ascending. Returns `nil` if there may be more than
    /// `maximumCount`, or if finding them is more work than following a path from `candidateCount`
    /// rows.
    ///
    /// - Parameter geoIndexes: Is set to the geospatial indexes that the rows were found in.
    private func rows(
        _ root: DatabaseContent, _ key: TableKey, _ candidateCount: Int, _ maximumCount: Int,
        _ geoIndexes: inout [ListPlace], _ statistics: inout QueryStatistics
    ) -> [UInt64]? {
        guard let table = root.table(key) else { return [] }
        let lookup = lookup(
            root, key, candidateCount: min(table.count, candidateCount), &statistics)
        var rows: [UInt64] = []
        if let lookup, lookup.maximumCount <= maximumCount {
            let keys = lookup.keys()
            statistics.indexEntriesRead += min(keys.count, lookup.entryCount)
            geoIndexes = lookup.geoIndexes
            if lookup.isExact { return keys }
            statistics.rowsEvaluated += keys.count
            return matching(keys, key, root, &statistics)
        }
        let cost = readsOtherRows ? CompiledPredicate.followingCost : 1
        guard table.count <= CompiledPredicate.followingCost * candidateCount / cost else {
            return nil
        }
        if case .constant(true) = self, table.count > maximumCount { return nil }
        statistics.rowsEvaluated += table.count
        let predicate =
            pathLevelCount > 1 ? prepared(for: table.keys, key, root, &statistics) : self
        table.forEachCluster { cluster in
            predicate.matches(cluster, cluster.liveMask, root).visit { row in
                rows.append(cluster.firstKey + UInt64(row))
                return rows.count <= maximumCount
            }
        }
        return rows.count <= maximumCount ? rows : nil
    }

    /// Whether the predicate reads more than the columns of the row itself.
    var readsOtherRows: Bool {
        switch self {
        case .through, .throughSet, .compareValues, .related, .count, .aggregate, .matchTextColumns,
            .compareNumbers, .within:
            true
        case .and(let terms), .or(let terms): terms.contains { $0.readsOtherRows }
        case .not(let term): term.readsOtherRows
        case .constant, .compare, .compareColumns, .matchText, .matchWords, .isIn, .isKind, .isRow,
            .inSet:
            false
        }
    }
}

extension CompiledHop {
    /// Returns the rows of `origin` from which the hop leads to one of `rows`, ascending, without
    /// duplicates. Returns `nil` if there are more than `maximumCount` entries.
    func origins(
        of rows: [UInt64], _ origin: TableKey, _ root: DatabaseContent, maximumCount: Int,
        _ statistics: inout QueryStatistics
    ) -> [UInt64]? {
        var found = RowCollector()
        func add(_ row: UInt64) -> Bool {
            found.add(row)
            return found.count <= maximumCount
        }
        func takeOwners(_ list: ListPlace) -> Bool {
            let backlinks = root[list.table.index].backlinks(list.list.index)
            for row in rows {
                backlinks.forEachRepeatedRow(row, add)
                if found.count > maximumCount { return false }
            }
            return true
        }
        switch self {
        case .link(let link):
            let column = ColumnKey(rawValue: UInt16(link.column))
            guard let index = root.index(origin, column) else { return nil }
            for row in rows {
                index.forEachRow(DatabaseContent.linkKey(row), add)
                if found.count > maximumCount { return nil }
            }
        case .list(let list, _):
            if !takeOwners(list) { return nil }
        case .element(let element):
            if !takeOwners(element.list) { return nil }
        case .linkOrigins(let owner, let column):
            let link = LinkHop(column: column.index, target: origin)
            var finder = RowFinder(root[owner.index])
            for row in rows {
                guard let place = finder.place(row),
                    let target = link.follow(place.cluster, place.row, root)
                else { continue }
                found.add(target.cluster.firstKey + UInt64(target.row))
            }
        case .listOrigins(let list):
            let elements = root[list.table.index].elements(list.list.index)
            for row in rows {
                elements.visit(row, add)
                if found.count > maximumCount { return nil }
            }
        case .entryTargets, .entryOrigins:
            return nil  // no condition leads through them
        }
        statistics.indexEntriesRead += found.count
        return found.ascending
    }
}
