/// What the hub knows of a subscription.
///
/// Guard of the `@unchecked Sendable`: the lock of the `CommitHub`'s `state`; `id` and `keeps` never
/// change.
final class SubscriptionEntry: @unchecked Sendable {
    let id: UInt64
    let keeps: Keeps
    var interest: Interest
    /// Until the first take.
    var start: DatabaseRoot?
    /// What was taken last: older commits do not count.
    var position: UInt64
    var isRemoved = false
    var slots = Members<SignalWord>()

    // since the last take
    /// The version before the first commit that concerned it, nil if none did.
    var since: UInt64?
    /// A history keeps what came after `since`, or did.
    var isKept = false
    /// There is a root to move on to, although nothing may have concerned it.
    var mustMove = false
    var origins = OriginList()
    /// For `.commits` and `.versions`: the versions of the commits that concerned it, ascending.
    var concerning: [UInt64] = []

    // for the look at one commit, or a batch of them
    var lastConcern: UInt64 = 0
    var lastSignal: UInt64 = 0

    init(id: UInt64, _ interest: Interest, _ keeps: Keeps, start: DatabaseRoot) {
        self.id = id
        self.keeps = keeps
        self.interest = interest
        self.start = start
        position = start.version
    }

    /// There is nothing to take any more.
    func reset(at version: UInt64) {
        position = version
        since = nil
        isKept = false
        mustMove = false
        origins = OriginList()
        concerning = []
    }
}
