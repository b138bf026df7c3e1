internal import RegnumEngine
internal import RegnumStore

// Update policies: existing rows get the values of the objects with the same key.

extension GraphInsertion {
    /// Returns the row of a linked embedded object that is updated in place.
    func ownedRow(_ property: Int, _ binding: ClassBinding, _ row: ObjectKey?) -> ObjectKey? {
        guard let row, policy == .modified, binding.schema.properties[property].isOwning,
            let column = binding.mapping?.columns[property],
            case .int(let target)? = transaction.value(
                binding.place.tableKey, row, ColumnKey(column))
        else { return nil }
        return ObjectKey(rawValue: UInt64(bitPattern: target))
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
            try checkMaps(of: node)
            for (property, _, contents) in node.lists where isSupplied(property, node) {
                guard let list = node.binding.place.lists[property] else { continue }
                do throws(StoreError) {
                    for case .value(let value) in contents {
                        try transaction.check(list.target, ColumnKey(0), value)
                    }
                } catch {
                    throw Realm.Error(error).naming(node.binding.schema, property)
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
                try updateLinks(of: node, row)
                try updateLists(of: node, row)
                try updateMaps(of: node, row)
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

    private func updateLinks(of node: Node, _ row: ObjectKey) throws(StoreError) {
        let table = node.binding.place.tableKey
        for (index, property) in node.binding.schema.properties.enumerated() {
            guard case .link = property.shape, isSupplied(index, node),
                let number = node.binding.mapping?.columns[index]
            else { continue }
            var value = Value.null
            if case .link(let target?) = property.content(of: node.object),
                let key = self.row(of: node.made[index] ?? target)
            {
                value = .int(Int64(bitPattern: key.rawValue))
            }
            let column = ColumnKey(number)
            if policy == .modified, transaction.value(table, row, column) == value { continue }
            try transaction.set(table, row, column, value)
        }
    }

    private func updateLists(of node: Node, _ row: ObjectKey) throws(StoreError) {
        let table = node.binding.place.tableKey
        for (index, property) in node.binding.schema.properties.enumerated() {
            guard let element = property.shape.elements, isSupplied(index, node),
                let list = node.binding.place.lists[index]
            else { continue }
            let contents = node.lists.first { $0.property == index }?.contents ?? []
            if case .set = property.shape {
                let stored = StoredSet(
                    transaction: transaction, table: table, row: row, list: list)
                // all elements are then new, as in a list
                if replaces(index, node) { try stored.keep(SetMembers()) }
                try stored.add(members(of: contents))
                continue
            }
            let old = transaction.list(table, row, list.key)
            if policy == .all {
                if !old.isEmpty {
                    transaction.removeFromList(table, row, list.key, 0..<old.count)
                }
                if contents.isEmpty { continue }
                try transaction.insertIntoList(
                    table, row, list.key, at: 0, try keys(of: contents, list.target))
                continue
            }
            let common = min(old.count, contents.count)
            switch element {
            case .scalar:
                for position in 0..<common {
                    let key = old[position]
                    if case .tree(let tree) = contents[position] {
                        try updateElement(tree, key, list.target)
                        continue
                    }
                    guard case .value(let value) = contents[position] else { continue }
                    let stored = transaction.value(list.target, key, ColumnKey(0))
                    if stored == value { continue }
                    if stored?.isAnyCollection ?? false {
                        try updateElement(.value(value), key, list.target)
                        continue
                    }
                    try transaction.set(list.target, key, ColumnKey(0), value)
                }
            case .object:
                let new = try keys(of: contents.prefix(common), list.target)
                for position in 0..<common where new[position] != old[position] {
                    try transaction.setListElement(
                        table, row, list.key, at: position, new[position])
                }
            }
            if old.count > common {
                transaction.removeFromList(table, row, list.key, common..<old.count)
            }
            if contents.count > common {
                let new = try keys(of: contents.dropFirst(common), list.target)
                try transaction.insertIntoList(table, row, list.key, at: common, new)
            }
        }
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
        do throws(StoreError) {
            for (index, column) in updatedColumns(supplied) {
                let property = schema.properties[index]
                let value = property.field.unmanagedValue(in: object, at: property.offset)
                try transaction.check(place.tableKey, column, value)
            }
        } catch {
            throw Realm.Error(error)
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
