internal import Glibc
internal import RegnumStore

/// Checkpoints: written by a concurrent job, recorded by the pump.
///
/// The job holds the checkpoint lock while it writes the nodes file, and releases it before the
/// pump acquires the writer lock for the record, because a bulk commit holds the writer lock while
/// it waits for the checkpoint lock. A checkpoint is dropped, and its images are garbage, if
/// another checkpoint was recorded, or another process has framed the log again, in the meantime.
extension Coordinator {
    /// A reloaded root with a larger lag keeps replaying before it replaces the published one.
    static let maximumReloadLagByteCount: UInt64 = 64 << 10

    // MARK: Writing a checkpoint

    /// Captures what the checkpoint needs and starts a job for the rest. A pump step.
    func beginCheckpoint(_ lease: consuming LogLease) {
        let plan = isWaitingForSpace(lease) ? nil : planCheckpoint(lease)
        let now = IOPool.now()
        release(lease) { state in
            guard plan == nil else { return }
            state.isHinted = true
            state.checkpoint.isBusy = false
            state.checkpoint.retryAt = max(
                now + options.checkpoint.retryNanoseconds, state.checkpoint.lockRetry?.retryAt ?? 0)
        }
        guard let plan else { return }
        IOPool.shared.submitLong { self.writeCheckpoint(plan) }
    }

    /// Makes the log end durable, or determines whether its writer has done so.
    func makeDurable(_ lease: borrowing LogLease) {
        let log = lease.log
        if log.holdsWriter {
            if log.durableEnd < log.position, !log.isPoisoned { syncRelaxed(lease) }
        } else {
            follow(lease)
            guard log.durableEnd < log.position, log.maySync else { return }
            // Another process may have synced relaxed commits without publishing it, or not at all.
            // It may hold the lock for as long as it writes.
            _ = log.tryBecomeWriterIfCurrent()
            syncRelaxed(lease)
            log.releaseWriterLock()
            // Another process may have begun a segment in the meantime.
            if log.durableEnd < log.position, !log.isPoisoned { follow(lease) }
        }
    }

    /// Acquires the checkpoint lock and returns a plan, or `nil` if no checkpoint is possible now.
    func planCheckpoint(_ lease: borrowing LogLease) -> CheckpointPlan? {
        let log = lease.log
        makeDurable(lease)
        let root = published
        let isCompacting = state.withLock { $0.checkpoint.compaction != nil }
        guard let point = log.checkpointPoint, point.version == root.version,
            !isCompacting || !log.lacksNewestKey, lockCheckpointIfFree(log)
        else { return nil }
        if !log.holdsWriter, log.isBehind() {  // there may be a newer checkpoint
            log.unlockCheckpoint()
            return nil
        }
        return state.withLock { state in
            var plan = CheckpointPlan(point, of: root, state.checkpoint.deletions, log)
            if state.beginCompaction() { plan.compaction = log.trimming }
            plan.isTwofold = plan.compaction != nil || state.isShrunk(options.checkpoint)
            return plan
        }
    }

    /// Returns whether the checkpoint lock was acquired; false if another process holds it, or if
    /// the system can't lock the file. The latter is reported once until locking succeeds again.
    private func lockCheckpointIfFree(_ log: RealmLog) -> Bool {
        do throws(StoreError) {
            let isLocked = try log.tryLockCheckpoint()
            state.withLock { $0.checkpoint.lockRetry = nil }
            return isLocked
        } catch {
            if error.code == .fileMoved { return false }  // the next write or hint ends the realm
            let isFirst = state.withLock { state in
                let last = state.checkpoint.lockRetry
                state.checkpoint.lockRetry = Backoff(after: last)
                return last == nil
            }
            if isFirst { options.report(.checkpointFailed(error)) }
            return false
        }
    }

