import RegnumStore

/// Plans whose results changes of other rows can change, or that are not in an order of the rows'
/// own: they are evaluated anew, and the results compared.
extension QueryPlan {
    func advanceAnew(
        _ result: ResultTree, from old: DatabaseRoot, to new: DatabaseRoot, delta: MergedDelta,
        listChange: ListChange?
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        let newResult = try evaluate(new)
        let oldKeys = result.map(\.rawValue)
        let newKeys = newResult.map(\.rawValue)
        var modified: [UInt64: ColumnSet] = [:]
        for row in delta.modified { modified[row.key.rawValue] = row.columns }
        if sort.isEmpty, steps.isEmpty, limit == nil, case .list = source {
            let stays = try listed(oldKeys, newKeys, from: old, to: new, listChange)
            return (
                newResult,
                SequenceChange(oldKeys, newKeys, modified: modified, stays: stays).change
            )
        }
        let before = try CompiledQuery(self, old.schema)
        let after = try CompiledQuery(self, new.schema)
        let comparison = SortComparison(before, after, old.content, new.content)
        let isComparable = hasLinkedSorts || old.schema !== new.schema
        let change = SequenceChange(oldKeys, newKeys, modified: modified) { key in
            modified[key] != nil || isComparable && comparison.hasMoved(key)
        }
        return (newResult, change.change)
    }

    /// Whether other rows than its own decide the place of a row.
    private var hasLinkedSorts: Bool {
        isSortedThroughLinks
            || steps.contains { step in
                guard case .sort(let terms) = step else { return false }
                return terms.contains { !$0.column.hops.isEmpty }
            }
    }

    /// By old position in the result the new one, -1 for what was taken out, or does not match any
    /// more: from the splices of the list that it is the matching rows of.
    private func listed(
        _ oldKeys: [UInt64], _ newKeys: [UInt64], from old: DatabaseRoot, to new: DatabaseRoot,
        _ listChange: ListChange?
    ) throws(StoreError) -> [Int] {
        let oldPlaces = try ListedRows(self, old, oldKeys)
        let newPlaces = try ListedRows(self, new, newKeys)
        var stays = [Int](repeating: -1, count: oldKeys.count)
        guard let list = oldPlaces.list ?? newPlaces.list else { return stays }
        let splices =
            listChange?.splices
            ?? new.listSplices(
                list.table, ObjectKey(rawValue: list.row), list.list, since: old)
        var next = 0
        var shift = 0
        for (place, position) in oldPlaces.positions.enumerated() where position >= 0 {
            while next < splices.count,
                splices[next].position + splices[next].removedCount <= place
            {
                shift += splices[next].inserted.count - splices[next].removedCount
                next += 1
            }
            if next < splices.count, splices[next].position <= place { continue }
            let newPlace = place + shift
            if newPlace < newPlaces.positions.count {
                stays[position] = newPlaces.positions[newPlace]
            }
        }
        return stays
    }
}

/// The elements of the list that is a plan's source, with their positions in the result.
private struct ListedRows {
    /// nil where the list does not exist at the version.
    let list: (table: TableKey, list: ListKey, row: UInt64)?
    /// -1 for an element that does not match.
    var positions: [Int] = []

    init(_ plan: QueryPlan, _ root: DatabaseRoot, _ keys: [UInt64]) throws(StoreError) {
        let query = try CompiledQuery(plan, root.schema)
        guard case .related(.list(let place, _), _, let row) = query.source else {
            list = nil
            return
        }
        list = (place.table, place.list, row)
        var next = 0
        for element in root.content.elements(place.table, place.list).elements(row) {
            // matching elements are in the result, in order, whichever occurrence it is
            if next < keys.count, keys[next] == element {
                positions.append(next)
                next += 1
            } else {
                positions.append(-1)
            }
        }
    }
}

/// Compares the sort values of rows at two versions.
private struct SortComparison {
    private let old: (columns: [PathColumn], table: Table?, content: DatabaseContent)
    private let new: (columns: [PathColumn], table: Table?, content: DatabaseContent)

    init(
        _ before: CompiledQuery, _ after: CompiledQuery, _ old: DatabaseContent,
        _ new: DatabaseContent
    ) {
        self.old = (before.sortColumns, before.table.flatMap { old.table($0) }, old)
        self.new = (after.sortColumns, after.table.flatMap { new.table($0) }, new)
    }

    /// Whether a value by which the row is sorted differs.
    func hasMoved(_ key: UInt64) -> Bool {
        guard let a = old.table?.place(key), let b = new.table?.place(key) else { return true }
        for (x, y) in zip(old.columns, new.columns) {
            let before = x.value(a.cluster, a.row, old.content)
            if Value.compare(before, y.value(b.cluster, b.row, new.content)) != 0 { return true }
        }
        return false
    }
}

extension CompiledQuery {
    /// The columns of all sorts.
    fileprivate var sortColumns: [PathColumn] {
        var columns = linkedSort
        columns += sort.map { PathColumn(links: [], isStored: true, column: $0) }
        for step in steps {
            if case .sort(let terms, _) = step { columns += terms }
        }
        return columns
    }
}
