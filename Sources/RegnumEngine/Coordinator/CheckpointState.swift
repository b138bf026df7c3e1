internal import RegnumStore

/// Thresholds for writing checkpoints and for switching to one. Tests lower them.
package struct CheckpointOptions: Sendable {
    /// Whether this process writes checkpoints on its own. Bulk commits always write one.
    package var isOn = true
    /// The number of log bytes since the last checkpoint that makes the next one due. If half the
    /// size of the nodes in memory is more, that size applies instead, up to `maximumLogByteCount`.
    /// Doubled for a process that hasn't committed anything.
    package var minimumLogByteCount: UInt64 = 4 << 20
    /// The greatest number of log bytes since the last checkpoint that can be required for the next
    /// one to become due. Doubled likewise.
    package var maximumLogByteCount: UInt64 = 256 << 20
    /// The number of commits since the last checkpoint that makes the next one due in any case.
    package var maximumCommitCount: UInt64 = .max
    /// The number of rows deleted by this process since the last checkpoint that makes the next one
    /// due, if no more rows than that remain. A checkpoint is also due when most bytes of the nodes
    /// file were freed (`NodesUse`). Deletions take few bytes of log, however much they free.
    package var minimumDeletedRowCount = 16_384
    /// The maximum number of bytes by which a nodes file may exceed twice the live bytes after such
    /// deletions, without a new file being begun.
    package var shrinkingSlackByteCount: UInt64 = 1 << 20
    /// The number of log bytes since the last checkpoint above which closing writes a final one.
    package var minimumClosingByteCount: UInt64 = 256 << 10
    /// The minimum number of bytes of memory that switching to a new checkpoint must release; 0
    /// means that a process always switches.
    package var minimumReloadByteCount = 1 << 20
    /// Whether a process also switches if its nodes file is no longer needed to open the realm, so
    /// that the disk space of a removed file is freed.
    package var leavesRemovedFiles = true
    /// The minimum number of bytes that are no longer in use for which closing compacts the files,
    /// if they are also at least half of all bytes.
    package var minimumClosingGarbageByteCount: UInt64 = 1 << 20
    /// The maximum number of bytes in use for which closing compacts the files.
    package var maximumClosingLiveByteCount: UInt64 = 64 << 20
    /// The pause after each MiB that a checkpoint writes.
    package var paceNanoseconds: UInt64 = 500_000
    /// The delay before retrying a checkpoint that couldn't be started or recorded; 10 times as
    /// long after writing a checkpoint failed, then twice as long each time, up to 600 times; 600
    /// times if due to damage. (On a full disk, it may be shorter: see `FullDisk`.) A failed reload
    /// is retried after the same delay, then after twice as long each time, up to 50 times as long
    /// (5 s).
    package var retryNanoseconds: UInt64 = 100_000_000
    /// The maximum time that a bulk commit or a compaction waits for another process's checkpoint,
    /// which is paced and may have gigabytes to write.
    package var bulkTimeoutNanoseconds: UInt64 = 60_000_000_000

    package init() {}
}

/// The coordinator's checkpoint state, guarded by its `state` mutex.
struct CheckpointState {
    /// Whether a job is writing a checkpoint or removing unneeded files. It holds the checkpoint
    /// lock, which doesn't exclude other uses in the same process.
    var isBusy = false
    /// Whether the job should stop.
    var isCancelled = false
    /// Whether a migration stage holds the checkpoint lock. Its bulk commit takes it over.
    var isStaged = false
    /// Deletions by this process since the last checkpoint it recorded.
    var deletions = Deletions()
    /// The sizes that determine whether most of the nodes file is free.
    var nodesUse: NodesUse?
    /// A checkpoint waiting to be recorded.
    var finished: FinishedCheckpoint?
    /// The compaction that callers wait for.
    var compaction: Compaction?
    /// Whether the checkpoint that was begun last is a compaction.
    var isCompaction = false
    /// Whether the compaction first needs the writer lock for a segment with the newest key.
    var isKeyDue = false
    /// Whether a bulk commit was made that the next segment's header should include.
    var isSegmentDue = false
    /// Whether unneeded files should be removed without a checkpoint.
    var isTrimmingWanted = false
    /// A checkpoint is due up to this version, and this process switches to it, regardless of the
    /// options.
    var wantedVersion: UInt64 = 0
    /// No new checkpoint before this time.
    var retryAt: UInt64 = 0
    /// The last attempt to write or record a checkpoint, if there was no space for it.
    var fullDisk: FullDisk?
    /// The next attempt after writing a checkpoint failed, except for lack of space.
    var writeRetry: Backoff?
    /// The next retry after the checkpoint lock couldn't be acquired because of an error.
    var lockRetry: Backoff?
    /// The version of the checkpoint from which this process's tree was loaded; 0: none.
    var baseVersion: UInt64 = 0
    /// The version of the last checkpoint found damaged, in place of which the older one was tried.
    var damagedVersion: UInt64?
    /// Damaged images of which the older checkpoint had no intact copy.
    var sharedDamage: DamagedImages?
    /// The damaged images because of which this process switched to the older checkpoint.
    var healedDamage: DamagedImages?
    /// The last checkpoint that couldn't be loaded.
    var unusable: CheckpointReference?
    var reload = Reload.none
    /// Whether the reload is one to an older checkpoint, because of damage.
    var isHealing = false
    /// When a reload that failed may be tried again.
    var reloadRetry: Backoff?

