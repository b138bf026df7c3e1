package import RegnumEngine
internal import RegnumStore

extension TransactionCore {
    /// Returns the `AnyRealmValue` for a stored value.
    ///
    /// - Parameter nested: Creates the accessor of the contents of a list or dictionary.
    func anyValue(_ value: Value, _ nested: () -> _ManagedList) -> AnyRealmValue {
        switch value.anyContent {
        case .link(let table, let row): return object(table, row).map { .object($0) } ?? .none
        case .list: return .list(List(nested()))
        case .dictionary: return .dictionary(Map(nested()))
        default: return AnyRealmValue(plain: value) ?? .none
        }
    }

    /// Returns the object of a row. Fails the transaction if there is no such row, or the program
    /// has no such class.
    private func object(_ table: TableKey, _ row: ObjectKey) -> Object? {
        guard let schema,
            let name = attempt({ () throws(Realm.Error) in try schema.anyTarget(table).name })
        else { return nil }
        guard let type = realm.objectType(named: name) else {
            fail(.unlistedClass(name))
            return nil
        }
        return linked(type, row)
    }

    /// Returns the object that a link refers to, or `nil` if there is no such row.
    func linked<T: ObjectBase>(_ type: T.Type, _ row: ObjectKey) -> T? {
        let targets = binding(for: type)
        targets.refresh()
        guard targets.isReadable(row: row.rawValue) else {
            // Only a damaged file contains a link to a nonexistent row.
            targets.failMissing(nil, of: row.rawValue)
            return nil
        }
        return targets.accessor(type, row: row)
    }
}

extension ClassBinding {
    /// Returns the value of an `AnyRealmValue` property.
    func anyValue(row: UInt64, column: Int32) -> AnyRealmValue {
        let value = readValue(row: row, column: column)
        guard let core else { return AnyRealmValue(plain: value) ?? .none }
        return core.anyValue(value) {
            _ManagedList(self, row: row, any: propertyIndex(of: column), value)
        }
    }

    /// Sets an `AnyRealmValue` property. A value that cannot be stored fails the transaction.
    func setAny(_ value: AnyRealmValue, row: UInt64, column: Int32) {
        let property = propertyIndex(of: column)
        guard let core, core.writing != nil else { trapNotWriting(property) }
        guard isReadable(row: row) else { return failMissing(property, of: row) }
        let list = _ManagedList(self, row: row, any: property, nil)
        guard let tree = list.prepared([value], level: 0)?.first else { return }
        list.edit { transaction, table, stored throws(StoreError) in
            guard let number = mapping?.columns[property] else { return }
            try AnyWriter(core: core, transaction: transaction)
                .set(tree, table, ObjectKey(rawValue: row), ColumnKey(number), stored)
        }
    }
}

extension _ManagedList {
    /// Returns the value of an element, or `nil` if the element was removed since a loop started.
    func anyValue(_ element: ObjectKey) -> AnyRealmValue? {
        if element == .nowhere { return AnyRealmValue.none }  // the transaction has failed
        guard let (core, _, list) = place else { return nil }
        guard let value = value(of: element, core, list, .mapValue) else {
            return isLoop ? nil : AnyRealmValue.none
        }
        if value.isAnyCollection,
            let problem = core.view?.ownershipProblem(
                of: element, in: list.target, level: anyLevel + 1)
        {
            if let schema = core.schema { core.fail(.naming(problem, in: schema)) }
            return AnyRealmValue.none
        }
        return core.anyValue(value) { _ManagedList(self, element: element, list.target, value) }
    }

    /// The number of lists and dictionaries in the property that enclose an element.
    var anyLevel: Int {
        var level = 0
        var list: _ManagedList? = self
        while let slot = list?.slot {
            level += 1
            list = slot.parent
        }
        return level
    }

    /// Validates values and adds the objects in them. Returns `nil` and fails the transaction if a
    /// value cannot be stored.
    func prepared(_ values: [AnyRealmValue], level: Int) -> [AnyTree]? {
        guard let core = binding.core else { return nil }
        guard core.writing != nil else { binding.trapNotWriting(property) }
        let schema = binding.schema
        return core.attempt { () throws(Realm.Error) in
            var trees: [AnyTree] = []
            for value in values {
                trees.append(
                    try AnyTree(value, level: level, core, schema, schema.properties[property]))
            }
            for object in trees.flatMap(\.objects) {
                _ = try core.store(object, for: schema.properties[property], schema)
            }
            return trees
        }
    }

