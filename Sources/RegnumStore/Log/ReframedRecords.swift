/// Compares records that were framed again in a new segment, after a failed sync, with those that
/// were read from the segment before: a relaxed commit may have been lost, and another one may have
/// its version and its position.
///
/// Published records that name checkpoints are durable, so they are never framed again.
struct ReframedRecords {
    /// The segment from which they were read.
    private let former: LogSegment
    /// The chain value, in that segment, of the last record that was added.
    private(set) var formerChain: UInt32
    private var frame: [UInt8] = []

    init(in next: LogSegment, from former: LogSegment) {
        self.former = former
        formerChain = next.header.previousChain
    }

    /// Adds the next record of the new segment.
    mutating func add(_ record: DecodedRecord, _ body: [UInt8], at position: LogPosition) {
        var header = record.header
        header.previousChain = formerChain
        frame.removeAll(keepingCapacity: true)
        formerChain = RecordFraming.append(
            header, body: body, salt: former.header.salt,
            fileOffset: former.fileOffset(of: position), to: &frame)
    }
}
