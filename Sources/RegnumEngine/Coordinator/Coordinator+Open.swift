package import RegnumStore

/// Opening and closing.
extension Coordinator {
    /// The coordinator of the realm at that place: the one that is open in this process, which may
    /// have other options, or a new one. The log is read on a thread of `IOPool`, once for all who open
    /// the realm at the same time.
    ///
    /// Throws what `RealmLog.open` throws, for reading what `RealmLog.openForReading` throws; for a
    /// new realm with a seed what `RealmContent.read` throws.
    package static func open(_ options: CoordinatorOptions) async throws(StoreError)
        -> Coordinator
    {
        try IOPool.shared.prepare()
        switch options.place {
        case .memory(let identifier):
            if let open = CoordinatorRegistry.shared.find(memory: identifier) { return open }
            var root = DatabaseRoot.makeEmpty()
            if let seedPath = options.seedPath {
                root = try await onPool { () throws(StoreError) in
                    try RealmContent.read(seedPath, options).root
                }
            }
            return CoordinatorRegistry.shared.memory(identifier) {
                Coordinator(options, log: nil, root: root, recovery: nil)
            }
        case .directory(let path):
            try ProcessFork.check()
            if let open = CoordinatorRegistry.shared.find(path, options.fileSystem) { return open }
            return try await openTogether(path, options)
        }
    }

    /// Opens the realm, or waits for whoever is just opening it in the same way.
    private static func openTogether(_ path: String, _ options: CoordinatorOptions)
        async throws(StoreError) -> Coordinator
    {
        let opening = CoordinatorRegistry.Opening(path, options)
        let (result, isOwn) = await join(opening, path, options)
        // another's error may be of what was there before this call
        if !isOwn, case .failure(let error) = result, error.code != .busy {
            return try await join(opening, path, options).result.get()
        }
        return try result.get()
    }

    /// - Returns: what the opening led to, and whether it began with this call.
    private static func join(
        _ opening: CoordinatorRegistry.Opening, _ path: String, _ options: CoordinatorOptions
    ) async -> (result: Result<Coordinator, StoreError>, isOwn: Bool) {
        var isOwn = false
        let result: Result<Coordinator, StoreError> = await withUnsafeContinuation { opener in
            isOwn = CoordinatorRegistry.shared.join(opening, opener)
            guard isOwn else { return }
            IOPool.shared.submitLong {
                let result = Result { () throws(StoreError) in try openDirectory(path, options) }
                for opener in CoordinatorRegistry.shared.end(opening) {
                    opener.resume(returning: result)
                }
            }
        }
        CoordinatorRegistry.shared.synchronize()
        return (result, isOwn)
    }

    /// Whether a realm of that name is in memory.
    package static func isOpen(memory identifier: String) -> Bool {
        CoordinatorRegistry.shared.find(memory: identifier) != nil
    }

    /// Runs what blocks on a thread of `IOPool`, for as long as it takes.
    static func onPool<Result: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try IOPool.shared.prepare()
        let result: Swift.Result<Result, StoreError> = await withUnsafeContinuation { waiter in
            IOPool.shared.submitLong {
                waiter.resume(returning: Swift.Result { () throws(StoreError) in try body() })
            }
        }
        CoordinatorRegistry.shared.synchronize()
        return try result.get()
    }

    private static func openDirectory(_ path: String, _ options: CoordinatorOptions)
        throws(StoreError) -> Coordinator
    {
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let log: RealmLog
        let report: RecoveryReport
        if options.isReadOnly {
            (log, report) = try RealmLog.openForReading(
                options.fileSystem, path: path, options: options.store, load: incoming.begin,
                incoming.apply)
        } else {
            (log, report) = try RealmLog.open(
                options.fileSystem, path: path, options: options.store,
                seed: RealmContent.seed(options), load: incoming.begin, incoming.apply)
        }
        let coordinator = CoordinatorRegistry.shared.register(
            path, options.fileSystem, log.identities
        ) {
            Coordinator(options, log: log, root: incoming.root, recovery: report)
        }
        options.report(.opened(report))
        return coordinator
    }

    /// Closes the realm for everybody in this process: writers that wait fail with `closed`, commits
    /// under way are finished, the IDLE record is written, locks are given back, subscriptions end.
    /// The last published version stays readable. Closing twice is harmless.
    package func close() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let (isClosed, waiters, runsPump) = state.withLock { state in
                if state.phase == .closed { return (true, [TurnContinuation](), false) }
                state.phase = .closing
                state.closers.append(continuation)
                return (false, state.waiters.removeAll(), state.claimPump())
            }
            if isClosed { return continuation.resume() }
            for waiter in waiters { waiter.resume(returning: .failed(Self.closedError)) }
            if runsPump { startPump() } else { pumpWake.wake() }
            finishCloseInMemory()
        }
        // for the thread sanitizer, as in `beginWrite`
        state.withLock { _ in }
    }

    /// As ``close()``, when what was attached is gone. Returns at once.
    package func closeSoon() {
        let (runsPump, holder) = attachment.withLock { attachment in
            let holder = attachment.object
            let runsPump = state.withLock { state in
                // somebody may have opened the realm again meanwhile
                guard holder == nil, state.phase == .open else { return false }
                state.phase = .closing
                return state.claimPump()
            }
            return (runsPump, holder)
        }
        // let go of outside of the locks: this may be the last one, and closes in its turn
        withExtendedLifetime(holder) {}
        if runsPump { startPump() } else { pumpWake.wake() }
        finishCloseInMemory()
    }

    /// Without a log there is no pump: the realm is closed when no turn is out.
    func finishCloseInMemory() {
        let isDue = state.withLock { state in
            state.log == nil && state.phase == .closing && !state.isTurnTaken
        }
        if isDue { finishClose(nil) }
    }

    private typealias TurnContinuation = UnsafeContinuation<TurnOutcome, Never>

    /// The pump owns the log, nothing is staged and no turn is out.
    func finishClose(_ log: RealmLog?) {
        if let log {
            settle(log)
            log.leave()  // somebody may still hold it for a moment
        }
        let closers = state.withLock { state -> [UnsafeContinuation<Void, Never>]? in
            guard state.phase != .closed else { return nil }
            state.phase = .closed
            state.log = nil
            state.isGateOpen = false
            state.isPumpRunning = false
            defer { state.closers = [] }
            return state.closers
        }
        guard let closers else { return }
        let catchUps = state.withLock { state in
            defer { state.catchUps = [] }
            return state.catchUps
        }
        for waiter in catchUps { waiter.resume(returning: Self.closedError) }
        CoordinatorRegistry.shared.remove(self)
        selfCheck.forget()
        hub.close()
        options.report(.closed)
        for closer in closers { closer.resume() }
    }

    /// Syncs relaxed commits, and vouches for the last ones by an IDLE record if the lock is free.
    private func settle(_ log: RealmLog) {
        guard !log.isPoisoned, !log.isReadOnly else { return log.resignWriter() }
        guard log.isInPlace else {
            // relaxed commits are on their way to the disk wherever the files are now
            if log.durableEnd < log.position { try? log.sync() }
            return log.resignWriter()
        }
        do throws(StoreError) {
            if log.durableEnd < log.position { try log.sync() }
            try checkpointForClosing(log)
            if !log.endsIdle, log.holdsWriter || log.tryBecomeWriterIfCurrent() {
                try log.writeIdle()
            }
        } catch {
            options.report(.writingFailed(error))
        }
        log.resignWriter()
    }
}
