internal import Glibc
internal import RegnumStore
internal import Synchronization

/// The pump: the single job of a realm on `IOPool`. It repeatedly performs the most urgent step
/// until nothing is left or the rest can wait for a timer.
extension Coordinator {
    enum Step: ~Copyable {
        /// Use the log, which is leased for this step.
        case use(LogLease, LogStep)
        case close(LogLease)
        /// Acquire the writer lock.
        case acquire
        /// Write the wake counter, which was delayed.
        case wake
        /// Replay what has been committed since a checkpoint was loaded.
        case startReplay(ReloadedRoot, through: LogPosition)
        /// Give a compaction up.
        case endCompaction(StoreError)
        /// Sleep until woken or until that time.
        case linger(until: UInt64)
        /// Nothing to do, at least until that time.
        case stop(until: UInt64?)
    }

    /// A step that uses the log.
    enum LogStep {
        /// Write and sync the staged commits.
        case flush([StagedCommit])
        /// Write a bulk commit.
        case flushBulk(StagedCommit)
        /// Make the log usable again after a failed write or sync.
        case revive
        /// Release the writer lock, for a waiting process or because the realm is idle.
        case releaseWriterLock(isHandOff: Bool)
        /// Read the commits of other processes.
        case follow
        /// Read them for callers of `catchUp`.
        case catchUp
        /// Sync relaxed commits.
        case sync
        /// Write the IDLE record.
        case idle
        /// Start a checkpoint.
        case checkpoint
        /// Record it in the log.
        case recordCheckpoint(FinishedCheckpoint)
        /// Drop it without recording it.
        case dropCheckpoint(FinishedCheckpoint)
        /// Remove files that are no longer needed.
        case trim
        /// Start a segment whose header has it, so that opening reads little.
        case beginSegment
        case beginKey
        /// Load a checkpoint in order to switch to it.
        case reload(CheckpointReference)
        /// Switch to it.
        case swap(ReloadedRoot)
        /// End a realm that was moved or removed.
        case end(StoreError)
    }

    /// Starts the pump, which the caller has claimed.
    func startPump() { IOPool.shared.submit { self.runPump() } }

    /// Whether the pump may sleep on its thread instead of returning it to the pool.
    private var maySleepOnThread: Bool {
        !IOPool.shared.isSaturated && !IOPool.shared.hasManyWaiting
    }

    private func runPump() {
        guard let log = state.withLock({ $0.log }) else {
            state.withLock { $0.isPumpRunning = false }
            return
        }
        while true {
            let observed = pumpWake.observe()
            let maySleepOnThread = maySleepOnThread
            let step = state.withLock { state -> Step in
                switch state.nextStep(log, options) {
                case .linger(let until):
                    guard maySleepOnThread else { return state.stop(until) }
                    state.isPumpAsleep = true
                    return .linger(until: until)
                case let step: return step
                }
            }
            switch consume step {
            case .use(let lease, let step): perform(step, lease)
            case .acquire: acquire(log)
            case .wake: if isWatched { log.lock.wake() }
            case .startReplay(let reloaded, let end): startReplay(reloaded, through: end)
            case .endCompaction(let error): endCompaction(.failure(error))
            case .close(let lease):
                settle(lease)
                finishClose()
                return
            case .linger(let until):
                let now = IOPool.now()
                if until > now {
                    IOPool.shared.waiting {
                        pumpWake.wait(observed: observed, timeoutNanoseconds: until - now)
                    }
                }
                state.withLock { $0.isPumpAsleep = false }
            case .stop(let until):
                if let until { startTimer(at: until) }
                return
            }
            // A busy realm must not keep the thread from other realms.
            if IOPool.shared.isSaturated { return startPump() }
        }
    }

    /// Runs the pump again at that time, unless an earlier timer is set.
    private func startTimer(at time: UInt64) {
        guard state.withLock({ $0.claimTimer(at: time) }) else { return }
        let now = IOPool.now()
        IOPool.shared.schedule(afterNanoseconds: time > now ? time - now : 0) { [weak self] in
            guard let self else { return }
            let runs = state.withLock { state in
                state.endTimer(at: time)
                return state.claimPump()
            }
            if runs { runPump() }
        }
    }

