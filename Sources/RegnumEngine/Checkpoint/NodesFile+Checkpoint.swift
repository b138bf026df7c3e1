package import RegnumStore

extension NodesAppender: CheckpointSink {
    package var bytes: any NodeBytes { file }
}

extension NodesDirectory: NodesFiles {
    package func bytes(ofFile number: UInt64) throws(StoreError) -> any NodeBytes {
        try file(number)
    }
}

extension CheckpointLoader {
    /// Loads the root of a checkpoint that the log refers to.
    static func load(
        _ reference: CheckpointReference, from nodes: any NodesFiles, seed: Identity128,
        knownSchema: DatabaseSchema? = nil, acceptsDamage: Bool = false
    ) throws(StoreError) -> DatabaseRoot {
        try load(
            SizedImage(
                extent: reference.offset, byteCount: reference.byteCount, crc: reference.crc),
            version: reference.version, from: nodes.bytes(ofFile: reference.file), seed: seed,
            knownSchema: knownSchema, acceptsDamage: acceptsDamage)
    }

    /// Loads the root of a checkpoint of the realm, or an empty root for `nil`.
    static func load(
        _ reference: CheckpointReference?, in nodes: NodesDirectory,
        knownSchema: DatabaseSchema? = nil, acceptsDamage: Bool = false
    ) throws(StoreError) -> DatabaseRoot {
        guard let reference else { return .makeEmpty(realmID: nodes.realmID) }
        return try load(
            reference, from: nodes, seed: nodes.realmID, knownSchema: knownSchema,
            acceptsDamage: acceptsDamage)
    }

    /// Returns the bytes of its file that a checkpoint needs, or 0 if they can't be read.
    static func liveByteCount(
        _ reference: CheckpointReference?, _ nodes: any NodesFiles
    ) -> UInt64 {
        guard let reference, let file = try? nodes.bytes(ofFile: reference.file),
            let count = Int(exactly: reference.byteCount),
            let image = try? file.whole(at: reference.offset, count: count),
            let bytes = try? image.bytes(
                at: reference.offset, count: DirectoryImage.headerByteCount)
        else { return 0 }
        let leaves = withExtendedLifetime(image) {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        }
        return leaves.addingReportingOverflow(reference.byteCount).partialValue
    }
}

extension CommitRecord {
    /// Applies a record's body like ``apply(_:to:)``, including those of bulk commits, whose roots
    /// are loaded from `nodes`.
    package static func apply(
        _ body: [UInt8], to base: DatabaseRoot, _ nodes: (any NodesFiles)?
    ) throws(StoreError) -> (root: DatabaseRoot, summary: CommitSummary) {
        guard let nodes else { return try apply(body, to: base) }
        var reader = RecordReader(body)
        let version = try reader.fixed(UInt64.self)
        _ = try reader.fixed(Int64.self)
        let originSize = try reader.count(max: reader.remaining + 1, "the origin's length")
        let origin = originSize > 0 ? try reader.string(originSize - 1) : nil
        guard !reader.isAtEnd, try reader.byte() == BulkCommit.operation else {
            return try apply(body, to: base)
        }
        guard version == base.version &+ 1, version > 0 else {
            throw reader.damaged("its version is \(version) instead of \(base.version) + 1")
        }
        let commit = try BulkCommit(&reader)
        return try commit.load(version: version, origin: origin, after: base, nodes)
    }
}
