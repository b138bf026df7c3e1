internal import Glibc
internal import RegnumStore

/// Checkpoints: written beside everything else by a job, recorded by the pump.
///
/// The job has the checkpoint lock while it writes the nodes file, and gives it back before the pump
/// gets the writer lock for the record: whoever commits in bulk has the writer lock and waits for
/// the checkpoint lock. A checkpoint that another one overtook in that gap is dropped; its images
/// are garbage.
extension Coordinator {
    /// A reloaded root that lags more reads on before it takes its place.
    static let reloadLagByteCountMax: UInt64 = 64 << 10

    // MARK: Making one

    /// A pump step: what a checkpoint needs to know is taken down, a job does the rest.
    func beginCheckpoint(_ log: RealmLog) {
        let plan = planCheckpoint(log)
        let now = IOPool.now()
        state.withLock { state in
            state.ownsLog = false
            guard plan == nil else { return }
            state.isHinted = true
            state.checkpoint.isBusy = false
            state.checkpoint.retryAt = now + options.checkpoint.retryNanoseconds
        }
        guard let plan else { return }
        IOPool.shared.submitLong { self.writeCheckpoint(plan) }
    }

    /// Makes the log end durable, or learns whether its writer has.
    func makeDurable(_ log: RealmLog) {
        if log.holdsWriter {
            if log.durableEnd < log.position { syncRelaxed(log) }
        } else {
            follow(log)
            // another process may have synced relaxed commits without telling, or not at all
            if log.durableEnd < log.position, log.tryBecomeWriterIfCurrent() {
                syncRelaxed(log)
                log.resignWriter()
            }
        }
    }

    /// With the checkpoint lock, or nil if there can be no checkpoint now.
    private func planCheckpoint(_ log: RealmLog) -> CheckpointPlan? {
        makeDurable(log)
        let root = published
        guard let point = log.checkpointPoint, point.version == root.version,
            (try? log.tryLockCheckpoint()) == true
        else { return nil }
        if !log.holdsWriter, log.isBehind() {  // there may be another one
            log.unlockCheckpoint()
            return nil
        }
        return CheckpointPlan(
            point: point, base: log.newestCheckpoint, root: root, nodes: log.nodes,
            lock: log.lock)
    }

    private func writeCheckpoint(_ plan: CheckpointPlan) {
        var finished: FinishedCheckpoint?
        var failure: StoreError?
        do throws(StoreError) {
            let reference = try writeImages(plan) { _ in self.paceCheckpoint() }.reference
            finished = FinishedCheckpoint(reference: reference, base: plan.base)
        } catch {
            if error.code != .closed { failure = error }
        }
        plan.lock.unlock(.checkpoint)
        let now = IOPool.now()
        // damage stays, and all that comes before it would be written again and again
        let pause: UInt64 = failure?.code == .invalidDatabase ? 600 : 10
        endCheckpointJob { state in
            state.checkpoint.finished = finished
            if finished == nil {
                state.checkpoint.retryAt = now + pause * options.checkpoint.retryNanoseconds
            }
        }
        if let failure { options.report(.checkpointFailed(failure)) }
    }

    /// Writes the images of `plan` and syncs them.
    ///
    /// - Parameters:
    ///   - delta: what a bulk commit changed.
    ///   - file: the nodes file to go on with; nil: as the size of the newest one demands.
    private func writeImages(
        _ plan: CheckpointPlan, delta: [UInt8]? = nil, to file: UInt64? = nil,
        _ pace: @escaping NodesAppender.Pace
    ) throws(StoreError) -> (reference: CheckpointReference, bulk: BulkCommit?) {
        let live = CheckpointLoader.liveByteCount(plan.base, plan.nodes)
        let heap = UInt64(plan.root.content.context.store.usage.byteCount)
        // a damaged leaf can stay where it is, but not be copied to a new file
        let damagedFile = plan.root.needsHealing ? plan.base?.file : nil
        let appender = try plan.nodes.appender(
            to: file ?? damagedFile, orAfter: plan.base,
            liveByteCount: live.addingReportingOverflow(heap).partialValue, pace: pace)
        var writer = CheckpointWriter(plan.root, to: appender)
        let written = try writer.write()
        var bulk: BulkCommit?
        if let delta {
            bulk = BulkCommit(
                written, fileNumber: appender.fileNumber, delta: try writer.append(delta),
                deltaByteCount: delta.count)
        }
        try appender.sync()
        SelfCheck.check(written, of: plan.root, in: appender.bytes)
        state.withLock { state in
            state.statistics.checkpointedLeaves += UInt64(written.leafCount)
        }
        var reference = plan.point
        reference.file = appender.fileNumber
        reference.offset = written.directory.extent
        reference.byteCount = written.directoryByteCount
        reference.crc = written.directory.crc
        return (reference, bulk)
    }

    /// Leaves the disk to the commits for a moment; false: give up.
    private func paceCheckpoint() -> Bool {
        let isWanted = state.withLock { !$0.checkpoint.isCancelled }
        if isWanted, options.checkpoint.paceNanoseconds > 0 {
            usleep(UInt32(truncatingIfNeeded: options.checkpoint.paceNanoseconds / 1000))
        }
        return isWanted
    }

    /// The job with the checkpoint lock has ended and given it back.
    func endCheckpointJob(_ change: (inout CoordinatorState) -> Void = { _ in }) {
        let (runsPump, wakesPump) = state.withLock { state in
            state.checkpoint.isBusy = false
            change(&state)
            return (state.claimPump(), state.isPumpAsleep)
        }
        if runsPump { startPump() } else if wakesPump { pumpWake.wake() }
    }

    // MARK: Its record

