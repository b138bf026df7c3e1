internal import RegnumEngine

extension ObjectBase {
    /// A property by its name, for tools that do not know the class.
    ///
    ///     let name = dog["name"] as? String
    ///     dog["age"] = 4
    ///
    /// Reading gives the value as it is stored: an integer of any width as an `Int`, an enum as its
    /// raw value, of a projected type what is stored of it, of a value of any type what it holds;
    /// nil for nil. Links and collections are those of the property. Setting takes what
    /// ``Transaction/create(_:value:update:)-(_,[String:Any?],_)`` takes for the property; an
    /// unmanaged object is added, and a value that the property cannot hold fails the transaction,
    /// as by an assignment.
    ///
    /// A name that the class does not have fails the transaction with `.invalidInput`, and so does
    /// setting the inverse of a link; until then reads give nil.
    ///
    /// - Precondition: an unmanaged object has such a property and can hold the value. A managed
    ///   one is used as its properties are.
    public final subscript(_ name: String) -> Any? {
        get {
            let schema = ClassSchema.of(type(of: self))
            guard let index = schema.property(named: name) else {
                fail(.unknownProperty(name, schema))
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
                return fail(.unknownProperty(name, schema))
            }
            guard schema.properties[index].isStored else {
                return fail(
                    schema.refusal(name, "cannot be set: it follows from the links of others."))
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

    /// Fails the transaction of the object. An unmanaged one has none, and ends the process.
    private final func fail(_ error: Realm.Error) {
        guard let core = _storedObject._binding?.core else { fatalError(error.message) }
        core.fail(error)
    }
}

extension Realm.Error {
    /// A class was asked for a property that it does not have.
    fileprivate static func unknownProperty(_ name: String, _ schema: ClassSchema) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "\(schema.name) has no property \"\(name)\": it has "
                + schema.properties.map(\.name).joined(separator: ", ") + ".",
            className: schema.name, property: name)
    }
}

/// A value in the type that it is stored as.
private func plainValue(of value: Any) -> Any? {
    switch value {
    case AnyRealmValue.object(let object): object
    case AnyRealmValue.list(let list): list
    case AnyRealmValue.dictionary(let map): map
    case let scalar as any ScalarValue:
        scalar.engineValue.anyValue(isFloat: type(of: scalar)._storage.isFloat)
    default: value
    }
}

extension Results {
    /// Sets one property of all objects that are found now, whether they still are while that goes on.
    ///
    /// - Parameter value: what ``ObjectBase/subscript(_:)`` takes.
    /// - Throws: `.invalidInput` for a property that the class does not have, for the primary key and for
    ///   inverses; `.invalidValue` for a value that the property cannot hold. Nothing is changed then.
    /// - Precondition: used in a write.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        try BulkAssignment(binding.schema, name, value, binding.core).assign(to: Array(self))
    }
}

extension List where Element: ObjectBase {
    /// Sets one property of all objects of the list.
    ///
    /// - Throws: as `Results.setValue`.
    /// - Precondition: used in a write if the list is managed.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        try BulkAssignment(ClassSchema.of(Element.self), name, value, handle?.binding.core)
            .assign(to: Array(self))
    }
}

extension MutableSet where Element: ObjectBase {
    /// Sets one property of all objects of the set.
    ///
    /// - Throws: as `Results.setValue`.
    /// - Precondition: used in a write if the set is managed.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        try BulkAssignment(ClassSchema.of(Element.self), name, value, handle?.binding.core)
            .assign(to: Array(self))
    }
}

extension LinkingObjects {
    /// Sets one property of all objects that link here now.
    ///
    /// - Throws: as `Results.setValue`.
    /// - Precondition: used in a write.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        try BulkAssignment(ClassSchema.of(Element.self), name, value, handle?.binding.core)
            .assign(to: Array(self))
    }
}

/// One value for a property of many objects.
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
            throw schema.refusal(name, "is the primary key: two objects cannot have the same.")
        }
        if !schema.properties[index].isStored {
            throw schema.refusal(name, "cannot be set: it follows from the links of others.")
        }
        self.schema = schema
        self.index = index
        self.value = value
        self.core = core
        // what does not fit shows on an object of no transaction
        var builder = ObjectBuilder(core)
        try builder.fill(schema.type.init(), from: [name: value as Any])
    }

    func assign(to objects: [ObjectBase]) throws(Realm.Error) {
        for object in objects.lazy.map(\._storedObject) where !object.isInvalidated {
            if let core, core.writing == nil { object._binding?.trapNotWriting(index) }
            var builder = ObjectBuilder(core, addsObjects: true)
            try builder.assign(index, of: object, schema, to: value as Any)
        }
    }
}
