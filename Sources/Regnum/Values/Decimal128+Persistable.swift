internal import RegnumEngine

extension Decimal128: RequiredValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.decimal) }

    /// Returns zero.
    public static func _makeDefault() -> Decimal128 { Decimal128() }

    public static func _decode(_ value: _StoredValue) -> Decimal128? {
        guard case .decimal(let stored) = value.value else { return nil }
        return Decimal128(stored)
    }

    public func _encode() -> _StoredValue { _StoredValue(.decimal(bits)) }
}
