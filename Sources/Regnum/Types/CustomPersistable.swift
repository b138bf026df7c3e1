internal import RegnumEngine

/// A type of yours that is stored as a type that a realm can store, by a conversion that cannot fail.
///
///     extension CLLocationCoordinate2D: CustomPersistable {
///         public init(persistedValue: Location) {
///             self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
///         }
///         public var persistableValue: Location { Location(value: [latitude, longitude]) }
///     }
///
/// The type can then be a property, an optional property, the element of a ``List`` and the value of a
/// ``Map``; where it is stored as a value, the element of a ``MutableSet`` too; where it is
/// stored as a value that can be a key or have an index, so can the type. The file knows the
/// persisted type alone: a property can change from one to the other without a migration.
public protocol CustomPersistable: FailableCustomPersistable {
    /// Makes the value from what is stored: a fresh value, or an embedded object that is to be read
    /// within the call.
    init(persistedValue: PersistedType)
}

/// A type of yours that is stored as a type that a realm can store, where a stored value can be none of
/// the type's.
///
///     extension URL: FailableCustomPersistable {
///         public init?(persistedValue: String) { self.init(string: persistedValue) }
///         public var persistableValue: String { absoluteString }
///     }
///
/// What cannot be converted reads as nil where the property, or the element of the list, is optional;
/// reading it as a required one ends the process with a sentence. Two values are the same to a realm
/// if their persisted values are.
///
/// The conversions are called whenever a value is read, set or compared with, also of objects that
/// are not stored, and on any thread: they should compute and do nothing else.
public protocol FailableCustomPersistable: RequiredValue, ProjectedValue
where
    _Basis == PersistedType._ColumnBasis, _Projected == Self, _PersistedProperty == PersistedType
{
    /// What is stored: `Bool`, an integer, `Float`, `Double`, ``Decimal128``, `String`, `Data`, `Date`,
    /// `UUID`, ``ObjectId``, or a class derived from ``EmbeddedObject``. No optional and no collection.
    associatedtype PersistedType: ProjectionBasis
    /// Makes the value from what is stored, nil if that is none of this type's.
    init?(persistedValue: PersistedType)
    /// The value as it is stored; of an embedded class a new object at each call.
    var persistableValue: PersistedType { get }
}

/// A type that is stored as another one, or its optional: see ``CustomPersistable``.
public protocol ProjectedValue: ScalarValue {
    /// The type without its optional.
    associatedtype _Projected: FailableCustomPersistable
    /// What the file has in its place: the persisted type or, of an optional, its optional.
    associatedtype _PersistedProperty
}

extension Optional: ProjectedValue where Wrapped: FailableCustomPersistable {
    public typealias _Projected = Wrapped
    public typealias _PersistedProperty = Wrapped.PersistedType?
}

/// A type that others can be stored as: see ``CustomPersistable``.
///
/// The library conforms the values that it can store and ``EmbeddedObject``. The requirements are
/// underscored: do not conform types of your own.
public protocol ProjectionBasis: OptionalPersistable, RealmCollectionValue {
    /// The type that decides what a property can be used for.
    associatedtype _ColumnBasis: ScalarValue
    /// The class of what is stored, nil for a value.
    static var _basisClass: ObjectBase.Type? { get }
    /// What a required property is that is stored so.
    static var _basisProperty: _PropertyType { get }
    /// How values are stored; of no meaning for a class.
    static var _basisStorage: _StorageType { get }
    /// What a property without an initial value starts with.
    static func _basisDefault() -> Self
    /// The value that is stored so, nil if it is none of this type's, and for a class.
    static func _basisDecode(_ value: _StoredValue) -> Self?
    /// The value as it is stored.
    func _basisEncode() -> _StoredValue
    /// The property type, and that of a list of optional elements, by which tools see what is stored.
    static var _basisForm: any Persistable.Type { get }
    static var _basisOptionalListForm: any Persistable.Type { get }
    static var _basisOptionalSetForm: any Persistable.Type { get }
    /// The map by which tools see what is stored.
    static func _basisMapForm<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type
}