    func insert(any values: [AnyRealmValue], at position: Int) {
        guard let trees = prepared(values, level: anyLevel), let core = binding.core,
            !trees.isEmpty
        else { return }
        edit { transaction, table, list throws(StoreError) in
            let rows = try AnyWriter(core: core, transaction: transaction)
                .insert(trees.map { ("", $0) }, list.target)
            try transaction.insertIntoList(table, row, list.key, at: position, rows)
        }
    }

    func set(any value: AnyRealmValue, at position: Int) {
        guard let tree = prepared([value], level: anyLevel)?.first, let core = binding.core
        else { return }
        edit { transaction, table, list throws(StoreError) in
            guard let element = transaction.listElement(table, row, list.key, at: position)
            else { return }
            try AnyWriter(core: core, transaction: transaction).set(
                tree, list.target, element, ColumnKey(0),
                BindingPlace.StoredList(key: .anyItems, target: list.target))
        }
    }

    /// Stores a value under a key.
    func setEntry(_ key: String, any value: AnyRealmValue) {
        guard isStorable(key), let tree = prepared([value], level: anyLevel)?.first,
            let core = binding.core
        else { return }
        edit { transaction, table, list throws(StoreError) in
            let (position, found) = search(key)
            let writer = AnyWriter(core: core, transaction: transaction)
            if let found {
                let items = BindingPlace.StoredList(key: .anyItems, target: list.target)
                return try writer.set(tree, list.target, found, .mapValue, items)
            }
            let rows = try writer.insert([(key, tree)], list.target)
            try transaction.insertIntoList(table, row, list.key, at: position, rows)
        }
    }

    /// Replaces all entries. Each key must occur only once.
    func assign(any entries: [(key: String, value: AnyRealmValue)]) {
        for entry in entries where !isStorable(entry.key) { return }
        let sorted = entries.sorted { StoredText.precedes($0.key, $1.key) }
        guard let trees = prepared(sorted.map(\.value), level: anyLevel), let core = binding.core
        else { return }
        remove(0..<count)
        edit { transaction, table, list throws(StoreError) in
            let rows = try AnyWriter(core: core, transaction: transaction)
                .insert(zip(sorted, trees).map { ($0.key, $1) }, list.target)
            if !rows.isEmpty {
                try transaction.insertIntoList(table, row, list.key, at: 0, rows)
            }
        }
    }

    /// Records a change of a nested list or dictionary: the values that contain it count as set, so
    /// that observers of those values are notified.
    func touch(_ transaction: EngineTransaction) throws(StoreError) {
        var list = self
        while let slot = list.slot {
            if let elements = slot.elements {
                try transaction.set(elements, list.row, ColumnKey(0), slot.value)
            } else if let number = binding.mapping?.columns[property], number >= 0 {
                let table = binding.place.tableKey
                let value = transaction.value(table, list.row, ColumnKey(number))
                // Skip this while the property itself is being set.
                if value == slot.value {
                    try transaction.set(table, list.row, ColumnKey(number), slot.value)
                }
            }
            guard let parent = slot.parent else { return }
            list = parent
        }
    }
}

extension DatabaseSchema {
    /// Returns the class that a value of any type links to. Throws for links that only a damaged
    /// file contains.
    package func anyTarget(_ table: TableKey) throws(Realm.Error) -> TableSchema {
        guard Int(table.rawValue) < tables.count else { throw .missingRow("class") }
        let target = tables[Int(table.rawValue)]
        guard target.kind == .object else { throw .ownedTarget(target.name) }
        return target
    }
}

extension RealmCore {
    /// Returns the model class with the given name: a class registered with the realm or, if the
    /// configuration lists no classes, a class from a module of another class in the realm.
    func objectType(named name: String) -> Object.Type? {
        let known = joinedSchemas
        if let found = known.first(where: { equalUTF8($0.name, name) }) {
            return found.type as? Object.Type
        }
        guard configuration.objectTypes == nil else { return nil }
        var modules: Set<String> = []
        for schema in known {
            let path = _typeName(schema.type, qualified: true).split(separator: ".")
            guard let module = path.first.map(String.init), modules.insert(module).inserted else {
                continue
            }
            let mangled = "\(module.utf8.count)\(module)\(name.utf8.count)\(name)C"
            if let type = _typeByName(mangled) as? Object.Type { return type }
        }
        return ClassCatalog.shared.type(named: name) as? Object.Type
    }
}

extension Realm.Error {
    /// The error for an `AnyRealmValue` that refers to an object whose class the program doesn't
    /// declare or list.
    static func unlistedClass(_ name: String) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "An AnyRealmValue refers to an object of the class \(name), which isn't in the realm: "
                + "add it to Configuration.objectTypes.", className: name)
    }
}
