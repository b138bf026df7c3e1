internal import RegnumStore

/// The way commits that a subscription hasn't taken yet are kept.
package enum BufferingPolicy: Sendable {
    /// The summaries; adjacent ones may be merged.
    case merged
    /// Each summary individually.
    case commits
    /// Each summary individually, and the root of each commit that concerns the subscription.
    case versions
    /// Nothing; the subscriber compares the versions.
    case nothing
    /// Nothing, not even the starting version and labels: the subscriber only learns whether
    /// commits concerned it.
    case concern
}

/// A subscriber's position in the commits of a realm. Starting from the version that was published
/// when it was created, it *takes* all later commits on demand. Ends when the last reference is
/// released.
package final class Subscription: Sendable {
    private let hub: CommitHub
    private let entry: SubscriptionEntry

    init(_ hub: CommitHub, _ entry: SubscriptionEntry) {
        self.hub = hub
        self.entry = entry
    }

    deinit { hub.remove(entry) }

    /// The root that was published when the subscription was created. No commit between it and the
    /// first signal is missed. It is kept until the first `take`; accessing it afterwards, or with
    /// `.concern`, traps.
    package var start: DatabaseRoot {
        guard let start = hub.state.withLock({ _ in entry.start }) else {
            preconditionFailure("The start of a subscription isn't available after its first take.")
        }
        return start
    }

    /// Attaches a waiter that is woken from now on, and immediately if there is something to take.
    ///
    /// A task that was woken must take, or ensure that another does, before it waits again.
    package func attach() -> SignalSlot {
        let word = SignalWord()
        let (id, isClosed) = hub.state.withLock { state in
            state.nextID += 1
            let isClosed = state.isClosed || entry.isRemoved
            if !isClosed { entry.slots.insert(word, state.nextID) }
            if entry.since != nil || entry.mustMove { word.signal() }
            // A batch that is being processed has already collected the slots to signal, if an
            // earlier commit of it concerned the subscription. The next one must collect this slot.
            entry.lastSignal = 0
            return (state.nextID, isClosed)
        }
        if isClosed { word.close() }
        return SignalSlot(hub, entry, id: id, word)
    }

    /// The number of commits that a stream takes at once if it delivers each one.
    package static let commitCountPerTake = 64

    /// Waits until everything published before the call can be taken. The wait is bounded by
    /// processing what is queued, and doesn't include later commits.
    package func catchUp() async { await hub.catchUp() }

    /// Returns everything since the last call, or `nil` if nothing concerned the subscription.
    /// Concurrent callers never get the same commits.
    ///
    /// - Parameter maximumCount: the maximum number of commits that concern it to return at once,
    ///   at least 1, for a subscription that keeps each commit. The next call returns the following
    ///   ones, which remain in the memory that all subscriptions share.
    /// - Complexity: O(summaries returned).
    package func take(maximumCount: Int = .max) -> Pending? {
        let (pending, garbage) = hub.state.withLock { state -> (Pending?, [Any]) in
            let start = entry.start
            entry.start = nil
            let pending = state.take(entry, maximumCount)
            return (pending, [start as Any] + state.commits.takeDroppedRoots())
        }
        withExtendedLifetime(garbage) {}
        return pending
    }

    /// The version up to which commits have been processed. If there is nothing to take, no commit
    /// up to this version concerned the subscription.
    package var processedVersion: UInt64 {
        hub.state.withLock { state in max(state.processedRoot?.version ?? 0, entry.position) }
    }

    /// The version up to which no commit since the last take concerned the subscription; `nil` if
    /// it has ended and there are no others.
    package var idleVersion: UInt64? {
        hub.state.withLock { state in
            guard let version = entry.since ?? state.processedRoot?.version else { return nil }
            return max(version, entry.position)
        }
    }

    /// Ends the subscription: closes its slots and discards what could be taken.
    package func cancel() { hub.remove(entry) }
}

/// The result of a take: all commits since the last take, from the first that concerned it.
package struct Pending: Sendable {
    /// The newest root up to which all commits have been processed.
    package let root: DatabaseRoot
    /// The version before the first commit that concerned the subscription. Commits between the
    /// last take and this version are irrelevant to it.
    package let since: UInt64
    /// Whether a commit concerned the subscription. If not, the relevant content of `root` equals
    /// that of the last root taken; hold `root` instead, so that the older one can be released.
    package let isConcerned: Bool
    /// The summaries of the commits after `since` through `root.version`, in order; `nil` if they
    /// were dropped or not kept.
    package let summaries: [CommitSummary]?
    /// The distinct labels of the commits that concerned it, in order of first appearance; at most
    /// the newest 1,000.
    package let origins: [String]
    /// For `.commits` and `.versions`: the commits after `since`, in order; `nil` if they were
    /// dropped. If the take was limited, there may be more.
    package let commits: [KeptCommit]?
}

/// A commit that is kept individually.
package struct KeptCommit: Sendable {
    package let summary: CommitSummary
    /// Whether it concerned the subscription.
    package let isConcerning: Bool
    /// For `.versions`: the root created by the commit, if the commit concerned the subscription.
    package let root: DatabaseRoot?
    /// Whether its label is one of `Pending.origins`: not if it concerned the subscription only
    /// because it changed the schema.
    package var isLabelled = true
}
