/// The log of one open realm: its segments, its locks and its end.
///
/// Synchronous and not thread-safe: `Coordinator` hands it to one thread at a time. It never calls
/// user code. `Docs/FORMAT.md` specifies the bytes, `Docs/DURABILITY.md` the rules.
///
/// Guard of the `@unchecked Sendable`: the log is used only by the holder of the coordinator's
/// `LogLease`, which begins and ends under the coordinator's lock.
package final class RealmLog: @unchecked Sendable {
    /// Receives the body of each commit record, in order, as the log is read.
    package typealias Deliver = (_ body: [UInt8]) throws(StoreError) -> Void

    /// Starts over from a checkpoint, whose image it reads from `nodes`, or from an empty realm
    /// (`nil`). Called before the following commits are delivered, and again with an older
    /// checkpoint or `nil` if the image is damaged, missing or unreadable (it throws
    /// `invalidDatabase`, `historyTrimmed` or a media failure).
    package typealias Load = (
        _ reference: CheckpointReference?, _ nodes: NodesDirectory
    ) throws(StoreError) -> Void

    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    package let lock: any LockFile
    let options: StoreOptions
    let bootID: Identity128?
    /// Constant, so it can be read without owning the log.
    package let realmID: Identity128

    /// The end of what this process has read and written.
    var end: End
    /// The log position before which all bytes are durable.
    package internal(set) var durableEnd: LogPosition = 0
    /// The epoch of this process's last writes; 0 if it never wrote.
    var ownEpoch: UInt32 = 0
    package internal(set) var holdsWriter = false
    /// Whether `tryBecomeWriter` is recovering. If it throws, delivered commits must be discarded.
    package internal(set) var isRecovering = false
    /// Whether a write or sync failed. This instance then writes no more.
    package internal(set) var isPoisoned = false
    /// The recovery done when the writer lock was last acquired, until it is retrieved.
    private var pendingRecovery: RecoveryReport?
    var control: ControlPage
    /// The control page that was found when the realm was opened read-only, or later if it couldn't
    /// be read then, if nothing confirms its visible end (`openAlone`).
    var outdatedPage: ControlPage?
    /// The number of commits that were delivered.
    var deliveredCount: UInt64 = 0
    /// The failed-sync count of other processes when this process acquired the writer lock.
    var knownFailedSyncCount: UInt32 = 0
    /// The end of the log when it was last published, by this process or another.
    var publishedEnd: End {
        didSet {
            let header = publishedEnd.segment.header
            guard header.number > oldValue.segment.header.number else { return }
            timelines.withLock { $0 = header.timelines }
        }
    }
    /// The writer epoch of the last record read.
    var lastWriterEpoch: UInt32 = 0
    package let nodes: NodesDirectory
    /// The timelines up to the published end. Can be used without owning the log.
    package let timelines: Guarded<Timelines>
    /// A retention for which the disk had no space. Can be used without owning the log.
    let delayedRetention = Guarded<RetentionFile.Delayed?>(nil)
    /// Whether commits of the original are being added to this copy, so that it remains one.
    var isExtendingCopy = false
    /// Increases when records that this process has read were framed again in a new segment, with
    /// other chain values. A `checkpointPoint` from before may then be invalid.
    package internal(set) var reframeCount = 0
    /// Checkpoints that couldn't be loaded. References to them in the log are ignored.
    var damagedCheckpoints: [CheckpointReference] = []
    var frameBuffer: [UInt8] = []

    /// The end of the log and the state needed to continue from there.
    struct End {
        var segment: LogSegment
        var point: LogPoint
        /// The newest commit version before `point`.
        var version: UInt64 = 0
        /// Whether the last record confirms that everything before it is durable.
        var isIdle = false
        /// The checkpoints recorded in the log before `point`, without the damaged ones.
        var checkpoints = KeptCheckpoints()
        /// The log position after the record, or at the start of the segment, that contains them.
        var checkpointsEnd: LogPosition
    }

    var segment: LogSegment { end.segment }
    package var position: LogPosition { end.point.position }
    package var version: UInt64 { end.version }
    package var endsIdle: Bool { end.isIdle }
    var checkpoints: KeptCheckpoints { end.checkpoints }

    /// - Parameter page: the control page, unless it was lost.
    init(_ place: Place, _ beginning: Beginning, _ page: ControlPage?) {
        fileSystem = place.fileSystem
        directory = place.directory
        lock = place.lock
        options = place.options
        realmID = beginning.realmID
        bootID = fileSystem.bootID()
        nodes = beginning.nodes
        control = page ?? ControlPage(realmID: realmID, bootID: bootID)
        end = beginning.end
        publishedEnd = end
        timelines = Guarded(end.segment.header.timelines)
        seek(to: beginning)
    }

    package var path: String { directory.path }
    /// The identities of the realm on this machine: of `LOCK` and of the directory.
    package var identities: [FileIdentity] { [lock.identity, directory.identity] }
    /// Whether the log was opened by `openForReading`. Then it is never written.
    package var isReadOnly: Bool { directory.isReadOnly }

    /// The number of record bytes that still fit into the current segment.
    package var remainingByteCount: UInt64 { segment.capacityEnd - position }

    /// Whether the next commit begins a new timeline, in a new segment.
    private var beginsTimeline: Bool { !isExtendingCopy && (isCopy || control.isTimelineDue) }

    /// The part of `remainingByteCount` that any commit may use. The rest is reserved for the log's
    /// own records and for deletions on a full disk, which must always be possible.
    package var roomByteCount: UInt64 {
        if beginsTimeline { return 0 }
        return remainingByteCount
            - min(remainingByteCount, options.reserveByteCount(of: segment.byteCount))
    }

    // MARK: Writing

    /// Frames the bodies as commit records and writes them at the log end with one `pwrite`.
    ///
    /// Requires the writer lock. If they don't fit into the segment, a new one is started first, so
    /// together they must not exceed the window (16 MiB). Earlier unsynced bytes are synced before
    /// a new segment is started, or if the window would be exceeded.
    ///
    /// Throws `diskFull` or `ioFailed` if nothing was committed; `outcomeUnknown` if bytes may have
    /// reached the log, which poisons the instance; `fileMoved` if a new segment is needed and the
    /// realm is no longer where it was opened.
    ///
    /// - Parameter usesReserve: whether the records may use the end of the segment that is reserved
    ///   for deletions, if there is no space for a new one.
    package func append(
        _ bodies: [[UInt8]], version newVersion: UInt64, usesReserve: Bool = false
    ) throws(StoreError) {
        try write(bodies.map { .commit($0) }, usesReserve: usesReserve)
        end.version = newVersion
        end.isIdle = false
    }

    /// Writes the records at the log end with one `pwrite`.
    func write(_ records: [PendingRecord], usesReserve: Bool = false) throws(StoreError) {
        precondition(holdsWriter && !isPoisoned, "writing the log requires the writer lock")
        var total: UInt64 = 0
        for record in records {
            total += UInt64(options.recordByteCount(ofBody: record.bodyByteCount))
        }
        beginWriting()
        if durableEnd < position, position - durableEnd + total > options.maximumWindowByteCount {
            try sync()
        }
        try makeRoom(total, records, usesReserve: usesReserve)
        var point = end.point
        let start = segment.fileOffset(of: position)
        var kept = checkpoints
        frameBuffer.removeAll(keepingCapacity: true)
        for record in records {
            var header = RecordHeader(
                type: record.type, sequence: point.sequence, durableEnd: durableEnd,
                previousChain: point.chain, writerEpoch: ownEpoch)
            if case .bulk = record { header.flags |= RecordHeader.checkpointFlag }
            let body = segment.stored(record.body, header, at: point.position, fileSystem)
            point.chain = RecordFraming.append(
                header, body: body, salt: segment.header.salt,
                fileOffset: start + UInt64(frameBuffer.count), to: &frameBuffer)
            point.position = position + UInt64(frameBuffer.count)
            point.sequence &+= 1
            switch record {
            case .commit, .idle: break
            case .checkpoint(let new): kept = new
            case .bulk(_, let new):
                kept = new
                kept.newest?.point = point
            }
        }
        do {
            try segment.file.write(frameBuffer, at: start)
        } catch {
            throw recover(fromFailedWrite: error, at: start)
        }
        end.point = point
        if kept != checkpoints {
            end.checkpoints = kept
            end.checkpointsEnd = position
        }
    }

    /// Starts a new segment if the records don't fit into this one.
    private func makeRoom(
        _ byteCount: UInt64, _ records: [PendingRecord], usesReserve: Bool
    ) throws(StoreError) {
        let isSmall = records.allSatisfy(\.isBookkeeping)
        if byteCount <= (isSmall ? remainingByteCount : roomByteCount) { return }
        if durableEnd < position { try sync() }
        let begins = beginsTimeline && !isSmall
        do throws(StoreError) {
            let best =
                begins
                ? options.firstSegmentByteCount
                : min(segment.byteCount * 2, options.maximumSegmentByteCount)
            try rotate(
                byteCounts: segmentByteCounts(best, forRecords: byteCount), isSmall: begins,
                timelines: begins ? (newTimelines, isCopy: false) : nil)
            if begins { control.isTimelineDue = false }
        } catch {
            guard error.code == .diskFull, usesReserve, !begins, byteCount <= remainingByteCount
            else { throw error }
            beginWriting()
        }
    }

    /// The timelines from the next commit on, if it begins a new one.
    private var newTimelines: Timelines {
        segment.header.timelines.forked(
            after: version, as: Identity128(high: fileSystem.random(), low: fileSystem.random()))
    }

    func beginWriting() {
        guard !control.isWriting else { return }
        control.isWriting = true
        lock.storeControl(&control)
    }

    /// Makes everything written so far durable. Without the writer lock this serves relaxed commits
    /// while another process writes; a failure is then counted in `LOCK`, so that no process
    /// continues in the segment. It has no effect once another process has begun a segment:
    /// `catchUp` finds out what that process has kept. Throws `outcomeUnknown` on failure, which
    /// poisons the instance. The file is never synced again then, because a second fdatasync would
    /// succeed without writing the pages that the first one dropped.
    package func sync() throws(StoreError) {
        precondition(!isPoisoned, "a file must not be synced again after a failed sync")
        if let page = othersPage {
            if page.segmentNumber > segment.header.number { return }
            if page.durableEnd >= position {
                durableEnd = position  // another process has synced it
                return
            }
        }
        do {
            try segment.file.sync()
        } catch {
            if !holdsWriter { lock.countFailedSync() }
            throw poison(error, .outcomeUnknown)
        }
        // A sync that failed elsewhere may have marked unwritten pages as clean.
        let page = othersPage
        if isFailedSyncKnown(page) { throw poison(earlierSyncFailed, .outcomeUnknown) }
        // It may also have been repaired since, by beginning a segment.
        if let page, page.segmentNumber > segment.header.number { return }
        durableEnd = position
    }

    /// The control page, which other processes may have written; `nil` for the holder of the writer
    /// lock, or if there is no page of this realm.
    private var othersPage: ControlPage? {
        guard !holdsWriter, hasLock, let page = lock.loadControl(), page.realmID == realmID else {
            return nil
        }
        return page
    }

    /// Whether `sync` can be called: it would fail while a failed sync has yet to be repaired.
    package var maySync: Bool { !isReadOnly && !isPoisoned && !isFailedSyncKnown(othersPage) }

    /// Returns whether `LOCK` records a failed write or sync that wasn't known when the writer lock
    /// was acquired or, without it, that hasn't been repaired according to the page.
    func isFailedSyncKnown(_ page: ControlPage?) -> Bool {
        if holdsWriter { return lock.load(.failedSyncCount) != knownFailedSyncCount }
        return page.map(isRepairDue) ?? false
    }

    /// Publishes the log end to other processes.
    ///
    /// - Parameter wakes: whether to write the wake counter as well.
    package func publish(wakes: Bool = true) {
        control.durableEnd = max(control.durableEnd, durableEnd)
        control.visibleEnd = position
        control.version = version
        control.segmentNumber = segment.header.number
        control.isWriting = false
        publishedEnd = end
        lock.storeControl(&control)
        if wakes { lock.wake() }
    }

    /// Appends and syncs an IDLE record, which confirms that all commits before it are durable,
    /// unless the log already ends with one. Requires the writer lock.
    package func writeIdle() throws(StoreError) {
        guard !endsIdle else { return }
        if durableEnd < position { try sync() }
        try write([.idle])
        try sync()
        end.isIdle = true
        publish(wakes: false)
    }

    // MARK: The writer lock

    /// Acquires the writer lock if it is free, then reads what other processes have committed and
    /// repairs what a dead writer left.
    ///
    /// If the next segment was trimmed, `load` is called to start over; without `load`, throws
    /// `historyTrimmed` and changes nothing. Throws `fileMoved` if the realm was moved or removed.
    ///
    /// - Returns: false if another process holds the lock.
    package func tryBecomeWriter(
        load: Load? = nil, _ deliver: Deliver
    ) throws(StoreError) -> Bool {
        precondition(!isPoisoned && !isReadOnly, "a poisoned or read-only log is never written")
        if holdsWriter { return true }
        guard try lock.tryLock(.writer, .exclusive) else { return false }
        holdsWriter = true
        do throws(StoreError) {
            try checkPlace()
            lock.countGrant()
            knownFailedSyncCount = lock.load(.failedSyncCount)
            guard let page = lock.loadControlForWriting(), page.realmID == realmID else {
                throw damagedPage
            }
            control = page
            try read(through: page, load, deliver)
            if page.isWriting || page.isPoisoned { pendingRecovery = try recover(page, deliver) }
            advanceEpoch()
        } catch {
            releaseWriterLock()
            throw error
        }
        return true
    }

    /// Returns what the last `tryBecomeWriter` has recovered, once.
    package func takeRecovery() -> RecoveryReport? {
        defer { pendingRecovery = nil }
        return pendingRecovery
    }

    /// Returns whether `tryBecomeWriter` would have nothing to read or repair. It then needs no
    /// disk access and may be called on the cooperative pool.
    package func isCurrent() -> Bool { hasLock && isPageCurrent }

    /// Acquires the writer lock if that requires neither waiting nor reading. Never blocks.
    package func tryBecomeWriterIfCurrent() -> Bool {
        guard !isPoisoned, !isReadOnly, isCurrent(),
            (try? lock.tryLock(.writer, .exclusive)) == true
        else {
            return false
        }
        guard isInPlace, isPageCurrent, let page = lock.loadControl() else {
            lock.unlock(.writer)
            lock.signalRelease()
            return false
        }
        holdsWriter = true
        lock.countGrant()
        knownFailedSyncCount = page.repairedSyncCount
        control = page
        durableEnd = max(durableEnd, min(page.durableEnd, position))
        advanceEpoch()
        return true
    }

    private func advanceEpoch() {
        guard ownEpoch == 0 || control.writerEpoch != ownEpoch else { return }
        control.writerEpoch &+= 1
        ownEpoch = control.writerEpoch
        lock.storeControl(&control)
    }

    /// Releases the writer lock and wakes one waiter.
    package func releaseWriterLock() {
        guard holdsWriter else { return }
        holdsWriter = false
        lock.unlock(.writer)
        lock.signalRelease()
    }

    /// Releases the locks that show other processes that the realm is open here. The log must not
    /// be used afterwards.
    package func releaseLocks() {
        releaseWriterLock()
        for byte in [LockByte.session, .watchers] { lock.unlock(byte) }
    }
}
