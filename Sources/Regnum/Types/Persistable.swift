internal import RegnumEngine

/// A type that `@Persisted` can wrap.
///
/// The library conforms all of them: values (`Bool`, `Int`, `Int8` to `Int64`, `Float`, `Double`,
/// `String`, `Data`, `Date`, `UUID`, `ObjectId`, enums that are ``PersistableEnum``, and their
/// optionals), optional objects (links), ``List``, ``MutableSet``, ``Map`` and ``LinkingObjects``.
/// Where the compiler says that a type has to conform:
///
/// - an enum has a raw value and is declared `: PersistableEnum`;
/// - for `Decimal` declare a ``Decimal128``;
/// - `URL` and types of your own become ``CustomPersistable`` or ``FailableCustomPersistable``;
/// - for arrays, sets and dictionaries declare a ``List``, ``MutableSet`` or ``Map``.
///
/// The requirements are underscored: they are the contract between the property wrapper and the
/// storage and change without notice. Do not conform types of your own.
public protocol Persistable {
    /// What a property of the type is.
    static var _property: _PropertyType { get }
    /// Whether a value stands in a column by itself, and is read by the library alone: all but links,
    /// collections and projected types.
    static var _isScalar: Bool { get }
    /// The default of a property without an initial value, made anew for each object.
    static func _makeDefault() -> Self
    /// The value in a cluster of rows in memory, nil where it has to be read the long way.
    ///
    /// - Parameters:
    ///   - cluster: a cluster node with a slot for the column (see `_ClusterLayout`).
    ///   - column: the number of the column; negative where it has none yet.
    ///   - place: the row's place in the cluster, less than 1,024.
    static func _read(_ cluster: UnsafeRawPointer, _ column: Int, _ place: Int) -> Self?
    /// The value of a property of a managed object, the long way.
    static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self
    /// Sets a property of a managed object to the value.
    func _write(to object: ObjectBase, _ column: Int32)
    /// What a property of an unmanaged object holds after it was set, whose value so far is `current`.
    static func _assigned(_ new: Self, over current: Self?) -> Self
    /// The value as the library handles it without knowing its type.
    func _content() -> _PropertyContent
    /// The value of this type that `_content` gives so, nil if it is none of this type's.
    static func _make(_ content: _PropertyContent) -> Self?
    /// The type as which tools that do not know the class see the property: what is stored of a
    /// projected type, else the type itself.
    static var _persistedForm: any Persistable.Type { get }
}

extension Persistable {
    @inlinable @inline(__always)
    public static var _isScalar: Bool { true }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? { nil }

    @inlinable @inline(__always)
    public static func _assigned(_ new: Self, over current: Self?) -> Self { new }

    public static var _persistedForm: any Persistable.Type { Self.self }
}

/// One value in a column: a type of a value, or its optional.
public protocol ScalarValue: Persistable {
    /// The type that decides what a property can be used for: the raw value of an enum, else itself;
    /// of an optional, that of the wrapped type.
    associatedtype _Basis: ScalarValue = Self
    /// How values of the type are stored.
    static var _storage: _StorageType { get }
    /// The value of this type that is stored as `value`, nil if it is stored as another type or is
    /// none of this type's values.
    static func _decode(_ value: _StoredValue) -> Self?
    /// The value as it is stored.
    func _encode() -> _StoredValue
    /// Stored values that the type is known to have, beside those at the edges of how it is stored.
    static var _examples: [_StoredValue] { get }
    /// Whether the program converts what is stored: see ``CustomPersistable``.
    static var _isProjected: Bool { get }
    /// The class of the embedded object that a value is stored as, nil for what is stored as a value.
    static var _embeddedClass: ObjectBase.Type? { get }
}

/// A type whose values can be the key of a row: the integers, `String`, `ObjectId`, `UUID`, enums of
/// those, and their optionals (nil is a key like any other, and unique).
public protocol PrimaryKeyValue: ScalarValue, Sendable {}

/// A type that can have an index: the primary key types, `Bool` and `Date`, and their optionals.
public protocol IndexableValue: ScalarValue {}

/// A type whose values are ordered in queries: `<`, `<=`, `>` and `>=` in `where`.
public protocol OrderedValue: ScalarValue {}

/// A stored value that is not optional. A model class is none: lists and sets hold no nil objects,
/// so `List<Dog?>` does not compile.
public protocol RequiredValue:
    ScalarValue, OptionalPersistable, RealmCollectionValue, MapValue
{
    /// The list of what is stored of a list of optionals: see `Persistable._persistedForm`.
    static var _optionalListForm: any Persistable.Type { get }
    /// The same of a set.
    static var _optionalSetForm: any Persistable.Type { get }
}

