internal import RegnumEngine
internal import RegnumStore

/// A step of a stream from the version that it delivered last to the newest one.
struct CommitStep {
    let old: DatabaseRoot
    let new: DatabaseRoot
    /// What the commits between changed, nil if that is no longer kept.
    let summaries: [CommitSummary]?

    /// The net effect on a class, nil if it is not known.
    func delta(_ tableName: String) -> MergedDelta? {
        summaries.map { MergedDelta($0, tableName: tableName) }
    }

    /// The labels of the commits that touched the class, in order, each once.
    func origins(_ tableName: String) -> [String] {
        var origins: [String] = []
        for summary in summaries ?? [] {
            guard let origin = summary.origin, !origins.contains(origin),
                summary.delta(tableName: tableName) != nil
            else { continue }
            origins.append(origin)
        }
        return origins
    }
}

/// Follows the published versions for one iterator. It holds the version that was delivered last
/// and is *asked* for the next one, so that a slow consumer costs memory for one version only.
///
/// Confined to the iterator's task.
final class CommitFollower {
    private let realm: RealmCore
    private let subscription: Subscription
    /// The version that was delivered last.
    private(set) var root: DatabaseRoot
    private var isEnding = false

    /// Starts at the newest version.
    ///
    /// - Parameter tableName: the class whose commits are waited for, nil for all.
    init(_ realm: RealmCore, tableName: String?) {
        self.realm = realm
        // Subscribed first: a commit between the two lines is then seen twice, not never.
        subscription = realm.coordinator.subscribe(tableName: tableName)
        root = realm.coordinator.published
        subscription.advance(to: root.version)
        realm.external.observerBegan()
    }

    deinit { realm.external.observerEnded() }

    /// Waits for a version newer than the last one.
    ///
    /// - Returns: nil when the task is cancelled or the realm closed. What was committed before the
    ///   close is delivered first.
    ///
    /// Throws what keeps this process from reading the commits of others.
    func next(isolation: isolated (any Actor)?) async throws(Realm.Error) -> CommitStep? {
        while true {
            if Task.isCancelled { return nil }
            let newest = realm.coordinator.published
            if newest.version > root.version {
                let summaries = subscription.summaries(
                    after: root.version, through: newest.version)
                let step = CommitStep(old: root, new: newest, summaries: summaries)
                root = newest
                subscription.advance(to: newest.version)
                return step
            }
            if isEnding { return nil }
            do throws(StoreError) {
                try realm.coordinator.checkReadable()
            } catch {
                throw Realm.Error(error)
            }
            switch await subscription.next() {
            case .changed: continue
            case .closed: isEnding = true
            case .cancelled: return nil
            }
        }
    }

    /// Ends the subscription.
    func cancel() {
        subscription.cancel()
    }
}
