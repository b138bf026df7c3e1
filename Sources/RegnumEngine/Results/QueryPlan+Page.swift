package import RegnumStore

/// The place of a row in the order of a query, after which the next page starts.
package struct PagePlace: Hashable, Sendable {
    /// The values of the query's `order`.
    package let values: [Value]
    package let key: ObjectKey
    /// How many times the row occurs before this place, in a collection that may repeat rows.
    package let occurrence: Int

    package init(values: [Value], key: ObjectKey, occurrence: Int) {
        self.values = values
        self.key = key
        self.occurrence = occurrence
    }

    /// Whether it can be a place in an order, which one from outside the process need not be.
    package func isPlace(in order: [SortTerm]) -> Bool {
        values.count == order.count && key.rawValue < SortRank.flag
            && (0..<Int(UInt32.max)).contains(occurrence)
            && zip(values, order).allSatisfy { value, term in
                if case .any(let bytes) = value, !bytes.withUnsafeBytes({ AnyContent.areSound($0) })
                {
                    return false
                }
                return value.type.map { $0 == term.column.type } ?? true
            }
    }
}

/// Some successive rows of a query's result.
package struct RowPage: Sendable {
    package let keys: [ObjectKey]
    /// The place of the last row; that before the page if there are no rows.
    package let end: PagePlace?
    /// Whether more rows follow.
    package let hasMore: Bool
}

extension QueryPlan {
    /// The terms that order the result, most significant first: those of the last sort, then those
    /// of the sorts before. Ties keep the order of the source.
    package var order: [SortTerm] {
        var sorts = [sort]
        for case .sort(let terms) in steps { sorts.append(terms) }
        var order: [SortTerm] = []
        for term in sorts.reversed().joined()
        where !order.contains(where: { $0.column == term.column }) {
            order.append(term)
        }
        return order
    }

    /// Returns up to `limit` rows of the result: the first ones, or those after a place in the
    /// current order, whether or not its row is still there.
    ///
    /// Returns `nil` if the place isn't defined: in a list or map, rows with equal values have no
    /// order but their positions, and the row is no longer an element.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(limit x log n) for all rows in creation order, those with one value of an
    ///   index, and a sort whose first term has an index of integers, dates or booleans with few
    ///   rows for each value, unless most rows don't match. Otherwise O(candidates), with memory
    ///   for about 2 x `limit` rows; as `evaluate` for a sort through links, a list, a distinct or
    ///   a limit.
    package func page(
        after place: PagePlace?, limit: Int, _ state: QueryState
    ) throws(StoreError) -> RowPage? {
        var statistics = QueryStatistics()
        let content = state.content
        let query = try CompiledQuery(self, content.schema)
        let order = try pageOrder(content.schema)
        // one more, to know whether there is another page
        let wanted = limit < .max ? limit + 1 : limit
        let start = place.map { place in
            ResultEntry(
                first: place.values.first ?? .null, rest: Array(place.values.dropFirst()),
                key: place.key.rawValue)
        }
        var keys: [UInt64]
        var occurrence = 0
        if isPlain {
            keys = query.page(self, order, after: start, limit: wanted, content, &statistics)
        } else {
            keys = query.keys(self, content, max: .max, &statistics)
            var first = 0
            if let place, let start {
                guard
                    let found = query.position(
                        after: start, place.occurrence, in: keys, order, content)
                else { return nil }
                first = found
            }
            let end = first + min(limit, keys.count - first)
            if source != .table, end > first {
                let last = keys[end - 1]
                occurrence = keys[..<(end - 1)].count { $0 == last }
            }
            keys = Array(keys[first..<(first + min(wanted, keys.count - first))])
        }
        state.counters?.add(statistics, foundCount: keys.count)
        let hasMore = keys.count > limit
        if hasMore { keys.removeLast() }
        var end = place
        if let last = keys.last, let table = query.table.flatMap({ content.table($0) }),
            let row = table.place(last)
        {
            let entry = order.entry(row.cluster, row.row, content)
            let values = order.terms.isEmpty ? [] : [entry.first] + entry.rest
            end = PagePlace(
                values: values, key: ObjectKey(rawValue: last), occurrence: occurrence)
        }
        return RowPage(
            keys: keys.map { ObjectKey(rawValue: $0) }, end: end, hasMore: hasMore)
    }

