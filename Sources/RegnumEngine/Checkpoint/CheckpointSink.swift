import CRegnum
package import RegnumStore

/// Where the images of a checkpoint go: the end of a nodes file.
package protocol CheckpointSink: AnyObject {
    /// The file as it can be read.
    var bytes: any NodeBytes { get }
    /// Number of the file.
    var fileNumber: UInt64 { get }
    /// Appends the parts, one behind the other, and returns where the first begins: a multiple
    /// of 64. Throws what the disk says, and `closed` when the checkpoint is to be given up.
    func append(parts: [UnsafeRawBufferPointer]) throws(StoreError) -> UInt64
    /// Makes all of it durable.
    func sync() throws(StoreError)
}

/// Where something lies in a nodes file.
struct ImagePlace: Equatable {
    /// A multiple of 64; 0: nowhere.
    var extent: UInt64 = 0
    var crc: UInt32 = 0
}

/// The images of one checkpoint on their way into a sink, counted.
struct ImageOutput {
    private let sink: any CheckpointSink
    /// Images of leaves that were written, and their bytes.
    private(set) var writtenCount = 0
    private(set) var writtenByteCount: UInt64 = 0
    /// Bytes of leaves that the checkpoint names: those that it wrote and older ones.
    private(set) var liveByteCount: UInt64 = 0

    init(_ sink: any CheckpointSink) { self.sink = sink }

    /// Writes a leaf: the header of an image, then `used` bytes.
    mutating func leaf(
        _ kind: NodeKind, count: Int, _ used: UnsafeRawBufferPointer
    ) throws(StoreError) -> ImagePlace {
        var header = ImageHeader(kind, count: count, byteCount: Node.headerByteCount + used.count)
        let place = try withUnsafePointer(to: &header) { (header) throws(StoreError) in
            let start = UnsafeRawBufferPointer(start: header, count: Node.headerByteCount)
            return try append([start, used])
        }
        writtenCount += 1
        writtenByteCount += UInt64(Node.headerByteCount + used.count)
        keep(byteCount: Node.headerByteCount + used.count)
        return place
    }

    /// Counts a leaf that lies in the file already.
    mutating func keep(byteCount: Int) {
        liveByteCount += (UInt64(byteCount) + 63) & ~63
    }

    /// Writes anything else.
    mutating func append(_ parts: [UnsafeRawBufferPointer]) throws(StoreError) -> ImagePlace {
        var crc: UInt32 = 0
        for part in parts { crc = cregnum_crc32c(crc, part.baseAddress, part.count) }
        return ImagePlace(extent: try sink.append(parts: parts), crc: crc)
    }
}

/// The first 16 bytes of the image of a leaf, laid out as those of a node.
private struct ImageHeader: BitwiseCopyable {
    let birth: UInt64 = 0
    let byteCount: UInt32
    let kind: UInt8
    let flags: UInt8 = 1
    let count: UInt16

    init(_ kind: NodeKind, count: Int, byteCount: Int) {
        self.byteCount = UInt32(truncatingIfNeeded: byteCount)
        self.kind = kind.rawValue
        self.count = UInt16(truncatingIfNeeded: count)
    }
}
