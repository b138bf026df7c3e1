internal import RegnumEngine
internal import RegnumStore

// Objects by name: targets of links, elements, and new objects.

extension DynamicWriter {
    /// The rows that one call inserts, and the objects that it copies or adds, each once, to
    /// preserve the structure of a graph.
    final class Copies {
        fileprivate var rows: [ObjectIdentifier: ObjectKey] = [:]
        /// Keeps the objects alive, so that their addresses aren't reused.
        fileprivate var sources: [ObjectBase] = []
        /// The unmanaged objects, which become accessors once the call has succeeded.
        fileprivate(set) var insertion: GraphInsertion?
        /// The updates of existing rows, made once all values have been converted and checked.
        private var updates: [Update] = []
        private var updatedRows: [TableKey: Set<ObjectKey>] = [:]
        /// Whether updates have been made.
        private(set) var hasUpdated = false
        /// The inserted rows, except those of added objects and of the contents of other rows.
        private var inserted: [(table: TableKey, row: ObjectKey)] = []

        /// Records the row of an object that is copied, if any.
        func note(_ source: ObjectBase?, _ row: ObjectKey) {
            guard let source else { return }
            rows[ObjectIdentifier(source)] = row
            sources.append(source)
        }

        func didInsert(_ row: ObjectKey, into table: TableKey) { inserted.append((table, row)) }

        func add(_ update: Update) {
            updates.append(update)
            updatedRows[update.table, default: []].insert(update.row)
        }

        /// Returns whether one of the updates is of a row.
        func updates(_ table: TableKey, _ row: ObjectKey) -> Bool {
            updatedRows[table]?.contains(row) ?? false
        }

        /// Returns the updates, which are then made.
        func takeUpdates() -> [Update] {
            let taken = updates
            (updates, updatedRows) = ([], [:])
            hasUpdated = hasUpdated || !taken.isEmpty
            return taken
        }

        /// Deletes the inserted rows, with their contents.
        func deleteRows(in transaction: EngineTransaction) {
            for (table, rows) in Dictionary(grouping: inserted, by: \.table) {
                transaction.delete(table, rows.map(\.row))
            }
            insertion?.deleteRows()
        }
    }

    /// The values to create an object from.
    struct Supplied {
        var values: [(property: DynamicProperty, name: String, value: Any?)] = []
        /// The object that the values are taken from, if it is one of the program's.
        var source: ObjectBase?
    }

    /// Returns the row to link to for a value: that of an object of the class, or a new one.
    ///
    /// - Parameters:
    ///   - position: The position if the value is an element of a collection.
    ///   - owned: The embedded object that is updated.
    func row(
        for value: Any, of target: TableKey, _ name: Name, at position: ValuePath.Position? = nil,
        owned: ObjectKey? = nil
    ) throws(Realm.Error) -> ObjectKey {
        let schema = transaction.schema.tables[Int(target.rawValue)]
        let isOwned = schema.kind.isOwned
        let persisted = (value as? any FailableCustomPersistable)?.persistableValue
        let given = persisted ?? value
        if let object = instance(of: ObjectBase.self, given) {
            return try row(
                of: object._storedObject, in: target, name, at: position, owned: owned)
        }
        if let object = instance(of: DynamicObject.self, given) {
            guard !object.isInvalidated, object.store.core === store.core else {
                throw .invalidValue(
                    name.className, name.property,
                    "was given \(schema.name.withArticle) that was deleted or belongs to another "
                        + "transaction.")
            }
            if object.table == target, !isOwned {
                guard transaction.contains(target, object.row) else {
                    throw .invalidValue(
                        name.className, name.property,
                        "was given \(schema.name.withArticle) that was deleted.")
                }
                return object.row
            }
            guard isOwned else {
                throw name.wrong(described: object.className.withArticle, at: position)
            }
            return try makeNested(target, object, name, position, owned: owned)
        }
        guard
            given is [String: Any?] || given is [String: Any] || given is [Any?] || given is [Any]
        else { throw name.wrong(value, at: position) }
        return try makeNested(target, given, name, position, owned: owned)
    }

