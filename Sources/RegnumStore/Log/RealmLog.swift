/// The log of one open realm: its segments, its locks, its end.
///
/// Synchronous and not thread-safe: `Coordinator` gives it to one thread at a time. Nothing here
/// calls back into user code. `Docs/FORMAT.md` has the bytes, `Docs/DURABILITY.md` the rules.
///
/// Guard of the `@unchecked Sendable`: the log is used only by whoever holds the coordinator's
/// `ownsLog` token, which is handed over under the coordinator's lock.
package final class RealmLog: @unchecked Sendable {
    /// Takes the body of each commit record, in order, as the log is read.
    package typealias Deliver = (_ body: [UInt8]) throws(StoreError) -> Void

    /// Begins anew from a checkpoint, whose image it reads from `nodes`, or, where there is none,
    /// from an empty realm (nil). Called before the commits that follow are delivered; called again
    /// if the image turned out damaged (`invalidDatabase` thrown), with an older one or nil.
    package typealias Load = (
        _ reference: CheckpointReference?, _ nodes: NodesDirectory
    ) throws(StoreError) -> Void

    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    package let lock: any LockFile
    let options: StoreOptions
    let bootID: Identity128?

    var segment: LogSegment
    /// The end of what was read and written by this process.
    package internal(set) var position: LogPosition = 0
    /// All bytes before it are durable.
    package internal(set) var durableEnd: LogPosition = 0
    /// The newest commit version before `position`.
    package internal(set) var version: UInt64 = 0
    var nextSequence: UInt64
    var chain: UInt32
    /// The last record is an IDLE record that vouches for everything before it.
    package internal(set) var endsIdle = false
    /// The epoch under which this process wrote last; 0 if it never did.
    var ownEpoch: UInt32 = 0
    package internal(set) var holdsWriter = false
    /// What is delivered now is void if `tryBecomeWriter` throws: the log stands before it then.
    package internal(set) var isRecovering = false
    /// A write or sync failed: this instance writes no more.
    package internal(set) var isPoisoned = false
    /// What was put right when the writer lock was taken after a process that died or failed, until
    /// it is asked for.
    private var takenOver: RecoveryReport?
    var control: ControlPage
    /// The failed syncs of other processes that were known when this process got the writer lock.
    var knownFailedSyncCount: UInt32 = 0
    /// Where the log ended when it was published last, by this process or another.
    var publishedEnd: End
    /// The writer epoch of the last record read.
    var lastWriterEpoch: UInt32 = 0
    /// The nodes files.
    package let nodes: NodesDirectory
    /// The checkpoints that the log names before `position`, without the damaged ones.
    var checkpoints = KeptCheckpoints()
    /// The log position behind the record or before the segment that names them.
    var checkpointsEnd: LogPosition = 0
    /// Checkpoints that could not be loaded; what the log says of them is passed over.
    var damagedCheckpoints: [CheckpointReference] = []
    var frameBuffer: [UInt8] = []

    /// Where the log ends, and how it goes on from there.
    struct End {
        var segment: LogSegment
        var position: LogPosition
        var nextSequence: UInt64
        var chain: UInt32
        var version: UInt64
        var endsIdle: Bool
        var checkpoints = KeptCheckpoints()
        var checkpointsEnd: LogPosition = 0
    }

    var end: End {
        get {
            End(
                segment: segment, position: position, nextSequence: nextSequence, chain: chain,
                version: version, endsIdle: endsIdle, checkpoints: checkpoints,
                checkpointsEnd: checkpointsEnd)
        }
        set {
            segment = newValue.segment
            position = newValue.position
            nextSequence = newValue.nextSequence
            chain = newValue.chain
            version = newValue.version
            endsIdle = newValue.endsIdle
            checkpoints = newValue.checkpoints
            checkpointsEnd = newValue.checkpointsEnd
        }
    }

    init(
        fileSystem: any FileSystem, directory: any RealmDirectory, lock: any LockFile,
        options: StoreOptions, segment: LogSegment
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.lock = lock
        self.options = options
        self.segment = segment
        bootID = fileSystem.bootID()
        nodes = NodesDirectory(
            fileSystem, directory, realmID: segment.header.realmID, options: options)
        position = segment.header.base
        nextSequence = segment.header.firstSequence
        chain = segment.header.previousChain
        control = ControlPage(realmID: segment.header.realmID, bootID: bootID)
        publishedEnd = End(
            segment: segment, position: segment.header.base,
            nextSequence: segment.header.firstSequence,
            chain: segment.header.previousChain, version: 0, endsIdle: false)
    }

    package var path: String { directory.path }
    /// What identifies the realm's place on this machine: `LOCK` and the directory.
    package var identities: [FileIdentity] {
        [lock.identity] + [directory.identity].compactMap { $0 }
    }
    /// The log was opened by `openForReading`: nothing of it is ever written.
    package var isReadOnly: Bool { directory.isReadOnly }
    package var realmID: Identity128 { segment.header.realmID }

    /// How many bytes of records still fit into the current segment.
    package var remainingByteCount: UInt64 { segment.capacityEnd - position }

    /// How many of them any commit may take. The rest is for the log's own records, and for
    /// deletions on a full disk: they must always be possible.
    package var roomByteCount: UInt64 {
        remainingByteCount
            - min(remainingByteCount, options.reserveByteCount(of: segment.byteCount))
    }

    // MARK: Writing

    /// Frames the bodies as commit records and writes them at the log end with one `pwrite`.
    ///
    /// Requires the writer lock. When they do not fit into the segment a new one is begun first, so
    /// together they must be at most a window (16 MiB); bytes written earlier without a sync are
    /// synced then.
    ///
    /// Throws `diskFull` or `ioFailed` when certainly nothing was committed, `outcomeUnknown` when
    /// bytes may have reached the log: then the instance is poisoned; `fileMoved` where a new
    /// segment is needed and the realm is no longer where it was opened.
    ///
    /// - Parameter usesReserve: whether they may take the end of the segment that is kept for
    ///   deletions, where there is no space for a new one.
    package func append(
        _ bodies: [[UInt8]], version newVersion: UInt64, usesReserve: Bool = false
    ) throws(StoreError) {
        try write(bodies.map { .commit($0) }, usesReserve: usesReserve)
        version = newVersion
        endsIdle = false
    }

    /// Writes the records at the log end with one `pwrite`.
    func write(_ records: [PendingRecord], usesReserve: Bool = false) throws(StoreError) {
        precondition(holdsWriter && !isPoisoned, "a log is written only under its writer lock")
        var total: UInt64 = 0
        for record in records {
            total += UInt64(RecordFraming.byteCount(bodyByteCount: record.bodyByteCount))
        }
        beginWriting()
        if durableEnd < position, position - durableEnd + total > options.windowByteCountMax {
            try sync()
        }
        try makeRoom(total, records, usesReserve: usesReserve)
        var newChain = chain
        var sequence = nextSequence
        let start = segment.fileOffset(of: position)
        var kept = checkpoints
        frameBuffer.removeAll(keepingCapacity: true)
        for record in records {
            var header = RecordHeader(
                type: record.type, sequence: sequence, durableEnd: durableEnd,
                previousChain: newChain, writerEpoch: ownEpoch)
            if case .bulk = record { header.flags |= RecordHeader.checkpointFlag }
            newChain = RecordFraming.append(
                header, body: record.body, salt: segment.header.salt,
                fileOffset: start + UInt64(frameBuffer.count), to: &frameBuffer)
            sequence &+= 1
            switch record {
            case .commit, .idle: break
            case .checkpoint(let new): kept = new
            case .bulk(_, let new):
                kept = new
                kept.newest?.position = position + UInt64(frameBuffer.count)
                kept.newest?.sequence = sequence
                kept.newest?.chain = newChain
            }
        }
        do {
            try segment.file.write(frameBuffer, at: start)
        } catch {
            throw recover(fromFailedWrite: error, at: start)
        }
        position += total
        chain = newChain
        nextSequence = sequence
        if kept != checkpoints {
            checkpoints = kept
            checkpointsEnd = position
        }
    }

    /// Goes on in a new segment if the records do not fit into this one.
    private func makeRoom(
        _ byteCount: UInt64, _ records: [PendingRecord], usesReserve: Bool
    ) throws(StoreError) {
        let isSmall = records.allSatisfy(\.isBookkeeping)
        if byteCount <= (isSmall ? remainingByteCount : roomByteCount) { return }
        if durableEnd < position { try sync() }
        do throws(StoreError) {
            try rotate(minimumByteCount: byteCount)
        } catch {
            guard error.code == .diskFull, usesReserve, byteCount <= remainingByteCount else {
                throw error
            }
            beginWriting()
        }
    }

    private func beginWriting() {
        guard !control.isWriting else { return }
        control.isWriting = true
        lock.storeControl(&control)
    }

    /// Makes everything written so far durable. Without the writer lock, that is for relaxed
    /// commits while another process writes; a failure is counted in `LOCK`, so that no process
    /// goes on in the segment. Throws `outcomeUnknown` on failure: then the instance is poisoned,
    /// and the file is never synced again (a second fdatasync would succeed without writing the
    /// pages that the first one dropped).
    package func sync() throws(StoreError) {
        precondition(!isPoisoned, "a file whose sync failed is never synced again")
        if !holdsWriter, hasLock, let page = lock.loadControl(), page.realmID == realmID,
            page.durableEnd >= position
        {
            durableEnd = position  // others have synced it meanwhile
            return
        }
        do {
            try segment.file.sync()
        } catch {
            if !holdsWriter { lock.countFailedSync() }
            throw poison(error, .outcomeUnknown)
        }
        // a sync that failed elsewhere may have marked pages clean that were not written
        if holdsWriter, lock.failedSyncCount() != knownFailedSyncCount {
            throw poison(
                StoreError(
                    .ioFailed, "Another process could not sync the log of \(path).", path: path),
                .outcomeUnknown)
        }
        durableEnd = position
    }

    /// Tells the other processes how far the log may be read.
    ///
    /// - Parameter wakes: whether to write the wake counter too.
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

    /// Appends and syncs an IDLE record, which vouches for all commits before it, unless the log
    /// ends with one. Requires the writer lock.
    package func writeIdle() throws(StoreError) {
        guard !endsIdle else { return }
        if durableEnd < position { try sync() }
        try write([.idle])
        try sync()
        endsIdle = true
        publish(wakes: false)
    }

    // MARK: The writer lock

    /// Takes the writer lock if it is free, then reads what others committed meanwhile and repairs
    /// what a dead writer left.
    ///
    /// Where the segment that comes next was trimmed away, `load` is called and begins anew;
    /// without it `historyTrimmed` is thrown, and nothing has changed. Throws `fileMoved` if the
    /// realm is no longer where it was opened.
    ///
    /// - Returns: false if another process holds the lock.
    package func tryBecomeWriter(
        load: Load? = nil, _ deliver: Deliver
    ) throws(StoreError) -> Bool {
        precondition(!isPoisoned && !isReadOnly, "a poisoned or read-only log is not written")
        if holdsWriter { return true }
        guard try lock.tryLock(.writer, .exclusive) else { return false }
        holdsWriter = true
        do throws(StoreError) {
            try checkPlace()
            lock.countGrant()
            knownFailedSyncCount = lock.failedSyncCount()
            guard let page = lock.loadControlForWriting(), page.realmID == realmID else {
                throw StoreError(
                    .invalidDatabase,
                    "The control page in \(path)/LOCK was destroyed while the realm was open. "
                        + "Close the realm in all processes and open it again.",
                    path: path + "/LOCK")
            }
            control = page
            try read(through: page, load, deliver)
            if page.isWriting || page.isPoisoned { takenOver = try recover(page, deliver) }
            takeEpoch()
        } catch {
            resignWriter()
            throw error
        }
        return true
    }

    /// What the last `tryBecomeWriter` has put right, once.
    package func takeRecovery() -> RecoveryReport? {
        defer { takenOver = nil }
        return takenOver
    }

    /// Whether `tryBecomeWriter` would find nothing to read or repair: then it does not touch the
    /// disk and may be called on the cooperative pool.
    package func isCurrent() -> Bool { hasLock && isPageCurrent }

    /// Takes the writer lock if that needs neither waiting nor reading. Never blocks.
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
        knownFailedSyncCount = page.mendedSyncCount
        control = page
        durableEnd = max(durableEnd, min(page.durableEnd, position))
        takeEpoch()
        return true
    }

    private func takeEpoch() {
        guard ownEpoch == 0 || control.writerEpoch != ownEpoch else { return }
        control.writerEpoch &+= 1
        ownEpoch = control.writerEpoch
        lock.storeControl(&control)
    }

    /// Gives the writer lock back and wakes one waiter.
    package func resignWriter() {
        guard holdsWriter else { return }
        holdsWriter = false
        lock.unlock(.writer)
        lock.signalRelease()
    }

    /// Gives back what shows others that the realm is open here. The log is used no more after it.
    package func leave() {
        resignWriter()
        for byte in [LockByte.session, .watchers] { lock.unlock(byte) }
    }

    // MARK: Reading what others wrote

    /// Reads the commits that other processes published since the last call.
    ///
    /// Throws `invalidDatabase` if published bytes are damaged; what was delivered before stays
    /// valid. Where the segment that comes next was trimmed away, `load` is called and begins anew;
    /// without it `historyTrimmed` is thrown, and nothing has changed. Throws `fileMoved` if `LOCK` is
    /// no longer the file that was opened.
    package func catchUp(load: Load? = nil, _ deliver: Deliver) throws(StoreError) {
        if isReadOnly { (lock as? ReadOnlyLock)?.openIfMissing(directory) }
        if holdsWriter { return }
        try checkLock()
        guard let page = lock.loadControl(), page.realmID == realmID else { return }
        control = page
        try read(through: page, load, deliver)
    }

    /// Whether there is something to catch up with, or without `LOCK` may be. Never blocks.
    package func isBehind() -> Bool {
        if isReadOnly, (lock as? ReadOnlyLock)?.isMissing == true { return true }
        guard hasLock, let page = lock.loadControl(), page.realmID == realmID else { return false }
        return page.visibleEnd > position
    }
}
