internal import RegnumEngine
internal import RegnumStore

extension Transaction {
    /// Returns all objects of the class with the given name. The program doesn't need to declare
    /// the class: see ``DynamicObject``.
    ///
    ///     let old = try tx.dynamicObjects("Dog").filter("age > %@", 10).sorted(byKeyPath: "name")
    ///
    /// - Throws: `.invalidInput` if neither the realm nor the program has a class with that name;
    ///   `.schemaMismatch` for a class of the program that a newer program has renamed or removed.
    /// - Complexity: O(1). Nothing is read until objects are accessed.
    public func dynamicObjects(_ className: String) throws(Realm.Error) -> DynamicObjects {
        let store = try dynamicStore("dynamicObjects")
        _ = try dynamicTable(className, store)
        return DynamicObjects(store, _DynamicQuery(className))
    }

    /// Returns the object with the given primary key, or `nil` if there is none.
    ///
    ///     let dog = try tx.dynamicObject(ofType: "Dog", forPrimaryKey: "Rex")
    ///
    /// - Parameter key: A value that the primary key property can hold; `nil` finds the object
    ///   whose key is `nil`.
    /// - Throws: `.invalidInput` if there is no class with that name, or it has no primary key;
    ///   `.schemaMismatch` as for ``dynamicObjects(_:)``; `.invalidValue` for a key of the wrong
    ///   type.
    /// - Complexity: O(log n).
    public func dynamicObject(
        ofType className: String, forPrimaryKey key: Any?
    ) throws(Realm.Error) -> DynamicObject? {
        let store = try dynamicStore("dynamicObject")
        guard let table = try dynamicTable(className, store) else { return nil }
        guard let primaryKey = table.primaryKey else {
            throw Realm.Error(
                .invalidInput, "\(className) has no primary key.", className: className)
        }
        let column = table.columns[Int(primaryKey.rawValue)]
        let storage = _StorageType(column.scalarType, isOptional: column.isOptional)
        var value: Value? = column.isOptional ? .null : nil
        if let key = key.flatMap({ unwrapped($0) }) { value = storage.engineValue(of: key) }
        guard let value else {
            throw .invalidValue(
                className, column.name,
                "is of type \(storage.swiftName) and cannot hold \(describedWithType(key)).")
        }
        return store.view?.find(table.key, primaryKey: value)
            .map { DynamicObject(store, table.key, $0) }
    }