    /// Creates or updates a row for a property or an element, whose name is added to errors.
    private func makeNested(
        _ target: TableKey, _ value: Any, _ name: Name, _ position: ValuePath.Position?,
        owned: ObjectKey?
    ) throws(Realm.Error) -> ObjectKey {
        var writer = self
        writer.level += 1
        if writer.level >= Limits.maximumDynamicLevel {
            throw .tooDeep(Limits.maximumDynamicLevel, name.className, name.property)
        }
        do throws(Realm.Error) {
            return try writer.upsert(
                target, try writer.supplied(value, to: target), owned: owned)
        } catch {
            throw error.nested(in: name.property, position)
        }
    }

    /// Returns the row of one of the program's objects. An unmanaged object is added, or copied
    /// with an update policy. Embedded objects are copied, and so are all objects in a migration,
    /// where the classes don't yet have the form that the program declares.
    func row(
        of object: ObjectBase, in target: TableKey, _ name: Name,
        at position: ValuePath.Position? = nil, owned: ObjectKey? = nil
    ) throws(Realm.Error) -> ObjectKey {
        let table = transaction.schema.tables[Int(target.rawValue)]
        let schema = ClassSchema.of(type(of: object))
        guard equalUTF8(schema.name, table.name), !object.isInvalidated else {
            throw name.wrong(object, at: position)
        }
        let isOwned = table.kind.isOwned || object is EmbeddedObject
        if let binding = object._binding, !isOwned {
            guard binding.core === store.core else {
                throw Realm.Error(
                    .invalidInput,
                    "\(name.className).\(name.property) was given \(schema.name.withArticle) "
                        + "from another transaction: look the object up in this one.",
                    className: name.className, property: name.property)
            }
            return ObjectKey(rawValue: object._row)
        }
        if isOwned || store.declared != nil || policy != .error {
            if let known = copies.rows[ObjectIdentifier(object)], !isOwned { return known }
            if store.declared == nil {  // its class may have properties that aren't stored yet
                _ = try store.core.realm.listedEntry(for: type(of: object))
                try store.core.binding(for: type(of: object)).prepareToStore(in: transaction)
            }
            return try makeNested(target, object, name, position, owned: owned)
        }
        return try added(object)
    }

    /// Stores an unmanaged object, like assigning it to a property.
    func added(_ object: ObjectBase) throws(Realm.Error) -> ObjectKey {
        _ = try store.core.realm.listedEntry(for: type(of: object))
        defer { store.core.didEditAll() }
        let insertion = copies.insertion ?? GraphInsertion(store.core, transaction)
        copies.insertion = insertion
        return try insertion.insert(object)
    }

    // MARK: Values

