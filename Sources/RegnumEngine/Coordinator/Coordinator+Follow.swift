internal import Glibc
package import RegnumStore

/// Other processes: their commits, and the writer lock shared with them.
extension Coordinator {
    /// Handles a hint that other processes may have committed. Called for each event of the watcher
    /// and each tick of its timer, on any thread. Never blocks. Spurious hints cost one
    /// control-page read.
    package func hint() {
        checkPlaceIfDue()
        let runs = state.withLock { state in
            guard let log = state.log, !state.isGateOpen, state.phase == .open else { return false }
            if !state.isLogLeased, !log.isBehind() { return false }
            state.isHinted = true
            return state.claimPump()
        }
        if runs { startPump() }
    }

    /// Starts watching `LOCK`, so that other processes wake this one when they commit. A writer may
    /// notice this up to 1 ms late, so commits published in the meantime are checked for once more
    /// afterwards.
    ///
    /// Throws `ioFailed` if the system can't lock `LOCK`, so that nothing wakes this process.
    ///
    /// - Returns: false if there is no `LOCK`, or none that can be read.
    package func beginWatching() throws(StoreError) -> Bool {
        let log = state.withLock { $0.log }
        guard let isWatching = try log?.lock.tryLock(.watchers, .shared) else { return false }
        hint()
        IOPool.shared.schedule(afterNanoseconds: 2_000_000) { [weak self] in self?.hint() }
        return isWatching
    }

    var isWatched: Bool { state.withLock { $0.isWatched } }

    /// Asks the kernel whether another process is watching; otherwise no wake-up needs to be
    /// written.
    func updateWatchers(_ log: RealmLog) {
        let isWatched = log.lock.isLockedElsewhere(.watchers)
        state.withLock { $0.isWatched = isWatched }
    }

    /// Whether this process holds the writer lock, for diagnostics.
    package var holdsWriterLock: Bool { state.withLock { $0.holdsWriterLock } }

    /// Reads published commits that haven't been applied here.
    ///
    /// - Returns: the error that prevented reading all of them. A transient one is retried later;
    ///   after any other, this process stops following.
    @discardableResult
    func follow(_ lease: borrowing LogLease) -> StoreError? {
        let log = lease.log
        let incoming = makeIncoming(log)
        do throws(StoreError) {
            try incoming.preferringIntact { () throws(StoreError) in
                try log.catchUp(load: incoming.begin) { (body) throws(StoreError) in
                    try self.apply(body, to: incoming, log)
                }
            }
            accept(incoming)
            state.withLock { $0.followRetry = nil }
            return nil
        } catch {
            accept(incoming)
            if error.mayPass { delayFollowing(error) } else { stopFollowing(error) }
            return error
        }
    }

    private func makeIncoming(_ log: RealmLog) -> IncomingCommits {
        let damage = state.withLock { $0.checkpoint.healedDamage }
        return IncomingCommits(published, log.nodes, avoiding: damage)
    }

    /// Schedules a retry: too many open files, low memory, or the disk didn't respond.
    private func delayFollowing(_ error: StoreError) {
        state.withLock { state in
            state.isHinted = true
            state.followRetry = Backoff(after: state.followRetry)
        }
        options.report(.followingDelayed(error))
    }

    /// Applies a commit. If far behind, commits are accepted in batches, because each commit's root
    /// is kept until it has been processed.
    private func apply(
        _ body: [UInt8], to incoming: IncomingCommits, _ log: RealmLog
    ) throws(StoreError) {
        if log.isRecovering { incoming.beginTentative() }
        try incoming.apply(body)
        if !log.isRecovering, incoming.commitCount >= IncomingCommits.maximumAcceptedCount {
            accept(incoming)
        }
    }

    private func accept(_ incoming: IncomingCommits) {
        let root = incoming.root
        guard root !== published else { return }
        let (steps, commitCount, beganAt) = incoming.takeSteps()
        publish(root, steps)
        let barriers = state.withLock { state in
            state.head = root
            state.publishedVersion = root.version
            if let beganAt { state.checkpoint.baseVersion = beganAt }
            state.statistics.followedCommits += UInt64(commitCount)
            return state.takeBarriers()
        }
        for barrier in barriers { barrier.continuation.resume(returning: nil) }
        hub.process()
    }

