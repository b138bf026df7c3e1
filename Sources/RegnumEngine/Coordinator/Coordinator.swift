package import RegnumStore

/// One realm in this process: its versions, the gate that its writers pass one by one, the batches
/// on their way to the disk, the commits of other processes on their way in.
///
/// There is one for each realm and process (`CoordinatorRegistry`). Data flows one way: a writer's
/// turn builds on the private head, its commit is staged, the pump (one job at a time on `IOPool`)
/// writes the staged batch and publishes its last root, then writers and observers are woken.
/// VERSIONS of the design and `Docs/DURABILITY.md` say what is visible and durable when.
package final class Coordinator: Sendable {
    package let options: CoordinatorOptions
    /// Has the newest published root, and those who wait for newer ones.
    let hub: CommitHub
    /// Everything else that changes. Never held across a system call that may block, nor across
    /// user code.
    let state: Guarded<CoordinatorState>
    /// Wakes the pump while it lingers.
    let pumpWake = WakeWord()
    let selfCheck = SelfCheck()
    /// What was found at opening, and put right since when other processes had died; nil in memory.
    package var recovery: RecoveryReport? { state.withLock { $0.recovery } }
    /// Whatever belongs to the realm as long as it is open, such as the public actor.
    let attachment = Guarded(WeakAttachment())

    init(
        _ options: CoordinatorOptions, log: RealmLog?, root: DatabaseRoot,
        recovery: RecoveryReport?
    ) {
        self.options = options
        hub = CommitHub(root, byteCountMax: options.summaryByteCountMax)
        var first = CoordinatorState(log: log, root: root)
        first.isReadOnly = options.isReadOnly
        first.recovery = recovery
        first.checkpoint.baseVersion = recovery?.checkpoint?.version ?? 0
        state = Guarded(first)
    }

    /// The newest published root: durable, or written to the log for relaxed commits. Never waits.
    package var published: DatabaseRoot { hub.published }

    /// A subscription to the commits that concern the interest, from the version published now
    /// (`Subscription.start`).
    package func subscribe(_ interest: Interest, keeps: Keeps = .merged) -> Subscription {
        hub.subscribe(keeps) { _ in interest }
    }

    /// A subscription whose interest depends on the root that it begins with, from which `interest`
    /// makes it.
    ///
    /// - Parameter interest: called once, under a lock: it may read the root, and nothing else.
    package func subscribe(
        keeps: Keeps = .merged, _ interest: (DatabaseRoot) -> Interest
    ) -> Subscription {
        hub.subscribe(keeps, interest)
    }

    /// What the streams of the realm cost.
    package var streamCounters: StreamCounters { hub.counters }

    /// Waits until `published.version` is at least `version`. Throws `CancellationError`, or
    /// `closed` if the realm is closed before.
    package func waitUntil(version: UInt64) async throws {
        let subscription = subscribe(.all, keeps: .nothing)
        let slot = subscription.attach()
        while published.version < version {
            try checkReadable()
            switch await slot.wait() {
            case .changed: continue
            case .closed:
                if published.version >= version { return }
                throw Self.closedError
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// Whether the realm was found moved or removed.
    var hasEnded: Bool { state.withLock { $0.moved != nil } }

    /// Whether `close` was called.
    package var isClosed: Bool { state.withLock { $0.phase != .open } }

    /// Throws what keeps this process from following the others, if there is anything: damage, or
    /// that the realm is no longer where it was opened.
    package func checkReadable() throws(StoreError) {
        if let failure = state.withLock({ $0.moved ?? $0.followFailure }) { throw failure }
    }

    /// The object that belongs to the open realm, made by `make` if there is none and `mayMake`; nil
    /// if the realm is being closed: open it anew.
    package func attached<T: AnyObject & Sendable>(mayMake: Bool = true, _ make: () -> T) -> T? {
        attachment.withLock { attachment in
            if let existing = attachment.object as? T { return existing }
            guard mayMake, !isClosed else { return nil }
            let made = make()
            attachment.object = made
            return made
        }
    }

    /// Counters since the realm was opened in this process.
    package var statistics: CoordinatorStatistics {
        var statistics = state.withLock { $0.statistics }
        (
            statistics.subscriptions, statistics.keptSummaries,
            statistics.keptSummaryByteCount, statistics.keptRoots
        ) = hub.statistics
        return statistics
    }

    /// Makes `root` the published one. The caller has the hub look at it (`CommitHub.look`) after it
    /// has resumed the writers.
    ///
    /// - Parameter steps: how it came about, in order.
    func publish(_ root: DatabaseRoot, _ steps: [PublishedStep]) {
        let old = hub.publish(root, steps)
        withExtendedLifetime(old) {}  // released here, outside the hub's locks
    }

    static let readOnlyError = StoreError(
        .readOnly, "The realm was opened read-only: it cannot be changed.")
    static let closedError = StoreError(.closed, "The realm is closed.")
}

struct WeakAttachment {
    weak var object: (any AnyObject & Sendable)?
}

/// Counters of one coordinator: what was done, not how long it took.
package struct CoordinatorStatistics: Sendable, Equatable {
    /// Commits published by this process.
    package var commits: UInt64 = 0
    /// Batches written: one `pwrite` each.
    package var batches: UInt64 = 0
    /// Completed disk syncs of the log for commits.
    package var syncs: UInt64 = 0
    /// Bytes of commit record bodies appended.
    package var appendedByteCount: UInt64 = 0
    /// Commits of other processes applied.
    package var followedCommits: UInt64 = 0
    /// Checkpoints that this process made, bulk commits included.
    package var checkpoints: UInt64 = 0
    /// Leaves that it wrote for them.
    package var checkpointedLeaves: UInt64 = 0
    /// How often it moved on to a new checkpoint.
    package var reloads: UInt64 = 0
    /// How often this process got the writer lock.
    package var grants: UInt64 = 0
    /// How often it gave the lock up because another process waited.
    package var handOffs: UInt64 = 0
    /// Subscriptions that exist now.
    package var subscriptions = 0
    /// Commit summaries that are kept for them now; several commits may be in one.
    package var keptSummaries = 0
    /// About how many bytes these take.
    package var keptSummaryByteCount = 0
    /// Roots of older versions that are kept for subscribers that want each version.
    package var keptRoots = 0

    package init() {}
}