    /// Returns the values of a new object by property: from a dictionary, from an array in the
    /// order of declaration, or from another object.
    func supplied(_ value: Any, to table: TableKey) throws(Realm.Error) -> Supplied {
        let className = store.name(of: table)
        var supplied = Supplied()
        func add(_ name: String, _ value: Any?) throws(Realm.Error) {
            let property = try store.property(name, of: table)
            let stored = try store.stored(property, of: table, in: transaction)
            supplied.values.append((stored, name, value))
        }
        func refusal(_ message: String) -> Realm.Error {
            Realm.Error(.invalidInput, message, className: className)
        }
        func checkNames(_ names: [StoredText], _ source: String) throws(Realm.Error) {
            let known = Set(names)
            for name in store.properties(of: table).keys.sorted() where !known.contains(name) {
                throw .missing(name.wrappedValue, in: source, creating: className)
            }
        }
        func checkLive(_ isInvalidated: Bool) throws(Realm.Error) {
            guard isInvalidated else { return }
            throw Realm.Error(
                .invalidValue,
                "Cannot create \(className.withArticle) from an object that was deleted, or whose "
                    + "transaction has ended.", className: className)
        }
        if let object = instance(of: DynamicObject.self, value) {
            try checkLive(object.isInvalidated)
            let known = store.properties(of: table)
            let values = object.values
            // an old object may lack new properties
            if object.store.old == nil { try checkNames(Array(values.keys), object.className) }
            for (name, value) in values.sorted(by: { $0.key < $1.key }) where known[name] != nil {
                try add(name.wrappedValue, value)
            }
        } else if let object = instance(of: ObjectBase.self, value)?._storedObject {
            try checkLive(object.isInvalidated)
            supplied.source = object
            let schema = ClassSchema.of(type(of: object))
            let stored = schema.properties.filter(\.isStored)
            let isSame = equalUTF8(schema.name, className)
            let names = stored.map { StoredText(isSame ? store.name(of: $0) : $0.name) }
            if !isSame { try checkNames(names, schema.name) }
            let known = store.properties(of: table)
            for (name, property) in zip(names, stored) where known[name] != nil {
                try add(
                    name.wrappedValue,
                    property.field.dynamicValue(in: object, at: property.offset))
            }
        } else if let values = (value as? [String: Any?]) ?? (value as? [String: Any]) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) { try add(name, value) }
        } else {
            guard let values = (value as? [Any?]) ?? (value as? [Any]) else {
                throw refusal(
                    "Cannot create \(className.withArticle) from "
                        + "\(describedWithType(value)): pass a "
                        + "dictionary, an array or an object.")
            }
            guard let schema = store.core.realm.knownEntry(named: className)?.schema else {
                throw refusal(
                    "Cannot create \(className.withArticle) from an array: the program doesn't "
                        + "declare the class, so the order of its properties is unknown. Pass a "
                        + "dictionary.")
            }
            let stored = schema.properties.filter(\.isStored)
            guard values.count <= stored.count else {
                throw refusal(
                    "\(className) has \(stored.count) properties, but was given an array of "
                        + "\(values.count) values.")
            }
            for (property, value) in zip(stored, values) {
                try add(store.name(of: property), value)
            }
        }
        return supplied
    }

    /// Sets properties without a given value to the defaults of a new instance of the class. Does
    /// nothing if the program doesn't have the class.
    private func addDefaults(
        to supplied: inout Supplied, _ table: TableSchema, _ first: inout [Value]
    ) throws(Realm.Error) {
        guard supplied.source == nil,
            let known = store.core.realm.knownEntry(named: table.name)?.schema
        else { return }
        let given = Set(supplied.values.map { StoredText($0.name) })
        let fresh = known.type.init()
        for property in known.properties where property.isStored {
            let name = store.name(of: property)
            if given.contains(StoredText(name)) { continue }
            if case .scalar = property.shape, !property.shape.isAny {
                guard let column = table.column(named: property.columnName),
                    column.type == property.type
                else { continue }
                let value = property.field.unmanagedValue(in: fresh, at: property.offset)
                if column.isOptional || !value.isNull { first[Int(column.key.rawValue)] = value }
                continue
            }
            switch property.content(of: fresh) {
            case .linkingObjects, .link(nil), .value(.null): continue
            default: break
            }
            guard let stored = store.properties(of: table.key)[StoredText(name)] else { continue }
            supplied.values.append(
                (stored, name, property.field.dynamicValue(in: fresh, at: property.offset)))
        }
    }

    /// Creates a row. Properties that aren't given have their defaults.
    func make(_ key: TableKey, _ supplied: Supplied) throws(Realm.Error) -> ObjectKey {
        let table = transaction.schema.tables[Int(key.rawValue)]
        var first = table.columns.map(\.defaultValue)
        var supplied = supplied
        try addDefaults(to: &supplied, table, &first)
        var later: [(value: Any?, property: DynamicProperty)] = []
        for (property, _, value) in supplied.values {
            if case .column(let column) = property, column.linkTarget == nil, column.type != .any {
                first[Int(column.key.rawValue)] = try content(of: value, for: column, of: key)
            } else {
                later.append((value, property))
            }
        }
        let row = try engine { () throws(StoreError) in try transaction.insert(key, first) }
        copies.didInsert(row, into: key)
        copies.note(supplied.source, row)
        for (value, property) in later { try assign(value, to: property, of: key, row) }
        return row
    }
}

extension DynamicObject {
    /// All properties with their values.
    var values: [StoredText: Any?] {
        var values = store.properties(of: table).mapValues { store.read($0, table, row) }
        for property in store.unstored(of: table) {
            let value = store.unstoredValue(property, table, row)
            values.updateValue(value, forKey: StoredText(property.columnName))
        }
        return values
    }
}
