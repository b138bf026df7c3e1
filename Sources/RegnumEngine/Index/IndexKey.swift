import CRegnum
import RegnumStore

/// The 64-bit key by which an index orders and finds a value.
///
/// Distinct booleans, integers, dates and doubles have distinct keys in the order of
/// `Value.compare`. Decimals have the key of the nearest double. The key of a string, data, UUID or
/// ObjectId is a hash, as is that of a value of any type, by its canonical bytes: equal values have
/// equal keys, and a lookup must compare the row's value. Values can share the key of null, so a
/// lookup in an optional column must check the row as well.
enum IndexKey {
    static let null: UInt64 = 0x6E75_6C6C

    /// Returns the key of any value.
    @inline(__always)
    static func key(_ value: Value, seed: Identity128) -> UInt64 {
        switch value {
        case .null: null
        case .bool(let x): key(x)
        case .int(let x): key(x)
        case .double(let x), .date(let x): key(x)
        case .string(let x): key(x, seed: seed)
        case .data(let x): x.withUnsafeBytes { key($0, seed: seed) }
        case .uuid(let x): key(x, seed: seed)
        case .objectId(let x): key(x, seed: seed)
        case .decimal(let x): key(x.doubleValue)
        case .any(let x): AnyBytes.canonical(x).withUnsafeBytes { key($0, seed: seed) }
        }
    }

    @inline(__always)
    static func key(_ value: Bool) -> UInt64 { value ? 1 : 0 }

    @inline(__always)
    static func key(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    /// Returns the key of a double or date: -0.0 as 0.0, NaN before all others.
    @inline(__always)
    static func key(_ value: Double) -> UInt64 { ascendingBits(value) }

    /// Returns the key of a string's UTF-8 bytes. Allocates only if the string has no contiguous
    /// UTF-8 storage.
    @inline(__always)
    static func key(_ value: String, seed: Identity128) -> UInt64 {
        withUTF8(value) { key($0, seed: seed) }
    }

    /// Returns the key of the bytes of a string or data.
    @inline(__always)
    static func key(_ bytes: UnsafeRawBufferPointer, seed: Identity128) -> UInt64 {
        cregnum_siphash13(bytes.baseAddress, bytes.count, seed.high, seed.low)
    }

    /// Returns the hash of the 16 bytes of a cell: high, then low, little-endian.
    @inline(__always)
    static func key(_ value: Identity128, seed: Identity128) -> UInt64 {
        var words = (value.high.littleEndian, value.low.littleEndian)
        return cregnum_siphash13(&words, 16, seed.high, seed.low)
    }

    /// Returns the hash of the first 12 bytes of a cell: high, then low, little-endian.
    @inline(__always)
    static func key(_ value: ObjectIdBytes, seed: Identity128) -> UInt64 {
        var words = (value.high.littleEndian, value.low.littleEndian)
        return cregnum_siphash13(&words, 12, seed.high, seed.low)
    }
}
