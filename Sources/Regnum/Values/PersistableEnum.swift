internal import RegnumEngine

/// An enum that can be the type of a property, stored as its raw value.
///
///     enum Priority: Int, PersistableEnum { case low, normal, high }
///     enum State: String, PersistableEnum { case open, closed }
///
/// A property without an initial value starts with the first case, including in objects that were
/// stored before the property was added. If a stored raw value matches no case (because another
/// version of the program wrote it), an optional property reads as `nil`, and reading a required
/// property fails the transaction with `.invalidValue`.
public protocol PersistableEnum: RawRepresentable, CaseIterable, RequiredValue, EnumValue, Sendable
where RawValue: RequiredValue, _Basis == RawValue, _Enum == Self, _RawProperty == RawValue {}

/// An enum that is stored as its raw value, or its optional: see ``PersistableEnum``.
public protocol EnumValue: ScalarValue {
    /// The non-optional form of the type.
    associatedtype _Enum: PersistableEnum
    /// The stored type: the raw value, or its optional.
    associatedtype _RawProperty: ScalarValue, RealmCollectionValue, MapValue
}

extension Optional: EnumValue where Wrapped: PersistableEnum {
    public typealias _Enum = Wrapped
    public typealias _RawProperty = Wrapped.RawValue?
}

extension PersistableEnum {
    public static var _storage: _StorageType { RawValue._storage }

    public static func _makeDefault() -> Self {
        guard let first = allCases.first else {
            fatalError("\(Self.self) has no cases: it cannot be the type of a property.")
        }
        return first
    }

    /// The first case in its stored form.
    static var firstStored: Value? { allCases.first?.engineValue }

    public static func _decode(_ value: _StoredValue) -> Self? {
        RawValue._decode(value).flatMap { Self(rawValue: $0) }
    }

    public func _encode() -> _StoredValue { rawValue._encode() }

    public static var _examples: [_StoredValue] { allCases.map { $0._encode() } }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? {
        RawValue._read(cluster, column, place).flatMap { Self(rawValue: $0) }
    }

    public func _write(to object: ObjectBase, _ column: Int32) {
        rawValue._write(to: object, column)
    }
}

extension PersistableEnum where Self: Comparable, RawValue: Comparable {
    /// Compares the raw values.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
