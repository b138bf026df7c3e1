// Schema changes that only migrations make. Keys never change: a dropped item keeps its position
// under a name that programs can't use, so that reads by key remain valid.

/// The names of dropped columns, lists and classes: a control character, which no other name starts
/// with, and a number that makes it unique.
package enum DroppedName {
    private static let mark: UInt8 = 1

    /// Returns whether the name is that of an item that was dropped, or set aside during a
    /// migration.
    package static func isDropped(_ name: String) -> Bool { name.utf8.first == mark }

    /// Returns the name of a dropped column.
    ///
    /// - Parameter target: The column to which its values were moved.
    static func column(_ key: ColumnKey, movedTo target: ColumnKey? = nil) -> String {
        "\u{1}\(key.rawValue)" + (target.map { ">\($0.rawValue)" } ?? "")
    }

    static func list(_ key: ListKey) -> String { "\u{1}list \(key.rawValue)" }

    static func table(_ key: TableKey) -> String { "\u{1}\(key.rawValue)" }

    /// Returns the name of a property that a migration has set aside until its end.
    package static func aside(_ number: Int) -> String { "\u{1}aside \(number)" }
}

extension TableSchema {
    /// Whether a migration dropped the class.
    package var isDropped: Bool { DroppedName.isDropped(name) }
}

extension ColumnSchema {
    /// Whether a migration dropped the property.
    package var isDropped: Bool { DroppedName.isDropped(name) }

    /// Whether a migration moved the values to another column because the property became optional.
    package func wasMoved(to target: ColumnKey) -> Bool {
        equalUTF8(name, DroppedName.column(key, movedTo: target))
    }
}

extension ListSchema {
    /// Whether a migration dropped the property.
    package var isDropped: Bool { DroppedName.isDropped(name) }
}

extension DatabaseSchema {
    /// Returns the name of a class in the summary of the commit that led from an older schema to
    /// this one. A class that the commit dropped is reported under its old name.
    func nameInSummary(_ table: TableSchema, since old: DatabaseSchema) -> String {
        guard table.isDropped, table.key.index < old.tables.count else { return table.name }
        return old.tables[table.key.index].name
    }

    /// Returns the schema with changed column definitions in a class. Their number must not change.
    func with(
        _ table: TableKey, _ change: (inout [ColumnDefinition]) -> Void
    ) -> DatabaseSchema {
        let old = tables[table.index].columns
        var definitions = old.map(\.definition)
        change(&definitions)
        precondition(definitions.count == old.count, "Columns can't be added or removed.")
        let columns = zip(old, definitions).map { ColumnSchema(key: $0.key, definition: $1) }
        return replacing(tables[table.index].with(columns: columns))
    }

    /// Returns the schema with a class renamed or with another kind.
    func with(_ table: TableKey, name: String? = nil, kind: TableKind? = nil) -> DatabaseSchema {
        replacing(tables[table.index].with(name: name, kind: kind))
    }

    /// Returns the schema with a list renamed, or with or without a geospatial index.
    func with(
        _ table: TableKey, _ list: ListKey, name: String? = nil, isGeoIndexed: Bool? = nil
    ) -> DatabaseSchema {
        var lists = tables[table.index].lists
        if let name { lists[list.index].name = name }
        if let isGeoIndexed { lists[list.index].isGeoIndexed = isGeoIndexed }
        return replacing(tables[table.index].with(lists: lists))
    }
}