    private func writeCheckpoint(_ plan: CheckpointPlan) {
        var finished: FinishedCheckpoint?
        var failure: StoreError?
        let space = plan.nodes.freeByteCount
        do throws(StoreError) {
            let sizes = try plan.compaction?.measure()
            let written = try writeImages(plan) { _ in self.paceCheckpoint() }
            finished = FinishedCheckpoint(
                reference: written.reference, copy: written.copy, newFile: written.newFile,
                base: plan.base, reframeCount: plan.reframeCount, deletions: plan.deletions,
                sizesBefore: sizes)
        } catch {
            if error.code != .closed { failure = error }
        }
        plan.lock.unlock(.checkpoint)
        if let failure { noteFullDisk(failure, freeByteCount: space, plan.deletions) }
        let endsCompaction = failure != nil && plan.compaction != nil
        let waiters = endCheckpointJob { state in
            state.checkpoint.finished = finished
            if finished == nil {
                state.delayCheckpoint(after: failure, options.checkpoint)
            } else {
                state.checkpoint.writeRetry = nil
            }
            return endsCompaction ? state.takeCompaction() : []
        }
        guard let failure else { return }
        options.report(.checkpointFailed(failure))
        for waiter in waiters { waiter.resume(returning: .failure(failure)) }
    }

    /// The images of a checkpoint.
    struct WrittenImages {
        let reference: CheckpointReference
        /// The first directory image of a twofold checkpoint.
        let copy: CheckpointReference?
        let bulk: BulkCommit?
        /// The number of their file if it was created for them.
        let newFile: UInt64?
    }

    /// Writes the images of `plan` and syncs them.
    ///
    /// - Parameters:
    ///   - delta: the changes of a bulk commit.
    ///   - file: the nodes file to append to; `nil` to choose by the size of the newest one.
    func writeImages(
        _ plan: CheckpointPlan, delta: [UInt8]? = nil, to file: UInt64? = nil,
        _ pace: @escaping NodesAppender.Pace
    ) throws(StoreError) -> WrittenImages {
        if plan.compaction != nil, plan.root.needsHealing, let damage = plan.root.anyDamage {
            throw damage
        }
        // A damaged leaf can stay where it is, but can't be copied to a new file.
        let damagedFile = plan.root.needsHealing ? plan.ownFile : nil
        let appender = try plan.nodes.appender(
            to: file ?? damagedFile, after: plan.base, liveByteCount: plan.liveByteCount,
            slackByteCount: plan.isTwofold ? options.checkpoint.shrinkingSlackByteCount : .max,
            isNewFileWanted: plan.isNewFileWanted || plan.compaction != nil, pace: pace)
        do throws(StoreError) {
            return try writeImages(plan, delta: delta, appender)
        } catch {
            plan.nodes.discard(appender.newFileNumber)
            // The first damage encountered may be in a leaf that was copied here.
            guard file == nil, damagedFile == nil, plan.compaction == nil, plan.root.needsHealing,
                let own = plan.ownFile, own != appender.fileNumber
            else { throw error }
            return try writeImages(plan, delta: delta, to: own, pace)
        }
    }

    private func writeImages(
        _ plan: CheckpointPlan, delta: [UInt8]?, _ appender: NodesAppender
    ) throws(StoreError) -> WrittenImages {
        if plan.root.needsHealing {
            // Known damage may make every attempt fail, which would leave its images as garbage.
            var rehearsal = CheckpointWriter(plan.root, to: DiscardingSink(appender.bytes))
            _ = try rehearsal.write()
        }
        var writer = CheckpointWriter(plan.root, to: appender)
        let written = try writer.write()
        var bulk: BulkCommit?
        if let delta {
            bulk = BulkCommit(
                fileNumber: appender.fileNumber, directory: written.directory,
                delta: try writer.append(delta))
        }
        try appender.sync()
        SelfCheck.check(written, of: plan.root, in: appender.bytes)
        var reference = plan.point
        reference.file = appender.fileNumber
        reference.offset = written.directory.extent
        reference.byteCount = written.directory.byteCount
        reference.crc = written.directory.crc
        let copy = plan.isTwofold ? reference : nil
        if plan.isTwofold { reference = try writeAgain(reference, of: plan.root, appender) }
        return WrittenImages(
            reference: reference, copy: copy, bulk: bulk, newFile: appender.newFileNumber)
    }