    /// The progress of switching to a newer checkpoint.
    enum Reload {
        case none
        /// A job is loading it and replaying the log from there.
        case loading
        /// Most of the log has been replayed.
        case near(ReloadedRoot)
        /// No turn begins until it has replaced the published root.
        case ready(ReloadedRoot)
    }
}

/// A root loaded from a checkpoint that is catching up with the log.
///
/// Guard of the `@unchecked Sendable`: used by one job at a time, which received it under the
/// coordinator's lock.
final class ReloadedRoot: @unchecked Sendable {
    let reference: CheckpointReference
    let incoming: IncomingCommits
    var replay: LogReplay
    var roundCount = 0

    init(_ reference: CheckpointReference, _ incoming: IncomingCommits, _ replay: LogReplay) {
        self.reference = reference
        self.incoming = incoming
        self.replay = replay
    }

    /// Replays up to `end`, which is durable.
    func read(through end: LogPosition) throws(StoreError) {
        roundCount += 1
        try replay.read(through: end, incoming.apply)
    }
}

extension CoordinatorState {
    /// Returns the next checkpoint step. It takes precedence over staged commits, because it is
    /// short.
    mutating func checkpointStep(
        _ log: RealmLog, _ options: CoordinatorOptions, _ now: UInt64
    ) -> Coordinator.Step? {
        if let error = compactionFailure(log, now) { return .endCompaction(error) }
        guard phase == .open, followFailure == nil else { return nil }
        // A process that only reads may never write again, and so never revive the log.
        if writeFailure != nil { return isGateOpen ? nil : reloadStep(log, options.checkpoint) }
        // It has the same damaged leaf, and recording it would release the older checkpoint, which
        // may be intact.
        if isHealing(log), let finished = takeFinished() {
            return use(log, .dropCheckpoint(finished))
        }
        // A migration that has the turn waits for it, even if the gate was shut in the meantime.
        let mayWrite = isGateOpen || isHandOffDue && isTurnTaken
        if let finished = checkpoint.finished, mayWrite {
            checkpoint.finished = nil
            return use(log, .recordCheckpoint(finished))
        }
        if checkpoint.isSegmentDue, isGateOpen {
            checkpoint.isSegmentDue = false
            return use(log, .beginSegment)
        }
        if let step = reloadStep(log, options.checkpoint) { return step }
        if checkpoint.isTrimmingWanted, !checkpoint.isBusy {
            checkpoint.isTrimmingWanted = false
            checkpoint.isBusy = true
            checkpoint.isCancelled = false
            return use(log, .trim)
        }
        let isDue = isCheckpointDue(log, options.checkpoint, now)
        checkpoint.isKeyDue = isDue && checkpoint.compaction != nil && log.lacksNewestKey
        if checkpoint.isKeyDue { return mayWrite ? use(log, .beginKey) : nil }
        guard isDue else { return nil }
        checkpoint.isBusy = true
        checkpoint.isCancelled = false
        return use(log, .checkpoint)
    }

    /// Delays the next checkpoint after one that wasn't written. Each attempt may write as much as
    /// the last one.
    ///
    /// - Parameter failure: `nil` if it was cancelled.
    mutating func delayCheckpoint(after failure: StoreError?, _ options: CheckpointOptions) {
        let longest = 600 * options.retryNanoseconds
        let pause = 10 * options.retryNanoseconds
        checkpoint.retryAt = IOPool.now() + pause
        guard let failure, failure.code != .diskFull else { return }
        let retry =
            failure.code == .invalidDatabase
            ? Backoff(after: nil, from: longest, to: longest)  // damage is permanent
            : Backoff(after: checkpoint.writeRetry, from: pause, to: longest)
        checkpoint.writeRetry = retry
        checkpoint.retryAt = retry.retryAt
    }

