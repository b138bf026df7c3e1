internal import RegnumEngine

extension ObjectBase {
    /// The value of a property by name, for code that works with any class.
    ///
    ///     let name = dog["name"] as? String
    ///     dog["age"] = 4
    ///
    /// The getter returns the stored form of the value: an `Int` for an integer of any
    /// width, the raw value of an enum, the persisted value of a projected type, the content
    /// of an ``AnyRealmValue``, or `nil`. Links and collections are returned as objects and
    /// collections. The setter accepts the same values as
    /// ``Transaction/create(_:value:update:)-(_,[String:Any?],_)``. It adds unmanaged
    /// objects to the realm, and fails the transaction if the property cannot hold the
    /// value, like an assignment.
    ///
    /// Using an unknown property name or setting an inverse fails the transaction with
    /// `.invalidInput`. The getter then returns `nil`.
    ///
    /// - Precondition: An unmanaged object has the property, and the property can hold the value.
    ///   For a managed object, the preconditions of its properties apply.
    public final subscript(_ name: String) -> Any? {
        get {
            let schema = ClassSchema.of(type(of: self))
            guard let index = schema.property(named: name) else {
                fail(schema.unknownProperty(name))
                return nil
            }
            let property = schema.properties[index]
            return property.field.dynamicValue(in: _storedObject, at: property.offset).flatMap {
                plainValue(of: $0)
            }
        }
        set {
            let schema = ClassSchema.of(type(of: self))
            guard let index = schema.property(named: name) else {
                return fail(schema.unknownProperty(name))
            }
            guard schema.properties[index].isStored else {
                return fail(schema.assignedInverse(schema.properties[index]))
            }
            let object = _storedObject
            if let binding = object._binding, binding.core?.writing == nil {
                binding.trapNotWriting(index)
            }
            var builder = ObjectBuilder(object._binding?.core, addsObjects: true)
            do throws(Realm.Error) {
                try builder.assign(index, of: object, schema, to: newValue as Any)
            } catch {
                fail(error)
            }
        }
    }

    /// Fails the transaction of the object. Traps if the object is unmanaged.
    private final func fail(_ error: Realm.Error) {
        guard let core = _storedObject._binding?.core else { fatalError(error.message) }
        core.fail(error)
    }
}

/// Returns a value in the type that it is stored as.
private func plainValue(of value: Any) -> Any? {
    switch value {
    case AnyRealmValue.object(let object): object
    case AnyRealmValue.list(let list): list
    case AnyRealmValue.dictionary(let map): map
    case let scalar as any ScalarValue:
        scalar.engineValue.anyValue(as: type(of: scalar)._storage.scalar)
    default: value
    }
}

extension Results {
    /// Sets a property of all objects in the current results, including objects that stop matching
    /// while values are being set.
    ///
    ///     try tx.objects(Message.self).setValue(true, forKey: "isRead")
    ///
    /// - Parameter value: Any value accepted by ``ObjectBase/subscript(_:)``.
    /// - Throws: `.invalidInput` for an unknown property, the primary key or an inverse;
    ///   `.invalidValue` for a value that the property cannot hold. If it throws, nothing is
    ///   changed.
    /// - Precondition: Called in a write transaction.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        try BulkAssignment(binding.schema, name, value, binding.core).assign(to: Array(self))
    }
}

/// The assignment of one value to a property of many objects.
struct BulkAssignment {
    let schema: ClassSchema
    let index: Int
    let value: Any?
    let core: TransactionCore?

    init(
        _ schema: ClassSchema, _ name: String, _ value: Any?, _ core: TransactionCore?
    ) throws(Realm.Error) {
        let index = try schema.requireProperty(named: name)
        if schema.properties[index].isPrimaryKey {
            throw schema.refusal(name, "is the primary key and cannot be set for several objects.")
        }
        if !schema.properties[index].isStored {
            throw schema.assignedInverse(schema.properties[index])
        }
        self.schema = schema
        self.index = index
        self.value = BulkAssignment.repeatable(value)
        self.core = core
        // Validate the value on an unmanaged object first.
        var builder = ObjectBuilder(core)
        try builder.fill(schema.type.init(), from: [name: self.value as Any])
    }

    /// Returns a value that can be read for each object: the elements of a sequence, which may be
    /// consumed by the first loop.
    private static func repeatable(_ value: Any?) -> Any? {
        guard let sequence = value.flatMap({ unwrapped($0) }) as? any Sequence,
            !(sequence is any Collection || sequence is any KeyedCollection)
        else { return value }
        return ObjectBuilder.array(sequence)
    }

    func assign(to objects: [ObjectBase]) throws(Realm.Error) {
        for object in objects.lazy.map(\._storedObject) where !object.isInvalidated {
            if let core, core.writing == nil { object._binding?.trapNotWriting(index) }
            var builder = ObjectBuilder(core, addsObjects: true)
            try builder.assign(index, of: object, schema, to: value as Any)
        }
    }
}
