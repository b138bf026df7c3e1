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
        // an object before it has the same key, and this one may update its embedded objects
        if copies.updates(table, row) { try update() }
        copies.note(supplied.source, row)
        let key = transaction.schema.tables[Int(table.rawValue)].primaryKey
        var values: [Prepared] = []
        for (property, _, value) in supplied.values where !property.isColumn(key) {
            values += try prepare(value, for: property, of: table, row, policy)
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

    /// Converts a value for `.modified`, which writes only what differs from the stored one.
    func prepareModification(
        _ value: Any?, for property: DynamicProperty, of table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) -> [Prepared] {
        switch property {
        case .inverse, .unstored:
            preconditionFailure("Only stored properties can be updated.")
        case .column(let column) where column.type == .any:
            let tree = try anyTree(value, name(column.name, table))
            guard let items = store.items(of: column, table) else { return [.any(column, tree)] }
            let list = BindingPlace.StoredList(key: items.key, target: items.target)
            return [.tree(tree, table, row, column.key, list)]
        case .column(let column):
            let owned = ownedRow(column, of: table, row)
            let stored = try checked(value, column, of: table, owned: owned)
            return [.value(stored, table, row, column.key)]
        case .list(let list):
            let place = DynamicPlace(store: store, table: table, row: row, list: list)
            guard let value = value.flatMap({ unwrapped($0) }) else {
                return [.elements(place, [])]
            }
            if list.kind == .map { return try modifiedEntries(value, in: place) }
            guard let elements = Self.elements(of: value) else {
                throw name(list.name, table).wrong(value)
            }
            return [try modifiedElements(elements, in: place)]
        }
    }

    /// Returns the embedded object that a link of a row owns.
    private func ownedRow(
        _ column: ColumnSchema, of table: TableKey, _ row: ObjectKey
    ) -> ObjectKey? {
        guard let target = column.linkTarget,
            transaction.schema.tables[Int(target.rawValue)].kind.isOwned
        else { return nil }
        return transaction.value(table, row, column.key)?.linkedObject
    }

    private func modifiedElements(
        _ values: [Any?], in place: DynamicPlace
    ) throws(Realm.Error) -> Prepared {
        if place.list.kind == .set {
            let members = try members(values, place)
            try check(members.values, place.list.target, ColumnKey(rawValue: 0))
            return .members(place, members, .modified)
        }
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        let name = name(place.list.name, place.table)
        guard target.kind == .elements, let column = target.columns.first else {
            let old =
                target.kind.isOwned
                ? transaction.list(place.table, place.row, place.list.key) : []
            return .modifiedObjects(place, try rows(for: values, in: place, owned: old))
        }
        if column.type == .any {
            var trees: [AnyTree] = []
            for value in values { trees.append(try anyTree(value, name, level: place.level)) }
            return .modifiedTrees(place, trees)
        }
        let stored = try stored(values, column, place, name)
        try check(stored, target.key, column.key)
        return .modifiedValues(place, stored)
    }

    private func modifiedEntries(
        _ value: Any, in place: DynamicPlace
    ) throws(Realm.Error) -> [Prepared] {
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        let (column, name) = (target.columns[0], name(place.list.name, place.table))
        var prepared: [Prepared] = []
        var new: [(key: String, row: ObjectKey)] = []
        for (key, value) in try entries(in: value, place) {
            let (position, isThere) = place.position(ofKey: key)
            guard isThere,
                let entry = transaction.listElement(
                    place.table, place.row, place.list.key, at: position)
            else {
                new.append((key, try self.entry(key, value, place)))
                continue
            }
            if column.type == .any {
                let tree = try anyTree(value, name, level: place.level)
                let items = BindingPlace.StoredList(key: .anyItems, target: target.key)
                prepared.append(.tree(tree, target.key, entry, column.key, items))
                continue
            }
            let owned = ownedRow(column, of: target.key, entry)
            let stored = try checked(
                value, column, of: target.key, at: .key(key), owned: owned)
            prepared.append(.value(stored, target.key, entry, column.key))
        }
        return new.isEmpty ? prepared : prepared + [.entries(place, new)]
    }

    /// Stores a value that `prepareModification` has converted.
    func storeModification(_ prepared: Prepared) throws(StoreError) {
        switch prepared {
        case .value(let value, let table, let row, let column):
            guard transaction.contains(table, row) else { return }
            if transaction.value(table, row, column) == value { return }
            try transaction.set(table, row, column, value)
        case .tree(let tree, let table, let row, let column, let list):
            guard transaction.contains(table, row) else { return }
            let insertion = GraphInsertion(store.core, transaction, .modified)
            _ = try insertion.update(tree, table, row, column, list)
        case .modifiedValues(let place, let values):
            let (target, column) = (place.list.target, ColumnKey(rawValue: 0))
            let old = trimmed(place, to: values.count)
            for (element, value) in zip(old, values)
            where transaction.value(target, element, column) != value {
                try transaction.set(target, element, column, value)
            }
            if values.count == old.count { return }
            try transaction.insertIntoList(
                place.table, place.row, place.list.key, at: old.count,
                newRows: Array(values[old.count...]))
        case .modifiedTrees(let place, let trees):
            let old = trimmed(place, to: trees.count)
            let insertion = GraphInsertion(store.core, transaction, .modified)
            for (element, tree) in zip(old, trees) {
                try insertion.updateElement(tree, element, place.list.target)
            }
            if trees.count == old.count { return }
            let new = try AnyWriter(core: store.core, transaction: transaction)
                .insert(trees[old.count...].map { ("", $0) }, place.list.target)
            try transaction.insertIntoList(
                place.table, place.row, place.list.key, at: old.count, new)
        case .modifiedObjects(let place, let rows):
            let old = trimmed(place, to: rows.count)
            for position in old.indices where old[position] != rows[position] {
                try transaction.setListElement(
                    place.table, place.row, place.list.key, at: position, rows[position])
            }
            if rows.count == old.count { return }
            try transaction.insertIntoList(
                place.table, place.row, place.list.key, at: old.count, Array(rows[old.count...]))
        case .column, .any, .elements, .members, .entries:
            preconditionFailure("The value isn't a modification.")
        }
    }

    /// Removes the elements of a list from a position on, and returns the rows of the others.
    private func trimmed(_ place: DynamicPlace, to count: Int) -> [ObjectKey] {
        let old = transaction.list(place.table, place.row, place.list.key)
        if old.count > count { remove(count..<old.count, from: place) }
        return Array(old.prefix(count))
    }
}

extension DynamicProperty {
    /// Whether the property is the column.
    fileprivate func isColumn(_ key: ColumnKey?) -> Bool {
        if case .column(let column) = self { column.key == key } else { false }
    }
}
