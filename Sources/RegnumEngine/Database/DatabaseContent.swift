import RegnumStore

/// The schema and tables of a realm: the content that a root holds, a transaction edits and `apply`
/// reconstructs.
///
/// From byte 16 on, the directory node has the address of each table's node, by table key.
struct DatabaseContent: Sendable {
    var schema: DatabaseSchema
    /// `nil` if there are no classes.
    var directory: Node?
    let context: TreeContext

    /// Returns the offset of a table's address in the directory; for the number of tables, the size
    /// of the directory.
    static func offset(_ index: Int) -> Int { Node.headerByteCount &+ 8 &* index }

    /// The table at a position of the schema. The class must exist.
    @inline(__always)
    subscript(index: Int) -> Table {
        guard let directory,
            let node = Node(word: directory.load(DatabaseContent.offset(index)))
        else { preconditionFailure("A class of the schema has no table.") }
        return Table(node)
    }

    /// Returns the table of a class, or `nil` if it doesn't exist at this version.
    @inline(__always)
    func table(_ key: TableKey) -> Table? {
        key.index < schema.tables.count ? self[key.index] : nil
    }

    /// Returns the index of a column, or its full-text index, or `nil` if it has none.
    func index(
        _ table: TableKey, _ column: ColumnKey, _ kind: ColumnTreeKind = .values
    ) -> IndexTree? {
        guard let state = self.table(table), let slot = state.indexSlot(of: column, kind) else {
            return nil
        }
        return state.index(at: slot)
    }

    /// Returns the row with the primary key `value`, or `nil` if there is none or the class has no
    /// primary key.
    func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        guard let state = self.table(table),
            let key = schema.tables[table.index].primaryKey,
            let slot = state.indexSlot(of: key)
        else { return nil }
        let column = schema.tables[table.index].columns[key.index]
        var found: ObjectKey?
        let index = state.index(at: slot)
        if case .int(let number) = value, !column.isOptional {
            // Integer keys are exact, so the row need not be compared.
            return index.firstRow(IndexKey.key(number)).map { ObjectKey(rawValue: $0) }
        }
        index.forEachRow(IndexKey.key(value, seed: context.seed)) { row in
            guard let (cluster, place) = state.place(row),
                cluster.value(place, column) == value
            else { return true }
            found = ObjectKey(rawValue: row)
            return false
        }
        return found
    }
}

extension DatabaseContent {
    /// Creates a content without classes.
    init(context: TreeContext) {
        self.init(schema: DatabaseSchema(tables: [], version: 0), directory: nil, context: context)
    }
}
