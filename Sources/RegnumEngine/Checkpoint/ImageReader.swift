import RegnumStore

/// Decodes a directory image. All reads are checked: invalid bytes throw `invalidDatabase` and
/// never trap.
///
/// Confined to a call that keeps the file alive.
struct ImageReader {
    private var pieces: ImagePieces
    /// The current piece, the position in it, and the number of bytes before it.
    private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    private var place = 0
    private var before = 0

    init(_ pieces: ImagePieces) { self.pieces = pieces }

    var offset: Int { before + place }
    var remaining: Int { pieces.byteCount - offset }
    /// The checksum of the pieces read so far: that of the image if nothing remains.
    var crc: UInt32 { pieces.crc }

    func damaged(_ what: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The directory of a checkpoint is damaged before byte \(offset): \(what).")
    }

    @inline(__always)
    func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(StoreError) {
        if !condition { throw damaged(what()) }
    }

    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type
    ) throws(StoreError) -> Number {
        let size = MemoryLayout<Number>.size
        if bytes.count - place < size { try goToNextPiece(size) }
        defer { place += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: type))
    }

    /// Reads a number that is at most `max`.
    @inline(__always)
    mutating func count<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, max: Int, _ what: @autoclosure () -> String
    ) throws(StoreError) -> Int {
        let number = try fixed(type)
        guard let count = Int(exactly: number), count <= max else {
            throw damaged("\(what()) is too large")
        }
        return count
    }

    /// Proceeds to a piece with at least `size` bytes.
    @inline(never)
    private mutating func goToNextPiece(_ size: Int) throws(StoreError) {
        // Numbers are at multiples of their size, and pieces end at multiples of more.
        guard remaining >= size, place == bytes.count, let next = try pieces.read(),
            next.count >= size
        else { throw damaged("it ends early") }
        before += place
        place = 0
        bytes = next
    }

    /// Returns a reader for the next bytes, without skipping them.
    func record(_ count: Int) throws(StoreError) -> RecordReader {
        RecordReader(try pieces.part(at: offset, byteCount: count))
    }

    mutating func skip(_ count: Int) throws(StoreError) {
        var rest = count
        while rest > bytes.count - place {
            rest -= bytes.count - place
            place = bytes.count
            try goToNextPiece(1)
        }
        place += rest
    }

    /// Skips to the next multiple of 8.
    mutating func skipPadding() throws(StoreError) {
        while offset % 8 != 0 {
            let byte = try fixed(UInt8.self)
            try require(byte == 0, "its padding is not zero")
        }
    }
}
