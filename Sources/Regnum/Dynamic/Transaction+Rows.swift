package import RegnumEngine
package import RegnumStore

// Operations of imports on the rows of the running write: looking up declared classes, and storing
// collections and values of any type.

extension Transaction {
    /// Adds what the program declares of a class to the stored schema, if it isn't complete there.
    ///
    /// - Returns: The reason why the declared class can't be used with the stored schema, if any.
    @discardableResult
    package func addDeclared(_ className: String) throws(Realm.Error) -> Realm.Error? {
        guard let entry = core.realm.knownEntry(named: className) else { return nil }
        let transaction = requireWriting("addDeclared")
        if !entry.mapping(in: transaction.schema).isComplete {
            try SchemaGrowth.add(entry.schema, to: transaction, core.realm)
        }
        return entry.mapping(in: transaction.schema).mismatch
    }

    /// Throws `.invalidInput` for a class that isn't stored, if the realm lists its `objectTypes`.
    package func checkMayAdd(_ className: String) throws(Realm.Error) {
        guard core.realm.configuration.objectTypes == nil else {
            throw core.realm.unlisted(className)
        }
    }

    /// Returns the declared type of a stored property's values or elements, if they are values and
    /// the program declares the class.
    package func declaredType(
        _ className: String, _ property: String, _ type: ValueType
    ) -> DeclaredValueType? {
        core.realm.knownEntry(named: className)?.schema.valueType(ofStored: property, type)
    }

    /// Replaces a value of any type and its contents, which are stored in `list`.
    package func set(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ column: ColumnKey,
        _ list: ListSchema
    ) throws(StoreError) {
        try anyWriter.set(tree, table, row, column, BindingPlace.StoredList(list))
    }

    /// Inserts elements of any type, with their contents, that no list contains yet.
    package func insert(
        _ entries: [(key: String, tree: AnyTree)], _ target: TableKey
    ) throws(StoreError) -> [ObjectKey] {
        try anyWriter.insert(entries, target)
    }

    /// Stores the elements of an empty list, or all members of a set.
    package func store(
        _ contents: ListContents, _ table: TableKey, _ row: ObjectKey, _ list: ListSchema
    ) throws(StoreError) {
        let (writer, place) = (anyWriter, BindingPlace.StoredList(list))
        guard list.kind == .set else {
            return try writer.insert(contents, from: 0, table, row, place)
        }
        let members =
            switch contents {
            case .values(let values): SetMembers(values: values, keys: [])
            case .trees(let trees): SetMembers(values: trees.map { writer.cell($0) }, keys: [])
            case .rows(let rows): SetMembers(values: [], keys: rows)
            }
        let set = StoredSet(
            transaction: writer.transaction, table: table, row: row, list: place)
        try set.replaceAll(with: members)
    }

    private var anyWriter: AnyWriter {
        AnyWriter(core: core, transaction: requireWriting("insert"))
    }
}
