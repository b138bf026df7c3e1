import Glibc
import RegnumStore

extension Value {
    /// Returns the order of two values in sorts and indexes: negative, zero or positive if `a`
    /// orders before, equal to or after `b`. The order is total.
    ///
    /// Null orders first, and NaN before all other doubles and decimals. -0.0 equals 0.0, and
    /// decimals compare by their numeric value. Strings, data, UUIDs and ObjectIds compare by their
    /// bytes, and false orders before true. Values of different types (which never occur in one
    /// column) compare by type.
    package static func compare(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.int(let x), .int(let y)): x < y ? -1 : (x == y ? 0 : 1)
        case (.string(let x), .string(let y)): compareUTF8(x, y)
        case (.objectId(let x), .objectId(let y)): x == y ? 0 : (x < y ? -1 : 1)
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)): compareDoubles(x, y)
        case (.uuid(let x), .uuid(let y)): compareIdentities(x, y)
        case (.bool(let x), .bool(let y)): x == y ? 0 : (y ? -1 : 1)
        case (.data(let x), .data(let y)): compareBytes(x, y)
        case (.decimal(let x), .decimal(let y)): DecimalBits.compare(x, y)
        case (.any(let x), .any(let y)): AnyBytes.compare(x, y)
        default: Int(a.type?.rawValue ?? 0) - Int(b.type?.rawValue ?? 0)
        }
    }

    /// The canonical value among values of one type that sorts treat as equal.
    var canonical: Value {
        switch self {
        case .double(let x): .double(x.isNaN ? .nan : (x == 0 ? 0 : x))
        case .date(let x): .date(x == 0 ? 0 : x)
        case .decimal(let x): .decimal(x.canonical)
        case .any(let x): .any(AnyBytes.canonical(x))
        default: self
        }
    }
}

/// Compares two doubles in sort order: NaN first, -0.0 equal to 0.0.
func compareDoubles(_ a: Double, _ b: Double) -> Int {
    if a < b { return -1 }
    if a > b { return 1 }
    if a == b { return 0 }
    return a.isNaN ? (b.isNaN ? 0 : -1) : 1
}

/// Returns the mathematical order of an integer and a double, without rounding; `nil` for NaN.
func compareNumbers(_ a: Int64, _ b: Double) -> Int? {
    if b.isNaN { return nil }
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = b.rounded(.towardZero)
    let integer = Int64(whole)
    if a != integer { return a < integer ? -1 : 1 }
    return compareDoubles(whole, b)
}

/// Compares two unsigned 128-bit integers.
func compareIdentities(_ a: Identity128, _ b: Identity128) -> Int {
    if a.high != b.high { return a.high < b.high ? -1 : 1 }
    return a.low == b.low ? 0 : (a.low < b.low ? -1 : 1)
}

/// Returns bits that order like a double: -0.0 as 0.0, NaN before all others.
@inline(__always)
func ascendingBits(_ x: Double) -> UInt64 {
    if x.isNaN { return 0 }
    let bits = (x == 0 ? 0 : x).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
}

/// Returns the first 8 bytes, or all followed by zeros, as a number that orders like them.
func leadingBytes(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<8 {
        number = number << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
    }
    return number
}

/// Compares two byte arrays lexicographically.
func compareBytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withUnsafeBytes { x in b.withUnsafeBytes { y in compareRaw(x, y) } }
}

/// Compares two strings by their UTF-8 bytes, which is also the order of their code points.
package func compareUTF8(_ a: String, _ b: String) -> Int {
    withUTF8(a) { x in withUTF8(b) { y in compareRaw(x, y) } }
}

/// Whether two strings have the same UTF-8 bytes.
package func equalUTF8(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && compareUTF8(a, b) == 0
}

/// Hashes the UTF-8 bytes of a string.
func hashUTF8(_ string: String, into hasher: inout Hasher) {
    withUTF8(string) { bytes in
        hasher.combine(bytes.count)
        hasher.combine(bytes: bytes)
    }
}

/// Returns whether the bytes are well-formed UTF-8.
func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 != 0 { break }
        index += 8
    }
    while index < bytes.count, bytes[index] < 0x80 { index += 1 }
    if index == bytes.count { return true }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
    return String(validating: rest, as: UTF8.self) != nil
}

/// Calls `body` with the UTF-8 bytes, copying them only if the string has no contiguous UTF-8
/// storage.
@inline(__always)
func withUTF8<Result>(_ string: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let direct = string.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
    if let direct { return direct }
    return Array(string.utf8).withUnsafeBytes { body($0) }
}

@inline(__always)
private func compareRaw(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    if common > 0, let x = a.baseAddress, let y = b.baseAddress {
        let order = memcmp(x, y, common)
        if order != 0 { return Int(order) }
    }
    return a.count - b.count
}
