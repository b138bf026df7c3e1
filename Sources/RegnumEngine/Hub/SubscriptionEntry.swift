/// The hub's state of a subscription.
///
/// Guard of the `@unchecked Sendable`: the lock of the `CommitHub`'s `state` for all variables.
final class SubscriptionEntry: @unchecked Sendable {
    let id: UInt64
    let buffering: BufferingPolicy
    /// Returns the interest at a version.
    let interestAt: @Sendable (DatabaseRoot) -> Interest
    /// The interest at the newest version that was processed, or at the starting version.
    var interest: Interest
    /// The starting root, until the first take; `nil` for `.concern`.
    var start: DatabaseRoot?
    /// The last version taken. Older commits are irrelevant.
    var position: UInt64
    var isRemoved = false
    var slots = Members<SignalWord>()

    // State since the last take
    /// The version before the first commit that concerned it, `nil` if none did.
    var since: UInt64?
    /// Whether a history keeps, or has dropped, the commits after `since`.
    var isKept = false
    /// Whether there is a new root to adopt, even if no commit concerned the subscription.
    var mustMove = false
    var origins = OriginList()
    /// For `.commits` and `.versions`: the ascending versions of the commits that concerned it.
    var concerning: [UInt64] = []
    /// Those among them whose labels don't count.
    var unlabelled: Set<UInt64> = []

    // State while processing a commit or a batch of them
    var lastConcern: UInt64 = 0
    var lastSignal: UInt64 = 0

    init(
        id: UInt64, _ interestAt: @escaping @Sendable (DatabaseRoot) -> Interest,
        _ buffering: BufferingPolicy,
        start: DatabaseRoot
    ) {
        self.id = id
        self.buffering = buffering
        self.interestAt = interestAt
        interest = interestAt(start)
        self.start = buffering == .concern ? nil : start
        position = start.version
    }

    /// Resets the entry after everything was taken.
    func reset(at version: UInt64) {
        position = version
        since = nil
        isKept = false
        mustMove = false
        origins = OriginList()
        concerning = []
        unlabelled = []
    }
}
