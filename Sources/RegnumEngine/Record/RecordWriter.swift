/// Appends the primitive pieces of a record body. Little-endian; varints are LEB128, at most ten
/// bytes, without redundant ones.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []
    /// What repeated strings and data would take besides.
    var untoldTextByteCount = 0

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    mutating func varint(_ number: Int) { varint(UInt64(number)) }

    /// A varint of the number with its sign in bit 0.
    @inline(__always)
    mutating func zigzag(_ number: Int64) {
        varint(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    mutating func bigEndian<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ string: String) {
        withUTF8(string) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ data: [UInt8]) { bytes.append(contentsOf: data) }

    /// A varint of the length, then the UTF-8 bytes.
    mutating func string(_ string: String) {
        varint(string.utf8.count)
        raw(string)
    }
}
