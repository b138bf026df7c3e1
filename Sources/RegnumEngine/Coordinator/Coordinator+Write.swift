internal import Glibc
package import RegnumStore
internal import Synchronization

/// The steps of a transaction: turn, commit or abandon, publication.
extension Coordinator {
    /// Waits for the turn to write: for earlier writers, for the writer lock of other processes,
    /// and while 16 MiB are on their way to the disk. Writers are served in order of arrival.
    ///
    /// Returns without suspending if the turn is available. After a failed write or sync, the log
    /// first continues in a new segment.
    ///
    /// Throws `CancellationError`; `closed`; `busy` after the timeout; `ioFailed` and `diskFull` if
    /// the writer lock was free but the log couldn't be repaired; `invalidDatabase` if this process
    /// couldn't read the commits of others.
    ///
    /// - Parameter place: the call site of the write, for messages.
    package func beginWrite(
        timeoutNanoseconds: UInt64? = nil, place: CallPlace? = nil
    ) async throws -> WriteTurn {
        if let turn = try tryBeginWrite(place) { return turn }
        let id = Self.nextWaiterID()
        let deadline = timeoutNanoseconds.map { timeout in
            let (sum, isOver) = IOPool.now().addingReportingOverflow(timeout)
            return isOver ? UInt64.max : sum
        }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { enqueueWaiter(id, deadline: deadline, place, $0) }
        } onCancel: {
            cancelWaiter(id, .cancelled)
        }
        // The thread sanitizer doesn't see the ordering by a continuation that is resumed just
        // before its task suspends, but it does see the ordering by the lock.
        state.withLock { _ in }
        switch outcome {
        case .turn(let turn): return turn
        case .failed(let error): throw error
        case .cancelled: throw CancellationError()
        }
    }

    /// Stages the commit, releases the turn and returns when the commit is published: after its
    /// sync, or with `.relaxed` after it was written to the log.
    ///
    /// Throws `diskFull` and `ioFailed` if the commit is certainly not in the realm, and
    /// `outcomeUnknown` if that is decided by the next open; `busy`, or `CancellationError`, for a
    /// bulk commit that waited for another process's checkpoint.
    ///
    /// - Returns: whether it waited; false if the commit was published on the caller's thread.
    @discardableResult
    package func commit(
        _ turn: WriteTurn, _ commit: Commit, durability: Durability
    ) async throws -> Bool {
        selfCheck.check(commit, on: turn.base)
        if case .relaxed(let delay) = durability, try commitInline(turn, commit, syncWithin: delay)
        {
            return false
        }
        if commit.bulk != nil {
            try await commitBulk(turn, commit)
        } else if let failure = await withUnsafeContinuation({ stage(turn, commit, nil, $0) }) {
            throw failure
        }
        if case .memory = options.place { return false }
        return true
    }

    /// Stages a bulk commit and waits for it. Cancelling the task ends its wait for another
    /// process's checkpoint.
    private func commitBulk(_ turn: WriteTurn, _ commit: Commit) async throws {
        let isCancelled = CancellationFlag()
        let failure: StoreError? = await withTaskCancellationHandler {
            await withUnsafeContinuation { stage(turn, commit, isCancelled, $0) }
        } onCancel: {
            isCancelled.set()
        }
        guard let failure else { return }
        if failure.code == .busy { try Task.checkCancellation() }
        throw failure
    }

    /// Releases the turn without a commit, and returns when everything that the body read is
    /// published. Throws the error that prevented publication.
    package func abandon(_ turn: WriteTurn) async throws(StoreError) {
        let isPublished = state.withLock { state in
            state.epoch == turn.epoch && state.publishedVersion >= turn.base.version
        }
        if isPublished {
            finishTurn()
            return
        }
        let failure = await withUnsafeContinuation { continuation in
            let answer: StoreError?? = state.withLock { state in
                if state.epoch != turn.epoch { return .some(state.dropReason) }
                if state.publishedVersion >= turn.base.version { return .some(nil) }
                state.barriers.append(
                    Barrier(version: turn.base.version, continuation: continuation))
                return nil
            }
            finishTurn()
            if let answer { continuation.resume(returning: answer) }
        }
        if let failure { throw failure }
    }

    // MARK: The gate

    private func tryBeginWrite(_ place: CallPlace?) throws(StoreError) -> WriteTurn? {
        var turn: WriteTurn?
        let lease = try state.withLock { state throws(StoreError) -> LogLease? in
            if let failure = state.refusal { throw failure }
            turn = state.acquireTurn(options.store, place)
            guard turn == nil, !state.isGateOpen, !state.isTurnTaken, state.waiters.isEmpty,
                !state.isLogLeased, !state.isPumpRunning, let log = state.log
            else { return nil }
            return state.lease(log)
        }
        guard let lease else { return turn }
        return acquireLockInline(lease, place)
    }

    /// Acquires the writer lock on the caller's thread if that needs no disk access and no other
    /// process is waiting for it.
    private func acquireLockInline(
        _ lease: consuming LogLease, _ place: CallPlace?
    ) -> WriteTurn? {
        let log = lease.log
        let isWriter = !log.lock.isLockedElsewhere(.waiters) && log.tryBecomeWriterIfCurrent()
        let (turn, runsPump) = release(lease) { state -> (WriteTurn?, Bool) in
            if isWriter {
                state.isGateOpen = true
                state.statistics.grants += 1
                state.lastActivity = IOPool.now()
            }
            let turn = isWriter ? state.acquireTurn(options.store, place) : nil
            return (turn, state.claimPump())
        }
        if runsPump { startPump() }
        return turn
    }

    private func enqueueWaiter(
        _ id: UInt64, deadline: UInt64?, _ place: CallPlace?,
        _ continuation: UnsafeContinuation<TurnOutcome, Never>
    ) {
        let now = IOPool.now()
        var runsPump = false
        var timer: UInt64?
        var notice: UInt64?
        var holder: WriteHolder?
        let outcome: TurnOutcome? = state.withLock { state in
            if let failure = state.refusal { return .failed(failure) }
            if Task.isCancelled { return .cancelled }
            if let turn = state.acquireTurn(options.store, place) { return .turn(turn) }
            if let deadline, deadline <= now {
                holder = state.holder
                return nil
            }
            state.waiters.append(
                id: id, since: now, deadline: deadline, place: place, continuation)
            runsPump = state.claimPump()
            timer = state.claimWaiterTimer()
            notice = state.claimNotice(now, options.waitNoticeNanoseconds)
            return nil
        }
        if let holder { return continuation.resume(returning: .failed(Self.busyError(holder))) }
        if let outcome { continuation.resume(returning: outcome) }
        if runsPump { startPump() }
        if let timer { startWaiterTimer(at: timer) }
        if let notice { startNoticeTimer(at: notice) }
    }

    private func cancelWaiter(_ id: UInt64, _ outcome: TurnOutcome) {
        let waiter = state.withLock { $0.waiters.remove(id: id) }
        waiter?.resume(returning: outcome)
    }

    /// Passes the turn to the next writer, if one may have it.
    package func finishTurn() {
        let now = IOPool.now()
        let log = state.withLock { $0.isWaitersCheckDue(now) ? $0.log : nil }
        let isWanted = log?.lock.isLockedElsewhere(.waiters) ?? false
        let (next, runsPump) = state.withLock { state -> (NextTurn?, Bool) in
            state.isTurnTaken = false
            state.lastActivity = now
            state.shutGate(isWanted: isWanted)
            return (state.nextTurn(options.store), state.claimPump())
        }
        next?.resume()
        if runsPump { startPump() }
        finishCloseInMemory()
    }

    private static let waiterIDs = Atomic<UInt64>(0)
    static func nextWaiterID() -> UInt64 {
        waiterIDs.wrappingAdd(1, ordering: .relaxed).newValue
    }

    // MARK: Staging

    private func stage(
        _ turn: WriteTurn, _ commit: Commit, _ isCancelled: CancellationFlag?,
        _ continuation: UnsafeContinuation<StoreError?, Never>
    ) {
        let item = StagedCommit(
            commit: commit, isCancelled: isCancelled, continuation: continuation)
        let (answer, next, runsPump, wakesPump) = state.withLock { state in
            let answer = enter(turn, item, &state)
            state.isTurnTaken = false
            let next = state.nextTurn(options.store)
            return (answer, next, state.claimPump(), state.isPumpAsleep)
        }
        switch answer {
        case .staged: break
        case .published: continuation.resume(returning: nil)
        case .failed(let error): continuation.resume(returning: error)
        }
        next?.resume()
        if runsPump { startPump() } else if wakesPump { pumpWake.wake() }
        if case .published = answer { hub.process() }
        finishCloseInMemory()
    }

    private enum Staging {
        case staged
        case published
        case failed(StoreError?)
    }

    private func enter(
        _ turn: WriteTurn, _ item: StagedCommit, _ state: inout CoordinatorState
    ) -> Staging {
        guard state.epoch == turn.epoch else { return .failed(state.dropReason) }
        let commit = item.commit
        state.head = commit.root
        guard state.log != nil else {  // in memory: published immediately
            state.publishedVersion = commit.root.version
            state.statistics.commits += 1
            publish(commit.root, [.commit(commit.summary, commit.root)])
            return .published
        }
        state.lastActivity = IOPool.now()
        var item = item
        item.stagedAt = state.lastActivity
        state.staged.append(item)
        state.stagedByteCount += item.weight(options.store)
        return .staged
    }

    /// Writes a relaxed commit to the log on the caller's thread, if nothing is staged or in flight
    /// (it would have to wait for that) and no new segment is needed (which would wait for the
    /// disk), and if `LOCK` says that there are such commits (the next batch sees to that).
    ///
    /// Returns false if the commit must join a batch instead.
    private func commitInline(_ turn: WriteTurn, _ commit: Commit, syncWithin delay: UInt64)
        throws(StoreError) -> Bool
    {
        if commit.bulk != nil { return false }
        let needed = UInt64(options.store.recordByteCount(ofBody: commit.body.count))
        let now = IOPool.now()
        var wakes = false
        var checksWatchers = false
        var checksWaiters = false
        let lease = state.withLock { state -> LogLease? in
            guard let log = state.log, state.epoch == turn.epoch, state.staged.isEmpty,
                !state.isFlushing, !state.isLogLeased, log.holdsWriter, !log.isPoisoned,
                log.roomByteCount >= needed,
                log.position - log.durableEnd + needed <= options.store.maximumWindowByteCount
            else { return nil }
            guard log.mayPublishUnsynced else {
                state.isUnsyncedWanted = true
                return nil
            }
            wakes = now - state.lastWake >= Self.wakeIntervalNanoseconds
            if wakes { state.lastWake = now } else { state.wakeDue = state.wakeDue ?? now }
            checksWatchers = state.isWatchersCheckDue(now)
            checksWaiters = state.isWaitersCheckDue(now)
            return state.lease(log)
        }
        guard let lease else { return false }
        let log = lease.log
        do {
            try log.append([commit.body], version: commit.root.version)
            if checksWaiters { try confirmPlace(lease) }
        } catch {
            fail([], error)
            release(lease)
            finishTurn()
            throw error
        }
        if checksWatchers { updateWatchers(log) }
        log.publish(wakes: wakes && isWatched)
        let isWanted = checksWaiters && log.lock.isLockedElsewhere(.waiters)
        publish(commit.root, [.commit(commit.summary, commit.root)])
        let (next, runsPump) = release(lease) { state -> (NextTurn?, Bool) in
            state.isTurnTaken = false
            state.head = commit.root
            state.publishedVersion = commit.root.version
            state.lastActivity = now
            state.syncDue = min(state.syncDue ?? .max, now + delay)
            state.shutGate(isWanted: isWanted)
            state.checkpoint.deletions += commit.deletions
            state.statistics.commits += 1
            state.statistics.batches += 1
            state.timings?.add(commit: IOPool.now() - now)
            state.statistics.appendedByteCount += UInt64(commit.body.count)
            return (state.nextTurn(options.store), state.claimPump())
        }
        next?.resume()
        if runsPump { startPump() }
        hub.process()
        return true
    }

    /// The minimum interval between wake counter writes for relaxed commits; a trailing write
    /// follows.
    static let wakeIntervalNanoseconds: UInt64 = 200_000
}

