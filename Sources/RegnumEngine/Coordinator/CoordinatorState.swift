internal import RegnumStore

/// A writer's turn. No other body runs on the realm until it is released by `commit` or `abandon`.
/// There must be no suspension in between.
package struct WriteTurn: Sendable {
    /// The private head, on which the transaction builds. It may be ahead of the published root.
    package let base: DatabaseRoot
    let epoch: UInt64
}

/// The mutable state of a `Coordinator`, guarded by its `state` mutex.
struct CoordinatorState {
    enum Phase { case open, closing, closed }

    var phase = Phase.open
    /// `nil` in memory and after closing. Used only by the holder of its lease.
    var log: RealmLog?
    var logLease = LogLease.Flag()

    // The gate
    /// Whether the writer lock is held, so that bodies may run. Always true in memory.
    var isGateOpen: Bool
    var isTurnTaken = false
    /// The call site of the body that has the turn.
    var turnPlace: CallPlace?
    var waiters = WaiterQueue()
    /// The time at which the timer for writers' timeouts fires, if it is set.
    var waiterTimerAt: UInt64?
    /// The time at which the timer for wait notices fires, if it is set.
    var noticeAt: UInt64?
    /// Incremented when staged commits are dropped. Turns of an earlier epoch can't commit.
    var epoch: UInt64 = 0
    /// The reason why writing is impossible until the poisoned log is revived.
    var writeFailure: StoreError?
    /// Whether the realm was opened read-only: no turn is granted, and nothing is written.
    var isReadOnly = false
    /// The reason why this process can no longer follow others.
    var followFailure: StoreError?
    /// The recovery at opening, with later ones merged in; `nil` in memory.
    var recovery: RecoveryReport?
    /// The error to throw if the realm is no longer where it was opened.
    var moved: StoreError?
    var lastPlaceCheck: UInt64 = 0
    /// The next retry after following failed with a transient error.
    var followRetry: Backoff?
    /// The next retry after acquiring the writer lock failed.
    var acquireRetry: Backoff?
    /// The reason of the last increment of `epoch`.
    var dropReason: StoreError?

    // The versions
    /// The root on which the next transaction builds.
    var head: DatabaseRoot
    var publishedVersion: UInt64
    var staged: [StagedCommit] = []
    var stagedByteCount: UInt64 = 0
    /// Whether a batch is being written to disk.
    var isFlushing = false
    /// Bodies without a commit that wait until what they read is published.
    var barriers: [Barrier] = []

    /// Callers waiting until everything published so far has been read.
    var catchUps: [UnsafeContinuation<StoreError?, Never>] = []
    /// Whether a caller of `catchUp` wants the log to be durable.
    var isSyncWanted = false
    /// The end of what was durable in the log when the last callers of `catchUp` were resumed.
    var durableEnd: LogPosition = 0

    // The pump
    var isPumpRunning = false
    var isPumpAsleep = false
    /// Whether other processes may have committed.
    var isHinted = false
    var lastActivity: UInt64 = 0
    var idleDue: UInt64?
    var syncDue: UInt64?
    /// Whether a relaxed commit was made that had to be synced because `LOCK` doesn't say yet that
    /// there are such commits.
    var isUnsyncedWanted = false
    /// The segment for which a spare was last requested: one request per segment is enough.
    var spareRequest: UInt64?
    /// Whether a job is creating the spare. Closing waits for it.
    var isMakingSpare = false
    var wakeDue: UInt64?
    /// The times at which timers start the pump.
    private var timers: [UInt64] = []
    /// Whether another process is waiting: the gate is shut, and the lock is released after the
    /// last turn.
    var isHandOffDue = false
    var lastWaitersCheck: UInt64 = 0
    var lastWatchersCheck: UInt64 = 0
    /// Whether another process watches for commits, as of the last check.
    var isWatched = true
    /// After a hand-off, don't reacquire the lock before this time while others wait for it and the
    /// grant count is unchanged.
    var handOffWaitEnd: UInt64 = 0
    var grantsAtHandOff: UInt32 = 0
    /// How long the next hand-off waits for its taker; `nil` for the maximum.
    var handOffWaitNanoseconds: UInt64?
    static let minimumHandOffWaitNanoseconds: UInt64 = 200_000
    var lastWake: UInt64 = 0
    var closeContinuations: [UnsafeContinuation<Void, Never>] = []

    var checkpoint = CheckpointState()

    var statistics = CoordinatorStatistics()
    /// The durations measured since they were last taken; `nil` if they aren't measured.
    var timings: CommitTimings?

    init(log: RealmLog?, root: DatabaseRoot) {
        self.log = log
        isGateOpen = log == nil
        head = root
        publishedVersion = root.version
    }

    /// Returns whether the caller must set a timer that starts the pump; false if an earlier one is
    /// set. Then the pump sets a later one if it is still needed.
    mutating func claimTimer(at time: UInt64) -> Bool {
        if timers.contains(where: { $0 <= time }) { return false }
        timers.append(time)
        return true
    }

    mutating func endTimer(at time: UInt64) { timers.removeAll { $0 == time } }
}

/// A commit waiting for its batch.
struct StagedCommit {
    var commit: Commit
    /// Whether the task of a bulk commit was cancelled; `nil` for other commits.
    var isCancelled: CancellationFlag?
    var continuation: UnsafeContinuation<StoreError?, Never>
    /// The time at which it was staged.
    var stagedAt: UInt64 = 0

    /// Returns the bytes that it counts towards the window of data on its way to the disk. A bulk
    /// commit fills the window, so that no turn begins until it is published, because it uses a lot
    /// of memory.
    func weight(_ options: StoreOptions) -> UInt64 {
        commit.bulk == nil ? UInt64(commit.body.count) : options.maximumWindowByteCount
    }
}

/// A caller waiting until `version` is published.
struct Barrier {
    var version: UInt64
    var continuation: UnsafeContinuation<StoreError?, Never>
}

/// The result for a queued writer.
enum TurnOutcome: Sendable {
    case turn(WriteTurn)
    case failed(StoreError)
    case cancelled
}
