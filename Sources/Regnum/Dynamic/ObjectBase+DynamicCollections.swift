internal import RegnumEngine

// Accessing collections of an object by property name, for tools that don't know the class.

extension ObjectBase {
    /// Returns the list stored in a property without its static type: objects in it are
    /// ``DynamicObject``s.
    ///
    /// - Throws: `.invalidInput` for an unknown property name, for a property that isn't a list,
    ///   and for an unmanaged object.
    /// - Precondition: The body of its transaction is running.
    public final func dynamicList(_ name: String) throws(Realm.Error) -> DynamicList {
        try dynamicCollection(name, "a list")
    }

    /// Returns the set stored in a property without its static type.
    ///
    /// - Throws: The errors of ``dynamicList(_:)``.
    /// - Precondition: The body of its transaction is running.
    public final func dynamicMutableSet(_ name: String) throws(Realm.Error) -> DynamicMutableSet {
        try dynamicCollection(name, "a set")
    }

    /// Returns the map stored in a property without its static type.
    ///
    /// - Throws: The errors of ``dynamicList(_:)``.
    /// - Precondition: The body of its transaction is running.
    public final func dynamicMap(_ name: String) throws(Realm.Error) -> DynamicMap {
        try dynamicCollection(name, "a map")
    }

    private final func dynamicCollection<Collection>(
        _ name: String, _ kind: String
    ) throws(Realm.Error) -> Collection {
        let schema = ClassSchema.of(type(of: _storedObject))
        let property = schema.properties[try schema.requireProperty(named: name)]
        guard let object = dynamicObject else {
            throw schema.refusal(
                name,
                "can't be accessed dynamically in an unmanaged object. Add the "
                    + "object to a realm first.")
        }
        if let binding = _storedObject._binding, let transaction = binding.core?.writing {
            try binding.prepareToStore(in: transaction)
        }
        let value = try object.value(of: property.isStored ? property.columnName : name)
        guard let collection = value as? Collection else {
            throw schema.refusal(name, "is not \(kind).")
        }
        return collection
    }

    /// The object for access by stored names; `nil` if it is unmanaged.
    ///
    /// - Precondition: The body of its transaction is running.
    final var dynamicObject: DynamicObject? {
        let object = _storedObject
        guard let binding = object._binding, let core = binding.core else { return nil }
        binding.refresh()
        guard binding.place.table >= 0 else { return nil }
        return DynamicObject(
            DynamicStore(core), binding.place.tableKey, ObjectKey(rawValue: object._row))
    }
}

extension AnyRealmValue {
    /// The object as a ``DynamicObject``, whose stored properties are accessed by name; `nil` for
    /// an unmanaged object.
    ///
    /// Confined to the transaction body, like the object itself.
    public var dynamicObject: DynamicObject? {
        if case .object(let value) = self { value.dynamicObject } else { nil }
    }
}
