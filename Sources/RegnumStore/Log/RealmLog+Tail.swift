/// Recovery of the log's end after a crash, by the rule of `TailVerdict`.
extension RealmLog {
    /// Checks and repairs the bytes after `position`, the end of the valid records.
    ///
    /// Valid records that aren't known to be durable are rewritten and synced, not just synced:
    /// after a failed flush their pages are clean, and a sync would succeed without writing
    /// anything. Every step may be interrupted by another crash and repeated.
    ///
    /// - Parameters:
    ///   - vouchedEnd: the end confirmed by the control page, which includes bytes that are only
    ///     visible during this boot.
    ///   - page: the control page as found; `nil` if it was lost.
    /// - Throws: `invalidDatabase` if acknowledged data is damaged. Nothing has changed then.
    func recoverTail(
        vouchedEnd: LogPosition, page: ControlPage?, _ report: inout RecoveryReport,
        _ deliver: Deliver
    ) throws(StoreError) {
        try enterSuccessors(deliver)
        try readSegment(limit: segment.capacityEnd, deliver)
        let (scan, durable) = try judgeTail(vouchedEnd: vouchedEnd, page: page, &report)
        let firstUnconfirmed = max(min(durable, position), segment.header.base)
        if page?.isPoisoned ?? false {
            report.wasPoisoned = true
            try reframe(from: firstUnconfirmed)
        } else {
            try rewrite(from: firstUnconfirmed, &report)
            if scan.nonZeroByteCount > 0 {
                try recordingFailure { () throws(StoreError) in try zero(scan.nonZeroByteCount) }
            } else if report.adoptedByteCount == 0, page?.isWriting ?? !report.isNew {
                // A killed process may have zeroed the bytes without syncing the zeros.
                try recordingFailure { () throws(StoreError) in try syncSegment() }
            }
        }
        durableEnd = position
        // What was published is lost, and other commits will get its versions.
        if let page, page.visibleEnd > position { control.isTimelineDue = true }
        control.isPoisoned = false
        control.repairedSyncCount = knownFailedSyncCount
    }

    /// Examines the bytes after `position`. Throws `invalidDatabase` if they are damage.
    ///
    /// - Returns: the examined bytes, and the position up to which everything is known to be
    ///   durable.
    func judgeTail(
        vouchedEnd: LogPosition, page: ControlPage?, _ report: inout RecoveryReport
    ) throws(StoreError) -> (scan: TailScan, durable: LogPosition) {
        let scan = try TailScan(segment, from: end.point, options)
        if scan.isForged {
            throw damage(
                at: position, "The bytes there cannot have been left by an interrupted write. ")
        }
        let isPoisoned = page?.isPoisoned ?? false
        let durable = max(page?.durableEnd ?? 0, durableEnd, scan.vouchedEnd)
        // A failed sync may have dropped pages, so only durable bytes count, as after a power loss.
        let evidence = TailEvidence(
            firstInvalid: position, vouchedEnd: isPoisoned ? durable : max(vouchedEnd, durable),
            tailIsZero: scan.nonZeroByteCount == 0, isSameBoot: isSameBoot(page) && !isPoisoned,
            tailIsPrefix: scan.isPrefix)
        switch TailVerdict.decide(evidence) {
        case .damaged:
            throw damage(
                at: position,
                evidence.vouchedEnd > position
                    ? "Bytes up to position \(evidence.vouchedEnd) were acknowledged. "
                    : "The bytes there cannot have been left by an interrupted write. ")
        case .clean:
            break
        case .torn:
            report.discardedByteCount = UInt64(scan.nonZeroByteCount)
            report.discardedVersions = scan.versions
        }
        return (scan, durable)
    }

    /// Rewrites the bytes between `start` and the log end, unchanged, and syncs them.
    private func rewrite(from start: LogPosition, _ report: inout RecoveryReport)
        throws(StoreError)
    {
        guard start < position else { return }
        let count = Int(position - start)
        let offset = segment.fileOffset(of: start)
        let bytes = try segment.file.read(at: offset, count: count)
        guard bytes.count == count else { throw damage(at: start) }
        try recordingFailure { () throws(StoreError) in
            try segment.file.write(bytes, at: offset)
            try syncSegment()
        }
        report.adoptedByteCount = UInt64(count)
    }

    /// Zeroes the bytes after the log end, so that they can't be mistaken for a later record. The
    /// header is zeroed last, word by word from its end, so that a kill at any time, even between
    /// two pages of a write, again leaves the beginning of a record. Before that, the control page
    /// is marked as "writing", since a power loss can bring the bytes back until the zeros are
    /// synced.
    private func zero(_ count: Int) throws(StoreError) {
        control.isWriting = true
        storeControl()
        let offset = segment.fileOffset(of: position)
        let zeros = [UInt8](repeating: 0, count: count)
        let head = RecordHeader.byteCount
        if count > head {
            try segment.file.write(zeros, count: count - head, at: offset + UInt64(head))
        }
        var end = min(count, head)
        while end > 0 {
            let start = (end - 1) & ~7
            try segment.file.write(zeros, count: end - start, at: offset + UInt64(start))
            end = start
        }
        try syncSegment()
    }

