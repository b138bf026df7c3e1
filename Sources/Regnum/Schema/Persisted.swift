/// A property wrapper that stores a property of a model.
///
///     @Persisted(primaryKey: true) var id: UUID
///     @Persisted(indexed: true) var room: String
///     @Persisted var text = ""
///     @Persisted var editedAt: Date?
///
/// A property without an initial value gets the default of its type when it is first read: `nil`,
/// `false`, 0, "", empty data, the current date, a random `UUID`, a generated ``ObjectId``, the
/// first case of an enum, an empty collection. Reading a managed object never creates defaults.
///
/// Swift evaluates the initial value for every new instance, including the accessors that the
/// library creates for stored rows. Iterating over results or a collection reuses a single accessor
/// as long as nothing else retains it. Assign expensive defaults in a convenience initializer, or
/// rely on the default of the type, so that they aren't created for every accessor.
///
/// `primaryKey:` is available for integers, `String`, `ObjectId`, `UUID`, enums with such raw
/// values, and their optionals; `indexed:` also for `Bool`, `Date` and ``AnyRealmValue``. Primary
/// keys are always indexed. `fullTextIndexed:` is available for `String`, enums with such raw
/// values and their optionals, and `geoIndexed:` for `List<Double>`. Opening a realm builds indexes
/// that were declared later than the property: see ``Realm/Configuration/buildsIndexes``. Changing
/// the primary key of a managed object fails the transaction with `.invalidValue`.
///
/// A string can have up to 16,777,199 bytes of UTF-8, and data up to 16,777,200 bytes. A date can't
/// be NaN. Storing a value beyond these limits fails with `.invalidValue`.
///
/// The wrapper can only be used for stored properties of classes derived from ``Object``,
/// ``EmbeddedObject`` or ``AsymmetricObject``. The name of a property can have up to 63 bytes of
/// UTF-8; see ``ObjectBase/propertiesMapping()``.
@propertyWrapper
public struct Persisted<Value: Persistable> {
    /// The column number, written when an object is bound to its row. `Int32.min` until then. Must
    /// be the first field, so that its address follows from the offset of the wrapper alone.
    @usableFromInline var _column = Int32.min
    /// The declaration: bit 0 primary key, bit 1 indexed, bits 2 and 3 the delete rule, bit 4
    /// full-text indexed, bit 5 with a geospatial index.
    @usableFromInline var _flags: UInt8
    /// The value of an unmanaged object; `nil` until it is set or first read.
    @usableFromInline var _value: Value?

    @inlinable @inline(__always)
    init(_flags: UInt8, _value: Value?) {
        self._flags = _flags
        self._value = _value
    }

    /// Declares a property that starts with the default of its type, created when it is first read.
    @inlinable @inline(__always)
    public init() {
        self.init(_flags: 0, _value: nil)
    }

    /// Declares a property that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value) {
        self.init(_flags: 0, _value: wrappedValue)
    }

    /// Unavailable: the value can only be accessed through the enclosing object.
    @available(*, unavailable, message: "@Persisted can only be used in a model class")
    public var wrappedValue: Value {
        get { fatalError("@Persisted can only be used in a model class.") }
        // swift-format-ignore
        set { fatalError("@Persisted can only be used in a model class.") }
    }

    /// The value of the property in its object. Called by the compiler for `object.name`.
    ///
    /// - Precondition: A managed object is accessed only within its transaction body and before it
    ///   is deleted, and modified only in a write transaction.
    @inlinable
    public static subscript<Enclosing: ObjectBase>(
        _enclosingInstance object: Enclosing,
        wrapped wrapped: ReferenceWritableKeyPath<Enclosing, Value>,
        storage storage: ReferenceWritableKeyPath<Enclosing, Self>
    ) -> Value {
        @inline(__always) get {
            guard object._cluster != nil else {
                if let value = object[keyPath: storage]._value { return value }
                let value = Value._isScalar ? _makeDefault() : Value._makeDefault()
                object[keyPath: storage]._value = value
                return value
            }
            if object._epochCell.unsafelyUnwrapped.pointee != object._epoch { object._refresh() }
            let column = object[keyPath: storage]._column
            let value = Value._read(
                object._cluster.unsafelyUnwrapped, Int(column),
                Int(truncatingIfNeeded: object._row & 1023))
            if let value { return value }
            return Value._isScalar
                ? _managedScalar(object, column) : Value._managedValue(object, column)
        }
        @inline(__always) set {
            if object._cluster != nil {
                newValue._write(to: object, object[keyPath: storage]._column)
            } else if Value._isScalar {
                object[keyPath: storage]._value = newValue
            } else {
                object[keyPath: storage]._value = Value._assigned(
                    newValue, over: object[keyPath: storage]._value)
            }
        }
    }

    // The `releasenone` effects of these two functions are accurate: nothing that the caller holds
    // is released in them. They let loops of reads avoid reference counting. Neither takes a key
    // path: a key path that escapes the accessors would be instantiated at each read, and every
    // access to the field would be checked for exclusivity.

    /// Returns the default of an unmanaged object's property, created when it is first read.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func _makeDefault() -> Value { Value._makeDefault() }

    /// Reads a value out of line. Fails the transaction if the row was deleted; traps if the
    /// transaction body has returned.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func _managedScalar(_ object: ObjectBase, _ column: Int32) -> Value {
        Value._managedValue(object, column)
    }
}

extension Persisted where Value: ScalarValue, Value._Basis: PrimaryKeyValue {
    /// Declares the primary key, which is unique within the class and identifies the object in
    /// `tx.object(_:forPrimaryKey:)`.
    @inlinable @inline(__always)
    public init(primaryKey: Bool) {
        self.init(_flags: primaryKey ? 1 : 0, _value: nil)
    }

    /// Declares a primary key that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(_flags: primaryKey ? 1 : 0, _value: wrappedValue)
    }
}

extension Persisted where Value: ScalarValue, Value._Basis: IndexableValue {
    /// Declares an indexed property, which speeds up equality queries.
    @inlinable @inline(__always)
    public init(indexed: Bool) {
        self.init(_flags: indexed ? 2 : 0, _value: nil)
    }

    /// Declares an indexed property that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(_flags: indexed ? 2 : 0, _value: wrappedValue)
    }
}

extension Persisted where Value: ScalarValue, Value._Basis == String {
    /// Declares a property with a full-text index, which lets queries search for words in its text:
    /// see ``Query/matchesText(_:)``.
    ///
    ///     @Persisted(fullTextIndexed: true) var text: String
    @inlinable @inline(__always)
    public init(fullTextIndexed: Bool) {
        self.init(_flags: fullTextIndexed ? 16 : 0, _value: nil)
    }

    /// Declares a property with a full-text index that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value, fullTextIndexed: Bool) {
        self.init(_flags: fullTextIndexed ? 16 : 0, _value: wrappedValue)
    }
}

extension Persisted where Value == List<Double> {
    /// Declares the coordinates of a point with a geospatial index, which lets queries find the
    /// points within a small area without reading all of them: see ``GeoShape``.
    ///
    ///     @Persisted(geoIndexed: true) var coordinates: List<Double>
    @inlinable @inline(__always)
    public init(geoIndexed: Bool) {
        self.init(_flags: geoIndexed ? 32 : 0, _value: nil)
    }

    /// Declares coordinates with a geospatial index that start with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value, geoIndexed: Bool) {
        self.init(_flags: geoIndexed ? 32 : 0, _value: wrappedValue)
    }
}
