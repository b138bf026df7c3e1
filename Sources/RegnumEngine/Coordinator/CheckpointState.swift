internal import RegnumStore

/// When checkpoints are made, and when a process moves on to one. Tests make the numbers tiny.
package struct CheckpointOptions: Sendable {
    /// Whether this process makes checkpoints of its own accord. Bulk commits do in any case.
    package var isOn = true
    /// A checkpoint is due when the log since the last one has this many bytes, or half of the bytes
    /// of the nodes in memory if that is more, ...
    package var logByteCountMin: UInt64 = 4 << 20
    /// ... and at this many in any case; ...
    package var logByteCountMax: UInt64 = 256 << 20
    /// ... or when there were this many commits.
    package var commitCountMax: UInt64 = .max
    /// The last one to close makes a checkpoint if the log since the last one has more bytes.
    package var closingByteCountMin: UInt64 = 256 << 10
    /// A process moves on to a new checkpoint if that gives back this many bytes of memory; 0:
    /// always.
    package var reloadByteCountMin = 1 << 20
    /// After each MiB that is written ahead, the writer of a checkpoint waits so long.
    package var paceNanoseconds: UInt64 = 500_000
    /// When a checkpoint that another process is making is tried again; one that failed after ten
    /// times as long.
    package var retryNanoseconds: UInt64 = 100_000_000
    /// How long a bulk commit waits for a checkpoint of another process to end, which is paced and may
    /// have gigabytes to write.
    package var bulkTimeoutNanoseconds: UInt64 = 60_000_000_000

    package init() {}
}

/// Where the coordinator stands with checkpoints, guarded by its `state` mutex.
struct CheckpointState {
    /// A job writes a checkpoint or removes needless files: it has the checkpoint lock, which its
    /// process could take twice.
    var isBusy = false
    /// The job shall give up.
    var isCancelled = false
    /// A checkpoint that waits for its record.
    var finished: FinishedCheckpoint?
    /// A bulk commit was made: the next segment is to name it.
    var isSegmentDue = false
    /// Up to this version one is due, and this process moves on to it, whatever the options say.
    var wantedVersion: UInt64 = 0
    /// No new one before that time.
    var retryAt: UInt64 = 0
    /// The checkpoint from which this process's tree was loaded; 0: none.
    var baseVersion: UInt64 = 0
    /// The checkpoint of which something was found damaged last: the older one was tried instead.
    var damagedVersion: UInt64?
    var reload = Reload.none
    /// The reload is one to an older checkpoint, because of damage.
    var isHealing = false
    /// No new try before that time.
    var reloadRetryAt: UInt64 = 0

    /// The way of this process to a newer checkpoint.
    enum Reload {
        case none
        /// A job loads it, and reads the log from there.
        case loading
        /// It has read most.
        case near(ReloadedRoot)
        /// No turn begins before it has taken its place.
        case ready(ReloadedRoot)
    }
}

/// What a checkpoint is made from.
struct CheckpointPlan {
    /// The log end; file and image are filled in later.
    var point: CheckpointReference
    /// The newest checkpoint before it.
    var base: CheckpointReference?
    var root: DatabaseRoot
    var nodes: NodesDirectory
    var lock: any LockFile
}

/// A checkpoint whose images are durable.
struct FinishedCheckpoint {
    var reference: CheckpointReference
    /// It counts only if no other one came in between.
    var base: CheckpointReference?
}

/// A root loaded from a checkpoint, on its way to the present.
///
/// Guard of the `@unchecked Sendable`: used by one job at a time, which got it under the
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

    /// Reads on; `end` is durable.
    func read(through end: LogPosition) throws(StoreError) {
        roundCount += 1
        try replay.read(through: end, incoming.apply)
    }
}

