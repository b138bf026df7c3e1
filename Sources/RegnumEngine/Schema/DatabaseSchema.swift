import Synchronization

/// What the rows of a class are. The raw values are part of the file format.
package enum TableKind: UInt8, Hashable, Sendable {
    /// Objects on their own.
    case object = 0
    /// Objects that belong to exactly one link or list element, and go with it.
    case embedded = 1
    /// The elements of one list property that holds values: one row each, owned like embedded ones,
    /// with a single column `value`.
    case elements = 2
    /// Objects on their own that wait to be delivered: nothing links to them, nobody reads them
    /// otherwise.
    case asymmetric = 3

    /// Whether rows go with what they belong to.
    package var isOwned: Bool { self == .embedded || self == .elements }
}

/// One class: its key, name, columns and lists.
package struct TableSchema: Hashable, Sendable {
    package let key: TableKey
    package let name: String
    package let kind: TableKind
    /// In the order of their keys: `columns[i].key.rawValue == i`.
    package let columns: [ColumnSchema]
    /// In the order of their keys: `lists[i].key.rawValue == i`.
    package let lists: [ListSchema]
    /// The column that is the primary key, if there is one.
    package let primaryKey: ColumnKey?
    /// Parallel to `columns`: what a value is checked against.
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

    /// The column of that name (compared by UTF-8 bytes), or nil.
    ///
    /// - Complexity: O(number of columns); callers keep what they found under `DatabaseSchema.id`.
    package func column(named name: String) -> ColumnSchema? {
        columns.first { equalUTF8($0.name, name) }
    }
}

/// All classes of a realm at one version; immutable.
package final class DatabaseSchema: Sendable {
    /// The version that programs give the schema, which migrations raise; it never falls.
    package let version: UInt64
    /// In the order of their keys: `tables[i].key.rawValue == i`.
    package let tables: [TableSchema]
    /// A cache key: two schemas of one process with the same `id` are the same object. Not stored,
    /// and different in every process.
    package let id: UInt64
    /// By table key: what rows of the class have to do with others.
    let relations: [TableRelations]

    init(tables: [TableSchema], version: UInt64) {
        self.version = version
        self.tables = tables
        relations = TableRelations.find(tables)
        id = lastSchemaID.add(1, ordering: .relaxed).newValue
    }

    /// The class of that name (compared by UTF-8 bytes), or nil.
    ///
    /// - Complexity: O(number of classes); callers keep what they found under `id`.
    package func table(named name: String) -> TableSchema? {
        tables.first { equalUTF8($0.name, name) }
    }

    /// The schema with one more class, whose key is the number of classes so far.
    func adding(
        name: String, kind: TableKind = .object, columns: [ColumnDefinition]
    ) -> DatabaseSchema {
        let key = TableKey(rawValue: UInt32(tables.count))
        let columns = columns.enumerated().map { index, definition in
            ColumnSchema(key: ColumnKey(rawValue: UInt16(index)), definition: definition)
        }
        return DatabaseSchema(
            tables: tables + [TableSchema(key: key, name: name, kind: kind, columns: columns)],
            version: version)
    }

    /// The schema with one more column in `table`, whose key is the number of columns so far.
    func adding(_ definition: ColumnDefinition, to table: TableKey) -> DatabaseSchema {
        var tables = tables
        let old = tables[table.index]
        let key = ColumnKey(rawValue: UInt16(old.columns.count))
        let columns = old.columns + [ColumnSchema(key: key, definition: definition)]
        tables[table.index] = TableSchema(
            key: table, name: old.name, kind: old.kind, columns: columns, lists: old.lists)
        return DatabaseSchema(tables: tables, version: version)
    }

    /// The same classes at another version.
    func at(version: UInt64) -> DatabaseSchema {
        DatabaseSchema(tables: tables, version: version)
    }

    /// The schema with a column of `table` marked as indexed.
    func indexing(_ column: ColumnKey, of table: TableKey) -> DatabaseSchema {
        var tables = tables
        let old = tables[table.index]
        var columns = old.columns
        var definition = columns[column.index].definition
        definition.isIndexed = true
        columns[column.index] = ColumnSchema(key: column, definition: definition)
        tables[table.index] = TableSchema(
            key: table, name: old.name, kind: old.kind, columns: columns, lists: old.lists)
        return DatabaseSchema(tables: tables, version: version)
    }
}

/// The source of `DatabaseSchema.id`: a counter, so that a schema that was aborted and one that was
/// committed in its place are told apart.
private let lastSchemaID = Atomic<UInt64>(0)