    /// Returns the checkpoint that is waiting to be recorded, and no longer records it.
    mutating func takeFinished() -> FinishedCheckpoint? {
        defer { checkpoint.finished = nil }
        return checkpoint.finished
    }

    private func isCheckpointDue(
        _ log: RealmLog, _ options: CheckpointOptions, _ now: UInt64
    ) -> Bool {
        let isCompacting = checkpoint.compaction != nil
        guard options.isOn || checkpoint.wantedVersion > 0 || isCompacting, !isReadOnly,
            !checkpoint.isBusy, checkpoint.finished == nil, now >= checkpoint.retryAt
        else { return false }
        let newest = log.newestCheckpoint
        let version = newest?.version ?? 0
        guard publishedVersion > version || isCompacting, head.inheritedDamage == nil,
            !isHealing(log)
        else { return false }
        if isCompacting { return true }
        if version < checkpoint.wantedVersion { return true }
        if publishedVersion - version >= options.maximumCommitCount { return true }
        if isShrunk(options) { return true }
        let position = newest?.position ?? 0
        guard log.position > position, log.position - position >= options.minimumLogByteCount else {
            return false
        }
        let half = UInt64(head.content.context.store.usage.byteCount / 2)
        var limit = min(max(options.minimumLogByteCount, half), options.maximumLogByteCount)
        // Writing processes have the locks at hand; others checkpoint only if no writer does.
        if statistics.commits == 0 { limit *= 2 }
        return log.position - position >= limit
    }

    /// Whether this process deleted at least half of the rows since the last checkpoint, or most of
    /// the bytes of the nodes file.
    ///
    /// - Parameter earlier: the deletions that don't count, since a checkpoint that failed included
    ///   them.
    /// - Complexity: O(classes) after many deletions, otherwise O(1).
    func isShrunk(_ options: CheckpointOptions, since earlier: Deletions = Deletions()) -> Bool {
        var deletions = checkpoint.deletions
        deletions -= earlier
        let rowCount = deletions.rowCount
        return rowCount >= options.minimumDeletedRowCount && rowCount >= head.rowCount
            || isFileMostlyFree(after: deletions)
    }

    /// Handles the record of a checkpoint that covers `deletions`. After a shrinking one that isn't
    /// twofold, the next commit makes another: the files of the large state are removed once both
    /// kept checkpoints are newer.
    mutating func finishDeletions(
        _ deletions: Deletions, version: UInt64, isTwofold: Bool = false,
        _ options: CheckpointOptions
    ) {
        let isShrinking =
            deletions.rowCount >= options.minimumDeletedRowCount
            || isFileMostlyFree(after: checkpoint.deletions)
        checkpoint.deletions -= deletions
        checkpoint.nodesUse = nil
        checkpoint.fullDisk = nil
        if options.isOn, isShrinking, !isTwofold {
            checkpoint.wantedVersion = max(checkpoint.wantedVersion, version + 1)
        }
    }

    private mutating func reloadStep(
        _ log: RealmLog, _ options: CheckpointOptions
    ) -> Coordinator.Step? {
        switch checkpoint.reload {
        case .loading:
            return nil
        case .near(let reloaded):
            let lag = log.durableEnd - min(reloaded.replay.position, log.durableEnd)
            if lag > Coordinator.maximumReloadLagByteCount, reloaded.roundCount < 8 {
                checkpoint.reload = .loading
                return .startReplay(reloaded, through: log.durableEnd)
            }
            checkpoint.reload = .ready(reloaded)
            return swapStep(log, reloaded)
        case .ready(let reloaded):
            return swapStep(log, reloaded)
        case .none:
            guard checkpoint.reloadRetry?.isDue ?? true else { return nil }
            if let older = healingCheckpoint(log) {
                checkpoint.damagedVersion = checkpoint.baseVersion
                checkpoint.isHealing = true
                checkpoint.reload = .loading
                return use(log, .reload(older))
            }
            // After a compaction, the file is another one although the version is the same.
            let isFileObsolete = options.leavesRemovedFiles && isFileObsolete(log)
            guard let newest = log.newestCheckpoint,
                newest.version > checkpoint.baseVersion || isFileObsolete,
                newest.version <= publishedVersion, newest != checkpoint.unusable,
                newest.version != checkpoint.damagedVersion || isFileObsolete
            else { return nil }
            let gain =
                head.content.context.store.usage.byteCount
                - 2 * Int(min(newest.byteCount, 1 << 40))  // the byte count comes from a file
            guard
                options.minimumReloadByteCount == 0 || gain >= options.minimumReloadByteCount
                    || head.needsHealing || checkpoint.baseVersion < checkpoint.wantedVersion
                    || isFileObsolete
            else { return nil }
            checkpoint.reload = .loading
            return use(log, .reload(newest))
        }
    }

