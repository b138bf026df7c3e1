import RegnumStore

/// Schema and tables of a realm: what a root holds, a transaction edits and `apply` rebuilds.
///
/// The directory node has the address of each table's node from its byte 16 on, by table key.
struct DatabaseContent: Sendable {
    var schema: DatabaseSchema
    /// nil while there are no classes.
    var directory: Node?
    let context: TreeContext

    init(schema: DatabaseSchema, directory: Node?, context: TreeContext) {
        self.schema = schema
        self.directory = directory
        self.context = context
    }

    /// No classes.
    init(context: TreeContext) {
        self.init(schema: DatabaseSchema(tables: [], version: 0), directory: nil, context: context)
    }

    static func directoryByteCount(tableCount: Int) -> Int {
        Node.headerByteCount + 8 * tableCount
    }

    static func offset(_ index: Int) -> Int { Node.headerByteCount &+ 8 &* index }

    /// The table at a position of the schema. The class must exist.
    @inline(__always)
    subscript(index: Int) -> Table {
        guard let directory,
            let node = Node(word: directory.load(DatabaseContent.offset(index)))
        else { preconditionFailure("A class of the schema has no table.") }
        return Table(node)
    }

    /// The table of a class, nil where it does not exist at this version.
    @inline(__always)
    func table(_ key: TableKey) -> Table? {
        key.index < schema.tables.count ? self[key.index] : nil
    }

    /// The index of a column, nil where there is none.
    func index(_ table: TableKey, _ column: ColumnKey) -> IndexTree? {
        guard let state = self.table(table), let slot = state.indexSlot(of: column) else {
            return nil
        }
        return state.index(at: slot)
    }

    /// The row whose primary key is `value`, nil if there is none or the class has no primary key.
    func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        guard let state = self.table(table),
            let key = schema.tables[table.index].primaryKey,
            let slot = state.indexSlot(of: key)
        else { return nil }
        let column = schema.tables[table.index].columns[key.index]
        var found: ObjectKey?
        let index = state.index(at: slot)
        if case .int(let number) = value, !column.isOptional {
            // the key tells all
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
