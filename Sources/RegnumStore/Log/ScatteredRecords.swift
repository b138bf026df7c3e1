/// A search for valid records among arbitrary bytes, after a damaged record.
///
/// Verifying the body of a header takes a checksum of up to 4 MiB, and crafted bytes can contain a
/// header at every eighth byte. Body checksums therefore have a budget, which nonoverlapping
/// records can't exceed.
struct ScatteredRecords {
    /// Whether the budget was exceeded. No writer leaves such bytes.
    private(set) var isForged = false
    /// The number of bytes whose body checksums were computed.
    private(set) var spent = 0
    let salt: UInt64
    /// The offset of the bytes in the file.
    let fileOffset: UInt64
    let maximumBodyByteCount: Int

    /// Calls `body` with each valid record that starts before `limit`, and with its offset.
    ///
    /// - Complexity: O(bytes): one header checksum per aligned offset, and body checksums over at
    ///   most twice the number of bytes.
    mutating func forEach(
        in bytes: UnsafeRawBufferPointer, before limit: Int,
        _ body: (_ record: DecodedRecord, _ offset: Int) -> Void
    ) {
        var offset = 0
        while let record = next(in: bytes, at: &offset, before: limit) {
            body(record, offset)
            offset += record.byteCount
        }
    }

    /// Returns the first valid record at `offset` or after it that starts before `limit`, and sets
    /// `offset` to where it starts.
    mutating func next(
        in bytes: UnsafeRawBufferPointer, at offset: inout Int, before limit: Int
    ) -> DecodedRecord? {
        while offset < limit, bytes.count - offset >= RecordHeader.byteCount {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let place = fileOffset + UInt64(offset)
            guard Bytes.load(UInt32.self, from: rest, at: 0) != 0,
                let claimed = RecordFraming.decodeHeader(
                    rest, salt: salt, fileOffset: place, maximumBodyByteCount: maximumBodyByteCount)
            else {
                offset += 8
                continue
            }
            spent += min(
                RecordFraming.byteCount(bodyByteCount: claimed.bodyByteCount), rest.count)
            guard spent <= 2 * bytes.count else {
                isForged = true
                return nil
            }
            if let record = RecordFraming.decode(
                rest, salt: salt, fileOffset: place, maximumBodyByteCount: maximumBodyByteCount)
            {
                return record
            }
            offset += 8
        }
        return nil
    }
}

extension LogSegment {
    /// Returns the place of the first intact record that begins after `position` and before
    /// `limit`, or `nil` if there isn't one. The search ends after more zeros than a segment has
    /// bytes: a file can claim to be larger than any disk.
    ///
    /// - Complexity: O(bytes); reads up to the record.
    func intactRecord(
        after position: LogPosition, before limit: LogPosition, _ options: StoreOptions
    ) throws(StoreError) -> LogPoint? {
        let limit = min(limit, capacityEnd)
        let maximumZeroByteCount = max(
            options.maximumSegmentByteCount, options.maximumWindowByteCount)
        var start = position
        /// The end of the last bytes that aren't zeros.
        var dataEnd = position
        while start < limit, start - min(dataEnd, start) <= maximumZeroByteCount {
            let count = min(limit - start, options.maximumWindowByteCount)
            let bytes = try file.read(at: fileOffset(of: start), count: Int(count))
            let used = bytes.withUnsafeBytes { Bytes.countUpToLastNonZero($0) }
            if used > 0 { dataEnd = start + UInt64(used) }
            var records = ScatteredRecords(
                salt: header.salt, fileOffset: fileOffset(of: start),
                maximumBodyByteCount: options.maximumStoredBodyByteCount)
            let found = bytes.withUnsafeBytes { all -> LogPoint? in
                var offset = 0
                while let record = records.next(in: all, at: &offset, before: all.count) {
                    let place = start + UInt64(offset)
                    if place > position {
                        return LogPoint(
                            position: place, sequence: record.header.sequence,
                            chain: record.header.previousChain)
                    }
                    offset += record.byteCount
                }
                return nil
            }
            if let found { return found }
            // The next window begins with what may be the beginning of a record.
            let overlap = UInt64(
                RecordFraming.byteCount(bodyByteCount: options.maximumStoredBodyByteCount))
            guard bytes.count == Int(count), count > overlap, start + count < limit else {
                return nil
            }
            start += count - overlap
        }
        return nil
    }
}
