internal import RegnumEngine

/// Fixed-width integers are stored like `Int`, so that a property can change its width without a
/// migration.
///
/// Reading a stored value that doesn't fit returns 0 and fails the transaction.
extension RequiredValue where Self: FixedWidthInteger {
    public static var _storage: _StorageType { _StorageType(.int) }

    public static func _makeDefault() -> Self { 0 }

    public static func _decode(_ value: _StoredValue) -> Self? {
        if case .int(let stored) = value.value { Self(exactly: stored) } else { nil }
    }

    public func _encode() -> _StoredValue {
        _StoredValue(.int(Int64(truncatingIfNeeded: self)))
    }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setInteger(
            Int64(truncatingIfNeeded: self), row: object._row, column: column)
    }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? {
        Int._read(cluster, column, place).flatMap { Self(exactly: $0) }
    }
}

extension Int8: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {}
extension Int16: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {}
extension Int32: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {}
extension Int64: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {}

extension Float: RequiredValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.float) }

    public static func _makeDefault() -> Float { 0 }

    public static func _decode(_ value: _StoredValue) -> Float? {
        if case .double(let stored) = value.value { Float(_stored: stored) } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.double(widened)) }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setDouble(widened, row: object._row, column: column)
    }

    /// The float converted to a double. Preserves the bits of a NaN, even of a signaling one, which
    /// an ordinary conversion would turn into a quiet one.
    private var widened: Double {
        guard isNaN else { return Double(self) }
        let sign: UInt64 = self.sign == .minus ? 1 << 63 : 0
        return Double(bitPattern: sign | 0x7FF << 52 | UInt64(significandBitPattern) << 29)
    }

    /// Creates a float from its stored double: see `widened`.
    @inlinable @inline(__always)
    init(_stored double: Double) {
        self = double.isNaN ? Float(_storedNaN: double) : Float(double)
    }

    @usableFromInline
    init(_storedNaN double: Double) {
        let sign: UInt32 = double.sign == .minus ? 1 << 31 : 0
        let significand = UInt32(truncatingIfNeeded: double.significandBitPattern >> 29)
        self.init(bitPattern: sign | 0xFF << 23 | (significand == 0 ? 1 << 22 : significand))
    }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Float? {
        Double._read(cluster, column, place).map { Float(_stored: $0) }
    }
}
