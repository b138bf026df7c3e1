import RegnumStore

extension TableCheck {
    /// Checks that lists refer to existing rows, are in order, and match their backlinks.
    func checkLists() {
        for list in table.lists where !walk.endsHere() {
            let elements = state.elements(list.key.index).tree
            let backlinks = state.backlinks(list.key.index)
            let isReadable = checkLeaves(of: elements, list.name)
            guard checkLeaves(of: backlinks, list.name), isReadable else { continue }
            checkBacklinks(backlinks, list, checkElements(elements, list))
            if backlinks.count != elements.count {
                walk.add(damage("the lists do not match their backlinks", list.name))
            }
        }
    }

    /// Checks the elements of a list.
    ///
    /// - Returns: the entries that its backlinks must have, ascending.
    private func checkElements(
        _ elements: IndexTree, _ list: ListSchema
    ) -> [IndexTree.Entry] {
        let targets = content[list.target.index]
        var expected: [IndexTree.Entry] = []
        var order = MemberOrder(list, of: table, content)
        var isAscending = true
        var unordered: UInt64?
        visit(elements) { owner, element in
            if let last = expected.last, owner < last.row { isAscending = false }
            expected.append(IndexTree.Entry(key: element, row: owner))
            if !state.contains(owner) || !targets.contains(element) {
                walk.add(damage("a list's owner or element does not exist", list.name, owner))
            }
            let (isOrdered, unreadable) = DamageWatch.run { order.permits(element, in: owner) }
            if !isOrdered, unreadable == nil, unordered != owner {
                unordered = owner
                walk.add(damage("its lists are out of order", list.name, owner))
            }
            return !walk.endsHere()
        }
        walk.findings.elementCount += expected.count
        if !isAscending { walk.add(damage("its lists are out of order", list.name)) }
        expected.sort { $0 < $1 }
        return expected
    }

    /// Checks that the backlinks of a list have the expected entries.
    private func checkBacklinks(
        _ backlinks: IndexTree, _ list: ListSchema, _ expected: [IndexTree.Entry]
    ) {
        if walk.isOver { return }
        var next = 0
        func reportMissing(before entry: IndexTree.Entry?) {
            while next < expected.count, !walk.isOver {
                if let entry, !(expected[next] < entry) { return }
                let row = expected[next].row
                walk.add(damage("the backlinks of a list lack an element", list.name, row))
                next += 1
            }
        }
        visit(backlinks) { key, row in
            let entry = IndexTree.Entry(key: key, row: row)
            reportMissing(before: entry)
            if next < expected.count, expected[next] == entry {
                next += 1
            } else {
                let what = "the backlinks of a list have an element that it does not have"
                walk.add(damage(what, list.name, row))
            }
            return !walk.endsHere()
        }
        reportMissing(before: nil)
    }

    /// Checks that each row of an owned class has one owner, and that rows don't own each other in
    /// a cycle.
    func checkOwners() {
        guard table.kind.isOwned, !walk.endsHere() else { return }
        var settled: Set<OwnedRow> = []
        state.forEachKey { row in
            let (problem, unreadable) = DamageWatch.run { () -> String? in
                if !content.hasOneOwner(table.key, row) { return "a row has no owner, or several" }
                return isInCircle(row, &settled) ? "rows own each other in a cycle" : nil
            }
            if let problem, unreadable == nil { walk.add(damage(problem, nil, row)) }
            return !walk.endsHere()
        }
    }

    private struct OwnedRow: Hashable {
        let table: TableKey
        let row: UInt64
    }

    /// Returns whether following the owners of a row leads into a cycle.
    ///
    /// - Parameter settled: Rows for which it doesn't.
    private func isInCircle(_ row: UInt64, _ settled: inout Set<OwnedRow>) -> Bool {
        var place = OwnedRow(table: table.key, row: row)
        var path: Set<OwnedRow> = []
        while content.schema.tables[place.table.index].kind.isOwned, !settled.contains(place) {
            if !path.insert(place).inserted { return true }
            guard let owner = content.owner(place.table, place.row) else { break }
            place = OwnedRow(table: owner.table, row: owner.row)
        }
        // The owner of most rows isn't owned itself.
        if path.count > 1 { settled.formUnion(path) }
        return false
    }
}

/// The order of the elements of a set, or of the entries of a map or dictionary, in each row.
struct MemberOrder {
    private let kind: ListKind
    private let owners: Table
    private let target: Table
    /// The column by which elements are ordered; `nil` to order them by their keys.
    private let column: ColumnSchema?
    /// The column of any type whose items the list contains, which are ordered if its value is a
    /// dictionary.
    private let items: ColumnSchema?
    private var last: (owner: UInt64, element: UInt64, isOrdered: Bool)?

    init(_ list: ListSchema, of table: TableSchema, _ content: DatabaseContent) {
        kind = list.kind
        owners = content[table.key.index]
        target = content[list.target.index]
        let schema = content.schema.tables[list.target.index]
        let index = list.kind == .set ? 0 : 1
        let hasValues = schema.kind == .elements && index < schema.columns.count
        column = hasValues ? schema.columns[index] : nil
        items = list.kind == .list && hasValues ? table.column(ofItems: list) : nil
    }

    /// Returns whether an element may follow the last one, for which this was called before.
    mutating func permits(_ element: UInt64, in owner: UInt64) -> Bool {
        guard let last, last.owner == owner else {
            self.last = (owner, element, isOrdered(owner))
            return true
        }
        self.last = (owner, element, last.isOrdered)
        guard last.isOrdered else { return true }
        guard let column else { return last.element < element }
        guard let (before, first) = target.place(last.element),
            let (after, second) = target.place(element)
        else { return true }
        return Value.compare(before.value(first, column), after.value(second, column)) < 0
    }

    private func isOrdered(_ owner: UInt64) -> Bool {
        guard kind == .list else { return true }
        guard let items, let (cluster, row) = owners.place(owner) else { return false }
        if case .dictionary? = cluster.value(row, items).anyContent { return true }
        return false
    }
}
