/// A reference to a finished checkpoint: the location of its directory image, and the log position
/// from which to replay. Stored in CHECKPOINT records and segment headers, whose checksums cover
/// it. `Docs/FORMAT.md` specifies the layout.
package struct CheckpointReference: Sendable, Hashable {
    package static let byteCount = 64

    /// The commit version of the checkpoint's content.
    package var version: UInt64
    /// The log position after that version's record, where replay starts.
    package var position: LogPosition
    /// The sequence number of the record at `position`.
    package var sequence: UInt64
    /// The chain value of the record before `position`.
    package var chain: UInt32
    /// The number of the nodes file, from 1.
    package var file: UInt64
    /// The offset of the directory image in the nodes file.
    package var offset: UInt64
    /// The length of the directory image.
    package var byteCount: UInt64
    /// The CRC32C of the directory image.
    package var crc: UInt32

    package init(
        version: UInt64, position: LogPosition, sequence: UInt64, chain: UInt32, file: UInt64,
        offset: UInt64, byteCount: UInt64, crc: UInt32
    ) {
        self.version = version
        self.position = position
        self.sequence = sequence
        self.chain = chain
        self.file = file
        self.offset = offset
        self.byteCount = byteCount
        self.crc = crc
    }

    /// Returns whether both refer to the same image, ignoring the chain value, which changes when
    /// records are framed again.
    func namesSameImage(as other: CheckpointReference) -> Bool {
        file == other.file && offset == other.offset && position == other.position
    }

    func store(in bytes: inout [UInt8], at start: Int) {
        Bytes.store(version, in: &bytes, at: start)
        Bytes.store(position, in: &bytes, at: start + 8)
        Bytes.store(sequence, in: &bytes, at: start + 16)
        Bytes.store(file, in: &bytes, at: start + 24)
        Bytes.store(offset, in: &bytes, at: start + 32)
        Bytes.store(byteCount, in: &bytes, at: start + 40)
        Bytes.store(chain, in: &bytes, at: start + 48)
        Bytes.store(crc, in: &bytes, at: start + 52)
    }

    /// Reads a reference; `nil` if the slot is empty (file 0).
    init?(from bytes: [UInt8], at start: Int) {
        func load(_ offset: Int) -> UInt64 {
            Bytes.load(UInt64.self, from: bytes, at: start + offset)
        }
        guard load(24) != 0 else { return nil }
        self.init(
            version: load(0), position: load(8), sequence: load(16),
            chain: Bytes.load(UInt32.self, from: bytes, at: start + 48), file: load(24),
            offset: load(32), byteCount: load(40),
            crc: Bytes.load(UInt32.self, from: bytes, at: start + 52))
    }
}

/// The two checkpoints that the log keeps. If the newest is damaged, the older one and the log
/// since then replace it. After a compaction, both are of the same version. The body of a
/// CHECKPOINT record, and part of a segment header.
package struct KeptCheckpoints: Sendable, Hashable {
    static let byteCount = 2 * CheckpointReference.byteCount

    package var newest: CheckpointReference?
    /// `nil` if there is only one checkpoint; then the log is kept from its beginning.
    package var older: CheckpointReference?

    /// Newest first.
    var all: [CheckpointReference] { [newest, older].compactMap { $0 } }

    /// Returns the checkpoints to keep after `reference` was added.
    ///
    /// - Parameter copy: another directory image of the same checkpoint.
    func adding(
        _ reference: CheckpointReference, copy: CheckpointReference? = nil
    ) -> KeptCheckpoints {
        KeptCheckpoints(newest: reference, older: copy ?? newest)
    }

    /// Returns the checkpoints without those that were found to be damaged.
    func without(_ damaged: [CheckpointReference]) -> KeptCheckpoints {
        let good = all.filter { kept in !damaged.contains { $0.namesSameImage(as: kept) } }
        return KeptCheckpoints(newest: good.first, older: good.dropFirst().first)
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        newest?.store(in: &bytes, at: 0)
        older?.store(in: &bytes, at: CheckpointReference.byteCount)
        return bytes
    }
}

extension KeptCheckpoints {
    /// Decodes the checkpoints of a record at `position`; `nil` if they are inconsistent.
    ///
    /// A bulk commit stores only file and image of its own checkpoint. The version is the commit's,
    /// and the log position is the end of the record.
    init?(_ record: DecodedRecord, body: [UInt8], at position: LogPosition) {
        guard record.header.type == RecordType.commit.rawValue else {
            guard body.count == Self.byteCount else { return nil }
            self.init(from: body, at: 0, before: position)
            return
        }
        let start = body.count - Self.byteCount
        guard start >= 8, var own = CheckpointReference(from: body, at: start) else { return nil }
        own.version = Bytes.load(UInt64.self, from: body, at: 0)
        own.point = LogPoint(
            position: position + UInt64(record.byteCount), sequence: record.header.sequence &+ 1,
            chain: record.chain)
        let before = CheckpointReference(from: body, at: start + CheckpointReference.byteCount)
        if let before, before.position > position || before.version > own.version { return nil }
        self.init(newest: own, older: before)
    }

    /// Returns the bytes appended to the body of a bulk commit, which is itself the newest
    /// checkpoint.
    func encodedAfterCommit() -> [UInt8] {
        var kept = self
        kept.newest?.version = 0
        kept.newest?.point = LogPoint(position: 0, sequence: 0, chain: 0)
        return kept.encoded()
    }

    /// Decodes both references at `start`, for a record or segment at `position`; `nil` if they are
    /// inconsistent with it or with each other.
    init?(from bytes: [UInt8], at start: Int, before position: LogPosition) {
        guard start + Self.byteCount <= bytes.count else { return nil }
        newest = CheckpointReference(from: bytes, at: start)
        older = CheckpointReference(from: bytes, at: start + CheckpointReference.byteCount)
        if let older {
            guard let newest, older.position <= newest.position, older.version <= newest.version
            else { return nil }
        }
        if let newest {
            guard newest.position <= position else { return nil }
        }
    }
}
