import RegnumStore

/// Schema and tables of a realm: what a root holds, a transaction edits and `apply` rebuilds.
struct DatabaseContent: Sendable {
    var schema: DatabaseSchema
    /// By table key, parallel to `schema.tables`.
    var tables: [TableState]

    static let empty = DatabaseContent(schema: DatabaseSchema(tables: []), tables: [])

    /// Adds a class. Throws `invalidInput` as `SchemaRules` says, without a change.
    mutating func addTable(
        _ name: String, _ columns: [ColumnDefinition]
    ) throws(StoreError) -> TableKey {
        try SchemaRules.check(newTable: name, columns, in: schema)
        schema = schema.adding(name: name, columns: columns)
        let table = schema.tables[schema.tables.count - 1]
        tables.append(TableState(table))
        return table.key
    }

    /// Adds a column. Throws `invalidInput` as `SchemaRules` says, without a change.
    mutating func addColumn(
        _ definition: ColumnDefinition, to key: TableKey
    ) throws(StoreError) -> ColumnKey {
        try SchemaRules.check(newColumn: definition, in: schema.tables[key.index])
        schema = schema.adding(definition, to: key)
        let columns = schema.tables[key.index].columns
        let column = columns[columns.count - 1]
        if column.hasIndex { tables[key.index].addIndex(of: column) }
        return column.key
    }
}