    /// Yields the disk to commits for a moment. Returns false if the checkpoint is cancelled.
    private func paceCheckpoint() -> Bool {
        let isWanted = state.withLock { !$0.checkpoint.isCancelled }
        if isWanted, options.checkpoint.paceNanoseconds > 0 {
            usleep(UInt32(truncatingIfNeeded: options.checkpoint.paceNanoseconds / 1000))
        }
        return isWanted
    }

    /// Handles the end of the job that held the checkpoint lock, which has been released.
    @discardableResult
    func endCheckpointJob<Result>(
        _ change: (inout CoordinatorState) -> Result = { _ in }
    ) -> Result {
        wakePump { state in
            state.checkpoint.isBusy = false
            state.checkpoint.compaction?.extendDeadline(options.checkpoint)
            return change(&state)
        }
    }

    // MARK: Recording it

    /// Records the checkpoint in the log. A pump step that requires the writer lock.
    func recordCheckpoint(_ lease: consuming LogLease, _ finished: FinishedCheckpoint) {
        let log = lease.log
        guard log.newestCheckpoint == finished.base, log.reframeCount == finished.reframeCount
        else {
            discardFile(of: finished, lease)
            release(lease)
            return
        }
        do throws(StoreError) {
            if finished.copy != nil { try log.beginSegment(forRecordOf: finished.reference) }
            try log.appendCheckpoint(finished.reference, copy: finished.copy)
            try log.beginSegmentAfterCheckpoint(isCompaction: finished.sizesBefore != nil)
        } catch {
            if log.isPoisoned || error.code == .fileMoved {
                fail([], error)
            } else {  // no space, although commits may still fit
                let retryAt = IOPool.now() + options.checkpoint.retryNanoseconds
                state.withLock { $0.checkpoint.retryAt = retryAt }
                discardFile(of: finished, lease)
                noteFullDisk(error, freeByteCount: log.nodes.freeByteCount, finished.deletions)
                options.report(.checkpointFailed(error))
                if finished.sizesBefore != nil { endCompaction(.failure(error)) }
            }
        }
        let isNamed = log.newestCheckpoint == finished.reference && !log.isPoisoned
        if isNamed {
            state.withLock { state in
                state.statistics.checkpoints += 1
                if finished.sizesBefore != nil { state.statistics.compactions += 1 }
                state.finishDeletions(
                    finished.deletions, version: finished.reference.version,
                    isTwofold: finished.copy != nil, options.checkpoint)
            }
            // Other processes then leave the files that are removed.
            if finished.copy != nil { log.lock.wake() }
        }
        let mayTrim = isNamed && !state.withLock { $0.checkpoint.isBusy }
        let isLocked = mayTrim && lockCheckpointIfFree(log)
        // After a compaction, the job waits for the lock if it isn't free.
        var trimming = isLocked ? log.trimmingWithOrphans() : nil
        if mayTrim, !isLocked, finished.sizesBefore != nil { trimming = log.trimming }
        release(lease) { state in
            state.syncDue = nil
            guard trimming != nil else { return }
            state.checkpoint.isBusy = true
            state.checkpoint.isCancelled = false
        }
        if let trimming { trim(trimming, log.lock, isLocked: isLocked, finished.sizesBefore) }
    }

    /// Removes the file that was created for a checkpoint that isn't recorded in the log. Otherwise
    /// each attempt would leave another one.
    func discardFile(of finished: FinishedCheckpoint, _ lease: borrowing LogLease) {
        let log = lease.log
        guard let file = finished.newFile, log.newestCheckpoint?.file != file,
            !state.withLock({ $0.checkpoint.isBusy }), lockCheckpointIfFree(log)
        else { return }
        // The lock wasn't held in the meantime.
        if log.nodes.isClaimed(file) { log.nodes.discard(file) }
        log.unlockCheckpoint()
    }

    /// Starts a new segment after a bulk commit. A pump step.
    func beginSegment(_ lease: borrowing LogLease) {
        let log = lease.log
        guard log.holdsWriter, !log.isPoisoned else { return }
        do throws(StoreError) {
            try log.beginSegmentAfterCheckpoint()
        } catch {
            fail([], error)
        }
    }

