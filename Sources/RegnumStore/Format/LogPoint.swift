/// The place of a record in the log, and what a reader needs to continue from there.
struct LogPoint: Equatable {
    var position: LogPosition
    /// The sequence number of the record.
    var sequence: UInt64
    /// The chain value of the record before it.
    var chain: UInt32
}

extension SegmentHeader {
    /// The place of the segment's first record.
    var start: LogPoint {
        LogPoint(position: base, sequence: firstSequence, chain: previousChain)
    }
}

extension CheckpointReference {
    /// The place of the first record after the checkpoint.
    var point: LogPoint {
        get { LogPoint(position: position, sequence: sequence, chain: chain) }
        set { (position, sequence, chain) = (newValue.position, newValue.sequence, newValue.chain) }
    }
}
