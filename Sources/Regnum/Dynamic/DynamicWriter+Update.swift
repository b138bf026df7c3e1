internal import RegnumEngine
internal import RegnumStore

// Update policies by name: existing rows get the given values, as in `GraphInsertion+Update.swift`.

extension DynamicWriter {
    /// The prepared values of an existing row.
    struct Update {
        let table: TableKey
        let row: ObjectKey
        let values: [Prepared]
    }

    /// Returns the row of an object that gets the given values: with an update policy the one with
    /// its primary key, if there is one, otherwise a new one. An existing row is only changed by
    /// `update`, which is called early if several objects have the same key.
    ///
    /// - Parameter owned: The embedded object that is updated.
    func upsert(
        _ table: TableKey, _ supplied: Supplied, owned: ObjectKey? = nil
    ) throws(Realm.Error) -> ObjectKey {
        if policy == .error { return try make(table, supplied) }
        var supplied = supplied
        var existing = owned
        if existing == nil { existing = try existingRow(table, &supplied) }
        guard let row = existing else { return try make(table, supplied) }
        // an earlier object has the same key, and this one may update its embedded objects
        if copies.updates(table, row) { try update() }
        copies.note(supplied.source, row)
        let key = transaction.schema.tables[Int(table.rawValue)].primaryKey
        var values: [Prepared] = []
        for (property, _, value) in supplied.values where !property.isColumn(key) {
            values.append(try prepare(value, for: property, of: table, row, policy))
        }
        copies.add(Update(table: table, row: row, values: values))
        return row
    }

    /// Returns the row with the primary key that is given or the default, which is added to the
    /// values.
    private func existingRow(
        _ key: TableKey, _ supplied: inout Supplied
    ) throws(Realm.Error) -> ObjectKey? {
        let table = transaction.schema.tables[Int(key.rawValue)]
        guard let primaryKey = table.primaryKey else { return nil }
        let column = table.columns[Int(primaryKey.rawValue)]
        var stored = column.defaultValue
        if let given = supplied.values.first(where: { $0.property.isColumn(primaryKey) }) {
            stored = try content(of: given.value, for: column, of: key)
        } else if let known = store.core.realm.knownEntry(named: table.name)?.schema,
            let index = known.primaryKey
        {
            let property = known.properties[index]
            let fresh = known.type.init()
            stored = property.field.unmanagedValue(in: fresh, at: property.offset)
            let value = stored.anyValue(as: column.scalarType)
            supplied.values.append((.column(column), store.name(of: property), value))
        }
        return transaction.find(key, primaryKey: stored)
    }

    /// Makes the prepared updates, which must have been checked.
    func update() throws(Realm.Error) {
        for update in copies.takeUpdates() {
            // an embedded object may be gone if an object in it has the key of its owner
            guard transaction.contains(update.table, update.row) else { continue }
            do throws(Realm.Error) {
                for value in update.values {
                    try store(value, in: update.table, update.row)
                }
            } catch {
                store.core.fail(error)  // something has been changed
                throw error
            }
        }
    }

    // MARK: Values that differ

    /// Returns the embedded object that a link of a row owns.
    func ownedRow(
        _ column: ColumnSchema, of table: TableKey, _ row: ObjectKey
    ) -> ObjectKey? {
        guard let target = column.linkTarget,
            transaction.schema.tables[Int(target.rawValue)].kind.isOwned
        else { return nil }
        return transaction.value(table, row, column.key)?.linkedObject
    }

    /// Returns the elements of a list for `.modified`, which updates embedded objects in place.
    func modifiedElements(
        _ values: [Any?], in place: DynamicPlace
    ) throws(Realm.Error) -> ListContents {
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        let name = name(place.list.name, place.table)
        guard target.kind == .elements, let column = target.columns.first else {
            let old =
                target.kind.isOwned
                ? transaction.list(place.table, place.row, place.list.key) : []
            return .rows(try rows(for: values, in: place, owned: old))
        }
        if column.type == .any {
            return .trees(
                try values.map { (value) throws(Realm.Error) in
                    try anyTree(value, name, level: place.level)
                })
        }
        let stored = try stored(values, column, name)
        try check(stored, target.key, column.key)
        return .values(stored)
    }

    /// Returns the entries of a map for `.modified`, which updates embedded objects in place.
    func modifiedEntries(
        _ value: Any, in place: DynamicPlace
    ) throws(Realm.Error) -> [(key: String, tree: AnyTree)] {
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        let (column, name) = (target.columns[0], name(place.list.name, place.table))
        var prepared: [(key: String, tree: AnyTree)] = []
        for (key, value) in try entries(in: value, place) {
            if let problem = Realm.Error.mapKey(key, name.className, name.property) {
                throw problem
            }
            if column.type == .any {
                prepared.append((key, try anyTree(value, name, level: place.level)))
                continue
            }
            let (position, isThere) = place.position(ofKey: key)
            let entry =
                isThere
                ? transaction.listElement(place.table, place.row, place.list.key, at: position)
                : nil
            let stored = try checked(
                value, column, of: target.key, at: .key(key),
                owned: entry.flatMap { ownedRow(column, of: target.key, $0) })
            prepared.append((key, .value(stored)))
        }
        return prepared
    }
}

extension DynamicProperty {
    /// Whether the property is the column.
    fileprivate func isColumn(_ key: ColumnKey?) -> Bool {
        if case .column(let column) = self { column.key == key } else { false }
    }
}
