import RegnumStore

/// Encodes the numbers and bitmaps of a directory image in little-endian byte order.
struct ImageWriter {
    private(set) var bytes: [UInt8] = []

    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func words(_ words: UnsafePointer<UInt64>, count: Int) {
        for index in 0..<count { fixed(words[index]) }
    }

    mutating func raw(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// Appends zeros up to the next multiple of 8.
    mutating func pad() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }
}

/// Decodes a directory image. All reads are checked: invalid bytes throw `invalidDatabase` and
/// never trap.
///
/// Confined to the call that passed `bytes`.
struct ImageReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - offset }

    func damaged(_ what: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The directory of a checkpoint is damaged: \(what) before its byte \(offset).")
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
        guard remaining >= size else { throw damaged("it ends early") }
        defer { offset += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
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

    mutating func data(_ count: Int) throws(StoreError) -> [UInt8] {
        guard count >= 0, remaining >= count else { throw damaged("it ends early") }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Skips to the next multiple of 8.
    mutating func skipPadding() throws(StoreError) {
        while offset % 8 != 0 {
            let byte = try fixed(UInt8.self)
            try require(byte == 0, "its padding is not zero")
        }
    }
}
