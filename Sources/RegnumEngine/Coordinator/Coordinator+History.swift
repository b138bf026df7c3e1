package import RegnumStore

/// Past versions, and catching up with other processes.
extension Coordinator {
    /// Returns a reader positioned at `version`, rebuilt from a checkpoint and the log, that
    /// delivers every later commit.
    ///
    /// Throws `CancellationError`; `StoreError`: `historyTrimmed` if the log doesn't reach back
    /// that far, or the realm is in memory; `invalidInput` for a version that isn't published yet
    /// (see `catchUp`); `invalidDatabase` for damage; `closed`.
    ///
    /// - Complexity: O(n / 1,024), and O(changes) for those since the preceding checkpoint.
    package func history(from version: UInt64) async throws -> HistoryReader {
        let (log, isClosed) = state.withLock { ($0.log, $0.phase != .open) }
        if isClosed { throw Self.closedError }
        guard let log else {
            throw StoreError(
                .historyTrimmed,
                "An in-memory realm keeps no past versions: start without a cursor.")
        }
        let newest = published.version
        guard version <= newest else {
            throw StoreError(
                .invalidInput,
                "Version \(version) of the realm at \(log.path) doesn't exist yet; the newest is "
                    + "\(newest).", path: log.path)
        }
        return HistoryReader(self, try await build(version, log.history, log.path))
    }

    private func build(
        _ version: UInt64, _ history: LogHistory, _ path: String
    ) async throws -> PastRoot {
        var failed: (names: Set<String>, error: StoreError)?
        for attempt in 0... {
            let findings = try await HistoryPool.run { () throws(StoreError) in
                try history.find(version)
            }
            if findings.beginnings.isEmpty {
                let oldest = findings.oldestVersion
                throw Self.trimmedError(
                    version, oldest.map { "the oldest available version is \($0)" }, path)
            }
            // Otherwise files were removed after they were found, or records were framed again.
            if let failed, failed.names == findings.names || attempt == 8 {
                guard failed.error.code == .historyTrimmed else { throw failed.error }
                throw Self.trimmedError(version, nil, path)
            }
            do {
                return try await build(version, history, findings)
            } catch let error as StoreError {
                guard error.code == .historyTrimmed || error.isPermanentDamage else {
                    throw error
                }
                failed = (findings.names, error)
            }
        }
        preconditionFailure("The last attempt neither returned nor threw.")
    }

    /// Rebuilds the version from the nearest undamaged starting point. As a last resort, accepts a
    /// checkpoint in which the only leaf of an index is damaged.
    private func build(
        _ version: UInt64, _ history: LogHistory, _ findings: LogHistory.Findings
    ) async throws -> PastRoot {
        do {
            return try await build(version, history, findings, acceptsDamage: false)
        } catch let error as StoreError where error.isPermanentDamage {
            return try await build(version, history, findings, acceptsDamage: true)
        }
    }

    private func build(
        _ version: UInt64, _ history: LogHistory, _ findings: LogHistory.Findings,
        acceptsDamage: Bool
    ) async throws -> PastRoot {
        var failure: StoreError?
        for beginning in findings.beginnings {
            try Task.checkCancellation()
            try checkOpen()
            do throws(StoreError) {
                let schema = published.schema
                let past = try await HistoryPool.run { () throws(StoreError) in
                    try PastRoot(
                        beginning, history.nodes, knownSchema: schema,
                        acceptsDamage: acceptsDamage)
                }
                if try await advance(past, to: version) { return past }
            } catch {
                guard error.code == .historyTrimmed || error.isPermanentDamage else {
                    throw error
                }
                if failure == nil || error.isPermanentDamage { failure = error }
            }
        }
        try Task.checkCancellation()
        throw failure ?? Self.closedError
    }

    /// Returns false if the task is cancelled.
    private func advance(
        _ past: PastRoot, to version: UInt64
    ) async throws(StoreError) -> Bool {
        while !Task.isCancelled {
            try checkOpen()
            let isThere = try await HistoryPool.run { () throws(StoreError) in
                try past.advance(to: version)
            }
            if isThere { return true }
        }
        return false
    }

