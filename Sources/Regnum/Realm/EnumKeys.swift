// Primary keys that are enums: found by the enum's value.

extension Transaction {
    /// The object with a primary key that is an enum, nil if there is none.
    ///
    /// - Precondition: the class has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<T: Object, Key: PersistableEnum>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> T? where Key.RawValue: PrimaryKeyValue {
        object(type, forPrimaryKey: key.rawValue)
    }
}

extension Snapshot {
    /// The object with a primary key that is an enum, nil if there is none.
    ///
    /// - Precondition: the class has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<T: Object, Key: PersistableEnum>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> Frozen<T>? where Key.RawValue: PrimaryKeyValue {
        object(type, forPrimaryKey: key.rawValue)
    }
}

extension Realm {
    /// The object with a primary key that is an enum, as a handle.
    ///
    /// - Precondition: the class has a primary key of the type of `key`.
    public nonisolated func object<T: Object, Key: PersistableEnum>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> Live<T> where Key.RawValue: PrimaryKeyValue {
        object(type, forPrimaryKey: key.rawValue)
    }
}
