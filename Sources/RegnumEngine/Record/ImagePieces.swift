import CRegnum
import Glibc
import RegnumStore

/// The bytes of an image in a nodes file, piece by piece from front to back, with their checksum.
///
/// A small file can claim an image of a terabyte, most of it a hole of a sparse file. Decoding it
/// piece by piece stops at the first invalid bytes, with little read beyond them.
struct ImagePieces {
    /// Pieces end at multiples of this in the file. An image of up to this size is a single piece,
    /// since it crosses none (`Docs/FORMAT.md`).
    static let pieceByteCount: UInt64 = 64 << 20
    /// The checksum of an image of up to this size is verified before it is decoded, so that damage
    /// isn't mistaken for the format of a newer version; that of a larger one afterwards, also if
    /// it seems to have such a format.
    static let maximumCheckedFirstByteCount = 256 << 20

    let byteCount: Int
    private let file: any NodeBytes
    private let start: UInt64
    private let end: UInt64
    private var position: UInt64
    /// The checksum of the pieces read so far.
    private(set) var crc: UInt32 = 0
    /// The only piece, if it was read to verify it, and its checksum.
    private var verified: (bytes: UnsafeRawBufferPointer, crc: UInt32)?

    /// Throws `invalidDatabase` if no file can have the bytes, or if they can't be decrypted.
    init(_ file: any NodeBytes, at offset: UInt64, byteCount: Int) throws(StoreError) {
        let (end, isOver) = offset.addingReportingOverflow(UInt64(byteCount))
        if isOver { throw StoreError(.invalidDatabase, "An image is beyond the end of any file.") }
        // An encrypted image can only be decrypted as a whole.
        self.file = try file.whole(at: offset, count: byteCount)
        self.byteCount = byteCount
        self.end = end
        start = offset
        position = offset
    }

    /// Returns a part of the image as an image of its own.
    func part(at offset: Int, byteCount: Int) throws(StoreError) -> ImagePieces {
        try ImagePieces(file, at: start + UInt64(offset), byteCount: byteCount)
    }

    /// Returns the next piece, or `nil` at the end. It is valid as long as the file and the pieces
    /// are.
    mutating func read() throws(StoreError) -> UnsafeRawBufferPointer? {
        if position == end { return nil }
        if let verified {
            (position, crc) = (end, verified.crc)
            return verified.bytes
        }
        let last = min(end - 1, position | (ImagePieces.pieceByteCount - 1))
        let bytes = try file.bytes(at: position, count: Int(last - position) + 1)
        position = last + 1
        crc = cregnum_crc32c(crc, bytes.baseAddress, bytes.count)
        return bytes
    }

    /// Returns whether the image has the checksum. Must be called before anything is read.
    ///
    /// - Parameter stopsAtHole: Whether to return false as soon as a whole piece is zero, as in a
    ///   hole of a sparse file.
    mutating func verify(
        _ expected: UInt32, stopsAtHole: Bool = false
    ) throws(StoreError) -> Bool {
        var rest = self
        let first = try rest.read()
        if let first, first.count == byteCount { verified = (first, rest.crc) }
        while let piece = try rest.read() {
            if stopsAtHole, ImagePieces.isHole(piece) { return false }
        }
        return rest.crc == expected
    }

    private static func isHole(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count == pieceByteCount, piece[0] == 0, let start = piece.baseAddress else {
            return false
        }
        return memcmp(start, start + 1, piece.count - 1) == 0
    }
}
