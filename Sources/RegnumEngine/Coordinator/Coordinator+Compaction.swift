package import RegnumStore

/// The sizes of a realm's files before and after a compaction, and their keys.
package struct CompactionSizes: Sendable {
    package var before = FileSizes()
    package var after = FileSizes()
    /// The number of files that may not be encrypted with the newest key.
    package var formerKeyFileCount = 0
}

/// A compaction that callers wait for: a checkpoint in a new nodes file to which both kept
/// references lead, after which the files before it are removed.
struct Compaction {
    typealias Outcome = Result<CompactionSizes, StoreError>
    /// `nil` for a caller whose task was cancelled.
    typealias Continuation = UnsafeContinuation<Outcome?, Never>

    var waiters: [(id: UInt64, continuation: Continuation)] = []
    /// The time at which it fails if another process still holds the checkpoint lock, or the writer
    /// lock when only the record is left.
    var deadline: UInt64 = 0
    /// How often the lock is tried.
    static let pollNanoseconds: UInt64 = 100_000_000

    mutating func extendDeadline(_ options: CheckpointOptions) {
        deadline = IOPool.now() + options.bulkTimeoutNanoseconds
    }
}

extension CoordinatorState {
    /// Notes whether the checkpoint that begins now is a compaction, and returns it.
    mutating func beginCompaction() -> Bool {
        checkpoint.isCompaction = checkpoint.compaction != nil
        return checkpoint.isCompaction
    }

    /// Ends the compaction, if there is one, and returns those that wait for it.
    mutating func takeCompaction() -> [Compaction.Continuation] {
        defer { (checkpoint.compaction, checkpoint.isKeyDue) = (nil, false) }
        return checkpoint.compaction?.waiters.map(\.continuation) ?? []
    }

    /// Returns the error with which the requested compaction fails, or `nil`.
    func compactionFailure(_ log: RealmLog, _ now: UInt64) -> StoreError? {
        guard let compaction = checkpoint.compaction, phase == .open, !checkpoint.isBusy
        else { return nil }
        if let failure = moved ?? writeFailure ?? followFailure { return failure }
        let isHealing = isHealing(log)
        if checkpoint.finished == nil, head.needsHealing, !isHealing { return head.anyDamage }
        let isRecordDue = checkpoint.finished != nil && isGateOpen
        guard now >= compaction.deadline, !isRecordDue else { return nil }
        if isHealing, let damage = head.anyDamage { return damage }
        let needsWriter = checkpoint.finished != nil || checkpoint.isKeyDue
        let obstacle = needsWriter ? "writing to" : "writing a checkpoint of"
        return StoreError(
            .busy,
            "Another process has been \(obstacle) \(log.path) for too long, so the realm wasn't "
                + "compacted.", path: log.path)
    }

    /// The time of the next attempt to begin the requested compaction; `nil` if none is requested,
    /// or if it is in progress.
    var compactionRetry: UInt64? {
        guard checkpoint.compaction != nil, !checkpoint.isBusy else { return nil }
        return max(checkpoint.retryAt, IOPool.now() + Compaction.pollNanoseconds)
    }
}

