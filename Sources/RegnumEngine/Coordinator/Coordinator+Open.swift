internal import RegnumStore

/// Opening and closing
extension Coordinator {
    /// Returns the coordinator of the realm at the given location: the one open in this process,
    /// which may have other options, or a new one. The log is read on a thread of `IOPool`, once
    /// for all concurrent callers.
    ///
    /// Throws the errors of `RealmLog.open`, or of `RealmLog.openForReading` if read-only; for a
    /// new realm with a seed, those of `RealmContent.readSeed`; `CancellationError` at once if the
    /// task is cancelled while it waits.
    package static func open(_ options: CoordinatorOptions) async throws -> Coordinator {
        try IOPool.shared.prepare()
        switch options.place {
        case .memory(let identifier):
            if let open = CoordinatorRegistry.shared.find(memory: identifier) { return open }
            var root = DatabaseRoot.makeEmpty()
            var timelines = Timelines(root.identity)
            if let forkedRoot = options.forkedRoot {
                root = forkedRoot.forked()
                timelines = (options.forkedTimelines ?? Timelines(root.identity)).forked(
                    after: root.version, as: .random())
            } else if let seedPath = options.seedPath {
                (root, timelines) = try await onPool { () throws(StoreError) in
                    let seed = try RealmContent.readSeed(seedPath, options)
                    return (
                        seed.root,
                        seed.timelines.forked(after: seed.root.version, as: .random())
                    )
                }
            }
            return CoordinatorRegistry.shared.memory(identifier) {
                var options = options
                options.forkedRoot = nil  // not to be held longer than the fork's first version
                return Coordinator(
                    options, log: nil, root: root, timelines: timelines, recovery: nil)
            }
        case .directory(let path):
            try ProcessFork.check()
            if let open = CoordinatorRegistry.shared.find(path, options.fileSystem) { return open }
            return try await openTogether(path, options)
        }
    }

    /// Opens the realm, or waits for another caller that is opening it with equal options.
    private static func openTogether(
        _ path: String, _ options: CoordinatorOptions
    ) async throws -> Coordinator {
        let opening = CoordinatorRegistry.Opening(path, options)
        let (result, isOwn) = try await join(opening, path, options)
        // Another caller's error may refer to a state before this call.
        if !isOwn, case .failure(let error) = result, error.code != .busy {
            return try await join(opening, path, options).result.get()
        }
        return try result.get()
    }

    /// - Returns: the result of the open, and whether this call started it.
    private static func join(
        _ opening: CoordinatorRegistry.Opening, _ path: String, _ options: CoordinatorOptions
    ) async throws -> (result: Result<Coordinator, StoreError>, isOwn: Bool) {
        let registry = CoordinatorRegistry.shared
        let id = nextWaiterID()
        var isOwn = false
        let result: Result<Coordinator, StoreError>? = await withTaskCancellationHandler {
            await withUnsafeContinuation { (opener: CoordinatorRegistry.Opener) in
                isOwn = registry.join(opening, id, opener)
                if Task.isCancelled { registry.cancelWait(opening, id) }
                guard isOwn else { return }
                IOPool.shared.submitLong { perform(opening, path, options) }
            }
        } onCancel: {
            registry.cancelWait(opening, id)
        }
        registry.synchronize()
        guard let result else { throw CancellationError() }
        return (result, isOwn)
    }

    /// Opens the realm for all callers that wait for it, unless all of them are cancelled first.
    private static func perform(
        _ opening: CoordinatorRegistry.Opening, _ path: String, _ options: CoordinatorOptions
    ) {
        var isWanted = true
        let result = Result { () throws(StoreError) in
            try openDirectory(path, options) {
                isWanted = CoordinatorRegistry.shared.isWanted(opening)
                return isWanted
            }
        }
        guard isWanted else { return }
        for opener in CoordinatorRegistry.shared.end(opening) { opener.resume(returning: result) }
    }

    /// Returns whether an in-memory realm with the given identifier is open.
    package static func isOpen(memory identifier: String) -> Bool {
        CoordinatorRegistry.shared.find(memory: identifier) != nil
    }

