/// What is kept of the commits that a subscription has not taken yet.
package enum Keeps: Sendable {
    /// Their summaries; neighbours may be merged into one.
    case merged
    /// Each summary apart.
    case commits
    /// Each summary apart, and the root of each commit that concerns the subscription.
    case versions
    /// Nothing: who takes compares the versions.
    case nothing
}

/// One subscriber's place at the commits of a realm: from the version published when it began,
/// it *takes* what came since, when it likes. It ends with its last reference.
package final class Subscription: Sendable {
    private let hub: CommitHub
    private let entry: SubscriptionEntry

    init(_ hub: CommitHub, _ entry: SubscriptionEntry) {
        self.hub = hub
        self.entry = entry
    }

    deinit { hub.remove(entry) }

    /// What was published when the subscription began: nothing between it and the first signal is
    /// lost. It is held until the first `take`, and traps after that.
    package var start: DatabaseRoot { hub.start(entry) }

    /// A waiter, woken from now on and at once if there is something to take already.
    ///
    /// Whoever was woken takes, or sees to it that another does, before it waits again.
    package func attach() -> SignalSlot { hub.attach(entry) }

    /// Waits until what was published before the call can be taken, if that is still to be found out:
    /// for the time of one look at it, and not for anything that is published meanwhile.
    package func catchUp() async { await hub.catchUp() }

    /// What came since the last call, or nil if nothing concerned the subscription. Two callers never
    /// get the same.
    ///
    /// - Complexity: O(summaries that are kept for it).
    package func take() -> Pending? { hub.take(entry) }

    /// Changes the interest to what is right since `version`, such as one that was taken. No effect if
    /// it is the same.
    ///
    /// Commits that were not looked at yet are looked at with the new interest. Of those after
    /// `version` that were, it is not known any more whether they would have concerned it: if there
    /// are any it counts as concerned since then, with `summaries` and `commits` nil, unless
    /// the first commit that concerned it was before.
    package func update(_ interest: Interest, asOf version: UInt64) {
        hub.update(entry, interest, asOf: version)
    }

    /// The version through which commits have been looked at: if there is nothing to take, none up
    /// to this version concerned the subscription.
    package var seenVersion: UInt64 { hub.seenVersion(entry) }

    /// Ends the subscription: its slots are closed, and there is nothing to take any more.
    package func cancel() { hub.remove(entry) }
}

/// What a subscription takes: all commits since it took last, from the first that concerned it.
package struct Pending: Sendable {
    /// The newest root; all commits up to it have been looked at.
    package let root: DatabaseRoot
    /// The version before the first commit that concerned the subscription. The one before `root` and
    /// after what was taken last do not matter to it.
    package let since: UInt64
    /// Whether a commit concerned it. If not, `root` has the same content as what was taken last, as
    /// far as it matters, and is to be held instead of it: what is held by the older one is to go.
    package let isConcerned: Bool
    /// What the commits after `since` through `root.version` changed, in order; nil if that is gone or
    /// was not kept.
    package let summaries: [CommitSummary]?
    /// The labels of the commits that concerned it, in order of the first of each, each once; the
    /// newest 1,000.
    package let origins: [String]
    /// For `.commits` and `.versions`: the commits after `since`, in order; nil if they are gone.
    package let commits: [KeptCommit]?
}

/// A commit that is kept apart from the others.
package struct KeptCommit: Sendable {
    package let summary: CommitSummary
    /// Whether it concerned the subscription.
    package let isConcerning: Bool
    /// For `.versions`, of commits that concerned it: the root that the commit made.
    package let root: DatabaseRoot?
}
