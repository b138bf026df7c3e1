/// Records that were framed again in a new segment after a failed sync.
enum ReframedRecords {
    /// Reads the records of `next` up to `end` if they are those that were read from `former`: a
    /// relaxed commit may have been lost, and another one may have its version and its position.
    ///
    /// Published records that name checkpoints are durable, so they are never framed again.
    ///
    /// - Parameters:
    ///   - nextSequence: the sequence number after the last record that was read from `former`.
    ///   - chain: the chain value of that record.
    ///   - visit: is given each record, its body and its range in the log.
    /// - Returns: a cursor at `end`; `nil` if the records differ.
    static func read(
        in next: LogSegment, from former: LogSegment, through end: LogPosition,
        nextSequence: UInt64, chain: UInt32, bodyByteCountMax: Int,
        _ visit: (DecodedRecord, [UInt8], Range<LogPosition>) throws(StoreError) -> Void
    ) throws(StoreError) -> RecordCursor? {
        guard next.header.base >= former.header.base else { return nil }
        var cursor = RecordCursor(
            next, at: next.header.base, nextSequence: next.header.firstSequence,
            chain: next.header.previousChain, limit: end, bodyByteCountMax: bodyByteCountMax)
        // The chain value that the record had in `former`.
        var formerChain = next.header.previousChain
        var frame: [UInt8] = []
        while cursor.position < end {
            let start = cursor.position
            guard let (record, body) = try cursor.next() else { break }
            var header = record.header
            header.previousChain = formerChain
            frame.removeAll(keepingCapacity: true)
            formerChain = RecordFraming.append(
                header, body: body, salt: former.header.salt,
                fileOffset: former.fileOffset(of: start), to: &frame)
            try visit(record, body, start..<cursor.position)
        }
        guard cursor.position == end, cursor.nextSequence == nextSequence, formerChain == chain
        else { return nil }
        return cursor
    }
}