    /// Handles a failure to acquire the writer lock or to repair the tail: damage ends following,
    /// and a transient error fails the writers that are waiting.
    private func failAcquiring(_ error: StoreError) {
        if error.code == .fileMoved { return fail([], error) }
        guard error.mayPass else { return stopFollowing(error) }
        let waiters = state.withLock { state in
            state.idleDue = nil
            state.acquireRetry = Backoff(after: state.acquireRetry)
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: .failed(error)) }
    }

    private func stopFollowing(_ error: StoreError) {
        let waiters = state.withLock { state in
            state.followFailure = error
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: .failed(error)) }
        options.report(.followingFailed(error))
        hub.signalAll()
    }

    /// Acquires the writer lock for waiting writers, as long as there are any.
    ///
    /// Polls the lock and waits on the shared release word, because a blocking lock call has no
    /// timeout; the 10 ms interval covers a holder that died, whose lock the kernel releases
    /// without changing the word. Waiters are indicated by a shared lock, which the kernel releases
    /// when the process dies.
    func acquire(_ log: RealmLog) {
        var isShown = false
        var isFirst = true
        defer { if isShown { log.lock.unlock(.waiters) } }
        while true {
            do throws(StoreError) { try log.checkLock() } catch { return failAcquiring(error) }
            let observed = log.lock.load(.release)
            let lease: LogLease
            switch state.withLock({ $0.beginAcquiring(log) }) {
            case .unwanted: return
            case .handingOff:
                IOPool.shared.waiting {
                    log.lock.waitForRelease(observed: observed, timeoutNanoseconds: 20_000)
                    sched_yield()  // the taker may need this processor
                }
                continue
            case .wanted(let granted): lease = granted
            }
            // A process that is far behind first catches up without holding the lock.
            if isFirst, log.isBehind(), let failure = follow(lease), !failure.mayPass {
                return release(lease)
            }
            isFirst = false
            let incoming = makeIncoming(log)
            do throws(StoreError) {
                let isWriter = try incoming.preferringIntact { () throws(StoreError) in
                    try log.tryBecomeWriter(load: incoming.begin) {
                        (body) throws(StoreError) in try self.apply(body, to: incoming, log)
                    }
                }
                accept(incoming)
                if isWriter {
                    if let report = log.takeRecovery() { noteRecovery(report) }
                    openGate(lease)
                    return
                }
            } catch {
                incoming.rollBackTentative()
                accept(incoming)  // commits read before the failure
                release(lease)
                failAcquiring(error)
                return
            }
            if isShown, log.isBehind() { follow(lease) }
            if state.withLock({ !$0.catchUps.isEmpty }) { finishCatchUps(lease) }
            let (isWanted, failure) = release(lease) { state in
                (state.endAcquiring(options.store), state.compactionFailure(log, IOPool.now()))
            }
            if let failure { endCompaction(.failure(failure)) }
            guard isWanted else { return }
            if isShown {
                IOPool.shared.waiting {
                    log.lock.waitForRelease(observed: observed, timeoutNanoseconds: 10_000_000)
                }
            } else {  // and retry: the holder may have checked just before
                _ = try? log.lock.tryLock(.waiters, .shared)
                isShown = true
            }
        }
    }

    private func noteRecovery(_ report: RecoveryReport) {
        state.withLock { state in
            state.recovery?.merge(report)
        }
        options.report(.recovered(report))
    }

    private func openGate(_ lease: consuming LogLease) {
        let grants = lease.log.lock.load(.grantCount)
        let next = release(lease) { state in
            state.acquireRetry = nil
            state.adjustHandOffWait(options.store, grants: grants)
            state.isGateOpen = true
            state.statistics.grants += 1
            state.lastActivity = IOPool.now()
            return state.nextTurn(options.store)
        }
        next?.resume()
    }
}

extension StoreError {
    /// Whether the operation may succeed later, because the system or the disk couldn't serve it
    /// now.
    var mayPass: Bool {
        switch code {
        case .ioFailed, .diskFull, .fileAccess, .filePermissionDenied, .busy: true
        default: false
        }
    }
}

/// The retry time after a failure: after 20 ms, doubling each time, up to 5 s.
struct Backoff {
    private let nanoseconds: UInt64
    /// The number of failures in a row.
    let failureCount: Int
    /// On the clock of the pool.
    let retryAt: UInt64

    init(after last: Backoff?, from first: UInt64 = 20_000_000, to longest: UInt64 = 5_000_000_000)
    {
        nanoseconds = last.map { min(2 * $0.nanoseconds, longest) } ?? first
        failureCount = (last?.failureCount ?? 0) + 1
        retryAt = IOPool.now() + nanoseconds
    }

    var isDue: Bool { IOPool.now() >= retryAt }
}

extension CoordinatorState {
    enum Acquisition: ~Copyable {
        /// The lock is no longer needed.
        case unwanted
        /// The lock was just handed off, and the waiting process goes first.
        case handingOff
        /// The caller uses the log to acquire the lock.
        case wanted(LogLease)
    }

    mutating func beginAcquiring(_ log: RealmLog) -> Acquisition {
        // Overdue syncs of relaxed commits come first; the pump then returns here.
        let isSyncDue = syncDue.map { $0 <= IOPool.now() } ?? false
        // A sync for a backup may have failed, also while this process waits for the lock.
        guard phase == .open, writeFailure == nil, followFailure == nil, moved == nil, !isSyncDue,
            needsWriter || isIdleDue
        else { return .unwanted }
        if IOPool.now() < handOffWaitEnd, log.lock.load(.grantCount) == grantsAtHandOff,
            log.lock.isLockedElsewhere(.waiters)
        {
            return .handingOff
        }
        return .wanted(lease(log))
    }

    /// Adjusts the hand-off wait after the lock was granted again, by whether another process took
    /// it.
    mutating func adjustHandOffWait(_ options: StoreOptions, grants: UInt32) {
        guard handOffWaitEnd > 0 else { return }
        handOffWaitEnd = 0
        let last = handOffWaitNanoseconds ?? options.maximumHandOffWaitNanoseconds
        let wasUncontended = grants == grantsAtHandOff &+ 1
        handOffWaitNanoseconds =
            wasUncontended ? max(last / 2, Self.minimumHandOffWaitNanoseconds) : nil
    }

    /// Returns whether to keep waiting for a lock held by another process. An IDLE record doesn't
    /// wait.
    mutating func endAcquiring(_ options: StoreOptions) -> Bool {
        if isIdleDue { idleDue = IOPool.now() + options.idleDelayNanoseconds }
        return needsWriter
    }

    /// Whether a writer, a checkpoint record or a segment with another key needs the lock.
    var needsWriter: Bool {
        if !waiters.isEmpty { return true }
        let isKeyDue = checkpoint.isKeyDue && checkpoint.compaction != nil
        return (checkpoint.finished != nil || isKeyDue) && phase == .open && followFailure == nil
            && acquireRetry?.isDue ?? true
    }

    private var isIdleDue: Bool { idleDue.map { $0 <= IOPool.now() } ?? false }
}
