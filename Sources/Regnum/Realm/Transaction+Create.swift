internal import RegnumEngine

extension Transaction {
    /// Makes and stores an object from the values of its properties.
    ///
    ///     try tx.create(Dog.self, value: ["name": "Rex", "age": 3, "toys": [["name": "ball"]]])
    ///
    /// Values are given by the names of the properties; names that the class does not have are
    /// ignored, and properties that are not given get their defaults. A value may be of the
    /// property's type or, without loss, of a similar one: integers for integers of another width
    /// and for `Double` and `Float`, booleans for integers and 0 and 1 for booleans, the raw value
    /// of an enum, the text of a UUID. Foundation's `NSNumber`, `NSDate`, `NSData` and `NSUUID` are
    /// what they hold. nil and `NSNull` are nil, and empty a collection. A link or an embedded
    /// object takes a dictionary, an array (the values in the order of declaration) or an object:
    /// one of this transaction is linked to, of any other a copy is stored; an embedded one is
    /// always copied. Lists take arrays and other sequences. Dictionaries and arrays of properties
    /// may be nested in 64 levels; objects that link to each other have no limit.
    ///
    /// With an update policy an object whose primary key exists gets the values that are given, and
    /// keeps the others; the same goes for nested ones.
    ///
    /// - Parameters:
    ///   - type: the class; that of the type passed, where it is a variable.
    ///   - policy: what to do if there is an object with the same primary key.
    /// - Returns: the object that was stored or updated.
    /// - Throws: `.invalidValue` with class and property for a value of a wrong type or beyond its
    ///   limits, and for objects that are nested too deep; `.invalidInput`
    ///   for an array of too many values, or a nested value that no object can be made of; as
    ///   ``add(_:update:)-(Object,_)``. Nothing is stored then.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: [String: Any?] = [:], update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> T {
        try make(type, value, policy)
    }

    /// Makes and stores an object from the values of its properties, in the order of their declaration,
    /// those of the superclass first. Values at the end can be left out.
    ///
    /// See ``create(_:value:update:)-(_,[String:Any?],_)``.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: [Any?], update policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> T {
        try make(type, value, policy)
    }

    /// Makes and stores an object from a dictionary, an array, or another object, whose properties of the
    /// same names are copied: one of another class has to have all of them.
    ///
    /// An object of this transaction and class is returned as it is if there is an update policy. See
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

    private func make<T: Object>(
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
        let insertion = GraphInsertion(
            core, transaction, policy, supplied: builder.supplied, emptied: builder.emptied)
        _ = try insertion.add(object)
        return object
    }
}

extension ObjectBase {
    /// An unmanaged object with the values of a dictionary, by the names of its properties.
    ///
    ///     let rex = Dog(value: ["name": "Rex", "age": 3])
    ///
    /// The values are those that ``Transaction/create(_:value:update:)-(_,[String:Any?],_)`` takes.
    /// Nested objects of the right class are linked to, managed or not; embedded ones that are managed
    /// are copied.
    ///
    /// - Precondition: the values fit: one of a wrong type ends the process with a sentence that names
    ///   class, property, value and types. Give what comes from outside to `create`, which throws.
    public convenience init(
        value: [String: Any?], file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init()
        fill(from: value, file, line)
    }

    /// An unmanaged object with the values of an array, in the order in which its properties are
    /// declared.
    ///
    /// - Precondition: as for ``init(value:)-([String:Any?])``; there are no more values than
    ///   properties.
    public convenience init(
        value: [Any?], file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init()
        fill(from: value, file, line)
    }

    /// An unmanaged object with the values of a dictionary, an array, or of another object, which
    /// has all properties of this one's class: of a managed one, a copy.
    ///
    /// - Precondition: as for ``init(value:)-([String:Any?])``.
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
