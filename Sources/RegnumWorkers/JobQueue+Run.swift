internal import FoundationEssentials
internal import Logging
internal import Regnum

extension JobQueue {
    /// Runs the jobs of the queue, until the task is cancelled or the realm is closed.
    ///
    ///     try await queue.run { run in
    ///         try await send(run.job.text, to: run.job.recipient)
    ///     }
    ///
    /// At most ``JobOptions/concurrency`` handlers run at the same time; several calls, in this and
    /// in other processes, share the jobs. When a handler returns, its job is finished. If it
    /// throws, the job is retried according to ``JobOptions/retry`` or the ``JobFailure`` thrown.
    ///
    /// If the task is cancelled, so are the handlers, and the call returns when all of them have
    /// returned. Claimed jobs that weren't started, and those whose handlers then throw an error
    /// other than a ``JobFailure``, are ready again at once, and the attempt doesn't count. If the
    /// realm is closed, nothing more can be written: claims expire, and jobs whose completion
    /// wasn't committed run again.
    ///
    /// Writes that fail with `.busy` or `.diskFull` are retried until the task is cancelled. After
    /// that, the last write, which ends the jobs, is retried for ``JobOptions/timeout``, at most
    /// for half a minute; then their claims expire.
    ///
    /// - Parameter handler: Runs in a separate task. It should return promptly when it is
    ///   cancelled, which also happens to all handlers if the call throws an error. If the process
    ///   was suspended or couldn't write for longer than ``JobOptions/timeout``, its jobs may run
    ///   in another process at the same time; only one of the two can finish a job.
    /// - Throws: `.invalidInput` for invalid settings, or if the realm's `objectTypes` lack the
    ///   class or `Workers.models`; `.readOnly`; `.closed` if the realm was already closed; other
    ///   errors of reads and writes.
    public func run(
        _ handler: @escaping @Sendable (JobRun<T>) async throws -> Void
    ) async throws {
        try await run(until: Wakeup(), handler)
    }

    /// Runs the jobs of the queue like the public method, until `stop` is set. Then no more jobs
    /// are started, claims that weren't started are released, and the call returns when the running
    /// handlers have returned, which aren't cancelled unless the realm is closed. If one throws
    /// `CancellationError`, `.busy` or `.diskFull`, it was interrupted because of the stop: the
    /// attempt doesn't count.
    package func run(
        until stop: Wakeup, _ handler: @escaping @Sendable (JobRun<T>) async throws -> Void
    ) async throws {
        try check()
        guard !realm.isClosed else { throw realm.closedError }
        let board = JobBoard<T>(until: stop)
        var errors = await withTaskGroup(of: Event?.self) { group in
            group.addTask {
                await stop.wait()
                board.wakeup.set()
                return nil
            }
            group.addTask {
                await failure(of: { try await watch(board) }).map { Event.failure($0) }
            }
            group.addTask {
                await failure(of: { try await keepRenewing(board) }).map { Event.failure($0) }
            }
            for _ in 0..<options.concurrency {
                group.addTask {
                    await work(board, until: stop, handler)
                    return nil
                }
            }
            group.addTask {
                .pumpEnd(await failure(of: { try await pump(board, until: stop) }))
            }
            var errors: [any Error] = []
            for await case let event? in group {
                switch event {
                case .failure(let error):
                    errors.append(error)
                    // the other tasks end with the pump
                    board.wakeup.set()
                case .pumpEnd(let error):
                    if let error { errors.append(error) }
                    group.addTask { .handlersEnd(await finishHandlers(board)) }
                case .handlersEnd(let error):
                    if let error { errors.append(error) }
                    group.cancelAll()
                }
                board.close()
                // the handlers of a queue that is to stop finish, unless nothing can be written
                if !stop.isSet || realm.isClosed { group.cancelAll() }
            }
            return errors
        }
        if let error = await endAll(board) { errors.append(error) }
        if let error = errors.first(where: { !($0 is CancellationError) }), !isClosed(error) {
            throw error
        }
    }

    // MARK: Tasks of a run

    /// An event that a task of a run reports.
    private enum Event {
        /// Commits can't be followed, or claims renewed.
        case failure(any Error)
        /// No more jobs are claimed.
        case pumpEnd((any Error)?)
        /// All handlers have returned.
        case handlersEnd((any Error)?)
    }

