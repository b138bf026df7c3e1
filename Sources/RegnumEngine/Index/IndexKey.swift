import CRegnum
import RegnumStore

/// The secret of a realm under which its indexes hash: the same in every process of the realm, so
/// that they make the same indexes, and unknown to others, so that nobody can make many values that
/// collide.
struct IndexSeed: Sendable, Hashable {
    var high: UInt64
    var low: UInt64

    /// A new one, for a realm in memory.
    static func random() -> IndexSeed {
        IndexSeed(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    }
}

/// The 64 bits by which an index orders and finds a value.
///
/// Booleans, integers, dates and doubles: different values have different keys, in the order of
/// `Value.compare`. Strings, data, UUIDs and ObjectIds: a hash; equal values have equal keys, and
/// whoever finds a row by one looks at the row. Values of any type: a hash of what all equal values share. The key of null is one that values have too: whoever
/// finds a row of an optional column by it looks at the row.
enum IndexKey {
    static let null: UInt64 = 0x6E75_6C6C

    /// The key of any value.
    @inline(__always)
    static func key(_ value: Value, seed: IndexSeed) -> UInt64 {
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

    /// Of a double or a date: -0.0 as 0.0, NaN before all others.
    @inline(__always)
    static func key(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// Of a string by its UTF-8; allocates only for strings that are stored otherwise.
    @inline(__always)
    static func key(_ value: String, seed: IndexSeed) -> UInt64 {
        withUTF8(value) { key($0, seed: seed) }
    }

    /// Of the bytes of a string or of data.
    @inline(__always)
    static func key(_ bytes: UnsafeRawBufferPointer, seed: IndexSeed) -> UInt64 {
        cregnum_siphash13(bytes.baseAddress, bytes.count, seed.high, seed.low)
    }

    /// The hash of the 16 bytes of a cell: high, then low, little-endian.
    @inline(__always)
    static func key(_ value: Identity128, seed: IndexSeed) -> UInt64 {
        var words = (value.high.littleEndian, value.low.littleEndian)
        return cregnum_siphash13(&words, 16, seed.high, seed.low)
    }

    /// The hash of the first 12 bytes of a cell: high, then low, little-endian.
    @inline(__always)
    static func key(_ value: ObjectIdBytes, seed: IndexSeed) -> UInt64 {
        var words = (value.high.littleEndian, value.low.littleEndian)
        return cregnum_siphash13(&words, 12, seed.high, seed.low)
    }
}
