internal import RegnumEngine
internal import RegnumStore

/// Where a list or dictionary in a value of any type is stored.
struct AnySlot {
    /// The class of the element that has the value, nil where it is a property of the object itself.
    let elements: TableKey?
    /// What the column holds while the accessor is good.
    let value: Value
    /// What the element lies in, nil for a property.
    let parent: _ManagedList?
}

extension TransactionCore {
    /// A stored value of any type.
    ///
    /// - Parameter nested: the accessor of what lies in a list or dictionary.
    func anyValue(_ value: Value, _ nested: () -> _ManagedList) -> AnyRealmValue {
        switch value.anyContent {
        case .link(let table, let row): return object(table, row).map { .object($0) } ?? .none
        case .list: return .list(List(nested()))
        case .dictionary: return .dictionary(Map(nested()))
        default: return AnyRealmValue(plain: value) ?? .none
        }
    }

    /// The object of a row. Fails the transaction where the program has no such class.
    private func object(_ table: TableKey, _ row: ObjectKey) -> Object? {
        guard let schema else { return nil }
        guard Int(table.rawValue) < schema.tables.count else {
            fail(.missingRow("class"))  // only in a damaged file
            return nil
        }
        let name = schema.tables[Int(table.rawValue)].name
        guard let type = realm.objectType(named: name) else {
            fail(.unlistedClass(name))
            return nil
        }
        let targets = binding(for: type)
        targets.refresh()
        guard targets.isReadable(row: row.rawValue) else {
            // only a damaged file has a link to a row that is not there
            targets.failMissing(nil)
            return nil
        }
        return targets.accessor(type, row: row)
    }
}

extension ClassBinding {
    /// The value of a property of any type.
    func anyValue(row: UInt64, column: Int32) -> AnyRealmValue {
        let value =
            isTracing
            ? tracedValue(row: row, column: column) : value(row: row, column: column)
        guard let core else { return AnyRealmValue(plain: value) ?? .none }
        return core.anyValue(value) {
            _ManagedList(self, row: row, any: propertyIndex(of: column), value)
        }
    }

    /// Sets a property of any type. What cannot be stored fails the transaction.
    func setAny(_ value: AnyRealmValue, row: UInt64, column: Int32) {
        let property = propertyIndex(of: column)
        guard let core, core.writing != nil else { trapNotWriting(property) }
        guard isReadable(row: row) else { return failMissing(property) }
        let list = _ManagedList(self, row: row, any: property, nil)
        guard let tree = list.prepared([value], level: 0)?.first else { return }
        list.edit { transaction, table, stored throws(StoreError) in
            guard let number = mapping?.columns[property] else { return }
            try AnyWriter(core, transaction)
                .set(tree, table, ObjectKey(rawValue: row), ColumnKey(number), stored)
        }
    }
}

extension _ManagedList {
    /// The value of an element of any type, nil if it was taken out.
    func anyValue(_ element: ObjectKey) -> AnyRealmValue? {
        if element == .nowhere { return AnyRealmValue.none }  // the transaction has failed
        guard let (core, _, list) = place,
            let value = core.value(list.target, element, ColumnKey(0))
        else { return nil }
        return core.anyValue(value) { _ManagedList(self, element: element, list.target, value) }
    }

    /// How many lists and dictionaries of a value an element lies in.
    var anyLevel: Int {
        var level = 0
        var list: _ManagedList? = self
        while let slot = list?.slot {
            level += 1
            list = slot.parent
        }
        return level
    }

    /// Values that were checked, their objects added; nil if one cannot be stored, which fails the
    /// transaction.
    func prepared(_ values: [AnyRealmValue], level: Int) -> [AnyTree]? {
        guard let core = binding.core else { return nil }
        guard core.writing != nil else { binding.trapNotWriting(property) }
        let schema = binding.schema
        do throws(Realm.Error) {
            var trees: [AnyTree] = []
            for value in values {
                trees.append(
                    try AnyTree(value, level: level, core, schema, schema.properties[property]))
            }
            for object in trees.flatMap(\.objects) {
                _ = try core.store(object, for: schema.properties[property], schema)
            }
            return trees
        } catch {
            core.fail(error)
            return nil
        }
    }

    func insert(any values: [AnyRealmValue], at position: Int) {
        guard let trees = prepared(values, level: anyLevel), let core = binding.core else { return }
        edit { transaction, table, list throws(StoreError) in
            let rows = try AnyWriter(core, transaction)
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
            try AnyWriter(core, transaction).set(
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
            let writer = AnyWriter(core, transaction)
            if let found {
                let items = BindingPlace.StoredList(key: .anyItems, target: list.target)
                return try writer.set(tree, list.target, found, .mapValue, items)
            }
            let rows = try writer.insert([(key, tree)], list.target)
            try transaction.insertIntoList(table, row, list.key, at: position, rows)
        }
    }

    /// Makes the entries those given, each key once.
    func assign(any entries: [(key: String, value: AnyRealmValue)]) {
        for entry in entries where !isStorable(entry.key) { return }
        let sorted = entries.sorted { MapKeyText.precedes($0.key, $1.key) }
        guard let trees = prepared(sorted.map(\.value), level: anyLevel), let core = binding.core
        else { return }
        remove(0..<count)
        edit { transaction, table, list throws(StoreError) in
            let rows = try AnyWriter(core, transaction)
                .insert(zip(sorted, trees).map { ($0.key, $1) }, list.target)
            if !rows.isEmpty {
                try transaction.insertIntoList(table, row, list.key, at: 0, rows)
            }
        }
    }

    /// Notes that what lies in a list or dictionary was changed: the values that it lies in count as set,
    /// so that whoever follows them hears of it.
    func touch(_ transaction: EngineTransaction) throws(StoreError) {
        var list = self
        while let slot = list.slot {
            if let elements = slot.elements {
                try transaction.set(elements, list.row, ColumnKey(0), slot.value)
            } else if let number = binding.mapping?.columns[property], number >= 0 {
                let table = binding.place.tableKey
                let value = transaction.value(table, list.row, ColumnKey(number))
                // not while the property itself is being set
                if value == slot.value {
                    try transaction.set(table, list.row, ColumnKey(number), slot.value)
                }
            }
            guard let parent = slot.parent else { return }
            list = parent
        }
    }
}

extension RealmCore {
    /// The class of objects of that name: one that has joined, or, where there is no list of classes, one
    /// of a module that another class of the realm is of.
    func objectType(named name: String) -> Object.Type? {
        let known = joinedSchemas
        if let type = known.first(where: { $0.name == name })?.type { return type as? Object.Type }
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
    /// A value of any type is an object of a class that the program does not declare or list.
    static func unlistedClass(_ name: String) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "A value of any type is an object of the class \(name), which this realm does not know: "
                + "list it in Configuration.objectTypes.", className: name)
    }
}
