package import RegnumStore

/// Where classes and lists can be added.
package protocol SchemaEditor: AnyObject {
    func addTable(
        name: String, kind: TableKind, columns: [ColumnDefinition]
    ) throws(StoreError) -> TableKey

    func addList(
        _ table: TableKey, name: String, target: TableKey, kind: ListKind
    ) throws(StoreError) -> ListKey

    func addGeoIndex(_ table: TableKey, _ list: ListKey) throws(StoreError)
}

extension EngineTransaction: SchemaEditor {}

/// Classes that a transaction adds at once. Each `DatabaseSchema` is a copy of all classes, so
/// adding many of them one by one would take quadratic time.
package final class SchemaDraft: SchemaEditor {
    /// The schema to which the classes are added.
    fileprivate let base: DatabaseSchema
    /// The classes of `base` and the new ones, by key.
    fileprivate private(set) var tables: [TableSchema]
    fileprivate private(set) var changes: [SchemaChange] = []
    private var keys: [StoredText: TableKey]

    /// - Complexity: O(classes).
    package init(_ base: DatabaseSchema) {
        self.base = base
        tables = base.tables
        keys = Dictionary(
            tables.map { (StoredText($0.name), $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the class with that name (compared by UTF-8 bytes), or `nil`.
    package func table(named name: String) -> TableSchema? {
        keys[StoredText(name)].map { tables[$0.index] }
    }

    /// Adds a class. Throws like `EngineTransaction.addTable`.
    package func addTable(
        name: String, kind: TableKind, columns: [ColumnDefinition]
    ) throws(StoreError) -> TableKey {
        try SchemaRules.check(
            newTable: name, kind, columns, isTaken: keys[StoredText(name)] != nil,
            tableCount: tables.count)
        let key = TableKey(rawValue: UInt32(tables.count))
        tables.append(TableSchema(key: key, name: name, kind: kind, definitions: columns))
        keys[StoredText(name)] = key
        changes.append(.table(key, name, kind, columns))
        return key
    }

    /// Adds a column to a new class. Throws like `EngineTransaction.addColumn`.
    package func addColumn(
        _ table: TableKey, _ definition: ColumnDefinition
    ) throws(StoreError) {
        let old = new(table)
        try SchemaRules.check(newColumn: definition, in: old, tableCount: tables.count)
        tables[table.index] = old.adding(definition)
        let key = ColumnKey(rawValue: UInt16(old.columns.count))
        changes.append(.column(table, key, definition))
    }

    /// Adds a list to a new class. Throws like `EngineTransaction.addList`.
    package func addList(
        _ table: TableKey, name: String, target: TableKey, kind: ListKind
    ) throws(StoreError) -> ListKey {
        let old = new(table)
        try SchemaRules.check(newList: name, target: target, kind, of: old, in: tables)
        tables[table.index] = old.adding(list: name, target: target, kind)
        let key = ListKey(rawValue: UInt16(old.lists.count))
        changes.append(.list(table, key, name, target: target, kind))
        return key
    }

    /// Adds a geospatial index to a list of a new class. Throws like
    /// `EngineTransaction.addGeoIndex`.
    package func addGeoIndex(_ table: TableKey, _ list: ListKey) throws(StoreError) {
        let old = new(table)
        try SchemaRules.check(newGeoIndex: list, of: old, in: tables)
        var lists = old.lists
        lists[list.index].isGeoIndexed = true
        tables[table.index] = old.with(lists: lists)
        changes.append(.geoIndex(table, list))
    }

    private func new(_ table: TableKey) -> TableSchema {
        precondition(table.index >= base.tables.count, "A draft can't change existing classes.")
        return tables[table.index]
    }
}

extension EngineTransaction {
    /// Adds the classes of a draft.
    ///
    /// - Precondition: The schema hasn't changed since the draft was created.
    /// - Complexity: O(classes).
    package func add(_ draft: SchemaDraft) {
        precondition(draft.base === content.schema, "The draft is for another schema.")
        if draft.changes.isEmpty { return }
        willEdit()
        insertions = []
        content.grow(to: DatabaseSchema(tables: draft.tables, version: draft.base.version), edit)
        for _ in draft.base.tables.count..<draft.tables.count {
            changes.append(TableChanges(firstNewKey: 0))
        }
        schemaChanges += draft.changes
    }
}
