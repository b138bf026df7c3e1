import Synchronization

/// The kind of a class's rows. The raw values are part of the file format.
package enum TableKind: UInt8, Hashable, Sendable {
    /// Independent objects.
    case object = 0
    /// Objects owned by exactly one link or list element, and deleted with it.
    case embedded = 1
    /// The elements of a list property of values: one row each, owned like embedded objects, with a
    /// single column `value`; the entries of a map also have `key`.
    case elements = 2
    /// Independent objects that wait for delivery. Nothing links to them, and they aren't read
    /// otherwise.
    case asymmetric = 3

    /// Whether rows are deleted with their owner.
    package var isOwned: Bool { self == .embedded || self == .elements }
}

/// A class: its key, name, columns and lists.
package struct TableSchema: Hashable, Sendable {
    package let key: TableKey
    @StoredText package private(set) var name: String
    package let kind: TableKind
    /// The columns by key: `columns[i].key.rawValue == i`.
    package let columns: [ColumnSchema]
    /// The lists by key: `lists[i].key.rawValue == i`.
    package let lists: [ListSchema]
    /// The primary key column, or `nil`.
    package let primaryKey: ColumnKey?
    /// The validation rules, parallel to `columns`.
    let rules: [ColumnRule]

    init(
        key: TableKey, name: String, kind: TableKind = .object, columns: [ColumnSchema],
        lists: [ListSchema] = []
    ) {
        self.key = key
        self.name = name
        self.kind = kind
        self.columns = columns
        self.lists = lists
        self.primaryKey = columns.first { $0.isPrimaryKey }?.key
        rules = columns.map {
            ColumnRule(
                type: $0.type, isOptional: $0.isOptional, isLink: $0.linkTarget != nil)
        }
    }

    init(key: TableKey, name: String, kind: TableKind, definitions: [ColumnDefinition]) {
        self.init(
            key: key, name: name, kind: kind,
            columns: definitions.enumerated().map { index, definition in
                ColumnSchema(key: ColumnKey(rawValue: UInt16(index)), definition: definition)
            })
    }

    /// Returns the class with an additional column. Its key is the previous number of columns.
    func adding(_ definition: ColumnDefinition) -> TableSchema {
        let key = ColumnKey(rawValue: UInt16(columns.count))
        return with(columns: columns + [ColumnSchema(key: key, definition: definition)])
    }

    /// Returns the class with other values in some of its properties.
    func with(
        name: String? = nil, kind: TableKind? = nil, columns: [ColumnSchema]? = nil,
        lists: [ListSchema]? = nil
    ) -> TableSchema {
        TableSchema(
            key: key, name: name ?? self.name, kind: kind ?? self.kind,
            columns: columns ?? self.columns, lists: lists ?? self.lists)
    }

    /// Returns the column with that name (compared by UTF-8 bytes), or `nil`.
    ///
    /// - Complexity: O(number of columns). Callers cache the result by `DatabaseSchema.id`.
    package func column(named name: String) -> ColumnSchema? {
        columns.first { equalUTF8($0.name, name) }
    }
}

/// All classes of a realm at one version. Immutable.
package final class DatabaseSchema: Sendable {
    /// The application's schema version, which migrations increase. It never decreases.
    package let version: UInt64
    /// The classes by key: `tables[i].key.rawValue == i`.
    package let tables: [TableSchema]
    /// A cache key. Within a process, schemas with the same `id` are the same object. It isn't
    /// stored and differs between processes.
    package let id: UInt64
    /// The relations of each class to others, by table key.
    let relations: [TableRelations]

    init(tables: [TableSchema], version: UInt64) {
        self.version = version
        self.tables = tables
        relations = TableRelations.find(tables)
        id = lastSchemaID.add(1, ordering: .relaxed).newValue
    }

    /// Returns the class with that name (compared by UTF-8 bytes), or `nil`.
    ///
    /// - Complexity: O(number of classes). Callers cache the result by `id`.
    package func table(named name: String) -> TableSchema? {
        tables.first { equalUTF8($0.name, name) }
    }

    /// Returns the class of the objects in a list or set, or among the values of a map; `nil` for a
    /// collection of values.
    package func objects(of list: ListSchema) -> TableKey? {
        let elements = tables[list.target.index]
        return elements.kind == .elements ? elements.columns.first?.linkTarget : list.target
    }

    /// Returns the schema with an additional class. Its key is the previous number of classes.
    func adding(
        name: String, kind: TableKind = .object, columns: [ColumnDefinition]
    ) -> DatabaseSchema {
        let key = TableKey(rawValue: UInt32(tables.count))
        let table = TableSchema(key: key, name: name, kind: kind, definitions: columns)
        return DatabaseSchema(tables: tables + [table], version: version)
    }

    /// Returns the schema with an additional column in `table`. Its key is the previous number of
    /// columns.
    func adding(_ definition: ColumnDefinition, to table: TableKey) -> DatabaseSchema {
        replacing(tables[table.index].adding(definition))
    }

    /// Returns the schema with another version of a class.
    func replacing(_ table: TableSchema) -> DatabaseSchema {
        var tables = tables
        tables[table.key.index] = table
        return DatabaseSchema(tables: tables, version: version)
    }

    /// Returns the schema with another version.
    func at(version: UInt64) -> DatabaseSchema {
        DatabaseSchema(tables: tables, version: version)
    }
}

/// The source of `DatabaseSchema.id`: a counter, so that an aborted schema is distinct from one
/// that was committed later.
private let lastSchemaID = Atomic<UInt64>(0)
