internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

// Setting values of any type by name, including the lists and dictionaries in them.

extension DynamicWriter {
    var writer: AnyWriter { AnyWriter(core: store.core, transaction: transaction) }

    /// Sets an element of a list or map of values of any type, or of the contents of such a value.
    func assign(
        any value: Any?, toElement element: ObjectKey, of place: DynamicPlace
    ) throws(Realm.Error) {
        let tree = try anyTree(
            value, name(place.list.name, place.table), level: place.level)
        try storing { () throws(StoreError) in
            try writer.set(
                tree, place.list.target, element, ColumnKey(rawValue: 0),
                BindingPlace.StoredList(key: .anyItems, target: place.list.target))
        }
    }

    /// Inserts rows for elements, with their contents.
    func insert(
        any entries: [(key: String, value: Any?)], into place: DynamicPlace, _ name: Name
    ) throws(Realm.Error) -> [ObjectKey] {
        let trees = try entries.map { (entry) throws(Realm.Error) in
            (key: entry.key, tree: try anyTree(entry.value, name, level: place.level))
        }
        let rows = try storing { () throws(StoreError) in
            try writer.insert(trees, place.list.target)
        }
        for row in rows { copies.didInsert(row, into: place.list.target) }
        return rows
    }

    /// Returns a member of a set, which can't contain lists and dictionaries.
    func member(any value: Any, _ name: Name) throws(Realm.Error) -> Value {
        guard case .value(let stored) = try anyTree(value, name, level: nil) else {
            throw name.wrong(value)
        }
        return stored
    }

    /// Checks and converts a value; objects become links.
    ///
    /// - Parameter level: The number of lists and dictionaries that contain it; `nil` if it can't
    ///   be one itself.
    func anyTree(
        _ value: Any?, _ name: Name, level: Int? = 0
    ) throws(Realm.Error) -> AnyTree {
        guard let value = value.flatMap({ unwrapped($0) }) else { return .value(.null) }
        if let object = instance(of: DynamicObject.self, value) {
            guard !object.isInvalidated, object.store.core === store.core else {
                throw name.wrong(object)
            }
            return .value(try link(object.table, object.row, name).value)
        }
        if let object = instance(of: ObjectBase.self, value) {
            if object is EmbeddedObject { throw name.wrong(value) }  // it is owned by a property
            return .value(try link(object._storedObject, name).value)
        }
        if let entries = Self.entries(of: value) { return try anyMap(entries, name, level) }
        switch value {
        case .object(let object) as AnyRealmValue:
            return try anyTree(object, name, level: level)
        case .list(let list) as AnyRealmValue:
            return try anyList(list.map { $0 }, name, level)
        case .dictionary(let map) as AnyRealmValue:
            return try anyTree(map, name, level: level)
        default:
            if let scalar = (value as? AnyRealmValue) ?? AnyRealmValue(scalar: value) {
                try AnyTree.check(scalar, name.className, name.property)
                return .value(scalar.plain ?? .null)
            }
            guard !(value is any SetAlgebra), !(value is any MemberCollection),
                let values = ObjectBuilder.elements(of: value)
            else { throw name.wrong(value) }
            return try anyList(values, name, level)
        }
    }

    /// Returns a link to one of the program's objects, adding it if it is unmanaged.
    private func link(_ object: ObjectBase, _ name: Name) throws(Realm.Error) -> AnyContent {
        let className = ClassSchema.of(type(of: object)).name
        if object is AsymmetricObject {
            throw .linkToAsymmetric(className, name.className, name.property)
        }
        if transaction.schema.table(named: name.className)?.kind == .asymmetric {
            throw .linkOfAsymmetric(className.withArticle, name.className, name.property)
        }
        guard let table = transaction.schema.table(named: className) else {
            guard store.declared == nil, !object.isManaged else { throw name.wrong(object) }
            let row = try added(object)
            guard let table = transaction.schema.table(named: className) else {
                throw name.wrong(object)
            }
            return try link(table.key, row, name)
        }
        return try link(table.key, try row(of: object, in: table.key, name), name)
    }

    /// Returns a link to an object. Throws for owned objects, and if either end is asymmetric.
    private func link(
        _ target: TableKey, _ row: ObjectKey, _ name: Name
    ) throws(Realm.Error) -> AnyContent {
        let tables = transaction.schema.tables
        let schema = tables[Int(target.rawValue)]
        if schema.kind == .asymmetric {
            throw .linkToAsymmetric(schema.name, name.className, name.property)
        }
        if transaction.schema.table(named: name.className)?.kind == .asymmetric {
            throw .linkOfAsymmetric(schema.name.withArticle, name.className, name.property)
        }
        guard !schema.kind.isOwned, transaction.contains(target, row) else {
            throw name.wrong(
                described:
                    "\(schema.name.withArticle) that was deleted or belongs to another object")
        }
        return .link(target, row)
    }

    private func anyList(
        _ values: [Any?], _ name: Name, _ level: Int?
    ) throws(Realm.Error) -> AnyTree {
        let level = try next(level, name) { values }
        return .list(
            try values.map { (value) throws(Realm.Error) in
                try anyTree(value, name, level: level)
            })
    }

    private func anyMap(
        _ entries: [(key: String, value: Any?)], _ name: Name, _ level: Int?
    ) throws(Realm.Error) -> AnyTree {
        let level = try next(level, name) {
            Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        }
        var trees: [(key: String, tree: AnyTree)] = []
        for (key, value) in entries {
            if let problem = Realm.Error.mapKey(key, name.className, name.property) {
                throw problem
            }
            trees.append((key, try anyTree(value, name, level: level)))
        }
        return .dictionary(trees)
    }

    /// Returns the level of the contents of a list or dictionary.
    private func next(
        _ level: Int?, _ name: Name, _ value: () -> Any
    ) throws(Realm.Error) -> Int {
        guard let level else { throw name.wrong(value()) }
        guard level >= Limits.maximumAnyLevel else { return level + 1 }
        throw .anyTooDeep(name.className, name.property)
    }
}

extension DatabaseSchema {
    /// Returns whether a list holds objects of a class, or a map of them as its values.
    func leads(_ list: ListSchema, to table: TableKey) -> Bool {
        let target = tables[Int(list.target.rawValue)]
        return list.target == table
            || target.kind == .elements && target.columns.contains { $0.linkTarget == table }
    }

    /// Returns the property whose elements are stored in a hidden class.
    func owner(of elements: TableKey) -> (table: TableKey, property: String)? {
        for table in tables where table.kind != .elements {
            for list in table.lists where list.target == elements {
                return (table.key, list.name.itemsProperty ?? list.name)
            }
        }
        return nil
    }
}
