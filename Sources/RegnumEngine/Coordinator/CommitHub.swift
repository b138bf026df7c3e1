internal import RegnumStore

/// Which subscriptions a commit concerns, and the summaries that they have not taken yet.
final class CommitHub: Sendable {
    private struct State {
        var subscriptions: [String?: [UInt64: WeakSubscription]] = [:]
        var nextID: UInt64 = 0
        /// The version that each subscription has taken.
        var taken: [UInt64: UInt64] = [:]
        var history = SummaryHistory()
        var isClosed = false
    }

    private struct WeakSubscription {
        weak var subscription: Subscription?
    }

    private let state = Guarded(State())
    private let byteCountMax: Int

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// A subscription to the commits that touch the table of that name (nil: all), from `version`.
    func subscribe(tableName: String?, from version: UInt64) -> Subscription {
        let (subscription, isClosed) = state.withLock { state in
            state.nextID += 1
            let subscription = Subscription(self, id: state.nextID, tableName: tableName)
            if !state.isClosed {
                state.subscriptions[tableName, default: [:]][state.nextID] =
                    WeakSubscription(subscription: subscription)
                state.taken[state.nextID] = version
            }
            return (subscription, state.isClosed)
        }
        if isClosed { subscription.slot.close() }
        return subscription
    }

    func remove(_ id: UInt64, tableName: String?) {
        state.withLock { state in
            state.subscriptions[tableName]?[id] = nil
            if state.subscriptions[tableName]?.isEmpty == true {
                state.subscriptions[tableName] = nil
            }
            state.taken[id] = nil
            if state.taken.isEmpty { state.history = SummaryHistory() }
        }
    }

    /// Keeps the summaries for those who need them and names the subscriptions to signal. The
    /// caller signals them after it has resumed the writers, outside all locks.
    ///
    /// - Complexity: O(summaries + concerned subscriptions), amortised.
    func publish(_ summaries: [CommitSummary]) -> [Subscription] {
        state.withLock { state in
            guard !state.taken.isEmpty else { return [] }
            var tableNames: Set<String?> = [nil]
            for summary in summaries {
                state.history.append(summary)
                for table in summary.tables.values { tableNames.insert(table.tableName) }
            }
            if state.history.isDueForTrim(subscriptions: state.taken.count) {
                state.history.dropFirst(through: state.taken.values.min() ?? 0)
            }
            state.history.limit(byteCountMax: byteCountMax)
            var concerned: [Subscription] = []
            for name in tableNames {
                guard let entries = state.subscriptions[name] else { continue }
                for entry in entries.values {
                    if let subscription = entry.subscription { concerned.append(subscription) }
                }
            }
            return concerned
        }
    }

    func take(_ id: UInt64, through version: UInt64) {
        state.withLock { state in
            if state.taken[id] != nil { state.taken[id] = version }
        }
    }

    /// The summaries of the versions in `(after, through]`, or nil if one of them is gone.
    func summaries(after: UInt64, through: UInt64) -> [CommitSummary]? {
        state.withLock { $0.history.summaries(after: after, through: through) }
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

/// The summaries of the newest commits, gapless and ascending by version.
struct SummaryHistory {
    private var summaries: [CommitSummary] = []
    private var first = 0
    private var byteCount = 0
    private var trimCount = 64

    var count: Int { summaries.count - first }

    mutating func append(_ summary: CommitSummary) {
        if count > 0, summaries[summaries.count - 1].version + 1 != summary.version {
            self = SummaryHistory()  // a gap: those before it are of no use
        }
        summaries.append(summary)
        byteCount += summary.byteCount
    }

    /// Looking for the subscription that lags most costs a pass over all of them, so it is done
    /// when the history has doubled, or grown by as many commits as there are subscriptions.
    mutating func isDueForTrim(subscriptions: Int) -> Bool {
        guard count >= trimCount else { return false }
        trimCount = max(64, subscriptions)
        return true
    }

    mutating func dropFirst(through version: UInt64) {
        while count > 0, summaries[first].version <= version { dropFirst() }
        trimCount = max(trimCount, 2 * count)
        compact()
    }

    mutating func limit(byteCountMax: Int) {
        while byteCount > byteCountMax, count > 0 { dropFirst() }
        compact()
    }

    func summaries(after: UInt64, through: UInt64) -> [CommitSummary]? {
        guard through > after else { return [] }
        guard count > 0 else { return nil }
        let oldest = summaries[first].version
        guard oldest <= after + 1, through < oldest + UInt64(count) else { return nil }
        let start = first + Int(after + 1 - oldest)
        return Array(summaries[start..<start + Int(through - after)])
    }

    private mutating func dropFirst() {
        byteCount -= summaries[first].byteCount
        first += 1
    }

    private mutating func compact() {
        guard first > 256, first * 2 > summaries.count else { return }
        summaries.removeFirst(first)
        first = 0
    }
}