    private func pageOrder(_ schema: DatabaseSchema) throws(StoreError) -> PageOrder {
        let compiler = QueryCompiler(schema, tableName)
        let terms = order
        var columns: [PathColumn] = []
        for term in terms { columns.append(try compiler.resolvePath(term.column)) }
        return PageOrder(terms: columns, areDescending: terms.map { !$0.ascending })
    }
}

extension CompiledQuery {
    /// Returns the first keys of a plain plan's result, or those after a place.
    fileprivate func page(
        _ plan: QueryPlan, _ order: PageOrder, after start: ResultEntry?, limit: Int,
        _ root: DatabaseContent, _ statistics: inout QueryStatistics
    ) -> [UInt64] {
        if plan.shape == .keys {
            let first = start.map { $0.key + 1 } ?? 0
            return matchingKeys(root, from: first, limit: limit, &statistics)
        }
        guard let key = table, let table = root.table(key) else { return [] }
        if case .constant(false) = predicate { return [] }
        if sort[0].stored?.hasIndex == true {
            var isAll = false
            if case .constant(true) = predicate { isAll = true }
            let lookup =
                isAll
                ? nil
                : predicate.lookup(root, key, candidateCount: table.count, &statistics)
            var page = IndexedPage(
                self, order, after: start, limit: limit, root, table, lookup)
            let found = page?.find()
            let count = page?.entriesRead ?? 0
            statistics.indexEntriesRead += count
            if !isAll {
                statistics.rowsEvaluated += count + (page?.nested.rowsEvaluated ?? 0)
            }
            if let found {
                statistics.usedIndex = true
                return found
            }
        }
        let start = start.map { PageStart(order, $0, firstRank) }
        return plan.shape == .ranks
            ? sortedRanks(root, limit: limit, after: start, &statistics).map(\.key)
            : sortedEntries(root, limit: limit, after: start, &statistics).map(\.key)
    }

    /// Returns the position after a place in the keys of the whole result. Returns `nil` if it
    /// isn't defined; see `QueryPlan.page`.
    fileprivate func position(
        after start: ResultEntry, _ occurrence: Int, in keys: [UInt64], _ order: PageOrder,
        _ root: DatabaseContent
    ) -> Int? {
        guard let key = table, let table = root.table(key) else { return 0 }
        /// Returns the first position whose row isn't before the place.
        func bound(_ isBefore: (ResultEntry) -> Bool) -> Int {
            var (low, high) = (0, keys.count)
            while low < high {
                let middle = (low + high) / 2
                let place = table.place(keys[middle])
                if place.map({ isBefore(order.entry($0.cluster, $0.row, root)) }) ?? true {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
        if !keepsPositions(root) {
            let first = bound { order.compare($0, start) < 0 }
            let last = bound { order.compare($0, start) <= 0 }
            return min(first + occurrence + 1, last)
        }
        let first = bound { order.compareValues($0, start) < 0 }
        let last = bound { order.compareValues($0, start) <= 0 }
        if first == last { return first }
        var all = self
        all.predicate = .constant(true)
        var statistics = QueryStatistics()
        var before = occurrence
        var next = first
        for element in all.sourceKeys(root, limit: .max, &statistics) {
            // rows with equal values are in the order of the elements
            if next < last, keys[next] == element { next += 1 }
            if element != start.key { continue }
            if before == 0 { return next }
            before -= 1
        }
        return nil
    }

    /// Whether rows with equal values are in the order of a list or map. Those of a set are
    /// ascending, like all others.
    private func keepsPositions(_ root: DatabaseContent) -> Bool {
        switch source {
        case .related(.list(let list, _), _, _):
            root.listSchema(list.table, list.list)?.kind != .set
        case .related(.entryTargets, _, _): true
        case .related, .table, .nothing: false
        }
    }
}
