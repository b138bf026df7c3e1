import RegnumStore

/// Decodes the primitives of a record body. All reads are checked: invalid bytes throw
/// `invalidDatabase` and never trap, or allocate more than the bytes could fill.
struct RecordReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - offset }
    var isAtEnd: Bool { offset == bytes.count }

    /// Returns the error for an invalid body.
    func damaged(_ what: String) -> StoreError {
        StoreError(
            .invalidDatabase, "A commit record is damaged: \(what) before its byte \(offset).")
    }

    func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(StoreError) {
        if !condition { throw damaged(what()) }
    }

    @inline(__always)
    mutating func byte() throws(StoreError) -> UInt8 {
        guard offset < bytes.count else { throw damaged("it ends early") }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func varint() throws(StoreError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let low = UInt64(next & 0x7F)
            guard shift < 63 || low <= 1 else { throw damaged("a number is too large") }
            result |= low << shift
            if next < 0x80 {
                guard next != 0 || shift == 0 else { throw damaged("a number is not minimal") }
                return result
            }
            shift += 7
            guard shift <= 63 else { throw damaged("a number is too long") }
        }
    }

    /// Reads a varint that is at most `max`.
    mutating func count(max: Int, _ what: String) throws(StoreError) -> Int {
        let number = try varint()
        guard let count = Int(exactly: number), count <= max else {
            throw damaged("\(what) is too large")
        }
        return count
    }

    mutating func zigzag() throws(StoreError) -> Int64 {
        let number = try varint()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func fixed<Number: FixedWidthInteger>(
        _ type: Number.Type
    ) throws(StoreError) -> Number {
        Number(littleEndian: try load(type))
    }

    mutating func bigEndian<Number: FixedWidthInteger>(
        _ type: Number.Type
    ) throws(StoreError) -> Number {
        Number(bigEndian: try load(type))
    }

    private mutating func load<Number: FixedWidthInteger>(
        _ type: Number.Type
    ) throws(StoreError) -> Number {
        let size = Number.bitWidth / 8
        guard remaining >= size else { throw damaged("it ends early") }
        let start = offset
        offset += size
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: type) }
    }

    mutating func data(_ count: Int) throws(StoreError) -> [UInt8] {
        guard remaining >= count else { throw damaged("it ends early") }
        offset += count
        return Array(bytes[offset - count..<offset])
    }

    mutating func string(_ count: Int) throws(StoreError) -> String {
        guard remaining >= count else { throw damaged("it ends early") }
        let range = offset..<offset + count
        let string = bytes.withUnsafeBufferPointer { buffer in
            String(validating: UnsafeBufferPointer(rebasing: buffer[range]), as: UTF8.self)
        }
        guard let string else { throw damaged("a string is not UTF-8") }
        offset += count
        return string
    }

    /// Reads a string preceded by its length.
    mutating func string() throws(StoreError) -> String {
        try string(count(max: remaining, "a string's length"))
    }
}