    func checkOpen() throws(StoreError) {
        if isClosed { throw Self.closedError }
    }

    private static func trimmedError(
        _ version: UInt64, _ rest: String?, _ path: String
    ) -> StoreError {
        StoreError(
            .historyTrimmed,
            "Version \(version) of the realm at \(path) is no longer in its log: "
                + (rest ?? "the files needed to rebuild it were removed") + ".", path: path)
    }

    /// Sets the history retention of the realm, for all processes from now on. Has no effect if the
    /// realm is in memory or was opened read-only.
    ///
    /// Throws `closed`, and the errors of the file system. After `diskFull`, this process removes
    /// what the retention doesn't keep, and stores it once there is space.
    package func setRetention(_ retention: HistoryRetention) async throws(StoreError) {
        try checkOpen()
        guard !options.isReadOnly, let file = state.withLock({ $0.log })?.retentionFile else {
            return
        }
        do throws(StoreError) {
            try await Self.onPool { () throws(StoreError) in try file.write(retention) }
        } catch {
            if error.code == .diskFull { wakePump { $0.checkpoint.isTrimmingWanted = true } }
            throw error
        }
    }

    /// Returns the history retention last set by any process; `nil` for an in-memory realm.
    ///
    /// Throws `closed`, and the errors of the file system.
    package func retention() async throws(StoreError) -> HistoryRetention? {
        try checkOpen()
        guard let file = state.withLock({ $0.log })?.retentionFile else { return nil }
        let standard = options.store.retention
        return try await Self.onPool { () throws(StoreError) in try file.read() ?? standard }
    }

    /// Waits until `published` includes everything that any process had published in the log at the
    /// time of the call.
    ///
    /// Returns without suspending if no other process has published anything and the log isn't in
    /// use. Throws `closed`, and the error that prevents this process from reading the commits of
    /// others.
    ///
    /// - Parameter durably: whether to make it durable too, if this process can.
    package func catchUp(durably: Bool = false) async throws(StoreError) {
        try checkOpen()
        checkPlaceIfDue()
        guard let log = state.withLock({ $0.log }) else { return }
        if !durably, log.hasLock, let page = log.lock.loadControl(), page.realmID == log.realmID,
            page.version <= published.version, state.withLock({ $0.isKnownCurrent(log) })
        {
            return try checkReadable()
        }
        let failure: StoreError? = await withUnsafeContinuation { continuation in
            let isOpen = wakePump { state in
                guard state.phase == .open else { return false }
                state.catchUps.append(continuation)
                if durably { state.isSyncWanted = true }
                return true
            }
            if !isOpen { continuation.resume(returning: Self.closedError) }
        }
        state.withLock { _ in }  // for the thread sanitizer, as in `beginWrite`
        if let failure { throw failure }
        try checkReadable()
    }

    /// Reads all published commits and resumes the callers of `catchUp`. A pump step.
    func finishCatchUps(_ lease: borrowing LogLease) {
        let (waiters, isSyncWanted) = state.withLock { state in
            defer { (state.catchUps, state.isSyncWanted) = ([], false) }
            return (state.catchUps, state.isSyncWanted)
        }
        var failure = state.withLock { $0.followFailure }
        if failure == nil { failure = follow(lease) }
        if failure == nil, isSyncWanted { makeDurable(lease) }
        let durableEnd = lease.log.durableEnd
        state.withLock { $0.durableEnd = max($0.durableEnd, durableEnd) }
        for waiter in waiters { waiter.resume(returning: failure) }
    }
}

extension CoordinatorState {
    /// Whether this process holds the writer lock. Not if the realm is in memory.
    var holdsWriterLock: Bool { log != nil && (isGateOpen || isHandOffDue) }

    /// Whether no other process has continued the log. One that has may have replaced commits that
    /// were lost in a failed sync, with the same versions.
    fileprivate func isKnownCurrent(_ log: RealmLog) -> Bool {
        holdsWriterLock || !isLogLeased && !log.isBehind()
    }
}
