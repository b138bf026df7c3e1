internal import RegnumEngine
internal import RegnumStore

/// Stores `AnyRealmValue`s in a write transaction.
struct AnyWriter {
    let core: TransactionCore
    let transaction: EngineTransaction
    /// Returns the row of a stored object.
    var row: (Object) -> ObjectKey? = { $0.isManaged ? ObjectKey(rawValue: $0._row) : nil }

    /// Returns the column value. The contents of a list or dictionary are stored by `fill`.
    func cell(_ tree: AnyTree) -> Value {
        switch tree {
        case .value(let value): return value
        case .object(let object):
            guard let row = row(object) else { return .null }
            let binding = core.binding(for: type(of: object))
            binding.refresh()
            return AnyContent.link(binding.place.tableKey, row).value
        case .list: return AnyContent.list(core.nextAnyNumber()).value
        case .dictionary: return AnyContent.dictionary(core.nextAnyNumber()).value
        }
    }

    /// Replaces a value and its contents.
    ///
    /// - Parameter list: The list of the row that holds the nested values; `nil` if the column is
    ///   not of any type.
    func set(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ column: ColumnKey,
        _ list: BindingPlace.StoredList?
    ) throws(StoreError) {
        if let list, let old = transaction.value(table, row, column), old.isAnyCollection {
            let count = transaction.listCount(table, row, list.key)
            if count > 0 { transaction.removeFromList(table, row, list.key, 0..<count) }
        }
        try transaction.set(table, row, column, cell(tree))
        if let list { try fill(tree, table, row, list) }
    }

    /// Stores the contents of a list or dictionary whose column value has been stored.
    func fill(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        guard let entries = tree.entries, !entries.isEmpty else { return }
        guard transaction.schema.hasAnyValueElements(list.target) else { throw damage(list.target) }
        let rows = try insert(entries, list.target)
        try transaction.insertIntoList(table, row, list.key, at: 0, rows)
    }

    /// Inserts element rows and their contents. Leaves no rows behind if it throws.
    func insert(
        _ entries: [(key: String, tree: AnyTree)], _ target: TableKey
    ) throws(StoreError) -> [ObjectKey] {
        let columns = transaction.schema.tables[Int(target.rawValue)].columns
        guard columns.count > 1, columns[1].type == .string else { throw damage(target) }
        var rows: [ObjectKey] = []
        rows.reserveCapacity(entries.count)
        do throws(StoreError) {
            for (key, tree) in entries {
                let row = try transaction.insert(target, [cell(tree), .string(key)])
                rows.append(row)
                try fill(tree, target, row, BindingPlace.StoredList(key: .anyItems, target: target))
            }
        } catch {
            // No list contains these rows yet, so they must be deleted explicitly.
            transaction.delete(target, rows)
            throw error
        }
        return rows
    }

    /// The error for a class of elements that lacks a column or list, as in a forged file.
    private func damage(_ target: TableKey) -> StoreError {
        let name = transaction.schema.tables[Int(target.rawValue)].name
        return StoreError(
            .invalidDatabase, "The file is damaged: \(name) can't hold these values.",
            className: name)
    }
}