    /// Runs jobs one after the other.
    private func work(
        _ board: JobBoard<T>, until stop: Wakeup,
        _ handler: @Sendable (JobRun<T>) async throws -> Void
    ) async {
        while let claim = await board.next() {
            do {
                if options.prefetch > 0, !(await isValid(claim)) {
                    board.settle(claim.claimed)
                    board.end(claim, .released)
                    continue
                }
                try Task.checkCancellation()
                if stop.isSet {
                    board.end(claim, .released)
                    continue
                }
                let run = JobRun(queue: self, claim: claim, board: board)
                try await run.inSpan { try await handler(run) }
                board.end(claim, .done)
            } catch let error where !hasFailed(error) {
                board.end(claim, .released)
            } catch let error where stop.isSet && isInterruption(error) {
                board.end(claim, .released)
            } catch {
                // not an error after the job was finished
                if board.end(claim, JobOutcome(error)) { log(claim, error) }
            }
        }
    }

    /// Whether a claim is still valid: a job can be deleted while it waits for a handler.
    private func isValid(_ claim: JobClaim<T>) async -> Bool {
        do {
            return try await realm.read { [table] tx in table.job(of: claim.claimed, tx) != nil }
        } catch {
            // the handler and the pump meet it too
            return true
        }
    }

    /// Writes the ends of jobs and claims others, whenever there are any.
    private func pump(_ board: JobBoard<T>, until stop: Wakeup) async throws {
        var failureCount = 0
        while !Task.isCancelled, !realm.isClosed {
            // before looking, so that what happens from now on ends the wait
            board.wakeup.clear()
            if stop.isSet { return }
            // before the ends: a claim that ends in between may be among both, but not missing
            let held = board.held
            let (ended, busyCount, waitingCount) = board.takeEnded()
            let capacity = self.capacity(busyCount, waitingCount)
            do {
                if ended.isEmpty {
                    let wait =
                        capacity.count > 0 ? try await timeToNextClaim() : capacity.wait
                    if wait > .zero {
                        await board.wakeup.wait(for: wait, clock: options.time.clock)
                        continue
                    }
                }
                let (claims, lost) = try await limited(endLimit(options.timeout), after: stop) {
                    try await exchange(
                        ended, claimUpTo: capacity.count, beginning: capacity.beginning,
                        keeping: held)
                }
                board.add(claims)
                for id in lost { logLost(id) }
                failureCount = 0
                if claims.isEmpty, ended.isEmpty {
                    // Others took the jobs, the first one has to wait until a handler is free, or
                    // none is due any longer because the clock was set back.
                    let wait = try await timeToNextDue()
                    await board.wakeup.wait(for: wait, clock: options.time.clock)
                }
            } catch {
                board.putBack(ended)
                guard isTransient(error) else { throw error }
                failureCount += 1
                log(error)
                let delay = RetryPolicy.writes.delay(afterAttempt: failureCount)
                await stop.wait(for: delay, clock: options.time.clock)
            }
        }
    }

    /// The number of jobs to claim now, how many of them begin at once, and the time after which to
    /// look again if it is zero. Claims in advance are only made again when half of them are used
    /// up.
    private func capacity(
        _ busyCount: Int, _ waitingCount: Int
    ) -> (count: Int, beginning: Int, wait: Duration) {
        let limit = WorkerTime.maximumWait
        guard waitingCount <= options.prefetch / 2 else { return (0, 0, limit) }
        // jobs that are claimed together hold a version, whose release wakes nobody
        guard realm.hasRoomForVersions else {
            return busyCount + waitingCount == 0 ? (1, 1, limit) : (0, 0, .seconds(1))
        }
        let free = options.concurrency - busyCount - waitingCount
        return (max(free + options.prefetch, 0), max(free, 0), limit)
    }

    /// Returns zero if there are jobs to claim, otherwise the time until the next one is due.
    private func timeToNextClaim() async throws -> Duration {
        try await realm.read { [table, options] tx in
            if table.isPaused(tx) { return WorkerTime.maximumWait }
            if table.count(.ready, tx) > 0 { return .zero }
            return table.timeToNextDue(options.time.now(), limit: WorkerTime.maximumWait, tx)
        }
    }

    /// Returns the time until the next job is due, whether or not others are ready.
    private func timeToNextDue() async throws -> Duration {
        try await realm.read { [table, options] tx in
            table.timeToNextDue(options.time.now(), limit: WorkerTime.maximumWait, tx)
        }
    }

