import CRegnum
package import RegnumStore

/// The destination of a checkpoint's images: the end of a nodes file.
package protocol CheckpointSink: AnyObject {
    /// The readable content of the file.
    var bytes: any NodeBytes { get }
    /// Appends the parts contiguously and returns the offset of the first, a multiple of 64. Throws
    /// I/O errors, and `closed` if the checkpoint should be abandoned.
    func append(parts: [UnsafeRawBufferPointer]) throws(StoreError) -> UInt64
    /// The bytes that an image takes in addition to its content.
    var overheadByteCount: Int { get }
}

extension CheckpointSink {
    package var overheadByteCount: Int { 0 }
}

/// A sink that discards what is appended. Writing a checkpoint to it fails if damage would make it
/// fail with the file.
final class DiscardingSink: CheckpointSink {
    let bytes: any NodeBytes
    let overheadByteCount: Int

    /// - Parameter bytes: the content of the file that the checkpoint is meant for.
    init(_ bytes: any NodeBytes, overheadByteCount: Int = 0) {
        self.bytes = bytes
        self.overheadByteCount = overheadByteCount
    }

    func append(parts: [UnsafeRawBufferPointer]) -> UInt64 { 64 }
}

/// The location and checksum of an image in a nodes file.
struct ImagePlace: Equatable {
    /// A multiple of 64, or 0 if there is no image.
    var extent: UInt64 = 0
    var crc: UInt32 = 0
}

/// The location, length and checksum of an image of any length.
struct SizedImage: Equatable {
    var extent: UInt64 = 0
    var byteCount: UInt64 = 0
    var crc: UInt32 = 0

    func encode(_ writer: inout RecordWriter) {
        writer.fixed(extent)
        writer.fixed(byteCount)
        writer.fixed(crc)
    }
}

extension SizedImage {
    init(_ reader: inout RecordReader) throws(StoreError) {
        extent = try reader.fixed(UInt64.self)
        byteCount = try reader.fixed(UInt64.self)
        crc = try reader.fixed(UInt32.self)
    }
}

/// Writes the images of a checkpoint to a sink and counts them.
struct ImageOutput {
    private let sink: any CheckpointSink
    /// The number of leaf images written.
    private(set) var writtenCount = 0
    /// The size of all leaves of the checkpoint, including those written by earlier checkpoints.
    private(set) var liveByteCount: UInt64 = 0

    init(_ sink: any CheckpointSink) { self.sink = sink }

    /// Writes a leaf image: its header, followed by `used`.
    mutating func leaf(
        _ kind: NodeKind, count: Int, _ used: UnsafeRawBufferPointer
    ) throws(StoreError) -> ImagePlace {
        let byteCount = Node.headerByteCount + used.count
        var header = ImageHeader(
            byteCount: UInt32(truncatingIfNeeded: byteCount), kind: kind.rawValue,
            count: UInt16(truncatingIfNeeded: count))
        let place = try withUnsafePointer(to: &header) { (header) throws(StoreError) in
            let start = UnsafeRawBufferPointer(start: header, count: Node.headerByteCount)
            return try append([start, used])
        }
        writtenCount += 1
        keep(byteCount: byteCount)
        return place
    }

    /// Counts a leaf that is already in the file.
    mutating func keep(byteCount: Int) {
        liveByteCount += (UInt64(byteCount + sink.overheadByteCount) + 63) & ~63
    }

    /// Writes an image other than a leaf.
    mutating func append(_ parts: [UnsafeRawBufferPointer]) throws(StoreError) -> ImagePlace {
        var crc: UInt32 = 0
        for part in parts { crc = cregnum_crc32c(crc, part.baseAddress, part.count) }
        return ImagePlace(extent: try sink.append(parts: parts), crc: crc)
    }
}

/// The first 16 bytes of a leaf image, with the layout of a node header.
private struct ImageHeader: BitwiseCopyable {
    let birth: UInt64 = 0
    let byteCount: UInt32
    let kind: UInt8
    let flags: UInt8 = 1
    let count: UInt16
}