extension CoordinatorState {
    /// What is to do for checkpoints; more urgent than what is staged, since it is short.
    mutating func checkpointStep(
        _ log: RealmLog, _ options: CoordinatorOptions, _ now: UInt64
    ) -> Coordinator.Step? {
        guard phase == .open, writeFailure == nil, followFailure == nil else { return nil }
        // it has the damaged leaf too, and its record would let go of the checkpoint that may not
        if isHealing(log) { checkpoint.finished = nil }
        if let finished = checkpoint.finished, isGateOpen {
            checkpoint.finished = nil
            ownsLog = true
            return .recordCheckpoint(finished)
        }
        if checkpoint.isSegmentDue, isGateOpen {
            checkpoint.isSegmentDue = false
            ownsLog = true
            return .beginSegment
        }
        if let step = reloadStep(log, options.checkpoint, now) { return step }
        guard isCheckpointDue(log, options.checkpoint, now) else { return nil }
        checkpoint.isBusy = true
        checkpoint.isCancelled = false
        ownsLog = true
        return .checkpoint
    }

    private func isCheckpointDue(
        _ log: RealmLog, _ options: CheckpointOptions, _ now: UInt64
    ) -> Bool {
        guard options.isOn || checkpoint.wantedVersion > 0, !isReadOnly, !checkpoint.isBusy,
            checkpoint.finished == nil, now >= checkpoint.retryAt
        else { return false }
        let newest = log.newestCheckpoint
        let version = newest?.version ?? 0
        guard publishedVersion > version, head.inheritedDamage == nil, !isHealing(log) else {
            return false
        }
        if version < checkpoint.wantedVersion { return true }
        if publishedVersion - version >= options.commitCountMax { return true }
        let position = newest?.position ?? 0
        guard log.position > position, log.position - position >= options.logByteCountMin else {
            return false
        }
        let half = UInt64(head.content.context.store.usage.byteCount / 2)
        var limit = min(max(options.logByteCountMin, half), options.logByteCountMax)
        // who writes has the locks at hand: others do it only if nobody else does
        if statistics.commits == 0 { limit *= 2 }
        return log.position - position >= limit
    }

    private mutating func reloadStep(
        _ log: RealmLog, _ options: CheckpointOptions, _ now: UInt64
    ) -> Coordinator.Step? {
        switch checkpoint.reload {
        case .loading:
            return nil
        case .near(let reloaded):
            let lag = log.durableEnd - min(reloaded.replay.position, log.durableEnd)
            if lag > Coordinator.reloadLagByteCountMax, reloaded.roundCount < 8 {
                checkpoint.reload = .loading
                return .readOn(reloaded, through: log.durableEnd)
            }
            checkpoint.reload = .ready(reloaded)
            return swapStep(reloaded)
        case .ready(let reloaded):
            return swapStep(reloaded)
        case .none:
            if let older = healingCheckpoint(log) {
                checkpoint.damagedVersion = checkpoint.baseVersion
                checkpoint.isHealing = true
                checkpoint.reload = .loading
                ownsLog = true
                return .reload(older)
            }
            guard let newest = log.newestCheckpoint, newest.version > checkpoint.baseVersion,
                newest.version <= publishedVersion, newest.version != checkpoint.damagedVersion,
                now >= checkpoint.reloadRetryAt
            else { return nil }
            let gain =
                head.content.context.store.usage.byteCount
                - 2 * Int(min(newest.byteCount, 1 << 40))  // the number is that of a file
            guard
                options.reloadByteCountMin == 0 || gain >= options.reloadByteCountMin
                    || checkpoint.baseVersion < checkpoint.wantedVersion
            else { return nil }
            checkpoint.reload = .loading
            ownsLog = true
            return .reload(newest)
        }
    }

    /// The checkpoint that may have an intact copy of what was found damaged, until it was tried.
    private func healingCheckpoint(_ log: RealmLog) -> CheckpointReference? {
        guard head.needsHealing, checkpoint.damagedVersion != checkpoint.baseVersion,
            let older = log.olderCheckpoint, older.version < checkpoint.baseVersion
        else { return nil }
        return older
    }

    /// Whether an older checkpoint is tried because of damage. Until then no newer one is made.
    func isHealing(_ log: RealmLog) -> Bool {
        checkpoint.isHealing || healingCheckpoint(log) != nil
    }

    private mutating func swapStep(_ reloaded: ReloadedRoot) -> Coordinator.Step? {
        guard !isTurnTaken, staged.isEmpty else { return nil }
        ownsLog = true
        return .swap(reloaded)
    }

    /// Turns wait until a reloaded root has taken its place.
    var isSwapDue: Bool {
        if case .ready = checkpoint.reload { true } else { false }
    }
}
