/// The rows of one class at one version, with the indexes that are kept of them.
struct TableState: Sendable {
    var rows = SortedTree(order: RowOrder())
    /// The key that the next row gets.
    var nextKey: UInt64 = 0
    /// The index of the primary key and those of indexed columns, by column.
    var indexes: [ColumnIndex]

    init(_ schema: TableSchema) {
        indexes = schema.columns.filter(\.hasIndex).map { ColumnIndex(column: $0.key) }
    }

    func index(of column: ColumnKey) -> ColumnIndex? {
        indexes.first { $0.column == column }
    }

    /// The row whose primary key, in `column`, is `value`.
    func find(_ value: Value, primaryKey column: ColumnKey) -> ObjectKey? {
        guard let slot = indexes.firstIndex(where: { $0.column == column }) else { return nil }
        var found: ObjectKey?
        indexes[slot].visit(value) { key in
            guard let row = rows.find(key)?.row, row.values[column.index] == value else {
                return true
            }
            found = ObjectKey(rawValue: key)
            return false
        }
        return found
    }

    /// Adds a row under a key that is not there.
    mutating func insert(_ key: UInt64, _ row: Row) {
        for slot in indexes.indices {
            let entry = ColumnIndex.entry(row.values[indexes[slot].column.index], key)
            indexes[slot].entries.insertNew(entry, entry)
        }
        rows.insertNew(RowEntry(key: key, row: row), key)
        nextKey = max(nextKey, key + 1)
    }

    /// Removes a row; false if there is none.
    mutating func remove(_ key: UInt64, _ schema: TableSchema) -> Bool {
        guard let entry = rows.remove(key) else { return false }
        for slot in indexes.indices {
            let column = schema.columns[indexes[slot].column.index]
            indexes[slot].entries.remove(ColumnIndex.entry(entry.row.value(column), key))
        }
        return true
    }

    /// Changes one value of a row; false if there is no such row.
    mutating func set(
        _ key: UInt64, _ column: ColumnSchema, _ value: Value, version: UInt64,
        _ schema: TableSchema
    ) -> Bool {
        if column.hasIndex, let slot = indexes.firstIndex(where: { $0.column == column.key }) {
            guard let row = rows.find(key)?.row else { return false }
            let old = row.value(column)
            let before = ColumnIndex.entry(old, key)
            let entry = ColumnIndex.entry(value, key)
            if before.fingerprint != entry.fingerprint {
                indexes[slot].entries.remove(before)
                indexes[slot].entries.insertNew(entry, entry)
            }
        }
        return rows.update(key) { entry in
            while entry.row.values.count <= column.key.index {
                let missing = schema.columns[entry.row.values.count]
                entry.row.values.append(missing.defaultValue)
            }
            entry.row.values[column.key.index] = value
            entry.row.contentVersion = version
        }
    }

    /// Starts the index of a column that was just added.
    mutating func addIndex(of column: ColumnSchema) {
        var index = ColumnIndex(column: column.key)
        var entries: [IndexEntry] = []
        entries.reserveCapacity(rows.count)
        rows.visit { entry in
            entries.append(ColumnIndex.entry(entry.row.value(column), entry.key))
            return true
        }
        entries.sort { IndexOrder().compare($0, $1) < 0 }
        index.entries = SortedTree(order: IndexOrder(), sorted: entries)
        indexes.append(index)
    }
}
