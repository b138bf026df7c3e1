package import RegnumEngine

/// A type that `@Persisted` can wrap.
///
/// Implemented by the library for all supported types: values (`Bool`, `Int`, `Int8` to `Int64`,
/// `Float`, `Double`, ``Decimal128``, `String`, `Data`, `Date`, `UUID`, ``ObjectId``,
/// ``AnyRealmValue``, enums that conform to ``PersistableEnum``, and their optionals), optional
/// objects (links), ``List``, ``MutableSet``, ``Map`` and ``LinkingObjects``. If the compiler
/// reports that a type must conform:
///
/// - Give an enum a raw type and make it conform to `PersistableEnum`.
/// - Use ``Decimal128`` instead of `Decimal`.
/// - Make `URL` or your own type conform to ``CustomPersistable`` or ``FailableCustomPersistable``.
/// - Use a ``List``, ``MutableSet`` or ``Map`` instead of an array, set or dictionary.
///
/// The requirements are underscored: they are the contract between the property wrapper and the
/// storage, and may change without notice. Do not conform your own types.
public protocol Persistable {
    /// The declaration of a property of this type.
    static var _property: _PropertyType { get }
    /// Whether a value is stored in a single column and decoded by the library alone. True for all
    /// types except links, collections and projected types.
    static var _isScalar: Bool { get }
    /// Returns the default of a property without an initial value, created for each object.
    static func _makeDefault() -> Self
    /// Returns the value from an in-memory cluster of rows, or `nil` if it must be
    /// read on the slow path.
    ///
    /// - Parameters:
    ///   - cluster: A cluster node with a slot for the column (see `_ClusterLayout`).
    ///   - column: The column number; negative if the property has no column yet.
    ///   - place: The index of the row in the cluster, less than 1,024.
    static func _read(_ cluster: UnsafeRawPointer, _ column: Int, _ place: Int) -> Self?
    /// Returns the value of a managed object's property on the slow path.
    static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self
    /// Sets a property of a managed object to the value.
    func _write(to object: ObjectBase, _ column: Int32)
    /// Returns the new value of an unmanaged object's property after an assignment,
    /// given its current value.
    static func _assigned(_ new: Self, over current: Self?) -> Self
    /// Returns the value in type-erased form.
    func _content() -> _PropertyContent
    /// Converts from the type-erased form returned by `_content`; returns `nil` if this type cannot
    /// represent the content.
    static func _make(_ content: _PropertyContent) -> Self?
    /// The type of the property as seen by code that works with any class: the persisted type of a
    /// projected type, otherwise the type itself.
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

/// A scalar type, stored in a single column, or its optional.
public protocol ScalarValue: Persistable {
    /// The type that determines how a property can be used: the raw value of an enum, the basis of
    /// an optional's wrapped type, otherwise the type itself.
    associatedtype _Basis: ScalarValue = Self
    /// The storage type of the values.
    static var _storage: _StorageType { get }
    /// Decodes a stored value; returns `nil` if it has a different storage type or is not a
    /// valid value of this type.
    static func _decode(_ value: _StoredValue) -> Self?
    /// Encodes the value in its stored form.
    func _encode() -> _StoredValue
    /// Known valid stored values, in addition to those at the edges of the storage type.
    static var _examples: [_StoredValue] { get }
    /// Whether the stored value is converted by the program: see ``CustomPersistable``.
    static var _isProjected: Bool { get }
    /// The embedded class that values are stored as; `nil` if they are stored as scalars.
    static var _embeddedClass: ObjectBase.Type? { get }
}

/// A type that can be a primary key: the integers, `String`, `ObjectId`, `UUID`, enums with such
/// raw values, and their optionals. `nil` is a key like any other, so at most one object can have
/// it.
public protocol PrimaryKeyValue: ScalarValue, Sendable {}

/// A type that can have an index: the primary key types, `Bool`, `Date` and ``AnyRealmValue``,
/// and their optionals.
public protocol IndexableValue: ScalarValue {}

/// A type whose values are ordered in queries, with `<`, `<=`, `>` and `>=` in `where`.
public protocol OrderedValue: ScalarValue {}

/// A scalar type that is not optional. Model classes are not included: lists and sets hold no `nil`
/// objects, so `List<Dog?>` doesn't compile.
public protocol RequiredValue:
    ScalarValue, OptionalPersistable, RealmCollectionValue, MapValue
{
    /// The type that tools see instead of optional elements: see
    /// `RealmCollectionValue._persistedElement`.
    static var _optionalElement: any RealmCollectionValue.Type { get }
}

/// A type whose optional can be the type of a property: scalar types and model classes.
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
}

/// The storage type of a type's values. Part of the contract of ``ScalarValue``.
public struct _StorageType: Sendable, Hashable {
    let scalar: ScalarType
    let isOptional: Bool

    init(_ scalar: ScalarType, isOptional: Bool = false) {
        self.scalar = scalar
        self.isOptional = isOptional
    }

    /// The type that the values are stored as.
    var valueType: ValueType { scalar.valueType }

    /// The storage type of the optional.
    var optional: _StorageType { _StorageType(scalar, isOptional: true) }

    /// The value that a missing value reads as: null for optionals, otherwise the zero of the type.
    var zero: Value { isOptional ? .null : valueType.zero }

    /// The name of the Swift type that is stored as this type.
    var swiftName: String { scalar.swiftName + (isOptional && !isAny ? "?" : "") }
}

/// A stored value. Part of the contract of ``ScalarValue``.
public struct _StoredValue: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The declaration of a property. Part of the contract of ``Persistable``.
public struct _PropertyType: Sendable {
    let shape: PropertyShape
}

/// The content of an unmanaged object's property. Part of the contract of ``Persistable``.
public struct _PropertyContent {
    enum Content {
        case value(Value)
        case link(ObjectBase?)
        /// An object, list or dictionary in an `AnyRealmValue`.
        case any(AnyRealmValue)
        /// An object, list or dictionary in an `AnyRealmValue` that has been validated.
        case tree(AnyTree)
        case list(any UnmanagedList)
        case map(any UnmanagedMap)
        case linkingObjects
    }

    let content: Content
}

extension ScalarValue {
    public static var _property: _PropertyType { _PropertyType(shape: .scalar(_storage)) }

    public static var _examples: [_StoredValue] { [] }

    public static var _isProjected: Bool { false }

    public static var _embeddedClass: ObjectBase.Type? { nil }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self {
        guard let binding = object._binding else { return _makeDefault() }
        let value = binding.readValue(row: object._row, column: column)
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

    /// The value in the form that the engine uses.
    package var engineValue: Value { _encode().value }

    /// Decodes a stored value; returns a placeholder if it is invalid, which the
    /// caller must have reported.
    static func fromEngine(_ value: Value) -> Self {
        _decode(_StoredValue(value)) ?? placeholder()
    }

    /// Whether invalid stored values read as `nil`, because an optional enum may have lost a case.
    static var readsUnknownAsNil: Bool {
        if Self.self is any FailableCustomPersistable.Type || _embeddedClass != nil { return false }
        return _storage.isOptional && !_storage.isAny
    }

    /// Returns an arbitrary value, to continue after an error that prevented
    /// reading the actual value.
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