    /// Runs `body`, which writes a record that names the images, and removes the file that was
    /// created for them if there is certainly no such record. The caller holds the checkpoint lock.
    func recording(
        _ written: WrittenImages, _ log: RealmLog, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try body()
        } catch {
            if !log.isPoisoned, error.code != .fileMoved { log.nodes.discard(written.newFile) }
            throw error
        }
    }

    // MARK: Bulk commits

    /// Commits a transaction that is too large for a record as a checkpoint. A pump step.
    func flushBulk(_ lease: consuming LogLease, _ item: StagedCommit) {
        let log = lease.log
        do throws(StoreError) {
            try checkNotHealing(log)
            try lockCheckpoint(log, for: item)
        } catch {
            log.unlockCheckpoint()  // a migration stage may have held it
            return failFlush(lease, [item], error)
        }
        do throws(StoreError) {
            let root = item.commit.root
            if log.durableEnd < log.position { try log.sync() }
            guard var point = log.checkpointPoint, let request = item.commit.bulk else {
                preconditionFailure("A bulk commit must follow a durable log end.")
            }
            point.version = root.version
            let plan = CheckpointPlan(
                point, of: root,
                state.withLock { $0.checkpoint.deletions } + item.commit.deletions, log)
            try DeltaBlob.check(item.commit.summary, from: published, to: root)
            let written = try writeImages(
                plan, delta: DeltaBlob.encode(item.commit.summary), to: request.nodesFile
            ) { _ in true }
            guard let bulk = written.bulk else {
                preconditionFailure("A bulk commit must have a delta.")
            }
            SelfCheck.check(bulk, item.commit, on: published, log.nodes)
            let body = bulk.body(
                version: root.version, timestampMicroseconds: request.timestampMicroseconds,
                origin: item.commit.summary.recordedOrigin)
            try recording(written, log) { () throws(StoreError) in
                _ = try log.appendBulk(body, version: root.version, reference: written.reference)
            }
            let syncTime = try measuredSync(log)
            try confirmPlace(lease)
            state.withLock { state in
                state.statistics.checkpoints += 1
                state.finishDeletions(plan.deletions, version: root.version, options.checkpoint)
                state.checkpoint.isSegmentDue = true
                state.checkpoint.isBusy = true
            }
            let trimming = log.trimmingWithOrphans()
            finishFlush(lease, [item], root, syncNanoseconds: syncTime)
            trim(trimming, log.lock)
        } catch {
            log.unlockCheckpoint()
            failFlush(lease, [item], error)
        }
    }

    /// Throws `busy` if the older checkpoint is about to replace the newest one, which is damaged.
    /// The checkpoint of a bulk commit would contain the damage and release the older one.
    private func checkNotHealing(_ log: RealmLog) throws(StoreError) {
        guard state.withLock({ $0.isHealing(log) }) else { return }
        throw StoreError(
            .busy,
            "The nodes file of \(log.path) is damaged, and an older checkpoint is being loaded, so "
                + "this large transaction was abandoned. Nothing was committed. Try again.",
            path: log.path)
    }

    /// Waits for another process's checkpoint to end. Throws `busy` if the commit's task is
    /// cancelled, and after a timeout.
    private func lockCheckpoint(_ log: RealmLog, for item: StagedCommit) throws(StoreError) {
        let isWanted = { item.isCancelled?.isSet != true }
        let isLocked = try waitForCheckpointLock(while: isWanted) { () throws(StoreError) in
            try log.tryLockCheckpoint()
        }
        if isLocked { return }
        throw StoreError(
            .busy,
            "Another process has been writing a checkpoint of \(log.path) for too long, so "
                + "this large transaction was abandoned. Nothing was committed.",
            path: log.path)
    }

    /// Tries to acquire the checkpoint lock until another process releases it. Returns false after
    /// a timeout, since that process may be stopped, and once the lock is no longer wanted.
    func waitForCheckpointLock(
        while isWanted: () -> Bool, _ tryLock: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        let deadline = IOPool.now() + options.checkpoint.bulkTimeoutNanoseconds
        while try !tryLock() {
            guard IOPool.now() < deadline, isWanted() else { return false }
            IOPool.shared.waiting { _ = usleep(1000) }
        }
        return true
    }
}