/// A turn granted to a queued writer, which is resumed outside the lock.
struct NextTurn {
    var continuation: UnsafeContinuation<TurnOutcome, Never>
    var turn: WriteTurn

    func resume() { continuation.resume(returning: .turn(turn)) }
}

extension CoordinatorState {
    /// The reason why a write can't begin at all.
    var refusal: StoreError? {
        if phase != .open { return Coordinator.closedError }
        if isReadOnly { return Coordinator.readOnlyError }
        if log != nil, ProcessFork.isChild { return ProcessFork.error }
        return moved ?? followFailure
    }

    private func mayEnter(_ options: StoreOptions) -> Bool {
        isGateOpen && !isTurnTaken && stagedByteCount < options.maximumWindowByteCount / 2
            && !isSwapDue && writeFailure == nil && refusal == nil
    }

    /// Takes the turn if it is free and no writer is waiting for it.
    mutating func acquireTurn(_ options: StoreOptions, _ place: CallPlace? = nil) -> WriteTurn? {
        guard waiters.isEmpty, mayEnter(options) else { return nil }
        isTurnTaken = true
        turnPlace = place
        return WriteTurn(base: head, epoch: epoch)
    }

    /// Grants the turn to the first waiting writer.
    mutating func nextTurn(_ options: StoreOptions) -> NextTurn? {
        guard mayEnter(options), let waiter = waiters.popFirst() else { return nil }
        isTurnTaken = true
        turnPlace = waiter.place
        timings?.add(wait: IOPool.now() - waiter.since)
        return NextTurn(
            continuation: waiter.continuation, turn: WriteTurn(base: head, epoch: epoch))
    }

    /// Returns whether the caller must start the pump. Realms in memory have none.
    mutating func claimPump() -> Bool {
        guard log != nil, !isPumpRunning else { return false }
        isPumpRunning = true
        return true
    }
}
