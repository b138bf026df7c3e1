internal import RegnumEngine
internal import RegnumStore

/// A step of a stream from the version that it delivered last to the newest one.
struct CommitStep {
    let old: DatabaseRoot
    let new: DatabaseRoot
    /// What the commits between changed, nil if that is no longer kept.
    let summaries: [CommitSummary]?

    /// The net effect on a class; from a comparison of the versions where the summaries are gone.
    func delta(_ tableName: String) -> MergedDelta {
        if let summaries { return MergedDelta(summaries, tableName: tableName) }
        return MergedDelta(from: old, to: new, tableName: tableName)
    }

    /// Whether something of the classes may have changed, or how they are stored.
    func concerns(_ tableNames: Set<String>) -> Bool {
        guard let summaries, old.schema === new.schema else { return true }
        return summaries.contains { $0.touches(tableNames) }
    }

    /// The labels of the commits that touched one of the classes, in order, each once.
    func origins(_ tableNames: Set<String>) -> [String] {
        var origins: [String] = []
        for summary in summaries ?? [] {
            guard let origin = summary.origin, !origins.contains(origin),
                summary.touches(tableNames)
            else { continue }
            origins.append(origin)
        }
        return origins
    }
}

extension CommitSummary {
    /// Whether the commit changed something of one of the classes.
    fileprivate func touches(_ tableNames: Set<String>) -> Bool {
        tables.values.contains { tableNames.contains($0.tableName) }
    }
}

/// Follows the published versions for one iterator. It holds the version that was delivered last
/// and is *asked* for the next one, so that a slow consumer costs memory for one version only.
///
/// Confined to the iterator's task.
final class CommitFollower {
    private let realm: RealmCore
    private let subscription: Subscription
    private let slot: SignalSlot
    /// The version that was delivered last.
    private(set) var root: DatabaseRoot
    private var isEnding = false

    /// Starts at the newest version.
    ///
    /// - Parameter tableNames: the classes whose commits are waited for, nil for all.
    init(_ realm: RealmCore, tableNames: Set<String>?) {
        self.realm = realm
        subscription =
            tableNames.map { realm.coordinator.subscribe(.tables($0)) }
            ?? realm.coordinator.subscribe(.all, keeps: .commits)
        slot = subscription.attach()
        root = subscription.start
        realm.external.observerBegan()
    }

    deinit { realm.external.observerEnded() }

    /// Waits for a version newer than the last one, or for the same content in another tree.
    ///
    /// - Returns: nil when the task is cancelled or the realm closed. What was committed before the
    ///   close is delivered first.
    ///
    /// Throws what keeps this process from reading the commits of others.
    func next(isolation: isolated (any Actor)?) async throws(Realm.Error) -> CommitStep? {
        while true {
            if Task.isCancelled { return nil }
            if let pending = subscription.take() {
                let step = CommitStep(
                    old: root, new: pending.root, summaries: pending.summaries)
                root = pending.root
                return step
            }
            if isEnding { return nil }
            do throws(StoreError) {
                try realm.coordinator.checkReadable()
            } catch {
                throw Realm.Error(error)
            }
            switch await slot.wait() {
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
