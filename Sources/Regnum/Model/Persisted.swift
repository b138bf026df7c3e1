/// Marks a property of a model as stored.
///
///     @Persisted(primaryKey: true) var id: UUID
///     @Persisted(indexed: true) var room: String
///     @Persisted var text = ""
///     @Persisted var editedAt: Date?
///
/// Without an initial value a property starts with the default of its type, made when it is first
/// read: nil, false, 0, "", empty data, the current date, a random `UUID`, a generated
/// ``ObjectId``, the first case of an enum, an empty list. Reads of managed objects make none.
///
/// An initial value is Swift's: evaluated whenever an instance is made, also when the library makes an
/// accessor of a stored row. Results and collections that are walked use one accessor again as long as
/// nobody holds it. What is dear to make is better given to new objects only (in `init`, or by the
/// type's default).
///
/// `primaryKey:` compiles for the integers, `String`, `ObjectId`, `UUID`, enums of those and their
/// optionals; `indexed:` also for `Bool` and `Date`. A primary key is indexed, and cannot be changed once the object is
/// managed: the transaction then fails with `.invalidValue`.
///
/// The wrapper works as a stored property of a class derived from ``Object`` or ``EmbeddedObject``
/// only.
@propertyWrapper
public struct Persisted<Value: Persistable> {
    /// The number of the column, written here when an object is bound to its row. It stands
    /// first, so that its place is known from the field's offset alone. `Int32.min` until then.
    @usableFromInline var _column = Int32.min
    /// What the declaration says: see `PropertyFlags`.
    @usableFromInline var _flags: UInt8
    /// The value of an unmanaged object, nil until it was given or first read.
    @usableFromInline var _value: Value?

    @inlinable @inline(__always)
    init(_flags: UInt8, _value: Value?) {
        self._flags = _flags
        self._value = _value
    }

    /// A property that starts with the default of its type, made at its first read.
    @inlinable @inline(__always)
    public init() {
        self.init(_flags: 0, _value: nil)
    }

    /// A property that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value) {
        self.init(_flags: 0, _value: wrappedValue)
    }

    /// Use the property through its object: the wrapper alone has no value.
    @available(*, unavailable, message: "@Persisted works only as a property of an Object class")
    public var wrappedValue: Value {
        get { fatalError("@Persisted works only as a property of an Object class.") }
        // swift-format-ignore
        set { fatalError("@Persisted works only as a property of an Object class.") }
    }

    /// The value of the property in its object. The compiler calls this; you write `object.name`.
    ///
    /// - Precondition: a managed object is used inside the body that it belongs to, before it is
    ///   deleted, and assigned to only in a write.
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

    // The effects of these two are true, and what lets a loop of reads keep no reference counts:
    // nothing that the caller holds is released in them. Neither gets a key path: one that left the
    // accessors would be made at each read, and every access to the field be checked.

    /// The default of an unmanaged object's property, made at its first read.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func _makeDefault() -> Value { Value._makeDefault() }

    /// A read that does not inline. Traps when the body is over or the row deleted.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func _managedScalar(_ object: ObjectBase, _ column: Int32) -> Value {
        Value._managedValue(object, column)
    }
}

extension Persisted where Value: ScalarValue, Value._Basis: PrimaryKeyValue {
    /// The key by which `tx.object(_:forPrimaryKey:)` finds the object: unique in its class.
    @inlinable @inline(__always)
    public init(primaryKey: Bool) {
        self.init(_flags: primaryKey ? 1 : 0, _value: nil)
    }

    /// A primary key that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(_flags: primaryKey ? 1 : 0, _value: wrappedValue)
    }
}

extension Persisted where Value: ScalarValue, Value._Basis: IndexableValue {
    /// A property with an index, which makes equality queries cheap.
    @inlinable @inline(__always)
    public init(indexed: Bool) {
        self.init(_flags: indexed ? 2 : 0, _value: nil)
    }

    /// A property with an index that starts with `wrappedValue`.
    @inlinable @inline(__always)
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(_flags: indexed ? 2 : 0, _value: wrappedValue)
    }
}

extension Persisted {
    /// The objects of another class whose link or list `originProperty` has this one.
    ///
    ///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    @inlinable @inline(__always)
    public init<Origin: ObjectBase>(originProperty: String)
    where Value == LinkingObjects<Origin> {
        self.init(_flags: 0, _value: LinkingObjects(originProperty: originProperty))
    }
}
