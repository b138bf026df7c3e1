/// Records that were framed again in a new segment after a failed sync.
enum ReframedRecords {
    /// Reads the records of `next` up to `end` if they are those that were read from `former`: a
    /// relaxed commit may have been lost, and another one may have its version and its position.
    ///
    /// Published records that name checkpoints are durable, so they are never framed again.
    ///
    /// - Parameters:
    ///   - end: the place after the last record that was read from `former`.
    ///   - visit: is given each record, its body and its range in the log.
    /// - Returns: the chain value at `end` in `next`; `nil` if the records differ.
    static func read(
        in next: LogSegment, from former: LogSegment, through end: LogPoint,
        _ options: StoreOptions,
        _ visit: (DecodedRecord, [UInt8], Range<LogPosition>) throws(StoreError) -> Void = {
            _, _, _ in
        }
    ) throws(StoreError) -> UInt32? {
        guard next.header.base >= former.header.base else { return nil }
        var cursor = RecordCursor(next, limit: end.position, options)
        // The chain value that the record had in `former`.
        var formerChain = next.header.previousChain
        var frame: [UInt8] = []
        while cursor.position < end.position {
            let start = cursor.position
            guard let (record, body, stored) = try cursor.nextStored() else { break }
            var header = record.header
            header.previousChain = formerChain
            frame.removeAll(keepingCapacity: true)
            formerChain = RecordFraming.append(
                header, body: stored, salt: former.header.salt,
                fileOffset: former.fileOffset(of: start), to: &frame)
            try visit(record, body, start..<cursor.position)
        }
        let chain = cursor.point.chain
        let reached = LogPoint(
            position: cursor.position, sequence: cursor.point.sequence, chain: formerChain)
        return reached == end ? chain : nil
    }
}
