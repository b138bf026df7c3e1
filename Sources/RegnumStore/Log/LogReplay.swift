/// A reader of the commits after a checkpoint, or from the beginning of the log. It opens its own
/// files, so it can run on any thread while the log's owner continues to append. Used for
/// re-rooting and for past versions.
package struct LogReplay: Sendable {
    let directory: any RealmDirectory
    let options: StoreOptions
    let realmID: Identity128
    /// The log position up to which it has read.
    package internal(set) var position: LogPosition
    /// The commit version at `position`.
    package internal(set) var version: UInt64
    var sequence: UInt64
    var chain: UInt32
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
        position = reference?.position ?? 0
        version = reference?.version ?? 0
        sequence = reference?.sequence ?? 1
        chain = reference?.chain ?? 0
    }

    /// Delivers the commits up to `end`, which must be a durable end of the log. Can be called
    /// again with a later end.
    ///
    /// Throws `historyTrimmed` if a newer checkpoint has since allowed the reference's segments to
    /// be removed. Start over with the newer checkpoint.
    package mutating func read(
        through end: LogPosition, _ deliver: RealmLog.Deliver
    ) throws(StoreError) {
        if segment == nil { segment = try firstSegment() }
        while position < end, var current = segment {
            // A later segment cuts off the end of this one.
            let next = try successor(current)
            let limit = min(end, next?.header.base ?? end)
            try read(&current, limit: limit, deliver)
            guard position < end else { break }
            guard let next, next.header.base <= position else {
                throw damage("its records end before position \(end)")
            }
            try enter(next, after: current)
            segment = next
        }
    }

    private mutating func read(
        _ segment: inout LogSegment, limit: LogPosition, _ deliver: RealmLog.Deliver
    ) throws(StoreError) {
        guard position < limit else { return }
        // The file may have been read before its last records were written.
        var cursor = RecordCursor(
            segment, at: position, nextSequence: sequence, chain: chain, limit: limit,
            bodyByteCountMax: options.recordBodyByteCountMax)
        while let (record, body) = try cursor.next() {
            if record.header.type == RecordType.commit.rawValue, body.count >= 8 {
                let isBulk = record.header.namesCheckpoints
                try deliver(isBulk ? body.dropLast(KeptCheckpoints.byteCount) : body)
                version = Bytes.load(UInt64.self, from: body, at: 0)
            }
            position = cursor.position
            sequence = cursor.nextSequence
            chain = cursor.chain
        }
    }

    /// Checks that `next` continues the log. Skips the records of `current` that were framed again
    /// in it.
    mutating func enter(_ next: LogSegment, after current: LogSegment) throws(StoreError) {
        guard next.header.base < position else {
            guard next.header.firstSequence == sequence, next.header.previousChain == chain
            else { throw damage("\(next.name) does not continue it") }
            return
        }
        let cursor = try ReframedRecords.read(
            in: next, from: current, through: position, nextSequence: sequence, chain: chain,
            bodyByteCountMax: options.recordBodyByteCountMax
        ) { _, _, _ in }
        guard let cursor else { throw damage("\(next.name) does not continue it") }
        chain = cursor.chain
    }

    func firstSegment() throws(StoreError) -> LogSegment {
        var segment = try open(lastNumber)
        while segment.header.base > position {
            guard segment.header.number > 0 else { throw damage("its first segment is missing") }
            segment = try open(segment.header.number - 1)
        }
        return segment
    }

    private func open(_ number: UInt64) throws(StoreError) -> LogSegment {
        do throws(StoreError) {
            let segment = try LogSegment.open(directory, generation: 0, number: number)
            guard segment.header.realmID == realmID else {
                throw damage("\(segment.name) belongs to another realm")
            }
            return segment
        } catch {
            guard error.code == .fileNotFound else { throw error }
            throw trimmed(number)
        }
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
        if let next = try nextSegment(segment) { return next }
        let last = try directory.names().compactMap(SegmentHeader.parse).map(\.number).max()
        guard let last, last > number else { return nil }
        guard let next = try nextSegment(segment) else { throw trimmed(number + 1) }
        return next
    }

    private func nextSegment(_ segment: LogSegment) throws(StoreError) -> LogSegment? {
        do {
            return try open(segment.header.number + 1)
        } catch {
            guard error.code == .historyTrimmed else { throw error }
            return nil
        }
    }

    func damage(_ what: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The log of \(directory.path) is damaged at position \(position): \(what).",
            path: directory.path, position: position, lastGoodVersion: version)
    }
}
