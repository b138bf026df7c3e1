/// A private copy of a root under edit. Confined to one task: not Sendable.
///
/// Everything that it reads includes its own changes. Nodes of the base are copied when they are
/// first changed and edited in place from then on; letting go of the transaction undoes it.
/// A call that throws leaves the transaction as it was.
package final class EngineTransaction {
    /// The root that the transaction started from; never changes.
    package let base: DatabaseRoot
    /// The label for the commit, as change streams report it.
    package let origin: String?
    /// The version that the transaction will commit as.
    package let version: UInt64

    @exclusivity(unchecked) var content: DatabaseContent
    @exclusivity(unchecked) var changes: [TableChanges]
    @exclusivity(unchecked) var schemaChanges: [SchemaChange] = []
    @exclusivity(unchecked) var isCommitted = false
    /// The current state as a root, as long as it is current.
    @exclusivity(unchecked) private var currentRoot: DatabaseRoot?

    package init(base: DatabaseRoot, origin: String? = nil) {
        self.base = base
        self.origin = origin
        version = base.version + 1
        content = base.content
        changes = content.tables.map { TableChanges(firstNewKey: $0.nextKey) }
    }

    /// Whether committing would change anything: rows that were inserted and deleted again leave
    /// no trace, setting an equal value does.
    package var hasChanges: Bool {
        if !schemaChanges.isEmpty { return true }
        for index in changes.indices where hasChanges(index) { return true }
        return false
    }

    /// The current state, uncommitted changes included, as a root of version `version`: for scans
    /// and queries inside the transaction. Later edits do not show in it.
    ///
    /// - Complexity: O(number of classes); the first edit after it copies the nodes that it changes.
    package var root: DatabaseRoot {
        if let currentRoot { return currentRoot }
        let root = DatabaseRoot(version: version, content: content)
        currentRoot = root
        return root
    }

    // MARK: Reading

    /// The classes and their columns, with those that the transaction added.
    package var schema: DatabaseSchema { content.schema }

    /// The number of rows of a class.
    package func count(_ table: TableKey) -> Int {
        table.index < content.tables.count ? content.tables[table.index].rows.count : 0
    }

    /// The row, or nil. O(log n).
    package func row(_ table: TableKey, _ key: ObjectKey) -> Row? {
        guard table.index < content.tables.count else { return nil }
        return content.tables[table.index].rows.find(key.rawValue)?.row
    }

    /// The value of a property, defaults applied; nil if there is no such row or column. O(log n).
    package func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        guard let row = row(table, key) else { return nil }
        if column.index < row.values.count { return row.values[column.index] }
        let columns = content.schema.tables[table.index].columns
        return column.index < columns.count ? columns[column.index].defaultValue : nil
    }

    /// The row with that primary key, or nil. O(log n).
    package func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        guard table.index < content.tables.count,
            let key = content.schema.tables[table.index].primaryKey
        else { return nil }
        return content.tables[table.index].find(value, primaryKey: key)
    }

    /// The keys of all rows, ascending.
    package func keys(_ table: TableKey) -> [ObjectKey] { root.keys(table) }

    /// Calls `body` for each row in ascending key order until it returns false. Edits that `body`
    /// makes do not show in the walk.
    package func forEachRow(_ table: TableKey, _ body: (ObjectKey, Row) throws -> Bool) rethrows {
        try root.forEachRow(table, body)
    }

    /// Notes that the state is about to change.
    @inline(__always)
    func willEdit() {
        precondition(!isCommitted, "A transaction cannot be changed after its commit.")
        currentRoot = nil
    }

    func hasChanges(_ index: Int) -> Bool {
        let change = changes[index]
        return change.insertedCount > 0 || !change.deleted.isEmpty || !change.modified.isEmpty
    }
}

/// What a transaction did to the rows of one class.
struct TableChanges {
    /// Rows from this key on are the transaction's own.
    let firstNewKey: UInt64
    /// How many rows from `firstNewKey` on exist now.
    var insertedCount = 0
    /// Rows of the base that are gone, in the order of their deletion.
    var deleted: [ObjectKey] = []
    /// Rows of the base that are there and of which properties were set.
    var modified: [ObjectKey: ColumnSet] = [:]
}

/// A class or column that a transaction added, in the order in which it did.
enum SchemaChange {
    case table(TableKey, String, [ColumnDefinition])
    case column(TableKey, ColumnKey, ColumnDefinition)
}
