internal import RegnumStore

extension Coordinator {
    /// Returns the stage to which a long-running transaction saves its states, or `nil` for an
    /// in-memory realm. Until its commit or `end`, no checkpoint is written, so that the file with
    /// the saved states stays.
    ///
    /// Throws `busy` if another process takes too long to write a checkpoint, `ioFailed` if the log
    /// couldn't be made durable, `fileMoved`, and the error of earlier commits that failed.
    package func beginStage(_ turn: WriteTurn, target: UInt64) async throws -> MigrationStage? {
        if case .memory = options.place { return nil }
        var deadline = IOPool.now() + options.checkpoint.bulkTimeoutNanoseconds
        while true {
            let stage = try await Self.onPool { () throws(StoreError) in
                try self.tryStage(turn, target)
            }
            if let stage { return stage }
            // A checkpoint of this process may take any time, but it ends.
            if state.withLock({ $0.checkpoint.isBusy }) {
                deadline = IOPool.now() + options.checkpoint.bulkTimeoutNanoseconds
            }
            guard IOPool.now() < deadline else {
                throw StoreError(
                    .busy,
                    "Another process has been writing a checkpoint for so long that the "
                        + "migration was abandoned. Nothing was changed.")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Allows checkpoints again, unless the commit already has.
    package func end(_ stage: MigrationStage) {
        let isHeld = state.withLock { state in
            defer { state.checkpoint.isStaged = false }
            return state.checkpoint.isStaged
        }
        guard isHeld else { return }
        stage.lock.unlock(.checkpoint)
        endCheckpointJob()
    }

    /// Removes the saved state after it was committed or the transaction failed.
    package func discard(_ stage: MigrationStage) async {
        try? await Self.onPool { stage.discard() }
    }

    /// Returns `nil` while earlier commits are in flight or a checkpoint is running.
    private func tryStage(
        _ turn: WriteTurn, _ target: UInt64
    ) throws(StoreError) -> MigrationStage? {
        let base = turn.base
        var failure: StoreError?
        let lease = state.withLock { state -> LogLease? in
            // Then the commits that the turn builds on couldn't be written.
            failure = state.writeFailure ?? (state.epoch == turn.epoch ? nil : state.dropReason)
            guard failure == nil, !state.isLogLeased, !state.checkpoint.isBusy,
                state.checkpoint.finished == nil,
                state.staged.isEmpty, state.publishedVersion == base.version, let log = state.log
            else { return nil }
            state.checkpoint.isBusy = true
            state.checkpoint.isCancelled = false
            return state.lease(log)
        }
        if let failure { throw failure }
        guard let lease else { return nil }
        let log = lease.log
        makeDurable(lease)
        var stage: MigrationStage?
        var lockFailure: StoreError?
        do throws(StoreError) {
            if log.checkpointPoint?.version == base.version, try log.tryLockCheckpoint() {
                stage = MigrationStage(base, target: target, log)
            }
        } catch {
            lockFailure = error
        }
        let isStaged = stage != nil
        let runsPump = release(lease) { state in
            state.checkpoint.isStaged = isStaged
            return isStaged && state.claimPump()
        }
        if !isStaged { endCheckpointJob() }
        if runsPump { startPump() }
        if let lockFailure { throw lockFailure }
        return stage
    }
}