/// A type whose optional can be a property: the required values, and model classes.
public protocol OptionalPersistable {
    static var _optionalProperty: _PropertyType { get }
    static var _optionalIsScalar: Bool { get }
    static func _readOptional(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self??
    static func _managedOptional(_ object: ObjectBase, _ column: Int32) -> Self?
    static func _writeOptional(_ value: Self?, to object: ObjectBase, _ column: Int32)
    static func _optionalContent(_ value: Self?) -> _PropertyContent
    static func _makeOptional(_ content: _PropertyContent) -> Self??
    static var _optionalPersistedForm: any Persistable.Type { get }
    /// The map of what is stored of a map of optionals: see `Persistable._persistedForm`.
    static func _optionalMapForm<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type
}

extension OptionalPersistable {
    public static func _optionalMapForm<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type {
        Map<Key, Self?>.self
    }
}

/// How the values of a type are stored. Part of the contract of ``ScalarValue``.
public struct _StorageType: Sendable, Hashable {
    let valueType: ValueType
    let isOptional: Bool
    let isFloat: Bool

    init(_ valueType: ValueType, isOptional: Bool = false, isFloat: Bool = false) {
        self.valueType = valueType
        self.isOptional = isOptional
        self.isFloat = isFloat
    }

    /// The same for the optional of the type.
    var optional: _StorageType {
        _StorageType(valueType, isOptional: true, isFloat: isFloat)
    }

    /// What an absent value is read as: null, or the zero of the type.
    var zero: Value { isOptional ? .null : valueType.zero }

    /// The name of the Swift type that is stored so.
    var swiftName: String {
        (isFloat ? "Float" : valueType.swiftName) + (isOptional && !isAny ? "?" : "")
    }
}

/// One stored value. Part of the contract of ``ScalarValue``.
public struct _StoredValue: Sendable {
    let value: Value
}

/// What a property is. Part of the contract of ``Persistable``.
public struct _PropertyType: Sendable {
    let shape: PropertyShape
}

/// What the property of an unmanaged object holds. Part of the contract of ``Persistable``.
public struct _PropertyContent {
    enum Content {
        case value(Value)
        case link(ObjectBase?)
        /// An object, list or dictionary as a value of any type.
        case any(AnyRealmValue)
        /// The same, checked.
        case tree(AnyTree)
        case list(any UnmanagedList)
        case map(any UnmanagedMap)
        case linkingObjects
    }

    let content: Content
}

extension _StoredValue {
    init(_ value: Value) {
        self.value = value
    }
}

extension ScalarValue {
    public static var _property: _PropertyType { _PropertyType(shape: .scalar(_storage)) }

    public static var _examples: [_StoredValue] { [] }

    public static var _isProjected: Bool { false }

    public static var _embeddedClass: ObjectBase.Type? { nil }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self {
        guard let binding = object._binding else { return _makeDefault() }
        let value =
            binding.isTracing
            ? binding.tracedValue(row: object._row, column: column)
            : binding.value(row: object._row, column: column)
        if let decoded = _decode(_StoredValue(value)) { return decoded }
        binding.reportUndecodable(value, column)
        return fromEngine(value)
    }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setValue(engineValue, row: object._row, column: column)
    }

    public func _content() -> _PropertyContent { _PropertyContent(content: .value(engineValue)) }

    public static func _make(_ content: _PropertyContent) -> Self? {
        guard case .value(let value) = content.content else { return nil }
        return _decode(_StoredValue(value))
    }

    /// The stored form of the value, as the engine takes it.
    var engineValue: Value { _encode().value }

    /// The value that is stored as `value`; a placeholder where that is none of the type's values,
    /// which the caller has reported.
    static func fromEngine(_ value: Value) -> Self {
        _decode(_StoredValue(value)) ?? placeholder()
    }

    /// Whether a stored value that the type does not have reads as nil: an optional enum may have
    /// lost a case.
    static var readsUnknownAsNil: Bool {
        if Self.self is any FailableCustomPersistable.Type || _embeddedClass != nil { return false }
        return _storage.isOptional && !_storage.isAny
    }

    /// Some value of the type, to go on with where there is an error instead of a true one.
    static func placeholder() -> Self {
        if _embeddedClass == nil, let zero = _decode(_StoredValue(_storage.zero)) { return zero }
        if let type = Self.self as? any FailableCustomPersistable.Type,
            let value = type.anyValue as? Self
        {
            return value
        }
        return _makeDefault()
    }
}