    /// Performs a step and releases the log.
    private func perform(_ step: LogStep, _ lease: consuming LogLease) {
        switch step {
        case .flush(let batch): return flush(lease, batch)
        case .flushBulk(let item): return flushBulk(lease, item)
        case .releaseWriterLock(let isHandOff):
            return releaseWriterLock(lease, isHandOff: isHandOff)
        case .checkpoint: return beginCheckpoint(lease)
        case .recordCheckpoint(let finished): return recordCheckpoint(lease, finished)
        case .trim: return trim(lease)
        case .reload(let reference): return beginReload(lease, reference)
        case .swap(let reloaded): return swap(lease, reloaded)
        case .revive:
            lease.log.revive()
            state.withLock { $0.writeFailure = nil }
        case .follow: follow(lease)
        case .catchUp: finishCatchUps(lease)
        case .sync: syncRelaxed(lease)
        case .idle: writeIdle(lease)
        case .dropCheckpoint(let finished): discardFile(of: finished, lease)
        case .beginSegment: beginSegment(lease)
        case .beginKey: beginKey(lease)
        case .end(let error): fail([], error)
        }
        release(lease)
    }

    // MARK: Steps

    private func flush(_ lease: consuming LogLease, _ batch: [StagedCommit]) {
        let log = lease.log
        do throws(StoreError) {
            guard let last = batch.last?.commit.root else { return release(lease) }
            shutGateIfWanted(log)
            try log.checkLock()
            if state.withLock({ $0.takeUnsyncedWish() }) { log.allowUnsynced() }
            measureNodes(lease, with: batch.reduce(Deletions()) { $0 + $1.commit.deletions })
            try log.append(
                batch.map(\.commit.body), version: last.version,
                usesReserve: batch.allSatisfy(\.commit.isDeletion))
            let syncTime = try measuredSync(log)
            try confirmPlace(lease)
            finishFlush(lease, batch, last, syncNanoseconds: syncTime)
        } catch {
            failFlush(lease, batch, error)
        }
    }

    /// Publishes a durable batch and releases the log.
    func finishFlush(
        _ lease: consuming LogLease, _ batch: [StagedCommit], _ last: DatabaseRoot,
        syncNanoseconds: UInt64
    ) {
        for item in batch {
            item.commit.syncTime?.nanoseconds.store(syncNanoseconds, ordering: .relaxed)
        }
        let log = lease.log
        updateWatchers(log)
        log.publish(wakes: isWatched)
        let isWanted = log.lock.isLockedElsewhere(.waiters)
        let spare = log.needsSpareSegment ? log.spareSegment : nil
        publish(last, batch.map { .commit($0.commit.summary, $0.commit.root) })
        let (next, barriers, expected, makesSpare) = release(lease) { state in
            state.isFlushing = false
            state.publishedVersion = last.version
            state.stagedByteCount -= batch.reduce(0) { $0 + $1.weight(options.store) }
            state.lastActivity = IOPool.now()
            state.idleDue = state.lastActivity + options.store.idleDelayNanoseconds
            state.syncDue = nil
            state.wakeDue = nil
            state.shutGate(isWanted: isWanted)
            for item in batch where item.commit.bulk == nil {
                state.checkpoint.deletions += item.commit.deletions
            }
            state.statistics.commits += UInt64(batch.count)
            state.statistics.batches += 1
            state.statistics.syncs += 1
            state.timings?.add(sync: syncNanoseconds)
            state.timings?.add(commit: state.lastActivity - (batch.first?.stagedAt ?? 0))
            state.statistics.appendedByteCount += batch.reduce(0) {
                $0 + UInt64($1.commit.body.count)
            }
            let makesSpare =
                !state.isMakingSpare
                && spare.map { $0.segmentNumber != state.spareRequest } ?? false
            if makesSpare {
                state.spareRequest = spare?.segmentNumber
                state.isMakingSpare = true
            }
            return (
                state.nextTurn(options.store), state.takeBarriers(),
                batch.count + state.waiters.count, makesSpare
            )
        }
        for staged in batch { staged.continuation.resume(returning: nil) }
        for barrier in barriers { barrier.continuation.resume(returning: nil) }
        next?.resume()
        hub.process()
        if makesSpare, let spare { make(spare) }
        if !isWanted { gather(expected: expected) }
    }

    /// Creates the spare segment in a job.
    private func make(_ spare: SpareSegment) {
        IOPool.shared.submitLong {
            spare.make()
            self.wakePump { $0.isMakingSpare = false }
        }
    }

