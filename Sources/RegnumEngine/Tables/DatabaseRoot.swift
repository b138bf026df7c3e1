/// All content of a realm at one version: an immutable tree, shared in parts with other versions.
///
/// Holding one is a snapshot. Every call answers from memory and never waits.
package final class DatabaseRoot: Sendable {
    /// The root of a new realm: version 0, no classes.
    package static let empty = DatabaseRoot(version: 0, content: .empty)

    /// The version of the commit that made this root; for the root of a running transaction the
    /// version that it will commit as.
    package let version: UInt64
    let content: DatabaseContent

    init(version: UInt64, content: DatabaseContent) {
        self.version = version
        self.content = content
    }

    /// The classes and their columns.
    package var schema: DatabaseSchema { content.schema }

    /// The number of rows of a class; 0 for a class that does not exist at this version.
    package func count(_ table: TableKey) -> Int { state(table)?.rows.count ?? 0 }

    /// The row, or nil.
    ///
    /// - Complexity: O(log n).
    package func row(_ table: TableKey, _ key: ObjectKey) -> Row? {
        state(table)?.rows.find(key.rawValue)?.row
    }

    /// The value of a property, with the column's default where the row is older than the column;
    /// nil if there is no such row or column.
    ///
    /// - Complexity: O(log n).
    package func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        guard let row = row(table, key) else { return nil }
        if column.index < row.values.count { return row.values[column.index] }
        let columns = schema.tables[table.index].columns
        return column.index < columns.count ? columns[column.index].defaultValue : nil
    }

    /// The row with that primary key, or nil (also for a class without one).
    ///
    /// - Complexity: O(log n).
    package func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        guard let state = state(table), let key = schema.tables[table.index].primaryKey else {
            return nil
        }
        return state.find(value, primaryKey: key)
    }

    /// The key of the row at `position` in key order; `position` is in `0..<count(table)`.
    ///
    /// - Complexity: O(log n).
    package func key(_ table: TableKey, at position: Int) -> ObjectKey {
        guard let state = state(table) else { preconditionFailure("There is no such class.") }
        return ObjectKey(rawValue: state.rows[position].key)
    }

    /// The keys of all rows, ascending.
    package func keys(_ table: TableKey) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count(table))
        forEachRow(table) { key, _ in
            keys.append(key)
            return true
        }
        return keys
    }

    /// Calls `body` for each row in ascending key order until it returns false.
    package func forEachRow(_ table: TableKey, _ body: (ObjectKey, Row) throws -> Bool) rethrows {
        try state(table)?.rows.visit { try body(ObjectKey(rawValue: $0.key), $0.row) }
    }

    /// The table's state, or nil where the class does not exist at this version.
    func state(_ table: TableKey) -> TableState? {
        table.index < content.tables.count ? content.tables[table.index] : nil
    }
}
