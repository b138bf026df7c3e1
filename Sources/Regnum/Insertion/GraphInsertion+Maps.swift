internal import RegnumEngine
internal import RegnumStore

// Maps of the objects that are stored: those of new rows and of updated ones.

extension GraphInsertion {
    /// Returns the unmanaged objects of a map, with the rows of embedded objects that are updated
    /// in place.
    ///
    /// Throws `.invalidValue` for an invalid key and for an object that can't be linked to.
    func mapTargets(
        of entries: [MapEntry], _ property: Int, _ binding: ClassBinding, _ row: ObjectKey?
    ) throws(Realm.Error) -> [(ObjectBase, ObjectKey?)] {
        let schema = binding.schema
        var targets: [(ObjectBase, ObjectKey?)] = []
        var stored: [StoredText: Value]?
        for entry in entries {
            if let error = Realm.Error.mapKey(entry.key, schema, schema.properties[property]) {
                throw error
            }
            guard case .link(let target?) = entry.content else { continue }
            try check(target, schema, schema.properties[property])
            if target.isManaged { continue }
            var owned: ObjectKey?
            if let row, policy == .modified, schema.properties[property].isOwning {
                if stored == nil { stored = try values(of: row, property, binding) }
                owned = stored?[StoredText(entry.key)]?.linkedObject
            }
            targets.append((target, owned))
        }
        return targets
    }

    /// Returns the stored values of a map.
    private func values(
        of row: ObjectKey, _ property: Int, _ binding: ClassBinding
    ) throws(Realm.Error) -> [StoredText: Value] {
        do throws(StoreError) {
            return try entries(of: row, property, binding).mapValues(\.value)
        } catch {
            throw Realm.Error(error).naming(binding.schema, property)
        }
    }

    private func entries(
        of row: ObjectKey, _ property: Int, _ binding: ClassBinding
    ) throws(StoreError) -> [StoredText: (row: ObjectKey, value: Value)] {
        guard let list = binding.place.lists[property] else { return [:] }
        var found: [StoredText: (row: ObjectKey, value: Value)] = [:]
        for entry in transaction.list(binding.place.tableKey, row, list.key) {
            guard case .string(let key)? = transaction.value(list.target, entry, .mapKey),
                let value = transaction.value(list.target, entry, .mapValue)
            else { throw .missingElement(of: transaction.schema.tables[Int(list.target.rawValue)]) }
            found[StoredText(key)] = (entry, value)
        }
        return found
    }

    /// Stores the maps of a new row.
    func insertMaps(of node: Node) throws(Realm.Error) {
        for (property, _, entries) in node.maps where !entries.isEmpty {
            guard let row = node.row, let list = node.binding.place.lists[property] else {
                continue
            }
            do throws(StoreError) {
                try insert(entries, node.binding.place.tableKey, row, list)
            } catch {
                throw Realm.Error(error).naming(node.binding.schema, property)
            }
        }
    }

    /// Inserts entries, in ascending order of their keys, into an empty map.
    private func insert(
        _ entries: [MapEntry], _ table: TableKey, _ row: ObjectKey, _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        var values: [Value] = []
        values.reserveCapacity(2 * entries.count)
        for entry in entries {
            if case .tree = entry.content {
                let rows = try rows(of: entries, list.target)
                return try transaction.insertIntoList(table, row, list.key, at: 0, rows)
            }
            values.append(value(of: entry))
            values.append(.string(entry.key))
        }
        try transaction.insertIntoList(table, row, list.key, at: 0, newRows: values, width: 2)
    }

    /// Inserts new rows for entries. If it throws, no new rows remain.
    private func rows(
        of entries: [MapEntry], _ target: TableKey
    ) throws(StoreError) -> [ObjectKey] {
        var rows: [ObjectKey] = []
        rows.reserveCapacity(entries.count)
        for entry in entries {
            do throws(StoreError) {
                if case .tree(let tree) = entry.content {
                    rows += try anyWriter.insert([(entry.key, tree)], target)
                    continue
                }
                rows.append(
                    try transaction.insert(target, [value(of: entry), .string(entry.key)]))
            } catch {
                // no map holds the rows yet, so they wouldn't be deleted along with its owner
                transaction.delete(target, rows)
                throw error
            }
        }
        return rows
    }

    private func value(of entry: MapEntry) -> Value {
        switch entry.content {
        case .value(let value): value
        case .link(let object?):
            row(of: object).map { .int(Int64(bitPattern: $0.rawValue)) } ?? .null
        default: .null
        }
    }

    // MARK: Updates

    /// Throws if a map of an existing row can't be updated.
    func checkMaps(of node: Node) throws(Realm.Error) {
        for (property, _, entries) in node.maps where isSupplied(property, node) {
            guard let list = node.binding.place.lists[property] else { continue }
            do throws(StoreError) {
                for entry in entries {
                    try transaction.check(list.target, .mapKey, .string(entry.key))
                    if case .value(let value) = entry.content {
                        try transaction.check(list.target, .mapValue, value)
                    }
                }
            } catch {
                throw Realm.Error(error).naming(node.binding.schema, property)
            }
        }
    }

    /// Updates the maps of a row. With `.modified`, given entries are written where they differ,
    /// and others are kept; with `.all`, the map becomes the given entries.
    func updateMaps(of node: Node, _ row: ObjectKey) throws(StoreError) {
        let table = node.binding.place.tableKey
        for (index, property) in node.binding.schema.properties.enumerated() {
            guard case .map = property.shape, isSupplied(index, node),
                let list = node.binding.place.lists[index]
            else { continue }
            let given = node.maps.first { $0.property == index }?.entries ?? []
            if replaces(index, node) {
                let count = transaction.listCount(table, row, list.key)
                if count > 0 { transaction.removeFromList(table, row, list.key, 0..<count) }
                if !given.isEmpty { try insert(given, table, row, list) }
                continue
            }
            let stored = try entries(of: row, index, node.binding)
            var fresh: [MapEntry] = []
            for entry in given {
                guard let found = stored[StoredText(entry.key)] else {
                    fresh.append(entry)
                    continue
                }
                if case .tree(let tree) = entry.content {
                    try updateElement(tree, found.row, list.target)
                    continue
                }
                let value = value(of: entry)
                if found.value == value { continue }
                if found.value.isAnyCollection {
                    try updateElement(.value(value), found.row, list.target)
                    continue
                }
                try transaction.set(list.target, found.row, .mapValue, value)
            }
            if fresh.isEmpty { continue }
            try insert(fresh, among: stored.keys.map(\.wrappedValue), table, row, list)
        }
    }

    /// Inserts entries, in ascending order of their keys, into a map with other keys.
    private func insert(
        _ entries: [MapEntry], among keys: [String], _ table: TableKey, _ row: ObjectKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        let keys = keys.sorted(by: StoredText.precedes)
        let rows = try rows(of: entries, list.target)
        var position = 0
        for (number, entry) in entries.enumerated() {
            while position < keys.count, StoredText.precedes(keys[position], entry.key) {
                position += 1
            }
            try transaction.insertIntoList(
                table, row, list.key, at: position + number, [rows[number]])
        }
    }
}
