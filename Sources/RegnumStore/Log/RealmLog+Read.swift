/// Reading published records from the current and later segments.
extension RealmLog {
    /// Reads the commits that other processes have published since the last call.
    ///
    /// Throws `invalidDatabase` if published bytes or the control page are damaged; commits
    /// delivered before remain valid. If the next segment was trimmed, `load` is called to start
    /// over; without `load`, throws `historyTrimmed` and changes nothing. Throws `fileMoved` if
    /// `LOCK` is no longer the file that was opened.
    package func catchUp(load: Load? = nil, _ deliver: Deliver) throws(StoreError) {
        if isReadOnly { (lock as? ReadOnlyLock)?.show(in: directory) }
        if holdsWriter { return }
        try checkLock()
        noteLatePage()
        guard let page = readablePage() else {
            if hadPage { throw damagedPage }
            return
        }
        control = page
        try read(through: page, load, deliver)
    }

    /// Returns whether there may be commits to catch up with, or a reason for `catchUp` to throw.
    /// Never blocks.
    package func isBehind() -> Bool {
        if isReadOnly, (lock as? ReadOnlyLock)?.isHidden == true { return true }
        guard hasLock else { return false }
        guard let page = readablePage() else { return hadPage }
        return page.visibleEnd > position || page.segmentNumber > segment.header.number
    }

    /// Returns the control page with the end up to which the log may be read; `nil` if there is no
    /// page of this realm.
    func readablePage() -> ControlPage? {
        guard var page = lock.loadControl(), page.realmID == realmID else { return nil }
        let isOutdated = isOutdated(page)
        if isReadOnly { page.dropUnconfirmedEnd(lock) }
        if isOutdated {  // a power loss may have taken the rest
            page.visibleEnd = min(page.visibleEnd, position)
            page.segmentNumber = min(page.segmentNumber, segment.header.number)
        }
        return page
    }

    /// Whether nothing has been published since the page was found to be outdated. A process that
    /// is recovering the realm changes other fields of it before that.
    private func isOutdated(_ page: ControlPage) -> Bool {
        guard let known = outdatedPage else { return false }
        return page.bootID == known.bootID && page.segmentNumber == known.segmentNumber
            && page.durableEnd == known.durableEnd && page.visibleEnd == known.visibleEnd
            && page.version == known.version
    }

    /// Notes that the control page is outdated if it couldn't be read when the realm was opened,
    /// and is from an earlier boot.
    private func noteLatePage() {
        guard isReadOnly, !hadPage, let page = lock.loadControl(), page.realmID == realmID,
            let boot = page.bootID, let bootID, boot != bootID
        else { return }
        outdatedPage = page
    }

    /// Whether the control page has been valid while the realm was open. It may have been lost when
    /// the realm was opened read-only, and remains so until a process that writes opens it.
    private var hadPage: Bool { control.stores > 0 }

    var damagedPage: StoreError {
        StoreError(
            .invalidDatabase,
            "The control page in \(path)/LOCK was damaged while the realm was open. Close the "
                + "realm in all processes and open it again.", path: path + "/LOCK")
    }

    /// Reads up to the visible end of `page`, entering later segments, or as far as a failed sync
    /// has left records; starts over with `load` if the next segment was trimmed.
    func read(
        through page: ControlPage, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) {
        do throws(StoreError) {
            try read(through: page, deliver)
        } catch {
            guard error.code == .historyTrimmed, let load else { throw error }
            try reload(page, load, deliver)
        }
    }

    /// As above, but throws `historyTrimmed` in that case.
    func read(through page: ControlPage, _ deliver: Deliver) throws(StoreError) {
        defer { publishedEnd = end }  // even if only some of the commits were delivered
        while segment.header.number < page.segmentNumber {
            let next = try successor()
            try checkSuccessor(next)
            if position < next.header.base {
                try readSegment(limit: next.header.base, deliver)
                guard position == next.header.base else { throw damage(at: position) }
            }
            try enter(next)
            publishedEnd = end  // with the timelines of the commits that are delivered next
        }
        if position < page.visibleEnd {
            try readSegment(limit: page.visibleEnd, deliver)
            guard position == page.visibleEnd || mayBeLost(from: position, page) else {
                throw damage(at: position)
            }
        }
        durableEnd = max(durableEnd, min(page.durableEnd, position))
    }

    /// Whether published bytes from `position` on may have been lost with a failed sync. The next
    /// writer then begins a new segment with what is left: this process, if its page says so.
    private func mayBeLost(from position: LogPosition, _ page: ControlPage) -> Bool {
        page.durableEnd <= position && (holdsWriter ? page.isPoisoned : isRepairDue(page))
    }

    /// Whether a failed write or sync is recorded in `LOCK` that hasn't been repaired. Requires
    /// `hasLock`.
    func isRepairDue(_ page: ControlPage) -> Bool { page.isRepairDue(lock) }

    /// Opens the next segment. Throws `historyTrimmed` if it no longer exists.
    private func successor() throws(StoreError) -> LogSegment {
        let number = segment.header.number + 1
        if let next = try ifFound(LogSegment.open(directory, number, options)) { return next }
        throw StoreError(
            .historyTrimmed,
            "Segment \(number) of the log of \(path) is no longer needed and was removed before "
                + "this process read it.", path: path, position: position,
            lastGoodVersion: version)
    }

