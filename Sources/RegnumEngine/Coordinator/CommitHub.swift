internal import RegnumStore

/// Which subscriptions a commit concerns, and the summaries that they have not taken yet.
final class CommitHub: Sendable {
    private struct State {
        var subscriptions: [String?: [UInt64: WeakSubscription]] = [:]
        var nextID: UInt64 = 0
        /// Classes and version that each subscription has taken.
        var taken: [UInt64: (tableNames: [String?], version: UInt64)] = [:]
        var history = SummaryHistory()
        var isClosed = false
    }

    private struct WeakSubscription {
        weak var subscription: Subscription?
    }

    private let state = Guarded(State())
    private let byteCountMax: Int

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// A subscription to the commits that touch one of the classes of those names (nil: all), from
    /// `version`.
    func subscribe(tableNames: [String?], from version: UInt64) -> Subscription {
        let (subscription, isClosed) = state.withLock { state in
            state.nextID += 1
            let subscription = Subscription(self, id: state.nextID, tableNames: tableNames)
            if !state.isClosed {
                for name in tableNames {
                    state.subscriptions[name, default: [:]][state.nextID] =
                        WeakSubscription(subscription: subscription)
                }
                state.taken[state.nextID] = (tableNames, version)
            }
            return (subscription, state.isClosed)
        }
        if isClosed { subscription.slot.close() }
        return subscription
    }

    func remove(_ id: UInt64, tableNames: [String?]) {
        state.withLock { state in
            for name in tableNames {
                state.subscriptions[name]?[id] = nil
                if state.subscriptions[name]?.isEmpty == true {
                    state.subscriptions[name] = nil
                }
            }
            state.taken[id] = nil
            if state.taken.isEmpty { state.history = SummaryHistory() }
        }
    }

    /// Keeps the summaries for those who need them and names the subscriptions to signal. The
    /// caller signals them after it has resumed the writers, outside all locks.
    ///
    /// - Parameter publishRoot: stores the root; no subscription is made between it and this.
    /// - Complexity: O(summaries + concerned subscriptions), amortised.
    func publish<Old>(
        _ summaries: [CommitSummary], _ publishRoot: () -> Old
    ) -> ([Subscription], Old) {
        state.withLock { state in
            let old = publishRoot()
            guard !state.taken.isEmpty else { return ([], old) }
            var tableNames: Set<String?> = [nil]
            for summary in summaries {
                state.history.append(summary)
                for table in summary.tables.values { tableNames.insert(table.tableName) }
            }
            if state.history.isDueForTrim(subscriptions: state.taken.count) {
                let needed = state.taken.values.lazy.filter { [history = state.history] in
                    history.isNeeded(tableNames: $0.tableNames, taken: $0.version)
                }
                state.history.dropFirst(
                    through: needed.map(\.version).min() ?? summaries.last?.version ?? 0)
            }
            state.history.limit(byteCountMax: byteCountMax)
            var concerned: [UInt64: Subscription] = [:]
            for name in tableNames {
                guard let entries = state.subscriptions[name] else { continue }
                for (id, entry) in entries {
                    if let subscription = entry.subscription { concerned[id] = subscription }
                }
            }
            return (Array(concerned.values), old)
        }
    }

    func take(_ id: UInt64, through version: UInt64) {
        state.withLock { state in
            state.taken[id]?.version = version
        }
    }

    /// See ``SummaryHistory/summaries(tableNames:after:through:)``.
    func summaries(
        tableNames: [String?], after: UInt64, through: UInt64
    ) -> [CommitSummary]? {
        state.withLock {
            $0.history.summaries(tableNames: tableNames, after: after, through: through)
        }
    }

    /// Ends all subscriptions, now and to come.
    func close() {
        let all = state.withLock { state in
            state.isClosed = true
            let all = state.subscriptions.values.flatMap { $0.values.compactMap(\.subscription) }
            state.subscriptions = [:]
            return all
        }
        for subscription in all { subscription.slot.close() }
    }

    /// Has every subscription look again, because something other than a commit happened.
    func signalAll() {
        let all = state.withLock { state in
            state.subscriptions.values.flatMap { $0.values.compactMap(\.subscription) }
        }
        for subscription in all { subscription.slot.signal() }
    }

    var subscriptionCount: Int { state.withLock { $0.taken.count } }
    var summaryCount: Int { state.withLock { $0.history.count } }
}