    /// A pump step, with the writer lock: names the checkpoint in the log.
    func recordCheckpoint(_ log: RealmLog, _ finished: FinishedCheckpoint) {
        guard log.newestCheckpoint == finished.base else {
            state.withLock { $0.ownsLog = false }
            return
        }
        do throws(StoreError) {
            try log.appendCheckpoint(finished.reference)
            try log.beginSegmentAfterCheckpoint()
        } catch {
            if log.isPoisoned || error.code == .fileMoved {
                fail([], error)
            } else {  // no space: commits may still find some
                let now = IOPool.now()
                state.withLock { state in
                    state.checkpoint.retryAt = now + options.checkpoint.retryNanoseconds
                }
                options.report(.checkpointFailed(error))
            }
        }
        let isNamed = log.newestCheckpoint?.file == finished.reference.file && !log.isPoisoned
        if isNamed { state.withLock { $0.statistics.checkpoints += 1 } }
        let trimming = isNamed ? lockedTrimming(log) : nil
        state.withLock { state in
            state.ownsLog = false
            state.syncDue = nil
            if trimming != nil { state.checkpoint.isBusy = true }
        }
        if let trimming { trim(trimming, log.lock) }
    }

    /// A pump step, after a bulk commit.
    func beginSegment(_ log: RealmLog) {
        guard log.holdsWriter, !log.isPoisoned else { return }
        do throws(StoreError) {
            try log.beginSegmentAfterCheckpoint()
        } catch {
            fail([], error)
        }
    }

    /// What removes needless files, with the checkpoint lock; nil if another process has it.
    private func lockedTrimming(_ log: RealmLog) -> LogTrimming? {
        let isBusy = state.withLock { $0.checkpoint.isBusy }
        guard !isBusy, (try? log.tryLockCheckpoint()) == true else { return nil }
        return log.trimming
    }

    private func trim(_ trimming: LogTrimming, _ lock: any LockFile) {
        IOPool.shared.submitLong {
            try? trimming.run()
            lock.unlock(.checkpoint)
            self.endCheckpointJob()
        }
    }

    /// The last checkpoint, when the realm is closed: if much was committed since the last one, and
    /// both locks are free. The caller owns the log; no job is busy.
    func checkpointForClosing(_ log: RealmLog) throws(StoreError) {
        if log.holdsWriter, state.withLock({ $0.checkpoint.isSegmentDue }) {
            try log.beginSegmentAfterCheckpoint()
        }
        let position = log.newestCheckpoint?.position ?? 0
        guard options.checkpoint.isOn, log.position > position,
            log.position - position > options.checkpoint.closingByteCountMin,
            log.holdsWriter || log.tryBecomeWriterIfCurrent(),
            let plan = planCheckpoint(log)
        else { return }
        defer { log.unlockCheckpoint() }
        let finished: CheckpointReference
        do throws(StoreError) {
            finished = try writeImages(plan) { _ in true }.reference
        } catch {
            options.report(.checkpointFailed(error))
            return
        }
        try log.appendCheckpoint(finished)
        state.withLock { $0.statistics.checkpoints += 1 }
        try log.beginSegmentAfterCheckpoint()
        try? log.trimming.run()
    }

    // MARK: Bulk commits

    /// A pump step: a transaction that is too large for a record commits as a checkpoint.
    func flushBulk(_ log: RealmLog, _ item: StagedCommit) {
        do throws(StoreError) {
            try lockCheckpoint(log)
        } catch {
            return failFlush([item], error)
        }
        do throws(StoreError) {
            let root = item.commit.root
            if log.durableEnd < log.position { try log.sync() }
            guard var point = log.checkpointPoint, let request = item.commit.bulk else {
                preconditionFailure("A bulk commit follows a durable log end.")
            }
            point.version = root.version
            let plan = CheckpointPlan(
                point: point, base: log.newestCheckpoint, root: root, nodes: log.nodes,
                lock: log.lock)
            let (reference, bulk) = try writeImages(
                plan, delta: DeltaBlob.encode(item.commit.summary), to: request.nodesFile
            ) { _ in true }
            guard let bulk else { preconditionFailure("A bulk commit has a delta.") }
            SelfCheck.check(bulk, item.commit, on: published, log.nodes)
            let body = bulk.body(
                version: root.version, timestampMicroseconds: request.timestampMicroseconds,
                origin: item.commit.summary.origin)
            _ = try log.appendBulk(body, version: root.version, reference: reference)
            try log.sync()
            try confirmPlace(log)
            state.withLock { state in
                state.statistics.checkpoints += 1
                state.checkpoint.isSegmentDue = true
                state.checkpoint.isBusy = true
            }
            var trimming = log.trimming
            // the checkpoint that is being loaded because of damage would go
            if state.withLock({ $0.isHealing(log) }) { trimming.keepsAll = true }
            finishFlush(log, [item], root)  // and the log is anybody's
            trim(trimming, log.lock)
        } catch {
            log.unlockCheckpoint()
            failFlush([item], error)
        }
    }

    /// Waits for another process's checkpoint to end. Nothing is committed where that takes too
    /// long: the process may have been stopped.
    private func lockCheckpoint(_ log: RealmLog) throws(StoreError) {
        let deadline = IOPool.now() + options.checkpoint.bulkTimeoutNanoseconds
        while try !log.tryLockCheckpoint() {
            guard IOPool.now() < deadline else {
                throw StoreError(
                    .busy,
                    "Another process has been writing a checkpoint of \(log.path) for so long that "
                        + "this large transaction was given up: nothing was committed.",
                    path: log.path)
            }
            IOPool.shared.waiting { _ = usleep(1000) }
        }
    }
}
