internal import RegnumEngine

/// A type that is stored as another, persistable type, using a conversion that cannot fail.
///
///     extension Coordinate: CustomPersistable {
///         public init(persistedValue: Location) {
///             self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
///         }
///         public var persistableValue: Location { Location(value: [latitude, longitude]) }
///     }
///
/// The type can then be used for properties, optional properties, elements of a ``List`` and values
/// of a ``Map``. If the persisted type isn't an embedded class, the type can also be used for
/// elements of a ``MutableSet``, and if the persisted type can be a primary key or have an index,
/// so can this type. Only persisted values are stored, so a property can change from one type to
/// the other without a migration.
public protocol CustomPersistable: FailableCustomPersistable {
    /// Creates a value from its stored form. If that is an embedded object, it must only be
    /// accessed during the call.
    init(persistedValue: PersistedType)
}

/// A type that is stored as another, persistable type, using a conversion from the stored form that
/// can fail.
///
///     extension URL: @retroactive FailableCustomPersistable {
///         public init?(persistedValue: String) { self.init(string: persistedValue) }
///         public var persistableValue: String { absoluteString }
///     }
///
/// A stored value that cannot be converted reads as `nil` if the property or element is optional.
/// Reading it as a required property or element fails the transaction with `.invalidValue`; for
/// frozen objects see ``Snapshot/read(_:)``. A realm treats two values as equal if their
/// persisted values are.
///
/// Conversions run whenever a value is read, set or compared, including for unmanaged objects, and
/// on any thread. They should have no side effects.
public protocol FailableCustomPersistable: RequiredValue, ProjectedValue
where
    _Basis == PersistedType._ColumnBasis, _Projected == Self, _PersistedProperty == PersistedType
{
    /// The stored type: `Bool`, an integer, `Float`, `Double`, ``Decimal128``, `String`, `Data`,
    /// `Date`, `UUID`, ``ObjectId``, or a class derived from ``EmbeddedObject``. Optionals and
    /// collections are not supported.
    associatedtype PersistedType: ProjectionBasis
    /// Creates a value from its stored form, or returns `nil` if that is not a
    /// valid value of this type.
    init?(persistedValue: PersistedType)
    /// The stored form of the value. For an embedded class, each call must return a new object.
    var persistableValue: PersistedType { get }
}

/// A type that is stored as another type, or its optional: see ``CustomPersistable``.
public protocol ProjectedValue: ScalarValue {
    /// The non-optional form of the type.
    associatedtype _Projected: FailableCustomPersistable
    /// The type of the stored property: the persisted type, or its optional.
    associatedtype _PersistedProperty
}

extension Optional: ProjectedValue where Wrapped: FailableCustomPersistable {
    public typealias _Projected = Wrapped
    public typealias _PersistedProperty = Wrapped.PersistedType?
}

/// A type that other types can be stored as: see ``CustomPersistable``.
///
/// Implemented by the library for all types of stored values and for ``EmbeddedObject``. The
/// requirements are underscored: do not conform your own types.
public protocol ProjectionBasis: OptionalPersistable, RealmCollectionValue {
    /// The type that determines how a property can be used.
    associatedtype _ColumnBasis: ScalarValue = Self
    /// The class that values are stored as; `nil` if they are stored as scalars.
    static var _basisClass: ObjectBase.Type? { get }
    /// The declaration of a required property stored as this type.
    static var _basisProperty: _PropertyType { get }
    /// The storage type of the values; meaningless for a class.
    static var _basisStorage: _StorageType { get }
    /// Returns the default of a property without an initial value.
    static func _basisDefault() -> Self
    /// Decodes a stored value; returns `nil` if it is not a valid value of this
    /// type, and for a class.
    static func _basisDecode(_ value: _StoredValue) -> Self?
    /// Encodes the value in its stored form.
    func _basisEncode() -> _StoredValue
    /// The types that untyped access uses instead of projected types: for properties and map
    /// values, and for optional elements of lists and sets.
    static var _basisForm: any Persistable.Type { get }
    static var _basisOptionalElement: any RealmCollectionValue.Type { get }
}
