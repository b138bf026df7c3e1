// Schemas after changes that only migrations make. Keys never move: what is dropped keeps its place
// under a name that no program can give, so that whoever still reads by key reads what it expects.

/// What a column, list or class that was dropped is called: a control character in front, which no
/// name of a program has, and a number that makes it unique.
package enum DroppedName {
    private static let mark: UInt8 = 1

    /// Whether a name is that of something that was dropped, or set aside for the time of a migration.
    package static func isDropped(_ name: String) -> Bool { name.utf8.first == mark }

    static func column(_ key: ColumnKey) -> String { "\u{1}\(key.rawValue)" }

    static func list(_ key: ListKey) -> String { "\u{1}list \(key.rawValue)" }

    static func table(_ key: TableKey) -> String { "\u{1}\(key.rawValue)" }

    /// The name of a property that a migration has set aside until its end.
    package static func aside(_ number: Int) -> String { "\u{1}aside \(number)" }
}

extension TableSchema {
    /// Whether a migration has dropped the class.
    package var isDropped: Bool { DroppedName.isDropped(name) }
}

extension ColumnSchema {
    /// Whether a migration has dropped the property.
    package var isDropped: Bool { DroppedName.isDropped(name) }
}

extension ListSchema {
    /// Whether a migration has dropped the property.
    package var isDropped: Bool { DroppedName.isDropped(name) }
}

extension DatabaseSchema {
    /// The schema with other columns in a class, as many as there were.
    func with(
        _ table: TableKey, _ change: (inout [ColumnDefinition]) -> Void
    ) -> DatabaseSchema {
        let old = tables[table.index]
        var definitions = old.columns.map(\.definition)
        change(&definitions)
        precondition(definitions.count == old.columns.count, "A column keeps its key.")
        let columns = zip(old.columns, definitions).map {
            ColumnSchema(key: $0.key, definition: $1)
        }
        return replacing(
            TableSchema(
                key: table, name: old.name, kind: old.kind, columns: columns, lists: old.lists))
    }

    /// The schema with a class of another name or kind.
    func with(_ table: TableKey, name: String? = nil, kind: TableKind? = nil) -> DatabaseSchema {
        let old = tables[table.index]
        return replacing(
            TableSchema(
                key: table, name: name ?? old.name, kind: kind ?? old.kind, columns: old.columns,
                lists: old.lists))
    }

    /// The schema with a list of another name.
    func with(_ table: TableKey, _ list: ListKey, name: String) -> DatabaseSchema {
        let old = tables[table.index]
        var lists = old.lists
        let schema = lists[list.index]
        lists[list.index] = ListSchema(
            key: list, name: name, target: schema.target, kind: schema.kind)
        return replacing(
            TableSchema(
                key: table, name: old.name, kind: old.kind, columns: old.columns, lists: lists))
    }

    private func replacing(_ table: TableSchema) -> DatabaseSchema {
        var tables = tables
        tables[table.key.index] = table
        return DatabaseSchema(tables: tables, version: version)
    }
}
