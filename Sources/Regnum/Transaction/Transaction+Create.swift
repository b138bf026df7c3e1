internal import RegnumEngine

extension Transaction {
    /// Creates and stores an object from the values of its properties.
    ///
    ///     try tx.create(Dog.self, value: ["name": "Rex", "age": 3, "toys": [["name": "ball"]]])
    ///
    /// Values are keyed by property name. Names that the class doesn't have are ignored, and
    /// missing properties get their default values. A value may have the property's type, or a type
    /// that converts to it without loss: integers for integers of another width and for `Double`
    /// and `Float`, booleans for integers and 0 and 1 for booleans, the raw value of an enum, the
    /// text of a UUID. Foundation's `NSNumber`, `NSDate`, `NSData` and `NSUUID` are converted to
    /// their Swift equivalents. `nil` and `NSNull` mean `nil`, or an empty collection. A link or an
    /// embedded object takes a dictionary, an array (values in the order of declaration) or an
    /// object: objects of this transaction are linked to, other objects are stored as copies, and
    /// embedded objects are always copied. Lists take arrays and other sequences. Dictionaries and
    /// arrays of properties can be nested up to 64 levels deep; objects that link to each other
    /// have no limit.
    ///
    /// With an update policy, an existing object with the same primary key gets the given values
    /// and keeps the others. The same applies to nested objects.
    ///
    /// - Parameters:
    ///   - type: The class to create. For a metatype in a variable, its dynamic type is used.
    ///   - policy: The handling of an existing object with the same primary key.
    /// - Returns: The stored or updated object.
    /// - Throws: `.invalidValue` with class and property for a value of the wrong type or beyond
    ///   its limits, and for objects that are nested too deeply; `.invalidInput` for an array with
    ///   too many values, or a nested value from which no object can be created; and the errors of
    ///   ``add(_:update:)-(Object,_)``. If it throws, nothing is stored.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: [String: Any?] = [:], update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> T {
        try make(type, value, policy)
    }

    /// Creates and stores an object from an array of values in the declaration order of its
    /// properties, those of the superclass first. Trailing values can be omitted.
    ///
    /// See ``create(_:value:update:)-(_,[String:Any?],_)``.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: [Any?], update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> T {
        try make(type, value, policy)
    }

    /// Creates and stores an object from a dictionary, an array or another object. The properties
    /// of another object are copied by name; if that object is of another class, it must have all
    /// properties of the new one.
    ///
    /// With an update policy, an object of this transaction and class is returned unchanged. See
    /// ``create(_:value:update:)-(_,[String:Any?],_)``.
    @discardableResult
    @_disfavoredOverload
    public func create<T: Object>(
        _ type: T.Type, value: Any, update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> T {
        try make(type, value, policy)
    }

    @available(
        *, unavailable,
        message: "an embedded object is stored with its owner: set a property to it or append it"
    )
    public func create<T: EmbeddedObject>(
        _ type: T.Type, value: Any = 0, update policy: Realm.UpdatePolicy = .error
    ) {}

    func make<T: ObjectBase>(
        _ type: T.Type, _ value: Any, _ policy: Realm.UpdatePolicy
    ) throws(Realm.Error) -> T {
        let transaction = requireWriting("create")
        let binding = core.binding(for: type)
        try binding.prepareToStore(in: transaction)
        if policy != .error {
            try binding.requireKey(for: policy)
            if let object = instance(of: T.self, value), Swift.type(of: object) == type,
                object._binding?.core === core
            {
                if object.isInvalidated { throw .deletedArgument("\(type)", "create", core.place) }
                return object
            }
        }
        var builder = ObjectBuilder(core)
        let object = type.init()
        try builder.fill(object, from: value)
        let insertion = GraphInsertion(core, transaction, policy, supplied: builder.supplied)
        _ = try insertion.add(object)
        return object
    }
}

extension ObjectBase {
    /// Creates an unmanaged object from a dictionary of values keyed by property name.
    ///
    ///     let rex = Dog(value: ["name": "Rex", "age": 3])
    ///
    /// Accepts the same values as ``Transaction/create(_:value:update:)-(_,[String:Any?],_)``.
    /// Nested objects of the right class are linked to, managed or not; managed embedded objects
    /// are copied.
    ///
    /// - Precondition: The values match the properties. A value of the wrong type traps with a
    ///   message that names the class, property, value and types. Pass external input to `create`
    ///   instead, which throws.
    public convenience init(
        value: [String: Any?], file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init()
        fill(from: value, file, line)
    }

    /// Creates an unmanaged object from an array of values in the declaration order of its
    /// properties.
    ///
    /// - Precondition: As for ``init(value:)-([String:Any?])``, and there are no more values than
    ///   properties.
    public convenience init(
        value: [Any?], file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init()
        fill(from: value, file, line)
    }

    /// Creates an unmanaged object from a dictionary, an array, or another object that has all
    /// properties of this class. A managed object is copied.
    ///
    /// - Precondition: As for ``init(value:)-([String:Any?])``.
    @_disfavoredOverload
    public convenience init(
        value: Any, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init()
        fill(from: value, file, line)
    }

    private func fill(from value: Any, _ file: StaticString, _ line: UInt) {
        var builder = ObjectBuilder(nil)
        do throws(Realm.Error) {
            try builder.fill(self, from: value)
        } catch {
            let place = error.valuePath.map { " The value is at \($0)." } ?? ""
            fatalError(error.message + place, file: file, line: line)
        }
    }
}
