internal import RegnumEngine

/// A type that a `@Persisted` property can have.
///
/// The library conforms `Bool`, `Int`, `Double`, `String`, `Data`, `Date`, `UUID`, `ObjectId` and
/// their optionals. The requirements are underscored: they are the contract between the property
/// wrapper and the storage and change without notice. Do not conform types of your own.
public protocol Persistable {
    /// How values of the type are stored.
    static var _storage: _StorageType { get }
    /// The default of a property without an initial value, made anew for each object.
    static func _makeDefault() -> Self
    /// The value of this type that is stored as `value`, nil if it is stored as another type.
    static func _decode(_ value: _StoredValue) -> Self?
    /// The value as it is stored.
    func _encode() -> _StoredValue
    /// The value in a cluster of rows in memory, nil where it has to be read the long way.
    ///
    /// - Parameters:
    ///   - cluster: a cluster node with a slot for the column (see `_ClusterLayout`).
    ///   - column: the number of the column; negative where it has none yet.
    ///   - place: the row's place in the cluster, less than 1,024.
    static func _read(_ cluster: UnsafeRawPointer, _ column: Int, _ place: Int) -> Self?
    /// Sets a property of a managed object to the value.
    func _write(to object: ObjectBase, _ column: Int32)
}

extension Persistable {
    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? { nil }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setValue(engineValue, row: object._row, column: column)
    }
}

/// A type whose values can be the key of a row: `Int`, `String`, `ObjectId`, `UUID` and their
/// optionals (nil is a key like any other, and unique).
public protocol PrimaryKeyValue: Persistable, Sendable {}

/// A type that can have an index: the primary key types, `Bool` and `Date`, and their optionals.
public protocol IndexableValue: Persistable {}

/// A type whose values are ordered in queries: `<`, `<=`, `>` and `>=` in `where`.
public protocol OrderedValue: Persistable {}

/// A stored type that is not optional. Only these can be wrapped: there is no column of `Int??`.
public protocol RequiredValue: Persistable, Sendable {}

/// How the values of a type are stored. Part of the contract of ``Persistable``.
public struct _StorageType: Sendable {
    let valueType: ValueType
    let isOptional: Bool

    init(_ valueType: ValueType, isOptional: Bool = false) {
        self.valueType = valueType
        self.isOptional = isOptional
    }

    /// What an absent value is read as: null, or the zero of the type.
    var zero: Value { isOptional ? .null : valueType.zero }
}

/// One stored value. Part of the contract of ``Persistable``.
public struct _StoredValue: Sendable {
    let value: Value
}

extension _StoredValue {
    init(_ value: Value) {
        self.value = value
    }
}

extension Persistable {
    /// The stored form of the value, as the engine takes it.
    var engineValue: Value { _encode().value }

    /// The value that is stored as `value`. A stored value of another type, which only a damaged
    /// file can hold, reads as the zero of the type.
    static func fromEngine(_ value: Value) -> Self {
        if let decoded = _decode(_StoredValue(value)) { return decoded }
        return _decode(_StoredValue(_storage.zero)) ?? _makeDefault()
    }
}

extension Optional: Persistable where Wrapped: RequiredValue {
    public static var _storage: _StorageType {
        _StorageType(Wrapped._storage.valueType, isOptional: true)
    }

    public static func _makeDefault() -> Self { nil }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? {
        guard column >= 0 else { return nil }
        guard _ClusterLayout.isPresent(cluster, column, place) else { return .some(.none) }
        return Wrapped._read(cluster, column, place).map { .some($0) }
    }

    public static func _decode(_ value: _StoredValue) -> Self? {
        if case .null = value.value { return .some(.none) }
        return Wrapped._decode(value).map { .some($0) }
    }

    public func _encode() -> _StoredValue {
        switch self {
        case .none: _StoredValue(.null)
        case .some(let wrapped): wrapped._encode()
        }
    }
}

extension Optional: PrimaryKeyValue where Wrapped: PrimaryKeyValue & RequiredValue {}
extension Optional: IndexableValue where Wrapped: IndexableValue & RequiredValue {}
extension Optional: OrderedValue where Wrapped: OrderedValue & RequiredValue {}
