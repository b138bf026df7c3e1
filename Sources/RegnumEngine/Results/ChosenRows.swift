internal import RegnumStore

/// The rows of a list that match a query, with their sort values. Kept with a result, so that a
/// step evaluates only rows that changed or were added to the list.
///
/// May still include rows that left the list: a row is evaluated again when it is added to the
/// list.
struct ChosenRows: Sendable {
    /// By row key.
    private(set) var entries = SortedTree(order: ChosenOrder())

    func entry(_ key: UInt64) -> ResultEntry? { entries.find(key) }

    /// Evaluates rows and updates their entries.
    mutating func reevaluate(
        _ keys: Set<UInt64>, _ plan: FollowedPlan, _ content: DatabaseContent
    ) {
        var predicate = plan.query.predicate
        if predicate.pathLevelCount > 1, let table = plan.query.table {
            var statistics = QueryStatistics()
            predicate = predicate.prepared(for: keys.sorted(), table, content, &statistics)
        }
        for key in keys {
            entries.remove(key)
            guard let place = plan.place(key, content),
                predicate.matches(place.cluster, place.row, content)
            else { continue }
            let entry =
                plan.terms.isEmpty
                ? ResultEntry(key: key)
                : ResultOrder.entry(plan, place.cluster, place.row, content)
            entries.insertNew(entry, key)
        }
    }

    /// Returns the matching rows among `elements`, in the order of the plan. Rows with equal values
    /// keep their relative order.
    func sequence(_ elements: [UInt64], _ order: ResultOrder, isSorted: Bool) -> [UInt64] {
        guard isSorted else { return elements.filter { entry($0) != nil } }
        var found: [ResultEntry] = []
        for (position, element) in elements.enumerated() {
            guard var entry = entry(element) else { continue }
            entry.key = UInt64(position)  // orders equal values
            found.append(entry)
        }
        found.sort { order.compare($0, $1) < 0 }
        return found.map { elements[Int($0.key)] }
    }
}

/// The order by row key.
struct ChosenOrder: TreeOrder {
    static var isKeyTrivial: Bool { true }

    @inline(__always)
    static func key(of element: ResultEntry) -> UInt64 { element.key }

    @inline(__always)
    func compare(_ a: UInt64, _ b: UInt64) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}

extension FollowedPlan {
    /// The list whose rows are filtered or sorted, if its result can be advanced by its changes;
    /// plans with a distinct can't.
    var chosenList: (place: ListPlace, row: UInt64)? {
        guard case .sequence(.list(let place, _), _, let row) = kind, groups.isEmpty else {
            return nil
        }
        return (place, row)
    }

    /// Returns the matching rows of a list at a version, evaluating all of its elements.
    func chooseAll(
        _ content: DatabaseContent, _ list: (place: ListPlace, row: UInt64),
        _ statistics: inout QueryStatistics
    ) -> ResultTree {
        let elements = content.elements(list.place.table, list.place.list).elements(list.row)
        var chosen = ChosenRows()
        let rows = Set(elements)
        chosen.reevaluate(rows, self, content)
        statistics.rowsEvaluated += rows.count
        return result(chosen, elements)
    }

    private func result(_ chosen: ChosenRows, _ elements: [UInt64]) -> ResultTree {
        let keys = chosen.sequence(elements, order, isSorted: !terms.isEmpty)
        return ResultTree(.sequence(keys), self, chosen: chosen)
    }

    /// Returns the matching rows at the new version of a step, or `nil` if the old result or the
    /// step lacks the information to derive them.
    ///
    /// - Complexity: O(c x log n) to evaluate c rows that changed or were added, and O(elements) to
    ///   collect the result.
    func choose(
        _ old: ResultTree, _ step: VersionStep, _ listChange: ListChange?,
        _ statistics: inout QueryStatistics
    ) -> ResultTree? {
        guard let list = chosenList, var chosen = old.chosen, let splices = listChange?.splices
        else { return nil }
        let content = step.new.content
        let backlinks = content[list.place.table.index].backlinks(list.place.list.index)
        let delta = step.rows(plan.tableName)
        var rows = Set(splices.flatMap { $0.inserted.map(\.rawValue) })
        for row in delta.modified where backlinks.contains(row.key.rawValue, list.row) {
            rows.insert(row.key.rawValue)
        }
        for row in reach.rows(step) where backlinks.contains(row, list.row) { rows.insert(row) }
        chosen.reevaluate(rows, self, content)
        statistics.rowsEvaluated += rows.count
        let elements = content.elements(list.place.table, list.place.list).elements(list.row)
        // too many entries of rows that left the list
        if chosen.entries.count > 2 * elements.count + 64 {
            return chooseAll(content, list, &statistics)
        }
        return result(chosen, elements)
    }
}
