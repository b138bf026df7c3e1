internal import RegnumEngine
internal import RegnumStore

extension Transaction {
    /// Stores an unmanaged object. The instance becomes the accessor of its row.
    ///
    /// The unmanaged objects that it links to, directly or indirectly, are stored along with it,
    /// and its lists become accessors of the stored lists. Objects that are already in this
    /// transaction are left unchanged.
    ///
    /// With an update policy, if an object with the same primary key exists, the instance becomes
    /// an accessor of that row, and the row gets the values of all of the instance's properties,
    /// including defaults. To update only some of them, use
    /// ``create(_:value:update:)-(_,[String:Any?],_)``. The policy also applies to the objects that
    /// are stored along with it; objects without a primary key are always new.
    ///
    /// - Parameter policy: The handling of an existing object with the same primary key.
    /// - Throws: `.duplicatePrimaryKey` with class, property and key if an object with this key
    ///   exists and the policy is `.error`; `.invalidValue` if a property holds a value beyond its
    ///   limits (such as a string of 16 MiB, or a NaN date), an object of a derived class, an
    ///   object from another transaction, a deleted object, or an embedded object that already has
    ///   an owner; `.schemaMismatch` if the class doesn't match the stored schema; `.invalidInput`
    ///   if its declaration can't be stored, for an update policy with a class that has no primary
    ///   key, and for a deleted object. If it throws, the transaction can continue as if the call
    ///   had not been made.
    /// - Precondition: The object doesn't belong to another transaction.
    /// - Complexity: O(log n) for each stored object, and for each of its indexed properties and
    ///   list elements.
    public func add(
        _ object: Object, update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) {
        let transaction = requireWriting("add")
        let type = type(of: object)
        if let other = object._binding {
            guard other.core === core else { trapForeign(object, "add") }
            if object.isInvalidated { throw .deletedArgument("\(type)", "add", core.place) }
            return
        }
        let binding = core.binding(for: type)
        try binding.prepareToStore(in: transaction)
        if policy != .error { try binding.requireKey(for: policy) }
        guard binding.schema.hasOnlyValues else {
            _ = try GraphInsertion(core, transaction, policy).add(object)
            return
        }
        if policy != .error, let row = binding.existingRow(of: object, transaction) {
            try binding.checkUpdate(from: object, nil, transaction)
            do throws(StoreError) {
                try binding.update(row, from: object, policy, nil, transaction)
            } catch {
                core.fail(Realm.Error(error))
            }
            binding.bind(object, to: row)
            binding.didEdit()
            return
        }
        do throws(StoreError) {
            let row = try binding.insert(object, into: transaction) { _, _ in nil }
            binding.bind(object, to: row)
            binding.didEdit()
        } catch {
            throw Realm.Error(error)
        }
    }

    @available(
        *, unavailable,
        message: "an embedded object is stored with its owner: set a property to it or append it"
    )
    public func add(_ object: EmbeddedObject, update policy: Realm.UpdatePolicy = .error) {}

    /// Stores unmanaged objects in the order of the sequence.
    ///
    /// - Throws: The errors of ``add(_:update:)-(Object,_)``. Objects before the one that caused
    ///   the error remain stored.
    public func add<Objects: Sequence>(
        _ objects: Objects, update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error)
    where Objects.Element: Object {
        // A `for` loop over a generic sequence would erase the error's type.
        var iterator = objects.makeIterator()
        while let object = iterator.next() { try add(object, update: policy) }
    }

    func trapForeign(_ object: ObjectBase, _ call: StaticString) -> Never {
        fatalError(
            "The \(Swift.type(of: object)) passed to Transaction.\(call) at \(core.place) belongs "
                + "to another transaction: look the object up in this one.")
    }
}

extension ClassBinding {
    /// Throws `.invalidInput` if the class has no primary key, which update policies need to find
    /// the row.
    func requireKey(for policy: Realm.UpdatePolicy) throws(Realm.Error) {
        if schema.primaryKey == nil { throw policy.missingKey(of: tableName) }
    }

    /// Stores the values of an unmanaged object as a new row. Columns that the class doesn't
    /// declare get their stored defaults.
    ///
    /// - Parameter target: Returns the row of an object that a property links to; `nil` for no
    ///   link.
    @inline(__always)
    func insert(
        _ object: ObjectBase, into transaction: EngineTransaction,
        target: (_ property: Int, ObjectBase) -> UInt64?
    ) throws(StoreError) -> ObjectKey {
        // Defaults and projected types run code of the program, which may change the transaction:
        // no row may be open then.
        var values: [Value] = []
        for index in place.fields.indices {
            let property = schema.properties[index]
            switch place.fields[index].kind {
            case .other:
                values.append(property.field.unmanagedValue(in: object, at: property.offset))
            case .link:
                var value = Value.null
                if case .link(let other?) = property.content(of: object),
                    let key = target(index, other)
                {
                    value = .int(Int64(bitPattern: key))
                }
                values.append(value)
            default: break
            }
        }
        let row = transaction.insertion(place.tableKey)
        row.begin()
        var next = 0
        for index in place.fields.indices {
            let field = place.fields[index]
            switch field.kind {
            case .other, .link:
                row.put(values[next], Int(field.column))
                next += 1
            case .collection:
                break
            default:
                object.put(field, into: row)
            }
        }
        if let mapping, !mapping.unknownColumns.isEmpty {
            for (column, value) in mapping.unknownColumns { row.put(value, column) }
        }
        return try row.end()
    }
}

extension ClassSchema {
    /// Returns the stored form of a primary key. No object has `nil` as a required key.
    ///
    /// - Precondition: The class has a primary key of the type of `key`.
    func requirePrimaryKey<Key: ScalarValue>(_ key: Key) -> Value
    where Key._Basis: PrimaryKeyValue {
        guard let primaryKey else {
            fatalError("\(name) has no primary key to look an object up by.")
        }
        let property = properties[primaryKey]
        guard Key._storage.valueType == property.type else {
            fatalError(
                "The primary key \(name).\(property.name) is of type "
                    + "\(property.scalar.swiftName)\(property.isOptional ? "?" : ""), "
                    + "not \(Key.self).")
        }
        return key.engineValue
    }
}
