import RegnumStore

/// Decodes the primitives of a record body. All reads are checked: invalid bytes throw
/// `invalidDatabase` and never trap, or allocate more than the bytes could fill.
struct RecordReader {
    /// The bytes available, the position in them, and the number of bytes before them.
    private var bytes: [UInt8]
    private var place = 0
    private var before = 0
    private let byteCount: Int
    /// The rest of an image, which is read as needed.
    private var pieces: ImagePieces?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        byteCount = bytes.count
    }

    /// Creates a reader of an image in a nodes file.
    init(_ pieces: ImagePieces) {
        bytes = []
        byteCount = pieces.byteCount
        self.pieces = pieces
    }

    var offset: Int { before + place }
    var remaining: Int { byteCount - offset }
    var isAtEnd: Bool { remaining == 0 }
    /// The checksum of the pieces read so far; `nil` if there are none.
    var crc: UInt32? { pieces?.crc }

    /// Returns the error for an invalid body.
    func damaged(_ what: String) -> StoreError {
        StoreError(
            .invalidDatabase, "A commit record is damaged before byte \(offset): \(what).")
    }

    func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(StoreError) {
        if !condition { throw damaged(what()) }
    }

    @inline(__always)
    mutating func byte() throws(StoreError) -> UInt8 {
        if place == bytes.count { try refill(1) }
        place += 1
        return bytes[place - 1]
    }

    /// Makes the next `count` bytes available in `bytes`, which lacks some of them.
    @inline(never)
    private mutating func refill(_ count: Int) throws(StoreError) {
        guard remaining >= count else { throw damaged("it ends early") }
        try require(count <= Int(ImagePieces.pieceByteCount), "a value is too large")
        var rest = Array(bytes[place...])
        while rest.count < count {
            guard let next = try pieces?.read() else { throw damaged("it ends early") }
            rest.append(contentsOf: next)
        }
        bytes = rest
        before += place
        place = 0
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
        if bytes.count - place < size { try refill(size) }
        let start = place
        place += size
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: type) }
    }

    mutating func data(_ count: Int) throws(StoreError) -> [UInt8] {
        if bytes.count - place < count { try refill(count) }
        place += count
        return Array(bytes[place - count..<place])
    }

    mutating func string(_ count: Int) throws(StoreError) -> String {
        if bytes.count - place < count { try refill(count) }
        let range = place..<place + count
        let string = bytes.withUnsafeBufferPointer { buffer in
            String(validating: UnsafeBufferPointer(rebasing: buffer[range]), as: UTF8.self)
        }
        guard let string else { throw damaged("a string is not UTF-8") }
        place += count
        return string
    }

    /// Reads a string preceded by its length.
    mutating func string() throws(StoreError) -> String {
        try string(count(max: remaining, "a string's length"))
    }
}

extension StoreError {
    /// Returns the error for content that this version doesn't know, described as a clause.
    static func newer(_ content: String) -> StoreError {
        StoreError(.unsupportedFormat, "\(content): it was written by a newer version.")
    }
}
