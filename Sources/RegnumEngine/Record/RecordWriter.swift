/// Encodes the primitives of a record body. Numbers are little-endian; varints are LEB128 without
/// redundant bytes, at most ten bytes long.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []
    /// The additional size of repeated strings and data if they were written out.
    var elidedTextByteCount = 0

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

    /// Writes a varint of the number with its sign in bit 0.
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

    /// Writes a varint of the length, followed by the UTF-8 bytes.
    mutating func string(_ string: String) {
        varint(string.utf8.count)
        raw(string)
    }
}
