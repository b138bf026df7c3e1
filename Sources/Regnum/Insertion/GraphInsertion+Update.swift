internal import RegnumEngine
internal import RegnumStore

// Update policies: existing rows get the values of the objects with the same key.

extension GraphInsertion {
    /// Returns the row of a linked embedded object that is updated in place.
    func ownedRow(_ property: Int, _ binding: ClassBinding, _ row: ObjectKey?) -> ObjectKey? {
        guard let row, policy == .modified, binding.schema.properties[property].isOwning,
            let column = binding.mapping?.columns[property]
        else { return nil }
        return transaction.value(binding.place.tableKey, row, ColumnKey(column))?.linkedObject
    }

    func ownedRows(
        _ property: Int, _ binding: ClassBinding, _ row: ObjectKey?
    ) -> [ObjectKey] {
        guard let row, policy == .modified, binding.schema.properties[property].isOwning,
            let list = binding.place.lists[property]
        else { return [] }
        return transaction.list(binding.place.tableKey, row, list.key)
    }

    /// Throws if one of the updates can't be made; changes nothing.
    func checkUpdates() throws(Realm.Error) {
        for node in nodes where node.exists || node.isDeferred {
            try node.binding.checkUpdate(from: node.object, supplied(node), transaction)
            for (property, _, contents) in node.lists where isSupplied(property, node) {
                try node.withList(property) { (list) throws(StoreError) in
                    for value in contents.values {
                        try transaction.check(list.target, .mapValue, value)
                    }
                }
            }
            for (property, _, entries) in node.maps where isSupplied(property, node) {
                try node.withList(property) { (list) throws(StoreError) in
                    for entry in entries {
                        try transaction.check(list.target, .mapKey, .string(entry.key))
                        guard case .value(let value) = entry.content else { continue }
                        try transaction.check(list.target, .mapValue, value)
                    }
                }
            }
        }
    }

    /// Makes the updates, which must have been checked.
    func update() {
        for node in nodes where node.exists && !node.isDeferred {
            guard let row = node.row, transaction.contains(node.binding.place.tableKey, row) else {
                continue
            }
            do throws(StoreError) {
                try node.binding.update(row, from: node.object, policy, supplied(node), transaction)
                try updateReferences(of: node, row)
                try updateAnyValues(of: node, row)
            } catch {
                core.fail(Realm.Error(error))
            }
        }
    }

    private func supplied(_ node: Node) -> Set<Int>? {
        supplied[ObjectIdentifier(node.object)]?.given
    }

    func isSupplied(_ property: Int, _ node: Node) -> Bool {
        isSupplied(property, node.object)
    }

    /// Returns whether a property of an object was given. True for all properties of objects that
    /// weren't created from partial values.
    func isSupplied(_ property: Int, _ object: ObjectBase) -> Bool {
        supplied[ObjectIdentifier(object)]?.given.contains(property) ?? true
    }

    /// Updates the links, lists, sets and maps of a row. With `.modified`, only what differs is
    /// written, and sets and maps keep their other elements; with `.all`, every property is
    /// written.
    private func updateReferences(of node: Node, _ row: ObjectKey) throws(StoreError) {
        let (binding, table) = (node.binding, node.binding.place.tableKey)
        for (index, property) in binding.schema.properties.enumerated()
        where isSupplied(index, node) {
            if case .link = property.shape, let column = binding.mapping?.columns[index] {
                try updateLink(index, property, ColumnKey(column), of: node, row)
            }
            guard property.shape.isStoredList, let list = binding.place.lists[index] else {
                continue
            }
            if replaces(index, node) {
                let count = transaction.listCount(table, row, list.key)
                if count > 0 { transaction.removeFromList(table, row, list.key, 0..<count) }
            }
            if case .map = property.shape {
                let entries = node.maps.first { $0.property == index }?.entries ?? []
                if replaces(index, node), !entries.isEmpty {
                    try insert(entries, table, row, list)
                } else {
                    try anyWriter.update(trees(of: entries), table, row, list)
                }
                continue
            }
            let contents = node.lists.first { $0.property == index }?.contents ?? []
            if case .set = property.shape {
                let stored = StoredSet(
                    transaction: transaction, table: table, row: row, list: list)
                try stored.add(members(of: contents))
            } else {
                try anyWriter.update(stored(contents), table, row, list)
            }
        }
    }

    private func updateLink(
        _ index: Int, _ property: PropertySchema, _ column: ColumnKey, of node: Node,
        _ row: ObjectKey
    ) throws(StoreError) {
        var value = Value.null
        if case .link(let target?) = property.content(of: node.object),
            let key = self.row(of: node.made[index] ?? target)
        {
            value = key.linkValue
        }
        let table = node.binding.place.tableKey
        if policy == .modified, transaction.value(table, row, column) == value { return }
        try transaction.set(table, row, column, value)
    }
}

extension ClassBinding {
    /// Returns the row with the primary key of an unmanaged object, or `nil` if there is none.
    func existingRow(of object: ObjectBase, _ transaction: EngineTransaction) -> ObjectKey? {
        primaryKey(of: object).flatMap { transaction.find(place.tableKey, primaryKey: $0) }
    }

    /// Returns the primary key of an unmanaged object, or `nil` if the class has none.
    func primaryKey(of object: ObjectBase) -> Value? {
        guard let primaryKey = schema.primaryKey else { return nil }
        let property = schema.properties[primaryKey]
        return property.field.unmanagedValue(in: object, at: property.offset)
    }

    /// Throws if a row of the class can't hold the values of an object.
    func checkUpdate(
        from object: ObjectBase, _ supplied: Set<Int>?, _ transaction: EngineTransaction
    ) throws(Realm.Error) {
        try engine { () throws(StoreError) in
            for (index, column) in updatedColumns(supplied) {
                let property = schema.properties[index]
                let value = property.field.unmanagedValue(in: object, at: property.offset)
                try transaction.check(place.tableKey, column, value)
            }
        }
    }

    /// Sets the values of a row to those of an object, which must have been checked.
    func update(
        _ row: ObjectKey, from object: ObjectBase, _ policy: Realm.UpdatePolicy,
        _ supplied: Set<Int>?, _ transaction: EngineTransaction
    ) throws(StoreError) {
        for (index, column) in updatedColumns(supplied) {
            let property = schema.properties[index]
            let value = property.field.unmanagedValue(in: object, at: property.offset)
            if policy == .modified, transaction.value(place.tableKey, row, column) == value {
                continue
            }
            try transaction.set(place.tableKey, row, column, value)
        }
    }

    /// Returns the columns that an update sets: all given values except the primary key.
    private func updatedColumns(_ supplied: Set<Int>?) -> [(property: Int, column: ColumnKey)] {
        place.fields.indices.compactMap { index in
            let property = schema.properties[index]
            guard case .scalar = property.shape, !property.shape.isAny, !property.isPrimaryKey,
                supplied?.contains(index) ?? true
            else { return nil }
            return (index, ColumnKey(place.fields[index].column))
        }
    }
}