    /// Whether the nodes file that this process reads holds neither kept checkpoint.
    private func isFileObsolete(_ log: RealmLog) -> Bool {
        guard let file = head.nodesFileNumber, let newest = log.newestCheckpoint else {
            return false
        }
        return file < newest.file && file != log.olderCheckpoint?.file
    }

    /// Handles the failure of a reload. If the cause may be temporary, the reload is repeated, up
    /// to 20 attempts in all (for about 70 s), because new checkpoints and bulk commits wait for
    /// the older checkpoint to be loaded. If a commit was applied to damaged data, nothing else can
    /// be done with the realm, so there is no limit.
    ///
    /// - Parameter error: `nil` if another process has yet to sync its commits.
    mutating func failReload(
        _ reference: CheckpointReference, _ error: StoreError?, _ options: CheckpointOptions
    ) {
        let isHealing = checkpoint.isHealing
        checkpoint.reload = .none
        checkpoint.isHealing = false
        let mayPass: Bool
        switch error {
        case nil: mayPass = true
        case let error? where isHealing: mayPass = error.mayPass && !error.isMediaFailure
        // `historyTrimmed`: there is a newer checkpoint.
        case let error?: mayPass = error.mayPass || error.code == .historyTrimmed
        }
        let delay = options.retryNanoseconds
        if error == nil, !isHealing {  // only memory waits
            checkpoint.reloadRetry = Backoff(after: nil, from: delay)
            return
        }
        let retry = Backoff(after: checkpoint.reloadRetry, from: delay, to: 50 * delay)
        let isLast = retry.failureCount >= 20 && !(isHealing && head.inheritedDamage != nil)
        if mayPass, !isLast {
            if isHealing { checkpoint.damagedVersion = nil }
            checkpoint.reloadRetry = retry
            return
        }
        checkpoint.reloadRetry = Backoff(after: nil, from: delay)
        if !isHealing {
            checkpoint.unusable = reference
        } else if error?.isPermanentDamage == true, var damaged = head.damagedImages {
            if let shared = checkpoint.sharedDamage, shared.fileNumber == damaged.fileNumber {
                damaged.offsets.formUnion(shared.offsets)
            }
            checkpoint.sharedDamage = damaged
        }
    }

    /// The older checkpoint, which may have an intact copy of a damaged leaf; `nil` once it was
    /// tried.
    private func healingCheckpoint(_ log: RealmLog) -> CheckpointReference? {
        guard head.needsHealing, checkpoint.damagedVersion != checkpoint.baseVersion,
            let older = log.olderCheckpoint, older.version < checkpoint.baseVersion
        else { return nil }
        if let shared = checkpoint.sharedDamage, head.isDamaged(onlyIn: shared) { return nil }
        return older
    }

    /// When the older checkpoint is tried; `nil` if it isn't needed or a reload is in progress.
    func healingRetry(_ log: RealmLog) -> UInt64? {
        guard case .none = checkpoint.reload, healingCheckpoint(log) != nil else { return nil }
        return checkpoint.reloadRetry?.retryAt ?? 0
    }

    /// Whether an older checkpoint is being tried because of damage. No checkpoint is written until
    /// that has ended.
    func isHealing(_ log: RealmLog) -> Bool {
        checkpoint.isHealing || healingCheckpoint(log) != nil
    }

    private mutating func swapStep(
        _ log: RealmLog, _ reloaded: ReloadedRoot
    ) -> Coordinator.Step? {
        isTurnTaken || !staged.isEmpty ? nil : use(log, .swap(reloaded))
    }

    /// Whether turns wait for a reloaded root to replace the published one.
    var isSwapDue: Bool {
        if case .ready = checkpoint.reload { true } else { false }
    }
}
