/// The index of one column: a value for every row, in order.
struct ColumnIndex: Sendable {
    let column: ColumnKey
    var entries = SortedTree(order: IndexOrder())

    init(column: ColumnKey) {
        self.column = column
    }

    /// The first row with that value, by object key.
    func first(_ value: Value) -> ObjectKey? {
        var iterator = entries.iterator(from: IndexEntry(value: value, key: 0))
        guard let entry = iterator.next(), Value.compare(entry.value, value) == 0 else {
            return nil
        }
        return ObjectKey(rawValue: entry.key)
    }

    /// How many rows have that value.
    func count(_ value: Value) -> Int {
        let end = entries.rank(of: IndexEntry(value: value, key: .max)).position
        return end - entries.rank(of: IndexEntry(value: value, key: 0)).position
    }

    /// The rows with that value, ascending.
    func keys(_ value: Value) -> [ObjectKey] {
        var iterator = entries.iterator(from: IndexEntry(value: value, key: 0))
        var keys: [ObjectKey] = []
        while let entry = iterator.next(), Value.compare(entry.value, value) == 0 {
            keys.append(ObjectKey(rawValue: entry.key))
        }
        return keys
    }
}

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

    /// Adds a row under a key that is not there.
    mutating func insert(_ key: UInt64, _ row: Row) {
        for slot in indexes.indices {
            let entry = IndexEntry(value: row.values[indexes[slot].column.index], key: key)
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
            indexes[slot].entries.remove(IndexEntry(value: entry.row.value(column), key: key))
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
            if old != value {
                indexes[slot].entries.remove(IndexEntry(value: old, key: key))
                let entry = IndexEntry(value: value, key: key)
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
            entries.append(IndexEntry(value: entry.row.value(column), key: entry.key))
            return true
        }
        entries.sort { IndexOrder().compare($0, $1) < 0 }
        index.entries = SortedTree(order: IndexOrder(), sorted: entries)
        indexes.append(index)
    }
}
