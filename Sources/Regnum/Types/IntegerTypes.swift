internal import RegnumEngine

/// The integers of other widths than `Int`'s: stored as `Int` is, so that a property may change its
/// width without a migration.
///
/// A stored value that the type cannot hold reads as 0 and fails the transaction.
public protocol NarrowInteger: FixedWidthInteger, RequiredValue, PrimaryKeyValue, IndexableValue,
    OrderedValue
{}

extension NarrowInteger {
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

extension Int8: NarrowInteger {}
extension Int16: NarrowInteger {}
extension Int32: NarrowInteger {}
extension Int64: NarrowInteger {}

extension Float: RequiredValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.double, isFloat: true) }

    public static func _makeDefault() -> Float { 0 }

    public static func _decode(_ value: _StoredValue) -> Float? {
        if case .double(let stored) = value.value { Float(stored) } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.double(Double(self))) }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setDouble(Double(self), row: object._row, column: column)
    }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Float? {
        Double._read(cluster, column, place).map { Float($0) }
    }
}
