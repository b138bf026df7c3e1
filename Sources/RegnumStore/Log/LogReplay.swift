/// A reader of the commits after a checkpoint, or from the beginning of the log. It opens its own
/// files, so it can run on any thread while the log's owner continues to append. Used to reload the
/// current state and to rebuild past versions.
package struct LogReplay: Sendable {
    let directory: any RealmDirectory
    let options: StoreOptions
    let realmID: Identity128
    /// The place up to which it has read.
    var point: LogPoint
    /// The commit version at `point`.
    package internal(set) var version: UInt64
    var segment: LogSegment?
    /// The position of the next `nextCommit`.
    var cursor: RecordCursor?
    /// The last version for which the cursor may be used.
    var cursorVersion: UInt64 = 0
    /// The last segment when the reader was created.
    private let lastNumber: UInt64

    /// - Parameter reference: where to start; `nil` for the beginning of the log, if it still
    ///   exists.
    init(
        directory: any RealmDirectory, options: StoreOptions, realmID: Identity128,
        reference: CheckpointReference?, lastNumber: UInt64
    ) {
        self.directory = directory
        self.options = options
        self.realmID = realmID
        self.lastNumber = lastNumber
        point = reference?.point ?? LogPoint(position: 0, sequence: 1, chain: 0)
        version = reference?.version ?? 0
    }

    package var position: LogPosition { point.position }

    /// Delivers the commits up to `end`, which must be a durable end of the log. Can be called
    /// again with a later end.
    ///
    /// Throws `historyTrimmed` if a newer checkpoint has since allowed the reference's segments to
    /// be removed. Start over with the newer checkpoint.
    package mutating func read(
        through end: LogPosition, _ deliver: RealmLog.Deliver
    ) throws(StoreError) {
        if segment == nil { segment = try firstSegment() }
        while position < end {
            // The file may have been read before its last records were written.
            var records = try enterSegment(limit: end)
            let start = position
            while let body = try nextCommit(&records) { try deliver(body) }
            guard position > start else {
                throw damage("its records end before position \(end)")
            }
        }
    }

    /// Checks that `next` continues the log. Skips the records of `current` that were framed again
    /// in it.
    mutating func enter(_ next: LogSegment, after current: LogSegment) throws(StoreError) {
        if next.header.start == point { return }
        guard next.header.base < position,
            let chain = try ReframedRecords.read(
                in: next, from: current, through: point, options)
        else { throw damage("\(next.name) does not continue from there") }
        point.chain = chain
    }

    func firstSegment() throws(StoreError) -> LogSegment {
        var number = lastNumber
        while true {
            guard let segment = try find(number) else { throw trimmed(number) }
            if segment.header.base <= position { return segment }
            guard number > 0 else { throw damage("its first segment is missing") }
            number -= 1
        }
    }

    /// Opens a segment; `nil` if it doesn't exist.
    private func find(_ number: UInt64) throws(StoreError) -> LogSegment? {
        let segment = try ifFound(LogSegment.open(directory, number, options))
        if let segment, segment.header.realmID != realmID {
            throw damage("\(segment.name) belongs to another realm")
        }
        return segment
    }

    private func trimmed(_ number: UInt64) -> StoreError {
        StoreError(
            .historyTrimmed,
            "Segment \(number) of the log of \(directory.path) is no longer needed and was "
                + "removed.", path: directory.path, position: position, lastGoodVersion: version)
    }

    /// Returns the next segment, or `nil` if there is no later one at all.
    ///
    /// Throws `historyTrimmed` if it was removed.
    func successor(_ segment: LogSegment) throws(StoreError) -> LogSegment? {
        let number = segment.header.number
        if let next = try find(number + 1) { return next }
        let last = try directory.names().compactMap(SegmentHeader.parse).map(\.number).max()
        guard let last, last > number else { return nil }
        guard let next = try find(number + 1) else { throw trimmed(number + 1) }
        return next
    }

    func damage(_ what: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The log of \(directory.path) is damaged at position \(position): \(what).",
            path: directory.path, position: position, lastGoodVersion: version)
    }
}
