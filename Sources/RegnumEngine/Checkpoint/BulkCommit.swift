package import RegnumStore

/// A transaction too large for a record, which commits as a checkpoint. Its record refers to the
/// directory image of the new version and to a delta blob. `Docs/FORMAT.md` specifies the layout.
struct BulkCommit: Equatable {
    static let operation: UInt8 = 6

    var fileNumber: UInt64
    var directory: SizedImage
    var delta: SizedImage

    /// Returns the body of the record.
    func body(
        version: UInt64, timestampMicroseconds: Int64, origin: String?
    ) -> [UInt8] {
        var writer = CommitRecord.begin(version, timestampMicroseconds, origin)
        writer.byte(BulkCommit.operation)
        writer.fixed(fileNumber)
        directory.encode(&writer)
        delta.encode(&writer)
        return writer.bytes
    }

    /// Loads the root and summary of the commit, which follows `base`.
    ///
    /// Throws `historyTrimmed` if the nodes file no longer exists because newer checkpoints
    /// replaced it.
    func load(
        version: UInt64, origin: String?, after base: DatabaseRoot, _ nodes: any NodesFiles
    ) throws(StoreError) -> (root: DatabaseRoot, summary: CommitSummary) {
        let file = try nodes.bytes(ofFile: fileNumber)
        let root = try CheckpointLoader.load(
            directory, version: version, from: file, seed: base.content.context.seed,
            acceptsDamage: true)
        guard root.continues(base) else {
            throw StoreError(
                .invalidDatabase,
                "The bulk commit of version \(version) lacks classes, properties or object keys of "
                    + "the version before it.")
        }
        guard let count = Int(exactly: delta.byteCount), count <= Limits.maximumImageByteCount
        else {
            throw StoreError(.invalidDatabase, "The delta of a bulk commit is too large.")
        }
        let mismatch = StoreError(
            .invalidDatabase,
            "The delta of the bulk commit of version \(version) is damaged: it does not match "
                + "the checksum in the log.")
        var pieces = try ImagePieces(file, at: delta.extent, byteCount: count)
        if count <= ImagePieces.maximumCheckedFirstByteCount, try !pieces.verify(delta.crc) {
            throw mismatch
        }
        var reader = RecordReader(pieces)
        let summary = try DeltaBlob.decode(&reader, origin: origin, from: base, to: root)
        guard reader.crc == delta.crc else { throw mismatch }
        return (root, summary)
    }
}

extension BulkCommit {
    /// Decodes the body of a commit record; `nil` if it isn't a bulk commit.
    static func decode(_ body: [UInt8]) throws(StoreError) -> BulkCommit? {
        var reader = RecordReader(body)
        _ = try reader.fixed(UInt64.self)  // version
        _ = try reader.fixed(Int64.self)  // time
        let originSize = try reader.count(max: reader.remaining + 1, "the origin's length")
        if originSize > 0 { _ = try reader.string(originSize - 1) }
        guard !reader.isAtEnd, try reader.byte() == operation else { return nil }
        return try BulkCommit(&reader)
    }

    /// Reads the part that follows the operation code.
    init(_ reader: inout RecordReader) throws(StoreError) {
        fileNumber = try reader.fixed(UInt64.self)
        directory = try SizedImage(&reader)
        delta = try SizedImage(&reader)
        try reader.require(reader.isAtEnd, "there is data after a bulk commit")
    }
}

extension DatabaseRoot {
    /// Whether the root has all classes, columns and lists of an earlier version, which are
    /// identified by their positions and never removed, and assigns no key again.
    fileprivate func continues(_ base: DatabaseRoot) -> Bool {
        let tables = schema.tables
        guard tables.count >= base.schema.tables.count else { return false }
        return base.schema.tables.enumerated().allSatisfy { index, old in
            tables[index].columns.count >= old.columns.count
                && tables[index].lists.count >= old.lists.count
                && content[index].nextKey >= base.content[index].nextKey
        }
    }
}

/// Read access to the nodes files of a realm.
package protocol NodesFiles: Sendable {
    /// Throws `historyTrimmed` if the file doesn't exist.
    func bytes(ofFile number: UInt64) throws(StoreError) -> any NodeBytes
}
