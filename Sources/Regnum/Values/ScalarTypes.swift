public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Bool: RequiredValue, IndexableValue {
    public static var _storage: _StorageType { _StorageType(.bool) }

    public static func _makeDefault() -> Bool { false }

    public static func _decode(_ value: _StoredValue) -> Bool? {
        if case .bool(let stored) = value.value { stored } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.bool(self)) }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Bool? {
        _ClusterLayout.value(cluster, column, place, as: UInt8.self).map { $0 != 0 }
    }
}

extension Int: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.int) }

    public static func _makeDefault() -> Int { 0 }

    public static func _decode(_ value: _StoredValue) -> Int? {
        if case .int(let stored) = value.value { Int(stored) } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.int(Int64(self))) }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setInteger(Int64(self), row: object._row, column: column)
    }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Int? {
        guard column >= 0 else { return nil }
        let word = _ClusterLayout.word(cluster, column)
        guard word != 0 else { return nil }
        let values = _ClusterLayout.values(word)
        switch word & 3 {
        case 0: return Int(values.load(fromByteOffset: place, as: Int8.self))
        case 1: return Int(values.load(fromByteOffset: 2 &* place, as: Int16.self))
        case 2: return Int(values.load(fromByteOffset: 4 &* place, as: Int32.self))
        default: return Int(values.load(fromByteOffset: 8 &* place, as: Int64.self))
        }
    }
}

extension Double: RequiredValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.double) }

    public static func _makeDefault() -> Double { 0 }

    public static func _decode(_ value: _StoredValue) -> Double? {
        if case .double(let stored) = value.value { stored } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.double(self)) }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setDouble(self, row: object._row, column: column)
    }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Double? {
        _ClusterLayout.value(cluster, column, place, as: Double.self)
    }
}

extension String: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.string) }

    public static func _makeDefault() -> String { "" }

    public static func _decode(_ value: _StoredValue) -> String? {
        if case .string(let stored) = value.value { stored } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.string(self)) }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> String? {
        _ClusterLayout.bytes(cluster, column, place).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Data: RequiredValue {
    public static var _storage: _StorageType { _StorageType(.data) }

    public static func _makeDefault() -> Data { Data() }

    public static func _decode(_ value: _StoredValue) -> Data? {
        if case .data(let stored) = value.value { Data(stored) } else { nil }
    }

    public func _encode() -> _StoredValue { _StoredValue(.data([UInt8](self))) }
}

extension Date: RequiredValue, IndexableValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.date) }

    /// Returns the current date, so a date without an initial value is the time at which it is
    /// first read.
    public static func _makeDefault() -> Date { Date() }

    public static func _decode(_ value: _StoredValue) -> Date? {
        if case .date(let stored) = value.value {
            Date(timeIntervalSinceReferenceDate: stored)
        } else {
            nil
        }
    }

    public func _encode() -> _StoredValue { _StoredValue(.date(timeIntervalSinceReferenceDate)) }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Date? {
        _ClusterLayout.value(cluster, column, place, as: Double.self)
            .map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

extension UUID: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.uuid) }

    /// Returns a new random UUID.
    public static func _makeDefault() -> UUID { UUID() }

    public static func _decode(_ value: _StoredValue) -> UUID? {
        guard case .uuid(let stored) = value.value else { return nil }
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { buffer in
            buffer.storeBytes(of: stored.high.bigEndian, toByteOffset: 0, as: UInt64.self)
            buffer.storeBytes(of: stored.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }

    public func _encode() -> _StoredValue { _StoredValue(.uuid(identity)) }

    var identity: Identity128 {
        withUnsafeBytes(of: uuid) { buffer in
            Identity128(
                high: UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                low: UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}
