internal import RegnumEngine
internal import RegnumStore

// Lists, sets and maps of the objects that are stored: those of new rows and of updated ones.

extension GraphInsertion {
    /// Stores the lists, sets and maps of a new row, and its values of any type with their objects,
    /// lists and dictionaries.
    func insertCollections(of node: Node) throws(Realm.Error) {
        guard let row = node.row else { return }
        let table = node.binding.place.tableKey
        for (property, _, contents) in node.lists where !contents.isEmpty {
            try node.withList(property) { (list) throws(StoreError) in
                if case .set = node.binding.schema.properties[property].shape {
                    let stored = StoredSet(
                        transaction: transaction, table: table, row: row, list: list)
                    return try stored.add(members(of: contents))
                }
                try anyWriter.insert(stored(contents), from: 0, table, row, list)
            }
        }
        for (property, _, entries) in node.maps where !entries.isEmpty {
            try node.withList(property) { (list) throws(StoreError) in
                try insert(entries, table, row, list)
            }
        }
        for (property, tree) in node.anyValues {
            if case .value = tree { continue }  // stored with the row
            guard let column = node.binding.mapping?.columns[property] else { continue }
            try node.withList(property) { (list) throws(StoreError) in
                try anyWriter.set(tree, table, row, ColumnKey(column), list)
            }
        }
    }

    /// Returns the elements of a list, all of whose objects have rows.
    func stored(_ contents: [_PropertyContent.Content]) -> ListContents {
        if case .link? = contents.first { return .rows(rows(of: contents)) }
        let values = contents.values
        if values.count == contents.count { return .values(values) }
        return .trees(contents.map { tree(of: $0) })
    }

    /// Returns the elements of a set, all of whose objects have rows.
    func members(of contents: [_PropertyContent.Content]) -> SetMembers {
        var values = contents.values
        for case .tree(let tree) in contents { values.append(anyWriter.cell(tree)) }
        return SetMembers(values: values, keys: rows(of: contents))
    }

    private func rows(of contents: [_PropertyContent.Content]) -> [ObjectKey] {
        contents.compactMap { if case .link(let object?) = $0 { row(of: object) } else { nil } }
    }

    // MARK: Maps

    /// Returns the unmanaged objects of a map, with the rows of embedded objects that are updated
    /// in place.
    ///
    /// Throws `.invalidValue` for an invalid key and for an object that can't be linked to.
    func mapTargets(
        of entries: [MapEntry], _ index: Int, _ node: Node
    ) throws(Realm.Error) -> [(ObjectBase, ObjectKey?)] {
        let schema = node.binding.schema
        let property = schema.properties[index]
        var targets: [(ObjectBase, ObjectKey?)] = []
        var stored: [StoredText: ObjectKey]?
        for entry in entries {
            if let error = Realm.Error.mapKey(entry.key, schema, property) { throw error }
            guard case .link(let target?) = entry.content else { continue }
            try check(target, schema, property)
            if target.isManaged { continue }
            var owned: ObjectKey?
            if let row = node.row, policy == .modified, property.isOwning {
                if stored == nil { stored = try linkedRows(of: row, index, node) }
                owned = stored?[StoredText(entry.key)]
            }
            targets.append((target, owned))
        }
        return targets
    }

    /// Returns the rows that the entries of a stored map link to.
    private func linkedRows(
        of row: ObjectKey, _ property: Int, _ node: Node
    ) throws(Realm.Error) -> [StoredText: ObjectKey] {
        var found: [StoredText: ObjectKey] = [:]
        try node.withList(property) { (list) throws(StoreError) in
            for entry in transaction.list(node.binding.place.tableKey, row, list.key) {
                let key = StoredText(try anyWriter.mapKey(of: entry, list.target))
                found[key] = transaction.value(list.target, entry, .mapValue)?.linkedObject
            }
        }
        return found
    }

    /// Inserts entries, in ascending order of their keys, into an empty map.
    func insert(
        _ entries: [MapEntry], _ table: TableKey, _ row: ObjectKey, _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        var values: [Value] = []
        values.reserveCapacity(2 * entries.count)
        for entry in entries {
            if case .tree = entry.content {
                let rows = try anyWriter.insert(trees(of: entries), list.target)
                return try transaction.insertIntoList(table, row, list.key, at: 0, rows)
            }
            values.append(value(of: entry.content))
            values.append(.string(entry.key))
        }
        try transaction.insertIntoList(table, row, list.key, at: 0, newRows: values, width: 2)
    }

    /// Returns the entries of a map, all of whose objects have rows.
    func trees(of entries: [MapEntry]) -> [(key: String, tree: AnyTree)] {
        entries.map { ($0.key, tree(of: $0.content)) }
    }

    private func tree(of content: _PropertyContent.Content) -> AnyTree {
        if case .tree(let tree) = content { tree } else { .value(value(of: content)) }
    }

    private func value(of content: _PropertyContent.Content) -> Value {
        switch content {
        case .value(let value): value
        case .link(let object?): row(of: object)?.linkValue ?? .null
        default: .null
        }
    }
}

extension GraphInsertion.Node {
    /// Calls `body` with the stored list of a property, if it has one. Errors get the names of the
    /// property.
    func withList(
        _ property: Int, _ body: (BindingPlace.StoredList) throws(StoreError) -> Void
    ) throws(Realm.Error) {
        guard let list = binding.place.lists[property] else { return }
        do throws(StoreError) {
            try body(list)
        } catch {
            throw Realm.Error(error).naming(binding.schema, property)
        }
    }
}
