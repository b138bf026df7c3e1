internal import Glibc
internal import RegnumStore

/// Other processes: their commits, and the writer lock that is shared with them.
extension Coordinator {
    /// Other processes may have committed: called for each event of the watcher and each tick of
    /// its timer, on any thread. Never blocks. A hint too many costs a look at the control page.
    package func hint() {
        checkPlaceIfDue()
        let runs = state.withLock { state in
            guard let log = state.log, !state.isGateOpen, state.phase == .open else { return false }
            if !state.ownsLog, !log.isBehind() { return false }
            state.isHinted = true
            return state.claimPump()
        }
        if runs { startPump() }
    }

    /// This process watches `LOCK` from now on: others wake it when they commit. A writer may find
    /// that out up to 1 ms late, so what is published meanwhile is looked for once more after that.
    package func beginWatching() {
        let log = state.withLock { $0.log }
        _ = try? log?.lock.tryLock(.watchers, .shared)
        hint()
        IOPool.shared.schedule(afterNanoseconds: 2_000_000) { [weak self] in self?.hint() }
    }

    var isWatched: Bool { state.withLock { $0.isWatched } }

    /// Asks the kernel whether another process watches: without one no wake-up need be written.
    func updateWatchers(_ log: RealmLog) {
        let isWatched = log.lock.isLockedElsewhere(.watchers)
        state.withLock { $0.isWatched = isWatched }
    }

    /// Whether this process has the writer lock now, for diagnostics.
    package var holdsWriterLock: Bool {
        state.withLock { $0.log != nil && ($0.isGateOpen || $0.isHandOffDue) }
    }