    /// Creates an object of the class with the given name. Properties that aren't given get their
    /// defaults: those of a new object of the program's class, if the program declares it.
    ///
    ///     let dog = try tx.dynamicCreate("Dog", value: ["name": "Rex", "age": 3])
    ///
    /// - Parameters:
    ///   - values: The values by property name, as for ``DynamicObject/set(_:of:)``.
    ///   - policy: The handling of an existing object with the same primary key, whether the key is
    ///     given or a default. With an update policy, that object gets the given values, as in
    ///     ``create(_:value:update:)-(_,[String:Any?],_)``. The same applies to nested objects;
    ///     unmanaged ones are then copied, at most 32 levels deep.
    /// - Throws: `.invalidInput` if there is no class with that name, for an embedded or asymmetric
    ///   class, for an update policy with a class that has no primary key, and for unknown property
    ///   names; `.invalidValue` for a value that a property cannot hold; `.duplicatePrimaryKey`. If
    ///   it throws, no object is created or changed.
    /// - Precondition: Called in a write.
    @discardableResult
    public func dynamicCreate(
        _ className: String, value values: [String: Any?] = [:],
        update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> DynamicObject {
        try make(className, values, policy)
    }

    /// Creates an object of the class with the given name from an array of values in declaration
    /// order, or from another object that has all properties of the class.
    ///
    /// - Throws: The errors of ``dynamicCreate(_:value:update:)-(_,[String:Any?],_)``;
    ///   `.invalidInput` for an array if the program doesn't declare the class; `.invalidValue` for
    ///   an object that lacks a property.
    /// - Precondition: Called in a write.
    @discardableResult
    @_disfavoredOverload
    public func dynamicCreate(
        _ className: String, value: Any, update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> DynamicObject {
        try make(className, value, policy)
    }

    private func make(
        _ className: String, _ value: Any, _ policy: Realm.UpdatePolicy
    ) throws(Realm.Error) -> DynamicObject {
        let transaction = requireWriting("dynamicCreate")
        let store = try dynamicStore("dynamicCreate")
        if let entry = core.realm.knownEntry(named: className) {
            try core.binding(for: entry.schema.type).prepareToStore(in: transaction)
        }
        guard let table = try dynamicTable(className, store) else {
            throw .unknownClass(className)
        }
        return try store.create(table, value, policy, transaction)
    }

    /// Deletes an object, like ``delete(_:)-(ObjectBase)``.
    ///
    /// - Precondition: Called in a write, with an object of this transaction.
    public func delete(_ object: DynamicObject) {
        let transaction = requireWriting("delete")
        guard object.store.core === core, object.store.old == nil else {
            fatalError(
                "The \(object.className) passed to Transaction.delete at \(core.place) belongs to "
                    + "another transaction, or is an old object of a migration.")
        }
        if object.isInvalidated { return }
        if followsRules([(object.table, [object.row])], in: transaction) { return }
        transaction.delete(object.table, object.row)
        core.didEditAll()
    }

    private func dynamicStore(_ call: StaticString) throws(Realm.Error) -> DynamicStore {
        if case .ended = core.state { trapEnded(call) }
        return DynamicStore(core)
    }

    /// Returns the class with a name, or `nil` if only the program has it.
    private func dynamicTable(
        _ name: String, _ store: DynamicStore
    ) throws(Realm.Error) -> TableSchema? {
        if let table = store.table(named: name) { return table }
        try core.realm.checkUnstored(name, in: store.schema)
        return nil
    }
}

extension RealmCore {
    /// Throws for a class that isn't stored, unless it is one of the program that was never stored:
    /// `.invalidInput` if the program doesn't have it, and `.schemaMismatch` if a newer program has
    /// renamed or removed it.
    func checkUnstored(_ name: String, in database: DatabaseSchema) throws(Realm.Error) {
        guard let entry = knownEntry(named: name) else { throw .unknownClass(name) }
        if let mismatch = entry.mapping(in: database).mismatch { throw mismatch }
    }
}

extension DynamicStore {
    func create(
        _ table: TableSchema, _ value: Any, _ policy: Realm.UpdatePolicy,
        _ transaction: EngineTransaction
    ) throws(Realm.Error) -> DynamicObject {
        guard table.kind == .object else {
            throw Realm.Error(
                .invalidInput,
                table.kind == .asymmetric
                    ? "\(table.name) is an asymmetric class: its objects are created by "
                        + "create(_:value:)."
                    : "\(table.name) is an embedded class: its objects are created with their "
                        + "owners. Set a property to a dictionary, or append one.",
                className: table.name)
        }
        let writer = DynamicWriter(store: self, transaction: transaction, policy: policy)
        return try writer.perform { () throws(Realm.Error) in
            if policy != .error {
                if table.primaryKey == nil { throw policy.missingKey(of: table.name) }
                if let object = instance(of: DynamicObject.self, value),
                    object.table == table.key, object.store.core === core,
                    object.store.old == nil, !object.isInvalidated
                {
                    return object
                }
            }
            let supplied = try writer.supplied(value, to: table.key)
            let row = try writer.upsert(table.key, supplied)
            try writer.update()
            return DynamicObject(self, table.key, row)
        }
    }
}

extension Realm.Error {
    static func unknownClass(_ name: String) -> Realm.Error {
        Realm.Error(
            .invalidInput, "There is no class \"\(name)\" in the realm or in its objectTypes.",
            className: name)
    }
}
