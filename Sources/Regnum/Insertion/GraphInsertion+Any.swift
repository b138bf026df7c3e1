internal import RegnumEngine
internal import RegnumStore

// `AnyRealmValue` properties of the objects that are stored.

extension AnyTree {
    /// The objects in the value that must be stored with it.
    var unmanagedTargets: [(object: ObjectBase, row: ObjectKey?)] {
        objects.filter { !$0.isManaged }.map { ($0, nil) }
    }
}

extension GraphInsertion {
    /// A writer for values whose objects have rows.
    var anyWriter: AnyWriter {
        AnyWriter(core: core, transaction: transaction) { self.row(of: $0) }
    }

    /// Returns a checked tree of a value.
    ///
    /// Throws the errors of `AnyTree`, and `.invalidValue` for an object in a value of an
    /// asymmetric object or of its embedded objects.
    func checked(
        _ value: AnyRealmValue, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> AnyTree {
        let tree = try AnyTree(value, core, schema, property)
        // the root comes first, and only embedded objects are stored with an asymmetric one
        if (nodes.first?.binding.schema ?? schema).isAsymmetric, let object = tree.objects.first {
            throw .linkOfAsymmetric(withArticle(type(of: object)), schema.name, property.name)
        }
        return tree
    }

    /// Returns the contents of a collection, with `AnyRealmValue` elements checked.
    func checked(
        _ contents: [_PropertyContent.Content], _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> [_PropertyContent.Content] {
        guard property.shape.holdsAny else { return contents }
        var result: [_PropertyContent.Content] = []
        result.reserveCapacity(contents.count)
        for content in contents {
            result.append(try checked(content, schema, property))
        }
        return result
    }

    func checked(
        _ entries: [MapEntry], _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> [MapEntry] {
        guard property.shape.holdsAny else { return entries }
        var result: [MapEntry] = []
        result.reserveCapacity(entries.count)
        for entry in entries {
            result.append(
                MapEntry(key: entry.key, content: try checked(entry.content, schema, property)))
        }
        return result
    }

    private func checked(
        _ content: _PropertyContent.Content, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> _PropertyContent.Content {
        guard case .any(let value) = content else { return content }
        return .tree(try checked(value, schema, property))
    }

    /// Stores the objects, lists and dictionaries in the `AnyRealmValue` properties of a new row.
    func insertAnyValues(of node: Node) throws(Realm.Error) {
        for (property, tree) in node.anyValues {
            if case .value = tree { continue }  // stored with the row
            guard let row = node.row, let list = node.binding.place.lists[property],
                let column = node.binding.mapping?.columns[property]
            else { continue }
            do throws(StoreError) {
                try anyWriter.set(
                    tree, node.binding.place.tableKey, row, ColumnKey(column), list)
            } catch {
                throw Realm.Error(error).naming(node.binding.schema, property)
            }
        }
    }

    /// Updates the `AnyRealmValue` properties of a row. With `.modified`, values are written where
    /// they differ, and dictionaries keep entries that weren't given; with `.all`, every value is
    /// written.
    func updateAnyValues(of node: Node, _ row: ObjectKey) throws(StoreError) {
        for (property, tree) in node.anyValues where isSupplied(property, node) {
            guard let list = node.binding.place.lists[property],
                let column = node.binding.mapping?.columns[property]
            else { continue }
            let table = node.binding.place.tableKey
            if policy == .all {
                try anyWriter.set(tree, table, row, ColumnKey(column), list)
            } else {
                _ = try update(tree, table, row, ColumnKey(column), list)
            }
        }
    }

    /// Sets an element of a collection to another value, where it differs.
    func updateElement(
        _ tree: AnyTree, _ element: ObjectKey, _ target: TableKey
    ) throws(StoreError) {
        _ = try update(
            tree, target, element, ColumnKey(0),
            BindingPlace.StoredList(key: .anyItems, target: target))
    }

    /// Sets a column to another value, where it differs. A dictionary gets the given entries and
    /// keeps the others; a list becomes the given one, element by element.
    ///
    /// - Returns: Whether anything was changed.
    func update(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ column: ColumnKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) -> Bool {
        let stored = transaction.value(table, row, column) ?? .null
        let items = BindingPlace.StoredList(key: .anyItems, target: list.target)
        var isChanged = false
        switch (tree, stored.anyContent) {
        case (.dictionary(let entries), .dictionary):
            var keys: [String] = []
            let elements = transaction.list(table, row, list.key)
            for element in elements {
                guard case .string(let key)? = transaction.value(list.target, element, .mapKey)
                else {
                    throw .missingElement(
                        of: transaction.schema.tables[Int(list.target.rawValue)])
                }
                keys.append(key)
            }
            for entry in entries {
                let position = ascendingPosition(0..<keys.count) {
                    StoredText.precedes(keys[$0], entry.key) ? -1 : 0
                }
                if position < keys.count, StoredText(keys[position]) == StoredText(entry.key),
                    let element = transaction.listElement(table, row, list.key, at: position)
                {
                    let isSet = try update(entry.tree, list.target, element, ColumnKey(0), items)
                    isChanged = isChanged || isSet
                    continue
                }
                let rows = try anyWriter.insert([(entry.key, entry.tree)], list.target)
                try transaction.insertIntoList(table, row, list.key, at: position, rows)
                keys.insert(entry.key, at: position)
                isChanged = true
            }
            if isChanged { try transaction.set(table, row, column, stored) }
            return isChanged
        case (.list(let trees), .list):
            let count = transaction.listCount(table, row, list.key)
            for (position, tree) in trees.prefix(count).enumerated() {
                guard let element = transaction.listElement(table, row, list.key, at: position)
                else { continue }
                let isSet = try update(tree, list.target, element, ColumnKey(0), items)
                isChanged = isChanged || isSet
            }
            if count > trees.count {
                transaction.removeFromList(table, row, list.key, trees.count..<count)
                isChanged = true
            } else if trees.count > count {
                let rows = try anyWriter.insert(
                    trees.dropFirst(count).map { ("", $0) }, list.target)
                try transaction.insertIntoList(table, row, list.key, at: count, rows)
                isChanged = true
            }
            if isChanged { try transaction.set(table, row, column, stored) }
            return isChanged
        case (.value(let value), _) where value == stored: return false
        case (.object, .link?) where anyWriter.cell(tree) == stored: return false
        default: break
        }
        try anyWriter.set(tree, table, row, column, list)
        return true
    }
}