    /// Reads what is published and not yet applied here.
    ///
    /// - Returns: why not all of it could be read. Where that may pass it is tried again later;
    ///   else this process follows no longer.
    @discardableResult
    func follow(_ log: RealmLog) -> StoreError? {
        let incoming = IncomingCommits(published, log.nodes)
        do throws(StoreError) {
            try log.catchUp(load: incoming.begin) { (body) throws(StoreError) in
                try self.apply(body, to: incoming, log)
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

    /// Tries again later: too many files are open, memory is short, the disk did not answer.
    private func delayFollowing(_ error: StoreError) {
        state.withLock { state in
            state.isHinted = true
            state.followRetry = Backoff(after: state.followRetry)
        }
        options.report(.followingDelayed(error))
    }

    /// Far behind, what was read is accepted in pieces: the root of each commit is held until it was
    /// looked at.
    private func apply(
        _ body: [UInt8], to incoming: IncomingCommits, _ log: RealmLog
    ) throws(StoreError) {
        if log.isRecovering { incoming.beginUnsure() }
        try incoming.apply(body)
        if !log.isRecovering, incoming.commitCount >= IncomingCommits.acceptedCountMax {
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
        hub.look()
    }

    /// The writer lock could not be taken, or the tail not be repaired: damage ends following;
    /// what may pass fails the writers that wait now.
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

    /// Gets the writer lock for the writers that wait, as long as any does.
    ///
    /// The lock is tried and the shared release word waited for, since a blocking lock call has no
    /// time-out; 10 ms cover a holder that died, whose lock the kernel drops without touching the
    /// word. Waiters are shown by a shared lock, which the kernel drops with its process
    /// (COMMIT-PATH of the design, section 6).
    func acquire(_ log: RealmLog) {
        var isShown = false
        var isFirst = true
        defer { if isShown { log.lock.unlock(.waiters) } }
        while true {
            do throws(StoreError) { try log.checkLock() } catch { return failAcquiring(error) }
            let observed = log.lock.releaseWord()
            switch state.withLock({ $0.beginAcquiring(log) }) {
            case .unwanted: return
            case .polite:
                IOPool.shared.waiting {
                    log.lock.waitForRelease(observed: observed, timeoutNanoseconds: 20_000)
                    sched_yield()  // the taker may need this processor
                }
                continue
            case .wanted: break
            }
            // what is far behind reads up first, while the others go on, not under their lock
            if isFirst, log.isBehind() { follow(log) }
            isFirst = false
            let incoming = IncomingCommits(published, log.nodes)
            do throws(StoreError) {
                let isWriter = try log.tryBecomeWriter(load: incoming.begin) {
                    (body) throws(StoreError) in try self.apply(body, to: incoming, log)
                }
                accept(incoming)
                if isWriter {
                    if let report = log.takeRecovery() { noteRecovery(report) }
                    openGate(log)
                    return
                }
            } catch {
                incoming.dropUnsure()
                accept(incoming)  // what was read before
                state.withLock { $0.ownsLog = false }
                failAcquiring(error)
                return
            }
            if isShown, log.isBehind() { follow(log) }
            if state.withLock({ !$0.catchUps.isEmpty }) { finishCatchUps(log) }
            guard state.withLock({ $0.endAcquiring(options.store) }) else { return }
            if isShown {
                IOPool.shared.waiting {
                    log.lock.waitForRelease(observed: observed, timeoutNanoseconds: 10_000_000)
                }
            } else {  // and try once more: the holder may have looked just before
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

    private func openGate(_ log: RealmLog) {
        let grants = log.lock.grantCount()
        let next = state.withLock { state in
            state.ownsLog = false
            state.acquireRetry = nil
            state.learnPoliteness(options.store, grants: grants)
            state.isGateOpen = true
            state.statistics.grants += 1
            state.lastActivity = IOPool.now()
            return state.nextTurn(options.store)
        }
        next?.resume()
    }
}

extension StoreError {
    /// Whether the same may succeed later: what the system or the disk did not give now.
    var mayPass: Bool {
        switch code {
        case .ioFailed, .diskFull, .fileAccess, .filePermissionDenied, .busy: true
        default: false
        }
    }
}

/// When what failed is tried again: after 20 ms, then twice as long each time, up to 5 s.
struct Backoff {
    private let nanoseconds: UInt64
    /// By the clock of the pool.
    let retryAt: UInt64

    init(after last: Backoff?) {
        nanoseconds = min(2 * (last?.nanoseconds ?? 10_000_000), 5_000_000_000)
        retryAt = IOPool.now() + nanoseconds
    }

    var isDue: Bool { IOPool.now() >= retryAt }
}

extension CoordinatorState {
    enum Acquisition {
        /// Nobody needs the lock any more.
        case unwanted
        /// The lock was just handed over: its taker comes first.
        case polite
        /// The caller owns the log.
        case wanted
    }

    mutating func beginAcquiring(_ log: RealmLog) -> Acquisition {
        // relaxed commits whose sync is due come first: the pump does it, then it is here again
        let isSyncDue = syncDue.map { $0 <= IOPool.now() } ?? false
        guard phase == .open, followFailure == nil, moved == nil, !isSyncDue,
            needsWriter || isIdleDue
        else {
            ownsLog = false
            return .unwanted
        }
        if IOPool.now() < politeUntil, log.lock.grantCount() == grantsAtHandOff,
            log.lock.isLockedElsewhere(.waiters)
        {
            return .polite
        }
        ownsLog = true
        return .wanted
    }

    /// The lock was granted to this process again: whether the last hand-off found a taker.
    mutating func learnPoliteness(_ options: StoreOptions, grants: UInt32) {
        guard politeUntil > 0 else { return }
        politeUntil = 0
        let last = politenessNanoseconds ?? options.politenessNanosecondsMax
        let foundNobody = grants == grantsAtHandOff &+ 1
        politenessNanoseconds = foundNobody ? max(last / 2, Self.politenessNanosecondsMin) : nil
    }

    /// The lock is held by another process. Whether a writer waits for it: an IDLE record does not.
    mutating func endAcquiring(_ options: StoreOptions) -> Bool {
        ownsLog = false
        if isIdleDue { idleDue = IOPool.now() + options.idleDelayNanoseconds }
        return needsWriter
    }

    /// A writer waits, or a checkpoint for its record.
    var needsWriter: Bool {
        if !waiters.isEmpty { return true }
        return checkpoint.finished != nil && phase == .open && followFailure == nil
            && acquireRetry?.isDue ?? true
    }

    private var isIdleDue: Bool { idleDue.map { $0 <= IOPool.now() } ?? false }
}

/// Commits read from the log, applied one after the other, or to a checkpoint first.
final class IncomingCommits {
    private(set) var root: DatabaseRoot
    /// How the root came about since the last `takeSteps`, and how many commits are among that.
    private var steps: [PublishedStep] = []
    private(set) var commitCount = 0
    /// The checkpoint with which it began anew, nil if it did not; 0: from the log's beginning.
    private var beganAt: UInt64?
    private var nodes: NodesDirectory?
    private let keepsSteps: Bool
    /// Where it stood before commits that nobody has published.
    private var sure: (root: DatabaseRoot, stepCount: Int, commitCount: Int)?

    /// So many commits are accepted at once.
    static let acceptedCountMax = 64

    init(_ root: DatabaseRoot, _ nodes: NodesDirectory?, keepsSteps: Bool = true) {
        self.root = root
        self.nodes = nodes
        self.keepsSteps = keepsSteps
    }

    /// Begins anew: with the checkpoint, or with nothing.
    func begin(_ reference: CheckpointReference?, _ nodes: NodesDirectory) throws(StoreError) {
        self.nodes = nodes
        if let reference {
            root = try CheckpointLoader.load(
                reference, from: nodes,
                seed: IndexSeed(high: nodes.realmID.high, low: nodes.realmID.low))
        } else {
            root = .makeEmpty(realmID: nodes.realmID)
        }
        steps = keepsSteps ? [.gap(root)] : []
        commitCount = 0
        beganAt = reference?.version ?? 0
    }

    func apply(_ body: [UInt8]) throws(StoreError) {
        let (applied, damage) = DamageWatch.run {
            Result { () throws(StoreError) in try CommitRecord.apply(body, to: root, nodes) }
        }
        let (next, summary) = try applied.get()
        if let damage { next.content.context.source?.inherit(damage) }
        root = next
        guard keepsSteps else { return }
        steps.append(.commit(summary, next))
        commitCount += 1
    }

    /// What is applied from now on may turn out void.
    func beginUnsure() { sure = sure ?? (root, steps.count, commitCount) }

    /// Takes back what was applied since `beginUnsure`.
    func dropUnsure() {
        guard let sure else { return }
        root = sure.root
        steps.removeLast(steps.count - sure.stepCount)
        commitCount = sure.commitCount
        self.sure = nil
    }

    func takeSteps() -> (steps: [PublishedStep], commitCount: Int, beganAt: UInt64?) {
        defer { (steps, commitCount, beganAt) = ([], 0, nil) }
        return (steps, commitCount, beganAt)
    }
}