    /// Wakes the pump for each commit that changes jobs, in any process. Throws when the realm is
    /// closed.
    private func watch(_ board: JobBoard<T>) async throws {
        let names: Set<String> = [table.name, "\(RegnumJobQueueRecord.self)"]
        try await realm.watch(names, setting: board.wakeup)
    }

    /// Renews the claims of all jobs, so that they last while the process lives.
    private func keepRenewing(_ board: JobBoard<T>) async throws {
        while !Task.isCancelled {
            try await options.time.clock.sleep(for: min(options.timeout / 3, .longestWait))
            try await renewHeld(board)
        }
    }

    /// Renews the claims of all jobs once, and logs a transient error.
    private func renewHeld(_ board: JobBoard<T>, isLast: Bool = false) async throws {
        do {
            let held = board.held
            let lost =
                isLast
                ? try await uncancelled(for: endLimit(options.timeout), isLast: true) {
                    try await renew(held)
                } : try await renew(held)
            // not the claims that were ended while the write was waiting
            for claim in lost where board.settle(claim) { logLost(claim.id) }
        } catch {
            guard isTransient(error) else { throw error }
            log(error)
        }
    }

    /// Writes the ends of jobs, and renews the claims of the others, until the last handler has
    /// returned, which may take long. Otherwise jobs that were done would run again elsewhere.
    /// Returns the first error that isn't transient; it doesn't end the wait for the handlers.
    private func finishHandlers(_ board: JobBoard<T>) async -> (any Error)? {
        await failure(of: {
            // a task that isn't cancelled
            try await Task {
                var error: (any Error)?
                while board.busyCount > 0, !realm.isClosed {
                    board.wakeup.clear()
                    if let next = await failure(of: { try await writeEnds(board) }) {
                        log(next)
                        error = error ?? next
                    }
                    if board.busyCount == 0 { break }
                    let limit = min(options.timeout / 3, .longestWait)
                    await board.wakeup.wait(for: limit, clock: options.time.clock)
                }
                if let error { throw error }
            }.value
        })
    }

    /// Writes the ends of jobs, releases those that weren't begun, and renews the other claims.
    private func writeEnds(_ board: JobBoard<T>) async throws {
        let ended = board.takeEnded().ended + board.takeWaiting()
        do {
            let lost = try await uncancelled(for: endLimit(options.timeout), isLast: true) {
                try await exchange(ended, claimUpTo: 0).lost
            }
            for id in lost { logLost(id) }
        } catch {
            board.putBack(ended)
            guard isTransient(error) else { throw error }
            log(error)
            return
        }
        try await renewHeld(board, isLast: true)
    }

    /// Writes the ends of the jobs that have ended, and releases all others. If that fails with a
    /// transient error, it is repeated for some time, but not after the claims have expired.
    /// Returns other errors.
    private func endAll(_ board: JobBoard<T>) async -> (any Error)? {
        let ended = board.takeEnded().ended + board.held.map { ($0, .released) }
        if ended.isEmpty || realm.isClosed { return nil }
        let error = await failure(of: {
            let limit = endLimit(options.timeout)
            try await uncancelled(for: limit, isLast: true) {
                _ = try await repeating(options.time.clock, for: limit) { error in
                    log(error)
                } _: {
                    try await exchange(ended, claimUpTo: 0)
                }
            }
        })
        guard let error, isTransient(error) else { return error }
        options.logger?.warning(
            "The claims of \(ended.count) \(table.name) jobs couldn't be ended: \(error)")
        return nil
    }

    // MARK: Errors

    private func isClosed(_ error: any Error) -> Bool {
        (error as? Realm.Error)?.code == .closed
    }

    private func log(_ claim: JobClaim<T>, _ error: any Error) {
        var isLast = claim.attempt >= options.retry.attempts
        if case .permanent? = error as? JobFailure { isLast = true }
        options.logger?.log(
            level: isLast ? .error : .debug,
            "Attempt \(claim.attempt) at the job \(table.name) \(claim.id) failed: \(error)")
    }

    private func logLost(_ id: ObjectId) {
        options.logger?.warning(
            "The claim of \(table.name) \(id) was lost: the job was deleted, or may run twice.")
    }

    private func log(_ error: any Error) {
        options.logger?.warning(
            "The queue \(table.name) couldn't write, and will try again: \(error)")
    }
}