extension Coordinator {
    /// Writes the content to a new nodes file and removes the files that are no longer needed,
    /// except for what the history retention keeps. Other processes can use the realm at the same
    /// time. Concurrent calls share a compaction.
    ///
    /// If the realm has former keys, what is written has the newest key, and files with former ones
    /// are removed whatever the retention.
    ///
    /// Throws `readOnly`; `closed`; `busy` if another process has been writing a checkpoint, or
    /// commits, for too long; `diskFull`, `ioFailed` and other errors of the file system;
    /// `invalidDatabase` for damage; `CancellationError`. In each case the realm has all its
    /// content, and nothing that was written remains, unless the checkpoint was recorded or still
    /// waits for the writer lock.
    ///
    /// - Returns: sizes of zero for in-memory realms and those without commits.
    /// - Complexity: O(n), and as many writes.
    package func compact() async throws -> CompactionSizes {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        try Task.checkCancellation()
        try await catchUp()
        guard case .directory = options.place, published.version > 0 else {
            return CompactionSizes(formerKeyFileCount: try await formerKeyFileCount())
        }
        let id = Self.nextWaiterID()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { requestCompaction(id, $0) }
        } onCancel: {
            cancelCompaction(id)
        }
        state.withLock { _ in }  // for the thread sanitizer, as in `beginWrite`
        guard let outcome else { throw CancellationError() }
        return try outcome.get()
    }

    private func requestCompaction(_ id: UInt64, _ continuation: Compaction.Continuation) {
        let isOpen = wakePump { state in
            guard state.phase == .open else { return false }
            var compaction = state.checkpoint.compaction ?? Compaction()
            compaction.waiters.append((id, continuation))
            compaction.extendDeadline(options.checkpoint)
            state.checkpoint.compaction = compaction
            // Earlier failures don't delay it.
            state.checkpoint.retryAt = 0
            state.checkpoint.fullDisk = nil
            return true
        }
        if !isOpen { return continuation.resume(returning: .failure(Self.closedError)) }
        if Task.isCancelled { cancelCompaction(id) }  // possibly before it was in the list
    }

    /// Ends the wait of a cancelled caller. If it was the last one, nothing more is written.
    private func cancelCompaction(_ id: UInt64) {
        let continuation: Compaction.Continuation? = state.withLock { state in
            guard var compaction = state.checkpoint.compaction,
                let index = compaction.waiters.firstIndex(where: { $0.id == id })
            else { return nil }
            let continuation = compaction.waiters.remove(at: index).continuation
            let isWanted = !compaction.waiters.isEmpty
            state.checkpoint.compaction = isWanted ? compaction : nil
            if !isWanted, state.checkpoint.isBusy, state.checkpoint.isCompaction {
                state.checkpoint.isCancelled = true
            }
            return continuation
        }
        continuation?.resume(returning: nil)
    }

    /// Ends the compaction, if there is one.
    func endCompaction(_ outcome: Compaction.Outcome) {
        for waiter in state.withLock({ $0.takeCompaction() }) {
            waiter.resume(returning: outcome)
        }
    }

    /// Returns the size of the removed nodes files that are still in use by these roots.
    ///
    /// Throws the errors of the file system.
    package func removedByteCount(heldBy roots: [DatabaseRoot]) async throws(StoreError) -> UInt64 {
        guard let nodes = state.withLock({ $0.log })?.nodes else { return 0 }
        let files = roots.compactMap { $0.content.context.source?.file as? NodesFile }
        return try await Self.onPool { () throws(StoreError) in
            try nodes.removedByteCount(of: files)
        }
    }

    /// Returns the size of the realm's files, and the number of bytes that its content takes in
    /// them without garbage; `nil` for an in-memory realm.
    ///
    /// Throws the errors of the file system, and damage.
    ///
    /// - Complexity: O(n / 1,024)
    package func fileSizes() async throws(StoreError) -> (total: UInt64, used: UInt64)? {
        guard let log = state.withLock({ $0.log }) else { return nil }
        let (root, options) = (published, options.store)
        return try await Self.onPool { () throws(StoreError) in
            (try log.history.totalByteCount(), try root.checkpointByteCount(options))
        }
    }

    /// Returns the number of the realm's files that may not be encrypted with the newest key.
    ///
    /// Throws the errors of the file system.
    func formerKeyFileCount() async throws(StoreError) -> Int {
        guard let history = state.withLock({ $0.log })?.history else { return 0 }
        return try await Self.onPool { () throws(StoreError) in try history.formerKeyFileCount() }
    }

    // MARK: Parts of a checkpoint

    /// Starts a segment with the newest key, before the checkpoint of a compaction. Nothing after
    /// that checkpoint then has a former key. A pump step.
    func beginKey(_ lease: borrowing LogLease) {
        let log = lease.log
        guard log.holdsWriter, !log.isPoisoned else { return }
        do throws(StoreError) {
            try log.beginSegmentWithNewestKey()
        } catch {
            if log.isPoisoned || error.code == .fileMoved { return fail([], error) }
            endCompaction(.failure(error))
        }
    }

    /// Appends the directory image once more, on another page of the file, and syncs it.
    func writeAgain(
        _ reference: CheckpointReference, of root: DatabaseRoot, _ appender: NodesAppender
    ) throws(StoreError) -> CheckpointReference {
        let count = Int(clamping: reference.byteCount)
        let file = try appender.bytes.whole(at: reference.offset, count: count)
        defer { withExtendedLifetime(file) {} }
        let image = try file.bytes(at: reference.offset, count: count)
        var second = reference
        appender.beginPage()
        second.offset = try appender.append(parts: [image])
        try appender.sync()
        let place = SizedImage(
            extent: second.offset, byteCount: second.byteCount, crc: second.crc)
        SelfCheck.check(
            WrittenCheckpoint(directory: place, leafCount: 0, liveByteCount: 0), of: root,
            in: appender.bytes)
        return second
    }

    /// Removes unneeded files although no checkpoint was recorded. A pump step.
    func trim(_ lease: consuming LogLease) {
        let log = lease.log
        let trimming = log.trimming
        release(lease)
        trim(trimming, log.lock, isLocked: false)
    }

    /// Removes unneeded files in a job, and releases the checkpoint lock.
    ///
    /// - Parameters:
    ///   - isLocked: whether the lock is held; otherwise the job waits for it.
    ///   - sizes: those of the files before the compaction that this ends, if any.
    func trim(
        _ trimming: LogTrimming, _ lock: any LockFile, isLocked: Bool = true,
        _ sizes: FileSizes? = nil
    ) {
        var trimming = trimming
        trimming.removesFormerKeys = sizes != nil
        IOPool.shared.submitLong { [trimming] in
            let isLocked = isLocked || self.lockForTrimming(lock)
            if isLocked {
                do throws(StoreError) {
                    try trimming.run()
                } catch {
                    self.options.report(.checkpointFailed(error))
                }
            }
            let outcome: Compaction.Outcome? = sizes.map { before in
                Result { () throws(StoreError) in
                    CompactionSizes(
                        before: before, after: try trimming.measure(),
                        formerKeyFileCount: try trimming.formerKeyFileCount())
                }
            }
            if isLocked { lock.unlock(.checkpoint) }
            let waiters = self.endCheckpointJob { state in
                outcome == nil ? [] : state.takeCompaction()
            }
            for waiter in waiters { waiter.resume(returning: outcome) }
        }
    }

    /// Waits until another process releases the checkpoint lock. Returns false if it takes too
    /// long, or if a bulk commit of this process, or closing, waits for this job.
    private func lockForTrimming(_ lock: any LockFile) -> Bool {
        let isWanted = { self.state.withLock { !$0.checkpoint.isCancelled } }
        let isLocked = try? waitForCheckpointLock(while: isWanted) {
            (try? lock.tryLock(.checkpoint, .exclusive)) == true
        }
        guard isLocked == true else { return false }
        if (try? lock.isCurrent()) == true { return true }
        lock.unlock(.checkpoint)  // the realm was moved
        return false
    }
}
