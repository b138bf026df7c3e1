internal import RegnumStore

/// A writer's turn: nobody else's body runs on the realm until it is given back by `commit` or
/// `abandon`. There must be no suspension in between.
package struct WriteTurn: Sendable {
    /// The private head: what the transaction builds on. It may be ahead of the published root.
    package let base: DatabaseRoot
    let epoch: UInt64
}

/// All state of a `Coordinator` that changes, guarded by its `state` mutex.
struct CoordinatorState {
    enum Phase { case open, closing, closed }

    var phase = Phase.open
    /// Nil in memory and after closing. Used only by whoever set `ownsLog`.
    var log: RealmLog?
    /// Somebody (the pump, or a writer inline) uses the log.
    var ownsLog = false

    // the gate
    /// The writer lock is held: bodies may run. Always in memory.
    var isGateOpen: Bool
    var isTurnTaken = false
    /// Where the body that has the turn was given.
    var turnPlace: CallPlace?
    var waiters = WaiterQueue()
    /// When the timer for writers' time-outs fires, if it is set.
    var waiterTimerAt: UInt64?
    /// When the timer fires that reports whom writers wait for, if it is set.
    var noticeAt: UInt64?
    /// Rises when staged commits are dropped: turns begun before it commit nothing.
    var epoch: UInt64 = 0
    /// Why nobody can write until the log was revived: it is poisoned.
    var writeFailure: StoreError?
    /// The realm was opened for reading: no turn is given, nothing is written.
    var isReadOnly = false
    /// Why this process can follow the others no longer.
    var followFailure: StoreError?
    /// What was found at opening, and put right since; nil in memory.
    var recovery: RecoveryReport?
    /// The realm is no longer where it was opened.
    var moved: StoreError?
    var lastPlaceCheck: UInt64 = 0
    /// Following failed for a reason that may pass.
    var followRetry: Backoff?
    /// Taking the writer lock did.
    var acquireRetry: Backoff?
    /// Why the epoch rose last.
    var dropReason: StoreError?

    // the versions
    /// What the next transaction builds on.
    var head: DatabaseRoot
    var publishedVersion: UInt64
    var staged: [StagedCommit] = []
    var stagedByteCount: UInt64 = 0
    /// Whether a batch is on its way to the disk.
    var isFlushing = false
    /// Bodies without a commit, waiting until what they read is published.
    var barriers: [Barrier] = []

    /// Callers that wait until everything published so far is read.
    var catchUps: [UnsafeContinuation<StoreError?, Never>] = []

    // the pump
    var isPumpRunning = false
    var isPumpAsleep = false
    /// Other processes may have committed.
    var isHinted = false
    var lastActivity: UInt64 = 0
    var idleDue: UInt64?
    var syncDue: UInt64?
    /// The segment for which a spare was last requested: one request per segment is enough.
    var spareRequest: UInt64?
    var wakeDue: UInt64?
    var timerAt: UInt64?
    /// Another process waits: the gate is shut, and the lock goes when the last turn has ended.
    var isHandOffDue = false
    var lastWaitersCheck: UInt64 = 0
    var lastWatchersCheck: UInt64 = 0
    /// Another process watches for commits (as of the last check).
    var isWatched = true
    /// After a hand-off: do not retake the lock while others wait for it and the grants have not
    /// moved, until this time.
    var politeUntil: UInt64 = 0
    var grantsAtHandOff: UInt32 = 0
    /// How long the next hand-off waits for its taker; nil for the longest time.
    var politenessNanoseconds: UInt64?
    static let politenessNanosecondsMin: UInt64 = 200_000
    var lastWake: UInt64 = 0
    var closers: [UnsafeContinuation<Void, Never>] = []

    var checkpoint = CheckpointState()

    var statistics = CoordinatorStatistics()

    init(log: RealmLog?, root: DatabaseRoot) {
        self.log = log
        isGateOpen = log == nil
        head = root
        publishedVersion = root.version
    }
}

/// A commit that waits for its batch.
struct StagedCommit {
    var commit: Commit
    var continuation: UnsafeContinuation<StoreError?, Never>

    /// What it counts of the window of what is on its way to the disk. After a bulk commit no turn
    /// begins before it is published: what is in memory for it is not small.
    func weight(_ options: StoreOptions) -> UInt64 {
        commit.bulk == nil ? UInt64(commit.body.count) : options.windowByteCountMax
    }
}

/// A caller that waits until `version` is published.
struct Barrier {
    var version: UInt64
    var continuation: UnsafeContinuation<StoreError?, Never>
}

/// What a queued writer gets.
enum TurnOutcome: Sendable {
    case turn(WriteTurn)
    case failed(StoreError)
    case cancelled
}
