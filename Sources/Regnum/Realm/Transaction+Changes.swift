internal import RegnumEngine
internal import RegnumStore

extension Transaction {
    /// Stores an unmanaged object: the instance becomes the accessor of its new row.
    ///
    /// An object that is in this transaction already is left as it is.
    ///
    /// - Throws: `.duplicatePrimaryKey` with class, property and key if there is an object with
    ///   this key; `.invalidValue` if a property holds a value beyond its limits (a string of
    ///   16 MB, a date that is not a number); `.schemaMismatch` if the class does not fit what is
    ///   stored; `.invalidInput` if its declaration cannot be stored. The transaction goes on as if
    ///   the call had not been made.
    /// - Precondition: the object was not deleted, and does not belong to another transaction.
    /// - Complexity: O(log n) for the row and for each index.
    public func add(_ object: Object) throws(Realm.Error) {
        let transaction = requireWriting("add")
        let type = type(of: object)
        if let other = object._binding {
            guard other.core === core else { trapForeign(object, "add") }
            guard !object.isInvalidated else { trapDeleted(object, "add") }
            return
        }
        let binding = core.binding(for: type)
        try binding.prepareToStore(in: transaction)
        guard binding.schema.hasOnlyValues else {
            var insertion = GraphInsertion(core, transaction)
            _ = try insertion.add(object)
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

    /// Stores unmanaged objects, in order.
    ///
    /// - Throws: as ``add(_:)-(Object)``; the objects before the one that failed are stored.
    public func add<Objects: Sequence>(_ objects: Objects) throws(Realm.Error)
    where Objects.Element: Object {
        // A `for` loop over a generic sequence would erase the error's type.
        var iterator = objects.makeIterator()
        while let object = iterator.next() { try add(object) }
    }

    /// Deletes an object. Its accessors are invalid from here on.
    ///
    /// - Precondition: the object belongs to this transaction and was not deleted.
    /// - Complexity: O(log n) for the row and for each index.
    public func delete(_ object: Object) {
        let transaction = requireWriting("delete")
        guard let binding = object._binding else {
            fatalError(
                "An unmanaged \(Swift.type(of: object)) was passed to Transaction.delete: only "
                    + "stored objects can be deleted.")
        }
        guard binding.core === core else { trapForeign(object, "delete") }
        guard !object.isInvalidated, let table = binding.mapping?.table else {
            trapDeleted(object, "delete")
        }
        transaction.delete(table.key, ObjectKey(rawValue: object._row))
        binding.didEditOthers()
    }

    /// Deletes all objects of a sequence.
    ///
    /// - Precondition: as for ``delete(_:)-(Object)``, for each.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: Object {
        for object in objects { delete(object) }
    }

    /// Deletes all objects that the results hold now.
    ///
    /// - Complexity: O(m log n) for m objects; no accessors are made.
    public func delete<T: Object>(_ results: Results<T>) {
        let transaction = requireWriting("delete")
        guard results.binding.core === core else {
            fatalError(
                "Results<\(results.binding.tableName)> of another transaction were passed to "
                    + "Transaction.delete.")
        }
        guard let table = results.binding.mapping?.table else { return }
        for key in results.keys() { transaction.delete(table.key, key) }
        results.binding.didEditOthers()
    }

    private func trapForeign(_ object: Object, _ call: StaticString) -> Never {
        fatalError(
            "A \(Swift.type(of: object)) of another transaction was passed to Transaction.\(call) "
                + "at \(core.place).")
    }

    private func trapDeleted(_ object: Object, _ call: StaticString) -> Never {
        fatalError(
            "A deleted \(Swift.type(of: object)) was passed to Transaction.\(call) at "
                + "\(core.place).")
    }
}

extension ClassBinding {
    /// Stores the values of an unmanaged object as a new row. Columns that the class does not know
    /// get their stored defaults.
    ///
    /// - Parameter target: the row of an object that a property links to; nil for no link.
    @inline(__always)
    func insert(
        _ object: ObjectBase, into transaction: EngineTransaction,
        target: (_ property: Int, ObjectBase) -> UInt64?
    ) throws(StoreError) -> ObjectKey {
        let row = transaction.insertion(place.tableKey)
        row.begin()
        for index in place.fields.indices {
            let field = place.fields[index]
            switch field.kind {
            case .other:
                let property = schema.properties[index]
                row.put(
                    property.field.unmanagedValue(in: object, at: property.offset),
                    Int(field.column))
            case .link:
                var value = Value.null
                if case .link(let other?) = schema.properties[index].content(of: object),
                    let key = target(index, other)
                {
                    value = .int(Int64(bitPattern: key))
                }
                row.put(value, Int(field.column))
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
    /// The stored form of a primary key.
    ///
    /// - Precondition: the class has a primary key of the type of `key`.
    func requirePrimaryKey<Key: PrimaryKeyValue>(_ key: Key) -> Value {
        guard let primaryKey else {
            fatalError("\(name) has no primary key to look an object up by.")
        }
        let property = properties[primaryKey]
        let value = key.engineValue
        guard Key._storage.valueType == property.type, !value.isNull || property.isOptional else {
            fatalError(
                "The primary key \(name).\(property.name) is of type \(property.type.swiftName)"
                    + "\(property.isOptional ? "?" : ""), not \(Key.self).")
        }
        return value
    }
}
