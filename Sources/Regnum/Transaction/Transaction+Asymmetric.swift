extension Transaction {
    /// Creates and stores an asymmetric object with the given property values.
    ///
    /// Accepts the same values as ``create(_:value:update:)-(_,[String:Any?],_)``. Nothing is
    /// returned, because the object can only be delivered.
    ///
    /// - Throws: `.invalidValue`, naming the class and property, for a value of the wrong type;
    ///   `.invalidInput` for an array with too many values, for a nested value from which no object
    ///   can be created, and for a class that declares links; `.duplicatePrimaryKey` if an
    ///   undelivered object has the same primary key. If it throws, nothing is stored.
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: [String: Any?] = [:]
    ) throws(Realm.Error) {
        _ = try make(type, value, .error)
    }

    /// Creates and stores an asymmetric object from property values in declaration order. See
    /// ``create(_:value:)-(_,[String:Any?])``.
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: [Any?]
    ) throws(Realm.Error) {
        _ = try make(type, value, .error)
    }

    /// Creates and stores an asymmetric object from a dictionary, an array, or an unmanaged object
    /// whose properties of the same names are copied. See ``create(_:value:)-(_,[String:Any?])``.
    @_disfavoredOverload
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: Any
    ) throws(Realm.Error) {
        _ = try make(type, value, .error)
    }
}
