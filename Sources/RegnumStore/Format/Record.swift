/// The types of log records. A record is a header of 40 bytes and a body, padded with zeros to a
/// multiple of 8. `Docs/FORMAT.md` specifies the layout.
package enum RecordType: UInt8, Sendable {
    /// The operations of one commit. The engine defines the body, which begins with the version.
    case commit = 1
    /// A finished checkpoint; the body is a `KeptCheckpoints`.
    case checkpoint = 2
    /// Reserved: the end of a segment.
    case rotate = 3
    /// Reserved: the switch to the next generation.
    case seal = 4
    /// Reserved: the first record of a generation that is in use.
    case active = 5
    /// No content. Its `durableEnd` confirms that the records before it were synced.
    case idle = 6
    /// Reserved.
    case session = 7
}

/// The fields of a record header, without its checksums.
package struct RecordHeader: Sendable, Equatable {
    package static let byteCount = 40

    package var type: UInt8
    package var flags: UInt8 = 0
    package var bodyVersion = RecordHeader.knownBodyVersion
    package var sequence: UInt64
    /// The log position known to be durable when this record was written.
    package var durableEnd: LogPosition
    /// The chain value of the record before this one.
    package var previousChain: UInt32
    /// Incremented whenever the writer lock changes to another process.
    package var writerEpoch: UInt32

    /// The body layout that this version of the library reads and writes.
    package static let knownBodyVersion: UInt16 = 1
    /// Readers may skip a record of unknown type that has this flag.
    package static let skippableFlag: UInt8 = 1
    /// A COMMIT record that is a checkpoint too (bulk commit): `KeptCheckpoints` follow its body.
    package static let checkpointFlag: UInt8 = 2

    /// Whether a reader that doesn't know the record's type skips it.
    var isSkippable: Bool {
        switch RecordType(rawValue: type) {
        case .commit, .checkpoint, .idle: false
        default: flags & Self.skippableFlag != 0
        }
    }

    /// Whether the record contains checkpoint references.
    var namesCheckpoints: Bool {
        type == RecordType.checkpoint.rawValue
            || type == RecordType.commit.rawValue && flags & Self.checkpointFlag != 0
    }

    package init(
        type: RecordType, sequence: UInt64, durableEnd: LogPosition, previousChain: UInt32,
        writerEpoch: UInt32
    ) {
        self.type = type.rawValue
        self.sequence = sequence
        self.durableEnd = durableEnd
        self.previousChain = previousChain
        self.writerEpoch = writerEpoch
    }

    fileprivate init(decoding bytes: UnsafeRawBufferPointer) {
        type = bytes[12]
        flags = bytes[13]
        bodyVersion = Bytes.load(UInt16.self, from: bytes, at: 14)
        sequence = Bytes.load(UInt64.self, from: bytes, at: 16)
        durableEnd = Bytes.load(UInt64.self, from: bytes, at: 24)
        previousChain = Bytes.load(UInt32.self, from: bytes, at: 32)
        writerEpoch = Bytes.load(UInt32.self, from: bytes, at: 36)
    }
}

/// A record whose two checksums are valid at its location.
package struct DecodedRecord: Sendable {
    package var header: RecordHeader
    /// The length of the body without padding.
    package var bodyByteCount: Int
    /// The length of the record with header and padding.
    package var byteCount: Int
    /// headCRC xor bodyCRC, which the next record stores as `previousChain`.
    package var chain: UInt32
}

package enum RecordFraming {
    private static let emptyHeader = [UInt8](repeating: 0, count: RecordHeader.byteCount)

    /// Returns the length of a record in the log for a body of `bodyByteCount` bytes.
    package static func byteCount(bodyByteCount: Int) -> Int {
        RecordHeader.byteCount + (bodyByteCount + 7) & ~7
    }

    /// Appends the framed record to `buffer`.
    ///
    /// - Parameter fileOffset: the offset of the record in its segment file.
    /// - Returns: the chain value of the record.
    package static func append(
        _ header: RecordHeader, body: [UInt8], salt: UInt64, fileOffset: UInt64,
        to buffer: inout [UInt8]
    ) -> UInt32 {
        let start = buffer.count
        let total = byteCount(bodyByteCount: body.count)
        buffer.append(contentsOf: emptyHeader)
        buffer.append(contentsOf: body)
        for _ in body.count..<total - RecordHeader.byteCount { buffer.append(0) }
        return buffer.withUnsafeMutableBytes { all in
            let record = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            func store<T: FixedWidthInteger>(_ value: T, _ offset: Int) {
                record.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
            }
            let bodyChecksum = Checksum.crc32c(
                UnsafeRawBufferPointer(rebasing: record[RecordHeader.byteCount...]), salt: salt,
                offset: fileOffset)
            store(bodyChecksum, 4)
            store(UInt32(body.count), 8)
            record[12] = header.type
            record[13] = header.flags
            store(header.bodyVersion, 14)
            store(header.sequence, 16)
            store(header.durableEnd, 24)
            store(header.previousChain, 32)
            store(header.writerEpoch, 36)
            let headChecksum = Checksum.crc32c(
                UnsafeRawBufferPointer(rebasing: record[4..<RecordHeader.byteCount]), salt: salt,
                offset: fileOffset)
            store(headChecksum, 0)
            return headChecksum ^ bodyChecksum
        }
    }

    /// Decodes the header at the start of `bytes` and returns it with its claimed body length, or
    /// `nil` if its checksum is wrong. The body isn't checked.
    package static func decodeHeader(
        _ bytes: UnsafeRawBufferPointer, salt: UInt64, fileOffset: UInt64, maximumBodyByteCount: Int
    ) -> (header: RecordHeader, bodyByteCount: Int)? {
        guard bytes.count >= RecordHeader.byteCount else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes[4..<RecordHeader.byteCount])
        let stored = Bytes.load(UInt32.self, from: bytes, at: 0)
        guard stored == Checksum.crc32c(head, salt: salt, offset: fileOffset) else { return nil }
        let length = Int(Bytes.load(UInt32.self, from: bytes, at: 8))
        guard length <= maximumBodyByteCount else { return nil }
        return (RecordHeader(decoding: bytes), length)
    }

    /// Decodes the record at the start of `bytes`, or returns `nil` if there is no valid one.
    /// `bytes` may extend beyond the record.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, salt: UInt64, fileOffset: UInt64, maximumBodyByteCount: Int
    ) -> DecodedRecord? {
        guard
            let (header, bodyByteCount) = decodeHeader(
                bytes, salt: salt, fileOffset: fileOffset,
                maximumBodyByteCount: maximumBodyByteCount)
        else { return nil }
        let total = byteCount(bodyByteCount: bodyByteCount)
        guard total <= bytes.count else { return nil }
        let padded = UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.byteCount..<total])
        let bodyChecksum = Bytes.load(UInt32.self, from: bytes, at: 4)
        guard bodyChecksum == Checksum.crc32c(padded, salt: salt, offset: fileOffset) else {
            return nil
        }
        return DecodedRecord(
            header: header, bodyByteCount: bodyByteCount, byteCount: total,
            chain: Bytes.load(UInt32.self, from: bytes, at: 0) ^ bodyChecksum)
    }
}