    /// Runs blocking work of any duration on a thread of `IOPool`.
    static func onPool<Result: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try IOPool.shared.prepare()
        return try await run(body) { IOPool.shared.submitLong($0) }
    }

    /// Returns the result of `body`, a job that `submit` passes to a pool.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Result,
        _ submit: (@escaping IOPool.Job) -> Void
    ) async throws(StoreError) -> Result {
        let result: Swift.Result<Result, StoreError> = await withUnsafeContinuation { waiter in
            submit {
                let result = Swift.Result { () throws(StoreError) in try body() }
                CoordinatorRegistry.shared.synchronize()
                waiter.resume(returning: result)
            }
        }
        CoordinatorRegistry.shared.synchronize()
        return try result.get()
    }

    private static func openDirectory(
        _ path: String, _ options: CoordinatorOptions, isWanted: () -> Bool
    ) throws(StoreError) -> Coordinator {
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let (log, report) = try incoming.preferringIntact { () throws(StoreError) in
            if options.isReadOnly {
                return try RealmLog.openForReading(
                    options.fileSystem, path: path, options: options.store, load: incoming.begin,
                    incoming.apply)
            }
            for attempt in 0... {
                do throws(StoreError) {
                    return try RealmLog.open(
                        options.fileSystem, path: path, options: options.store,
                        seed: RealmContent.seed(options), isWanted: isWanted, load: incoming.begin,
                        incoming.apply)
                } catch {  // another process has just removed the realm
                    guard error.code == .fileNotFound, options.seedPath != nil, attempt < 3 else {
                        throw error
                    }
                }
            }
            preconditionFailure("the last attempt neither returned nor threw")
        }
        let coordinator = CoordinatorRegistry.shared.register(
            path, options.fileSystem, log.identities
        ) {
            Coordinator(options, log: log, root: incoming.root, recovery: report)
        }
        options.report(.opened(report))
        coordinator.scrub?.start { [weak coordinator] in coordinator?.isAt(path) == true }
        return coordinator
    }

    /// Closes the realm for all its users in this process: waiting writers fail with `closed`,
    /// commits in progress are completed, the IDLE record is written, locks are released, and
    /// subscriptions end. The last published version remains readable. Closing twice is harmless.
    package func close() async {
        scrub?.stop()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let (isClosed, waiters, runsPump) = state.withLock { state in
                if state.phase == .closed { return (true, [WaiterQueue.Continuation](), false) }
                state.phase = .closing
                state.closeContinuations.append(continuation)
                return (false, state.waiters.removeAll(), state.claimPump())
            }
            if isClosed { return continuation.resume() }
            for waiter in waiters { waiter.resume(returning: .failed(Self.closedError)) }
            if runsPump { startPump() } else { pumpWake.wake() }
            finishCloseInMemory()
        }
        await scrub?.waitForEnd()
        // For the thread sanitizer, as in `beginWrite`.
        state.withLock { _ in }
    }

    /// Closes as ``close()`` does, after the attached object was released. Returns immediately.
    package func closeSoon() {
        let (runsPump, holder) = attachment.withLock { attachment in
            let holder = attachment.object
            let runsPump = state.withLock { state in
                // The realm may have been opened again in the meantime.
                guard holder == nil, state.phase == .open else { return false }
                state.phase = .closing
                return state.claimPump()
            }
            return (runsPump, holder)
        }
        // Released outside the locks, because this may be the last reference, whose deinit closes
        // too.
        withExtendedLifetime(holder) {}
        if runsPump { startPump() } else { pumpWake.wake() }
        finishCloseInMemory()
    }

    /// Closes as ``close()`` does, unless an object is attached to the realm. Returns whether the
    /// realm is closed.
    package func closeIfUnused() async -> Bool {
        closeSoon()
        guard isClosed else { return false }
        await close()
        return true
    }

    /// Closes an in-memory realm, which has no pump, once no turn is taken.
    func finishCloseInMemory() {
        let isDue = state.withLock { state in
            state.log == nil && state.phase == .closing && !state.isTurnTaken
        }
        if isDue { finishClose() }
    }

    /// Finishes closing, after `settle`. Nothing is staged and no turn is taken.
    func finishClose() {
        let (isFirst, closeContinuations, catchUps, compactions) = state.withLock { state in
            defer { (state.closeContinuations, state.catchUps) = ([], []) }
            let compactions = state.takeCompaction()
            if state.phase == .closed {
                return (false, state.closeContinuations, state.catchUps, compactions)
            }
            state.phase = .closed
            state.log = nil
            state.isGateOpen = false
            state.isPumpRunning = false
            return (true, state.closeContinuations, state.catchUps, compactions)
        }
        for waiter in compactions { waiter.resume(returning: .failure(Self.closedError)) }
        guard isFirst else { return }
        scrub?.stop()
        for waiter in catchUps { waiter.resume(returning: Self.closedError) }
        CoordinatorRegistry.shared.remove(self)
        selfCheck.release()
        hub.close()
        options.report(.closed)
        for continuation in closeContinuations { continuation.resume() }
    }

    /// Syncs relaxed commits, confirms the last ones with an IDLE record if the lock is free, and
    /// releases the locks. The log isn't used again.
    func settle(_ lease: consuming LogLease) {
        let log = lease.log
        defer { log.releaseLocks() }  // it may still be referenced for a moment
        guard !log.isPoisoned, !log.isReadOnly else { return }
        do throws(StoreError) {
            // Relaxed commits are still due to be synced, wherever the files are now.
            if log.durableEnd < log.position { try log.sync() }
            // A process that has begun a segment has synced them, or lost them in a failed sync.
            if log.durableEnd < log.position, state.withLock({ $0.followFailure == nil }) {
                follow(lease)
            }
            if log.isInPlace {
                if let finished = state.withLock({ $0.takeFinished() }) {
                    discardFile(of: finished, lease)
                }
                try checkpointForClosing(lease)
                if !log.endsIdle || log.mayPublishUnsynced,
                    log.holdsWriter || log.tryBecomeWriterIfCurrent()
                {
                    try log.writeIdle()
                    log.disallowUnsynced()
                }
            }
        } catch {
            options.report(.writingFailed(error))
        }
    }

    /// Writes a final checkpoint on close if the log since the last one is long enough, or if most
    /// of the files is garbage, and both locks are free. No job is running.
    func checkpointForClosing(_ lease: borrowing LogLease) throws(StoreError) {
        let log = lease.log
        if log.holdsWriter, state.withLock({ $0.checkpoint.isSegmentDue }) {
            try log.beginSegmentAfterCheckpoint()
        }
        measureNodes(lease)
        let position = log.newestCheckpoint?.position ?? 0
        let isCompaction = options.checkpoint.isOn && isMostlyGarbage(log)
        guard options.checkpoint.isOn, log.position > position,
            log.position - position > options.checkpoint.minimumClosingByteCount
                || state.withLock({ $0.isShrunk(options.checkpoint) }) || isCompaction,
            !state.withLock({ $0.isHealing(log) }),
            log.holdsWriter || log.tryBecomeWriterIfCurrent(),
            var plan = planCheckpoint(lease)
        else { return }
        plan.isTwofold = plan.isTwofold || isCompaction
        plan.compaction = isCompaction ? log.trimming : nil
        defer { log.unlockCheckpoint() }
        var written = isCompaction ? try? writeImages(plan, { _ in true }) : nil
        do throws(StoreError) {
            if written == nil {  // perhaps there is space for a smaller checkpoint
                plan.compaction = nil
                plan.isTwofold = plan.isTwofold && !isCompaction
                written = try writeImages(plan) { _ in true }
            }
        } catch {
            options.report(.checkpointFailed(error))
        }
        guard let written else { return }
        try recording(written, log) { () throws(StoreError) in
            if written.copy != nil { try log.beginSegment(forRecordOf: written.reference) }
            try log.appendCheckpoint(written.reference, copy: written.copy)
        }
        state.withLock { $0.statistics.checkpoints += 1 }
        if written.copy != nil { log.lock.wake() }  // as in `recordCheckpoint`
        try log.beginSegmentAfterCheckpoint()
        do throws(StoreError) {
            try log.trimmingWithOrphans().run()
        } catch {
            options.report(.checkpointFailed(error))
        }
    }

    /// Whether this process has changed the realm, and at most half of the bytes that are needed to
    /// open it are in use: those of the nodes files, and the log since the older checkpoint.
    private func isMostlyGarbage(_ log: RealmLog) -> Bool {
        let limits = options.checkpoint
        let root = published
        let (hasCommitted, deletions) = state.withLock { state in
            (state.statistics.commits > 0, state.checkpoint.deletions)
        }
        guard hasCommitted, !root.needsHealing else { return false }
        let kept = [log.newestCheckpoint, log.olderCheckpoint].compactMap { $0 }
        let before = min(CheckpointLoader.liveByteCount(kept.first, log.nodes), 1 << 50)
        let least = deletions.remainder(of: before, rowCount: root.rowCount)
        var byteCount = log.position - min(log.position, log.olderCheckpoint?.position ?? 0)
        for number in Set(kept.map(\.file)) {
            byteCount += (try? log.nodes.file(number).size()) ?? 0
        }
        func isDue(_ live: UInt64) -> Bool {
            live <= limits.maximumClosingLiveByteCount && byteCount / 2 >= live
                && byteCount - live >= limits.minimumClosingGarbageByteCount
        }
        guard isDue(least), let live = try? root.checkpointByteCount(options.store)
        else { return false }
        return isDue(live)
    }
}