    /// Changes the state, and makes the pump look at it.
    @discardableResult
    func wakePump<Result>(_ change: (inout CoordinatorState) -> Result) -> Result {
        let (result, runsPump, wakesPump) = state.withLock { state in
            (change(&state), state.claimPump(), state.isPumpAsleep)
        }
        if runsPump { startPump() } else if wakesPump { pumpWake.wake() }
        return result
    }

    func failFlush(
        _ lease: consuming LogLease, _ batch: [StagedCommit], _ error: StoreError
    ) {
        fail(batch, error)  // increments the epoch before the log is released
        release(lease) { $0.isFlushing = false }
    }

    /// Prevents turns from starting while the batch is being written if another process is waiting.
    private func shutGateIfWanted(_ log: RealmLog) {
        guard log.lock.isLockedElsewhere(.waiters) else { return }
        state.withLock { $0.shutGate(isWanted: true) }
    }

    /// Waits for writers that were just resumed, which usually come back within microseconds and
    /// can then share a batch. Worthwhile for 2 to 32 writers.
    private func gather(expected: Int) {
        guard expected >= 2, expected <= 32 else { return }
        let deadline = IOPool.now() + options.store.gatherNanoseconds
        while IOPool.now() < deadline {
            if state.withLock({ $0.staged.count >= expected }) { return }
            sched_yield()
        }
    }

    /// Drops everything that isn't published: the batch fails with `error`, later commits with a
    /// definite error (`ioFailed` for `outcomeUnknown`). The head returns to the published root.
    func fail(_ batch: [StagedCommit], _ error: StoreError) {
        let later =
            error.code == .outcomeUnknown
            ? StoreError(
                .ioFailed, "An earlier commit couldn't be written, so this one wasn't either.",
                path: error.path, errno: error.errno) : error
        let published = published
        let (staged, barriers, waiters, next) = state.withLock { state in
            let staged = state.staged
            state.staged = []
            state.stagedByteCount = 0
            state.head = published
            state.epoch += 1
            state.dropReason = later
            if error.code == .fileMoved { state.end(error) }
            if state.log?.isPoisoned == true {
                state.writeFailure = StoreError(
                    .ioFailed,
                    "Writing to the realm failed earlier. \(error.message)", path: error.path,
                    errno: error.errno)
                state.syncDue = nil
                state.idleDue = nil
            }
            let barriers = state.takeBarriers(all: true)
            let waiters = state.writeFailure == nil ? [] : state.waiters.removeAll()
            return (staged, barriers, waiters, state.nextTurn(options.store))
        }
        if let failure = state.withLock({ $0.writeFailure }) {
            options.report(.writingFailed(failure))
            for waiter in waiters { waiter.resume(returning: .failed(failure)) }
        }
        for item in batch { item.continuation.resume(returning: error) }
        for item in staged { item.continuation.resume(returning: later) }
        for barrier in barriers { barrier.continuation.resume(returning: later) }
        next?.resume()
        if error.code == .fileMoved { hub.signalAll() }  // streams end with it
    }

    func syncRelaxed(_ lease: borrowing LogLease) {
        let log = lease.log
        do throws(StoreError) {
            let syncTime = log.durableEnd < log.position ? try measuredSync(log) : nil
            if log.holdsWriter { log.publish(wakes: false) }
            measureNodes(lease)
            state.withLock { state in
                state.syncDue = nil
                state.idleDue = IOPool.now() + options.store.idleDelayNanoseconds
                guard let syncTime else { return }
                state.statistics.syncs += 1
                state.timings?.add(sync: syncTime)
            }
        } catch {
            state.withLock { $0.syncDue = nil }
            fail([], error)
        }
    }

    private func writeIdle(_ lease: borrowing LogLease) {
        do throws(StoreError) {
            try lease.log.checkLock()
            try lease.log.writeIdle()
        } catch {
            fail([], error)
        }
        state.withLock { $0.idleDue = nil }
    }

    private func releaseWriterLock(_ lease: consuming LogLease, isHandOff: Bool) {
        let log = lease.log
        let grants = log.hasLock ? log.lock.load(.grantCount) : 0
        log.releaseWriterLock()
        release(lease) { state in
            guard isHandOff else { return }
            state.statistics.handOffs += 1
            state.grantsAtHandOff = grants
            let wait =
                state.handOffWaitNanoseconds ?? options.store.maximumHandOffWaitNanoseconds
            state.handOffWaitEnd = IOPool.now() + wait
        }
    }
}
