/// A reader of the records of one segment, in order, up to a position.
struct RecordCursor {
    private let segment: LogSegment
    private let maximumBodyByteCount: Int
    /// The place of the next record.
    private(set) var point: LogPoint
    /// The position at which reading stops.
    private let limit: LogPosition
    private var buffer: [UInt8] = []
    private var bufferStart: LogPosition
    private static let chunkByteCount = 256 << 10

    /// - Parameter point: where to begin; `nil` for the beginning of the segment.
    init(
        _ segment: LogSegment, at point: LogPoint? = nil, limit: LogPosition = .max,
        _ options: StoreOptions
    ) {
        self.segment = segment
        self.point = point ?? segment.header.start
        self.limit = min(limit, segment.capacityEnd)
        maximumBodyByteCount = options.maximumStoredBodyByteCount
        bufferStart = self.point.position
    }

    var position: LogPosition { point.position }

    /// Returns the next record that continues the chain, with its body, or `nil` if there is none.
    ///
    /// Throws `unsupportedFormat` for a body version of a newer version of the library.
    mutating func next() throws(StoreError) -> (record: DecodedRecord, body: [UInt8])? {
        guard let (record, body, _) = try nextStored() else { return nil }
        return (record, body)
    }

    /// The same, also with the body as it is in the log.
    mutating func nextStored() throws(StoreError)
        -> (record: DecodedRecord, body: [UInt8], stored: [UInt8])?
    {
        guard limit > position, limit - position >= UInt64(RecordHeader.byteCount) else {
            return nil
        }
        try fill(RecordHeader.byteCount)
        let salt = segment.header.salt
        let offset = segment.fileOffset(of: position)
        let start = Int(position - bufferStart)
        guard start + RecordHeader.byteCount <= buffer.count else { return nil }
        let maximumBody = maximumBodyByteCount
        let claimed = buffer.withUnsafeBytes {
            RecordFraming.decodeHeader(
                UnsafeRawBufferPointer(rebasing: $0[start...]), salt: salt, fileOffset: offset,
                maximumBodyByteCount: maximumBody)
        }
        guard let claimed, claimed.header.sequence == point.sequence,
            claimed.header.previousChain == point.chain, claimed.header.durableEnd <= position
        else { return nil }
        let total = RecordFraming.byteCount(bodyByteCount: claimed.bodyByteCount)
        guard UInt64(total) <= limit - position else { return nil }
        try fill(total)
        let begin = Int(position - bufferStart)
        guard begin + total <= buffer.count else { return nil }
        let decoded = buffer.withUnsafeBytes {
            RecordFraming.decode(
                UnsafeRawBufferPointer(rebasing: $0[begin..<begin + total]), salt: salt,
                fileOffset: offset, maximumBodyByteCount: maximumBody)
        }
        guard let decoded else { return nil }
        guard
            decoded.header.bodyVersion == RecordHeader.knownBodyVersion
                || decoded.header.isSkippable
        else {
            throw StoreError(
                .unsupportedFormat,
                "\(segment.name) has a record of body version \(decoded.header.bodyVersion) at "
                    + "position \(position), which this version of Regnum doesn't support. Use a "
                    + "newer version.", position: position)
        }
        let bodyStart = begin + RecordHeader.byteCount
        let stored = Array(buffer[bodyStart..<bodyStart + decoded.bodyByteCount])
        var body = stored
        if segment.cipher != nil {
            let opened = stored.withUnsafeBytes { segment.body($0, decoded.header, at: position) }
            guard let opened else { return nil }
            body = opened
        }
        point.position += UInt64(total)
        point.sequence &+= 1  // wraps only in a hostile file
        point.chain = decoded.chain
        return (decoded, body, stored)
    }

    /// Buffers `count` bytes from `position`, if the segment has that many before the limit.
    private mutating func fill(_ count: Int) throws(StoreError) {
        let start = Int(position - bufferStart)
        if start + count <= buffer.count { return }
        let wanted = min(UInt64(max(count, Self.chunkByteCount)), limit - position)
        buffer = try segment.file.read(
            at: segment.fileOffset(of: position), count: Int(wanted))
        bufferStart = position
    }
}
