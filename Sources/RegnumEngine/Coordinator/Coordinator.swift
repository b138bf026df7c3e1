package import RegnumStore

/// A realm in this process: its versions, the gate for its writers, batches being written to disk,
/// and incoming commits of other processes.
///
/// There is one per realm and process (`CoordinatorRegistry`). Data flows one way: a writer's turn
/// builds on the private head, its commit is staged, the pump (one job at a time on `IOPool`)
/// writes the staged batch and publishes its last root, and then writers and observers are woken.
/// `Docs/DURABILITY.md` specifies what is visible and durable when.
package final class Coordinator: Sendable {
    package let options: CoordinatorOptions
    /// The newest published root and its subscribers.
    let hub: CommitHub
    /// All other mutable state. Never locked across a system call that may block, or across user
    /// code.
    let state: Guarded<CoordinatorState>
    /// The word that wakes the pump while it lingers.
    let pumpWake = WakeWord()
    let selfCheck = SelfCheck()
    let scrub: Scrub?
    private let timelinesValue: Guarded<Timelines>
    /// The recovery at opening, and later ones after other processes died; `nil` in memory.
    package var recovery: RecoveryReport? { state.withLock { $0.recovery } }
    /// An object that belongs to the open realm, such as the public actor.
    let attachment = Guarded(WeakAttachment())

    init(
        _ options: CoordinatorOptions, log: RealmLog?, root: DatabaseRoot,
        timelines: Timelines? = nil, recovery: RecoveryReport?
    ) {
        self.options = options
        scrub = log == nil ? nil : Scrub(options)
        timelinesValue = log?.timelines ?? Guarded(timelines ?? Timelines(root.identity))
        hub = CommitHub(root, maximumByteCount: options.maximumSummaryByteCount)
        var first = CoordinatorState(log: log, root: root)
        first.isReadOnly = options.isReadOnly
        first.recovery = recovery
        first.checkpoint.baseVersion = recovery?.checkpoint?.version ?? 0
        state = Guarded(first)
    }

    /// A coordinator whose openers were all cancelled is never closed.
    deinit { scrub?.stop() }

    /// The newest published root: durable, or written to the log for relaxed commits. Never waits.
    package var published: DatabaseRoot { hub.published }

    /// The timelines of the published versions.
    package var timelines: Timelines { timelinesValue.withLock { $0 } }

    /// Subscribes to the commits that concern the interest, from the currently published version on
    /// (`Subscription.start`).
    package func subscribe(_ interest: Interest, buffering: BufferingPolicy = .merged)
        -> Subscription
    {
        hub.subscribe(buffering) { _ in interest }
    }

    /// Subscribes with an interest that depends on the version.
    ///
    /// - Parameter interest: called with the starting root, and with each that may have another
    ///   interest: after a commit that changes the schema or rows of its `source`, after a gap, and
    ///   when a damaged tree is replaced. It is called under a lock, so it must only read the root.
    package func subscribe(
        buffering: BufferingPolicy = .merged,
        _ interest: @escaping @Sendable (DatabaseRoot) -> Interest
    ) -> Subscription {
        hub.subscribe(buffering, interest)
    }

    /// Counters of the work done by the realm's streams.
    package var streamCounters: StreamCounters { hub.counters }

    /// Waits until `published.version` is at least `version`. Throws `CancellationError`, or
    /// `closed` if the realm is closed first.
    package func waitUntil(version: UInt64) async throws {
        let subscription = subscribe(.all, buffering: .concern)
        let slot = subscription.attach()
        while published.version < version {
            try checkReadable()
            switch await slot.wait() {
            case .changed, .timedOut: continue
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

    /// Throws the error that prevents this process from following others, if any: damage, or that
    /// the realm is no longer where it was opened.
    package func checkReadable() throws(StoreError) {
        if let failure = state.withLock({ $0.moved ?? $0.followFailure }) { throw failure }
    }

    /// Returns the object that belongs to the open realm, created by `make` if there is none and
    /// `mayMake`; `nil` if the realm is being closed and must be opened again.
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
            statistics.keptSummaryByteCount, statistics.keptRoots,
            statistics.subscriptionLag
        ) = hub.statistics
        return statistics
    }

    /// The results of the scrub; `nil` if the realm isn't scrubbed.
    package var scrubStatistics: ScrubStatistics? { scrub?.statistics }

    /// Publishes `root`. The caller calls `CommitHub.process` after resuming the writers.
    ///
    /// - Parameter steps: the steps leading to `root`, in order.
    func publish(_ root: DatabaseRoot, _ steps: [PublishedStep]) {
        let old = hub.publish(root, steps)
        withExtendedLifetime(old) {}  // released here, outside the hub's locks
    }

    static let readOnlyError = StoreError(
        .readOnly, "The realm was opened read-only and can't be changed.")
    static let closedError = StoreError(.closed, "The realm is closed.")
}

struct WeakAttachment {
    weak var object: (any AnyObject & Sendable)?
}

/// Counters of one coordinator: operations, not durations.
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
    /// Checkpoints written by this process, including bulk commits.
    package var checkpoints: UInt64 = 0
    /// Compactions among them that were requested.
    package var compactions: UInt64 = 0
    /// Number of switches to a new checkpoint.
    package var reloads: UInt64 = 0
    /// Number of times this process acquired the writer lock.
    package var grants: UInt64 = 0
    /// Number of times it released the lock because another process was waiting.
    package var handOffs: UInt64 = 0
    /// Current number of subscriptions.
    package var subscriptions = 0
    /// Current number of commits from the oldest one that a subscription still has to take through
    /// the newest one.
    package var subscriptionLag: UInt64 = 0
    /// Current number of kept commit summaries; one may cover several commits.
    package var keptSummaries = 0
    /// Approximate number of bytes of the kept summaries.
    package var keptSummaryByteCount = 0
    /// Number of older roots kept for subscribers that want each version.
    package var keptRoots = 0

    package init() {}
}
