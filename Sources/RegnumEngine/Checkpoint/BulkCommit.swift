package import RegnumStore

/// A transaction too large for a record: it commits by being a checkpoint. Its record names the
/// directory image of the version that it makes, and a delta blob.
///
/// The body begins as those of all COMMIT records (version, time, origin); then
///
///     u8   6
///     u64  nodes file     u64 offset     u64 byte count     u32 CRC     of the directory image
///     u64 offset     u64 byte count     u32 CRC     of the delta blob, in the same file
///
/// and nothing more.
struct BulkCommit: Equatable {
    static let operation: UInt8 = 6

    var fileNumber: UInt64
    var directory: ImagePlace
    var directoryByteCount: UInt64
    var delta: ImagePlace
    var deltaByteCount: UInt64

    /// A record's body, after its origin.
    func encode(_ writer: inout RecordWriter) {
        writer.byte(BulkCommit.operation)
        writer.fixed(fileNumber)
        writer.fixed(directory.extent)
        writer.fixed(directoryByteCount)
        writer.fixed(directory.crc)
        writer.fixed(delta.extent)
        writer.fixed(deltaByteCount)
        writer.fixed(delta.crc)
    }

    /// Reads what follows the operation code.
    init(_ reader: inout RecordReader) throws(StoreError) {
        fileNumber = try reader.fixed(UInt64.self)
        directory = ImagePlace()
        delta = ImagePlace()
        directory.extent = try reader.fixed(UInt64.self)
        directoryByteCount = try reader.fixed(UInt64.self)
        directory.crc = try reader.fixed(UInt32.self)
        delta.extent = try reader.fixed(UInt64.self)
        deltaByteCount = try reader.fixed(UInt64.self)
        delta.crc = try reader.fixed(UInt32.self)
        try reader.require(reader.isAtEnd, "something follows a bulk commit")
    }

    init(_ written: WrittenCheckpoint, fileNumber: UInt64, delta: ImagePlace, deltaByteCount: Int) {
        self.fileNumber = fileNumber
        directory = written.directory
        directoryByteCount = written.directoryByteCount
        self.delta = delta
        self.deltaByteCount = UInt64(deltaByteCount)
    }

    /// The body of the record.
    func body(
        version: UInt64, timestampMicroseconds: Int64, origin: String?
    ) -> [UInt8] {
        var writer = RecordWriter(capacity: 128)
        writer.fixed(version)
        writer.fixed(timestampMicroseconds)
        if let origin {
            writer.varint(origin.utf8.count + 1)
            writer.raw(origin)
        } else {
            writer.varint(0)
        }
        encode(&writer)
        return writer.bytes
    }

    /// The root and the summary of the commit, which follows `base`.
    ///
    /// Throws `historyTrimmed` if the nodes file is gone: newer checkpoints have replaced it.
    func load(
        version: UInt64, origin: String?, after base: DatabaseRoot, _ nodes: any NodesFiles
    ) throws(StoreError) -> (root: DatabaseRoot, summary: CommitSummary) {
        let file = try nodes.bytes(ofFile: fileNumber)
        let root = try CheckpointLoader.load(
            directory, byteCount: directoryByteCount, version: version, from: file,
            seed: base.content.context.seed)
        guard let count = Int(exactly: deltaByteCount), deltaByteCount <= Limits.imageByteCountMax
        else {
            throw StoreError(.invalidDatabase, "The delta of a bulk commit is impossibly large.")
        }
        let bytes = try file.bytes(at: delta.extent, count: count)
        guard Checksum.crc32c(bytes) == delta.crc else {
            throw StoreError(
                .invalidDatabase,
                "The delta of the bulk commit of version \(version) is damaged: it does not have "
                    + "the checksum that the log tells.")
        }
        let summary = try DeltaBlob.decode(Array(bytes), origin: origin, from: base, to: root)
        return (root, summary)
    }
}

/// The nodes files of a realm, for reading.
package protocol NodesFiles: Sendable {
    /// Throws `historyTrimmed` if there is no such file.
    func bytes(ofFile number: UInt64) throws(StoreError) -> any NodeBytes
}

/// What the record of a bulk commit tells besides what its root and summary do.
package struct BulkRequest: Sendable {
    package var timestampMicroseconds: Int64
    /// The nodes file in which most of it lies already; nil: any.
    package var nodesFile: UInt64?
}