    /// Starts a new segment after a failed write or sync, because the file's pages can't be
    /// trusted. The segment begins at `durable` (its base cuts off the end of its predecessor), and
    /// the valid records since then are framed again in it. It is renamed into place only when it
    /// is complete.
    private func reframe(from durable: LogPosition) throws(StoreError) {
        var (before, kept) = readingStart(before: durable)
        while true {  // a position inside a record must be forged: use that record's start
            var next = before
            guard let (record, body) = try next.next(), next.position <= durable else { break }
            if record.header.namesCheckpoints {
                kept = try decodeCheckpoints(record, body, at: before.position)
            }
            before = next
        }
        let start = before.position
        var header = SegmentHeader(
            realmID: realmID, generation: segment.header.generation,
            number: segment.header.number + 1, firstSequence: before.point.sequence,
            salt: fileSystem.random(), base: start, previousChain: before.point.chain)
        header.checkpoints = kept.without(damagedCheckpoints)
        header.fileKey = segment.header.fileKey  // the bodies of records stay as they are
        header.keyAge = segment.header.keyAge  // who has that key knows this file's key
        (header.timelines, header.isCopy) = (segment.header.timelines, segment.header.isCopy)
        var newCheckpoints: KeptCheckpoints?
        var newChain = before.point.chain
        var chains = [start: newChain]
        var frames: [UInt8] = []
        while before.position < position {
            let recordStart = before.position
            guard case (let record, var body, var stored)? = try before.nextStored() else { break }
            let isCommit = record.header.type == RecordType.commit.rawValue
            if record.header.namesCheckpoints {
                kept = try decodeCheckpoints(record, body, at: recordStart)
                // The log in this segment has different chain values from now on.
                if let new = kept.newest.flatMap({ chains[$0.position] }) {
                    kept.newest?.chain = new
                }
                if let new = kept.older.flatMap({ chains[$0.position] }) { kept.older?.chain = new }
                if isCommit {
                    body.removeLast(KeptCheckpoints.byteCount)
                    body += kept.encodedAfterCommit()
                } else {
                    body = kept.encoded()
                }
                stored = segment.stored(body, record.header, at: recordStart, fileSystem)
            }
            var recordHeader = record.header
            recordHeader.previousChain = newChain
            recordHeader.durableEnd = min(recordHeader.durableEnd, start)
            newChain = RecordFraming.append(
                recordHeader, body: stored, salt: header.salt,
                fileOffset: SegmentHeader.byteCount + UInt64(frames.count), to: &frames)
            chains[before.position] = newChain
            if record.header.namesCheckpoints {
                if isCommit { kept.newest?.chain = newChain }
                newCheckpoints = kept.without(damagedCheckpoints)
            }
        }
        guard before.position == position else {
            let end = before.position
            throw end < durable
                ? damage(at: end) : lostCommits(at: end, "the log ends at position \(end)")
        }
        // A file larger than any segment isn't one of ours.
        let size = min(segment.byteCount, options.maximumSegmentByteCount)
        let sizes = segmentByteCounts(size, forRecords: UInt64(frames.count))
        do {
            try begin(header, byteCounts: sizes, usesSpare: false, frames)
        } catch {
            var error = error
            // The next process to open finds the new segment or the old one.
            if error.code == .outcomeUnknown { error.code = .ioFailed }
            throw error
        }
        reframeCount += 1
        end.point.chain = newChain
        if let newCheckpoints { end.checkpoints = newCheckpoints }
    }

    /// Returns a cursor at the last checkpoint recorded before `start`, or else at the beginning of
    /// the segment, and the checkpoints known there. Whatever precedes a checkpoint isn't needed
    /// and may be damaged.
    private func readingStart(before start: LogPosition) -> (RecordCursor, KeptCheckpoints) {
        // A record after `start` is framed again, so its checkpoint isn't known before.
        let kept =
            end.checkpointsEnd <= start ? checkpoints : KeptCheckpoints(newest: checkpoints.older)
        let header = segment.header
        let newest = kept.newest.flatMap {
            $0.position >= header.base && $0.position <= start ? $0 : nil
        }
        let cursor = RecordCursor(
            segment, at: newest?.point, limit: position, options)
        return (cursor, newest == nil ? header.checkpoints : kept)
    }

    /// Enters segments that a dead writer started but never published.
    private func enterSuccessors(_ deliver: Deliver) throws(StoreError) {
        while let next = try ifFound(LogSegment.open(directory, segment.header.number + 1, options))
        {
            try checkSuccessor(next)
            if position < next.header.base {
                try readSegment(limit: next.header.base, deliver)
            }
            try enter(next)
            // The dead writer may not have done so.
            try recordingFailure { () throws(StoreError) in try directory.sync() }
        }
    }
}
