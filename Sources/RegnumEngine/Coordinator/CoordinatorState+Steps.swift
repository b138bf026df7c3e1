internal import RegnumStore

extension CoordinatorState {
    /// Returns the most urgent step. `acquire` leases the log itself.
    mutating func nextStep(_ log: RealmLog, _ all: CoordinatorOptions) -> Coordinator.Step {
        let options = all.store
        let now = IOPool.now()
        if isLogLeased {  // a writer is using it inline, for microseconds
            return .linger(until: now + 20_000)
        }
        if let error = dueEnd { return use(log, .end(error)) }
        if let due = wakeDue, now >= due + Coordinator.wakeIntervalNanoseconds {
            wakeDue = nil
            return .wake
        }
        if let step = checkpointStep(log, all, now) { return step }
        // Before staged commits, of which there may always be some.
        if !catchUps.isEmpty { return use(log, .catchUp) }
        if let first = staged.first {
            if first.commit.bulk != nil, checkpoint.isStaged {
                checkpoint.isStaged = false
                checkpoint.isBusy = false
            }
            if first.commit.bulk != nil, checkpoint.isBusy {
                checkpoint.isCancelled = true  // superseded by the bulk commit; its end wakes us
                return .linger(until: now + 1_000_000_000)
            }
            isFlushing = true
            if first.commit.bulk != nil { return use(log, .flushBulk(staged.removeFirst())) }
            return use(log, .flush(takeBatch(options)))
        }
        if writeFailure == nil, let due = syncDue, due <= now { return use(log, .sync) }
        if phase != .open, !isTurnTaken {
            if checkpoint.isBusy {
                checkpoint.isCancelled = true
                return .linger(until: now + 1_000_000_000)
            }
            if isMakingSpare { return .linger(until: now + 1_000_000_000) }  // its end wakes us
            return .close(lease(log))
        }
        if isHandOffDue {
            if isTurnTaken { return awaitTurn(options, now) }
            isHandOffDue = false
            isGateOpen = false
            return use(log, .releaseWriterLock(isHandOff: true))
        }
        if writeFailure == nil, !isGateOpen, needsWriter { return .acquire }
        if writeFailure != nil, !isGateOpen, followFailure == nil, !waiters.isEmpty {
            return use(log, .revive)
        }
        if isHinted, !isGateOpen, followFailure == nil, followRetry?.isDue ?? true {
            isHinted = false
            return use(log, .follow)
        }
        if isGateOpen { return openGateStep(log, options, now) }
        return idleStep(log, now)
    }

    /// Leases the log for a step.
    mutating func use(_ log: RealmLog, _ step: Coordinator.LogStep) -> Coordinator.Step {
        .use(lease(log), step)
    }

    private mutating func openGateStep(
        _ log: RealmLog, _ options: StoreOptions, _ now: UInt64
    ) -> Coordinator.Step {
        if isTurnTaken { return awaitTurn(options, now) }
        let isWanted = log.lock.isLockedElsewhere(.waiters)
        if isWanted || writeFailure != nil || now >= lastActivity + options.lingerNanoseconds {
            if let due = idleDue, due <= now, !isWanted, writeFailure == nil {
                return use(log, .idle)
            }
            isGateOpen = false
            return use(log, .releaseWriterLock(isHandOff: isWanted))
        }
        return .linger(
            until: min(nextDue ?? .max, lastActivity + options.lingerNanoseconds))
    }

    /// Waits for the turn to end. A long body must not occupy a thread of the pool; its end
    /// restarts the pump.
    private mutating func awaitTurn(_ options: StoreOptions, _ now: UInt64) -> Coordinator.Step {
        if now > lastActivity + options.lingerNanoseconds { return stop(nextDue) }
        return .linger(until: lastActivity + options.lingerNanoseconds + 1)
    }

    /// Shuts the gate if another process is waiting for the writer lock, so that no further turn
    /// begins here before that process has had its own.
    mutating func shutGate(isWanted: Bool) {
        guard isWanted, isGateOpen else { return }
        isGateOpen = false
        isHandOffDue = true
    }

    /// Returns whether to check again if another process is waiting, which takes a system call.
    mutating func isWaitersCheckDue(_ now: UInt64) -> Bool {
        guard log != nil, isGateOpen, now - lastWaitersCheck > 50_000 else { return false }
        lastWaitersCheck = now
        return true
    }

    /// Returns whether to check again if another process is watching.
    mutating func isWatchersCheckDue(_ now: UInt64) -> Bool {
        guard now - lastWatchersCheck > 1_000_000 else { return false }
        lastWatchersCheck = now
        return true
    }

    private mutating func idleStep(_ log: RealmLog, _ now: UInt64) -> Coordinator.Step {
        guard writeFailure == nil else { return stop(nextRetry(log)) }
        if wakeDue != nil {
            wakeDue = nil
            return .wake
        }
        if let due = idleDue, due <= now {
            if followFailure == nil, log.isCurrent(), !log.endsIdle { return .acquire }
            idleDue = nil  // later records of another process confirm ours
        }
        let next = min(idleDue ?? .max, nextDue ?? .max, nextRetry(log) ?? .max)
        return stop(next == .max ? nil : next)
    }

    /// The time at which relaxed commits need their sync or wake-up.
    private var nextDue: UInt64? {
        let wake = wakeDue.map { $0 + Coordinator.wakeIntervalNanoseconds } ?? .max
        let next = min(wake, writeFailure == nil ? syncDue ?? .max : .max)
        return next == .max ? nil : next
    }

    /// The time of the next retry after a failure. The writer lock isn't acquired while the log
    /// can't be written.
    private func nextRetry(_ log: RealmLog) -> UInt64? {
        guard followFailure == nil, phase == .open else { return nil }
        let follow = isHinted ? followRetry?.retryAt ?? .max : .max
        let mayAcquire = checkpoint.finished != nil && writeFailure == nil
        let acquire = mayAcquire ? acquireRetry?.retryAt ?? .max : .max
        let reload = healingRetry(log) ?? .max
        let next = min(follow, acquire, reload, compactionRetry ?? .max)
        return next == .max ? nil : next
    }

    mutating func stop(_ until: UInt64?) -> Coordinator.Step {
        isPumpRunning = false
        return .stop(until: until)
    }

    /// Returns whether a relaxed commit was synced for lack of a note in `LOCK`, once.
    mutating func takeUnsyncedWish() -> Bool {
        defer { isUnsyncedWanted = false }
        return isUnsyncedWanted
    }

    private mutating func takeBatch(_ options: StoreOptions) -> [StagedCommit] {
        var byteCount: UInt64 = 0
        var count = 0
        for item in staged {
            if item.commit.bulk != nil { break }
            byteCount += UInt64(options.recordByteCount(ofBody: item.commit.body.count))
            if count > 0, byteCount > options.maximumWindowByteCount { break }
            count += 1
        }
        if count == staged.count {
            defer { staged = [] }
            return staged
        }
        let batch = Array(staged[..<count])
        staged.removeFirst(count)
        return batch
    }

    /// Removes and returns the barriers whose version is published.
    mutating func takeBarriers(all: Bool = false) -> [Barrier] {
        if barriers.isEmpty { return [] }
        let ready = barriers.filter { all || $0.version <= publishedVersion }
        barriers.removeAll { all || $0.version <= publishedVersion }
        return ready
    }
}