    /// Continues in `next`. Its base may be before `position`: after a failed sync, the records
    /// since the last durable one are framed again in a new segment. Those already read are
    /// skipped. Throws `invalidDatabase` if they were lost instead.
    func enter(_ next: LogSegment) throws(StoreError) {
        guard next.header.base <= position, next.header.base >= segment.header.base else {
            throw damage(at: position)
        }
        if next.header.base == position {
            guard next.header.start == end.point else { throw damage(at: position) }
            end.segment = next
            return
        }
        var kept: (checkpoints: KeptCheckpoints, end: LogPosition) = (
            next.header.checkpoints, next.header.base
        )
        let chain = try ReframedRecords.read(
            in: next, from: segment, through: end.point, options
        ) { record, body, range throws(StoreError) in
            guard record.header.namesCheckpoints else { return }
            kept = (try decodeCheckpoints(record, body, at: range.lowerBound), range.upperBound)
        }
        guard let chain else {
            throw lostCommits(at: next.header.base, "\(next.name) continues without them")
        }
        if let newest = kept.checkpoints.newest, newest.version > version {
            throw damage(at: next.header.base, "\(next.name) has invalid checkpoint references. ")
        }
        end.segment = next
        reframeCount += 1
        end.point.chain = chain
        // Records that were framed again have different chain values.
        end.checkpoints = kept.checkpoints.without(damagedCheckpoints)
        end.checkpointsEnd = kept.end
    }

    /// Returns the checkpoints of the record at `position`.
    func decodeCheckpoints(_ record: DecodedRecord, _ body: [UInt8], at position: LogPosition)
        throws(StoreError) -> KeptCheckpoints
    {
        guard let kept = KeptCheckpoints(record, body: body, at: position) else {
            throw damage(at: position, "The record has invalid checkpoint references. ")
        }
        return kept
    }

    func checkSuccessor(_ next: LogSegment) throws(StoreError) {
        guard next.header.realmID == realmID else {
            throw StoreError(
                .invalidDatabase,
                "\(directory.path)/\(next.name) and \(segment.name) belong to different realms.",
                path: directory.path + "/" + next.name)
        }
    }

    /// Reads records up to `limit` or to the first invalid one.
    func readSegment(limit: LogPosition, _ deliver: Deliver) throws(StoreError) {
        var cursor = RecordCursor(segment, at: end.point, limit: limit, options)
        while let (record, body) = try cursor.next() {
            try accept(record, body, deliver)
            end.point = cursor.point
            durableEnd = max(durableEnd, record.header.durableEnd)
            lastWriterEpoch = record.header.writerEpoch
        }
    }

    private func accept(_ record: DecodedRecord, _ body: [UInt8], _ deliver: Deliver)
        throws(StoreError)
    {
        switch RecordType(rawValue: record.header.type) {
        case .commit:
            guard body.count >= 8 else { throw damage(at: position) }
            let isBulk = record.header.namesCheckpoints
            let kept = isBulk ? try decodeCheckpoints(record, body, at: position) : nil
            do throws(StoreError) {
                try deliver(isBulk ? body.dropLast(KeptCheckpoints.byteCount) : body)
            } catch {
                var located = error
                located.path = located.path ?? path
                located.position = located.position ?? position
                located.lastGoodVersion = located.lastGoodVersion ?? version
                throw located
            }
            deliveredCount += 1
            end.version = Bytes.load(UInt64.self, from: body, at: 0)
            end.isIdle = false
            if let kept { try keep(kept, record) }
        case .idle:
            end.isIdle = true
        case .checkpoint:
            try keep(decodeCheckpoints(record, body, at: position), record)
            end.isIdle = record.header.durableEnd == position
        default:
            guard record.header.isSkippable else {
                throw StoreError(
                    .unsupportedFormat,
                    "\(path)/\(segment.name) has a record of kind \(record.header.type) at "
                        + "position \(position), which this version of Regnum does not support. "
                        + "Use a newer version.", path: path, position: position,
                    lastGoodVersion: version)
            }
        }
    }

    /// Throws `invalidDatabase` for a checkpoint of a version that the log doesn't have yet: the
    /// next bulk commit would name it as an older one.
    private func keep(_ kept: KeptCheckpoints, _ record: DecodedRecord) throws(StoreError) {
        if let newest = kept.newest, newest.version > version {
            throw damage(at: position, "The record has invalid checkpoint references. ")
        }
        end.checkpoints = kept.without(damagedCheckpoints)
        end.checkpointsEnd = position + UInt64(record.byteCount)
    }

    /// Returns the error for commits that this process has in memory and the log no longer has.
    func lostCommits(at position: LogPosition, _ evidence: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "Commits of \(path) that this process has in memory were lost, because syncing them "
                + "failed: \(evidence). Close the realm and open it again.",
            path: path, position: position)
    }

    /// Returns the error for damaged acknowledged bytes, which are never skipped.
    func damage(at position: LogPosition, _ evidence: String = "") -> StoreError {
        StoreError(
            .invalidDatabase,
            "The log of \(path) is damaged at position \(position) (\(segment.name), byte "
                + "\(segment.fileOffset(of: max(position, segment.header.base)))); the last good "
                + "commit is version \(version). \(evidence)Nothing was changed. "
                + StoreError.advice, path: path, position: position, lastGoodVersion: version)
    }
}
