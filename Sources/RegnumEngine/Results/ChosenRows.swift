internal import RegnumStore

/// The rows of a list that a query chooses, with what they are sorted by: kept with a result, so that
/// a step asks only the rows that changed, and those that were put into the list.
///
/// Rows that left the list may still be among them: whoever comes into the list is asked anew.
struct ChosenRows: Sendable {
    /// By row key.
    private(set) var entries = SortedTree(order: ChosenOrder())

    var count: Int { entries.count }

    func entry(_ key: UInt64) -> ResultEntry? { entries.find(key) }

    /// Asks a row.
    mutating func ask(_ key: UInt64, _ plan: FollowedPlan, _ content: DatabaseContent) {
        entries.remove(key)
        guard let place = plan.place(key, content), plan.matches(place, content) else { return }
        let entry =
            plan.terms.isEmpty
            ? ResultEntry(key: key)
            : ResultOrder.entry(plan, place.cluster, place.row, content)
        entries.insertNew(entry, key)
    }

    /// The chosen ones of these rows, in the order of the plan; rows with equal values keep theirs.
    func sequence(_ elements: [UInt64], _ order: ResultOrder, isSorted: Bool) -> [UInt64] {
        guard isSorted else { return elements.filter { entry($0) != nil } }
        var found: [ResultEntry] = []
        for (position, element) in elements.enumerated() {
            guard var entry = entry(element) else { continue }
            entry.key = UInt64(position)  // decides among equal values
            found.append(entry)
        }
        found.sort { order.compare($0, $1) < 0 }
        return found.map { elements[Int($0.key)] }
    }
}

/// The order by row key.
struct ChosenOrder: TreeOrder {
    static var leafSlotCountMax: Int { 24 }
    static var isElementTrivial: Bool { false }
    static var isKeyTrivial: Bool { true }

    @inline(__always)
    static func key(of element: ResultEntry) -> UInt64 { element.key }

    @inline(__always)
    func compare(_ a: UInt64, _ b: UInt64) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}

extension FollowedPlan {
    /// The list whose rows are chosen or sorted, if a step can go by what changed: without a distinct.
    var chosenList: (place: ListPlace, row: UInt64)? {
        guard case .sequence(.list(let place, _), _, let row) = kind, groups.isEmpty else {
            return nil
        }
        return (place, row)
    }

    /// The chosen rows of a list at a version.
    func chooseAll(
        _ content: DatabaseContent, _ list: (place: ListPlace, row: UInt64),
        _ statistics: inout QueryStatistics
    ) -> ResultTree {
        let elements = content.elements(list.place.table, list.place.list).elements(list.row)
        var chosen = ChosenRows()
        let rows = Set(elements)
        for row in rows { chosen.ask(row, self, content) }
        statistics.rowsEvaluated += rows.count
        return result(chosen, elements)
    }

    private func result(_ chosen: ChosenRows, _ elements: [UInt64]) -> ResultTree {
        let keys = chosen.sequence(elements, order, isSorted: !terms.isEmpty)
        return ResultTree(.sequence(keys), self, chosen: chosen)
    }

    /// The chosen rows at the new version of a step; nil where the old result or the step does not
    /// know enough.
    ///
    /// - Complexity: O(c x log n) for c rows that changed or came, O(elements) without asking them.
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
        for row in rows { chosen.ask(row, self, content) }
        statistics.rowsEvaluated += rows.count
        let elements = content.elements(list.place.table, list.place.list).elements(list.row)
        // too many that left the list
        if chosen.count > 2 * elements.count + 64 {
            return chooseAll(content, list, &statistics)
        }
        return result(chosen, elements)
    }
}
