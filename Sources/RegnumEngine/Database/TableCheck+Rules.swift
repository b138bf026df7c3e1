import RegnumStore

extension TableCheck {
    /// Checks that each row of an owned class has one owner, and that rows don't own each other in
    /// a cycle.
    func checkOwners() throws(StoreError) {
        guard table.kind.isOwned else { return }
        var lonely: UInt64?
        var circular: UInt64?
        let (_, error) = DamageWatch.run {
            var settled: Set<OwnedRow> = []
            state.forEachKey { row in
                if !content.hasOneOwner(table.key, row) { lonely = row }
                if isInCircle(row, &settled) { circular = row }
                return lonely == nil && circular == nil
            }
        }
        if let error { throw named(error, nil) }
        if let lonely { throw damage("a row has no owner, or several", nil, lonely) }
        if let circular { throw damage("rows own each other in a cycle", nil, circular) }
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
