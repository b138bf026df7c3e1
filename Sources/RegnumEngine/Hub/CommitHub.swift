internal import RegnumStore

/// The dispatcher of commits to subscriptions. It wakes the subscriptions that a commit concerns
/// and keeps the commit for them.
///
/// Publishing a root (`publish`) is a separate step that never waits; writers are resumed after it.
/// The commits are then processed (`process`) in order, by one thread at a time: this matches them
/// with the subscriptions and keeps their summaries for those that they concern. Subscriptions that
/// no commit concerns keep nothing and advance silently.
final class CommitHub: Sendable {
    struct Publication {
        /// The newest published root.
        var root: DatabaseRoot
        /// Published steps that haven't been processed. Empty without subscriptions.
        var queue: [PublishedStep] = []
        /// The approximate memory use of the queue.
        var queueByteCount = 0
        var isObserved = false
        var isProcessing = false
        /// Whether to close as soon as everything has been processed.
        var isClosing = false
        var catchUps: [CatchUp] = []
    }

    /// A caller waiting until everything published up to a version has been processed.
    struct CatchUp {
        let version: UInt64
        let continuation: UnsafeContinuation<Void, Never>
    }

    struct State {
        var nextID: UInt64 = 0
        var entries: [UInt64: SubscriptionEntry] = [:]
        var routes = InterestRoutes()
        /// The newest root up to which all commits have been processed; `nil` without
        /// subscriptions.
        var processedRoot: DatabaseRoot?
        var summaries = SummaryHistory()
        var commits = CommitHistory()
        var isClosed = false
        /// Incremented when the last subscription ends; a commit being processed is then discarded.
        var epoch: UInt64 = 0
        var batch: UInt64 = 0
    }

    /// Held only for loads and stores. May be locked inside `state`, never the other way round.
    let publication: Guarded<Publication>
    let state = Guarded(State())
    let maximumByteCount: Int
    /// The maximum memory use of the queue.
    let maximumQueueByteCount: Int
    let counters = StreamCounters()

    init(_ root: DatabaseRoot, maximumByteCount: Int, maximumQueueByteCount: Int = 16 << 20) {
        publication = Guarded(Publication(root: root))
        self.maximumByteCount = maximumByteCount
        self.maximumQueueByteCount = maximumQueueByteCount
    }

    var published: DatabaseRoot { publication.withLock { $0.root } }

    // MARK: Subscriptions

    func subscribe(
        _ buffering: BufferingPolicy, _ interest: @escaping @Sendable (DatabaseRoot) -> Interest
    ) -> Subscription {
        let entry = state.withLock { state in
            let start = publication.withLock { publication in
                if !state.isClosed { publication.isObserved = true }
                return publication.root
            }
            state.nextID += 1
            let entry = SubscriptionEntry(id: state.nextID, interest, buffering, start: start)
            if state.isClosed { return entry }
            if state.processedRoot == nil { state.processedRoot = start }
            state.entries[entry.id] = entry
            state.routes.insert(entry)
            return entry
        }
        return Subscription(self, entry)
    }

    /// Ends a subscription. Ending the last one releases everything.
    func remove(_ entry: SubscriptionEntry) {
        let (words, garbage) = state.withLock { state -> ([SignalWord], [Any]) in
            if entry.isRemoved { return ([], []) }
            entry.isRemoved = true
            var words: [SignalWord] = []
            entry.slots.append(to: &words)
            entry.slots = Members()
            var garbage: [Any] = [entry.start as Any]
            entry.start = nil
            state.release(entry)
            entry.reset(at: entry.position)
            if state.entries.removeValue(forKey: entry.id) != nil {
                state.routes.remove(entry)
                if state.entries.isEmpty { garbage += releaseAll(&state) }
            }
            garbage += state.commits.takeDroppedRoots()
            return (words, garbage)
        }
        for word in words { word.close() }
        withExtendedLifetime(garbage) {}
    }

    private func releaseAll(_ state: inout State) -> [Any] {
        let queue = publication.withLock { publication in
            publication.isObserved = false
            return publication.takeQueue()
        }
        let garbage: [Any] = [state.processedRoot as Any, queue, state.commits, state.summaries]
        state.processedRoot = nil
        state.entries = [:]
        state.routes = InterestRoutes()
        state.summaries = SummaryHistory()
        state.commits = CommitHistory()
        state.epoch += 1
        return garbage
    }

    func detach(_ id: UInt64, from entry: SubscriptionEntry) {
        state.withLock { _ in entry.slots.remove(id) }
    }

    var statistics:
        (subscriptions: Int, summaries: Int, summaryByteCount: Int, roots: Int, lag: UInt64)
    {
        state.withLock { state in
            let followed = state.entries.values.filter { !$0.slots.isEmpty }
            let published = publication.withLock { $0.root.version }
            // the others have no position: they may never take what concerned them
            let behind = followed.filter { $0.buffering != .concern }.compactMap(\.since)
            return (
                followed.count, state.summaries.count + state.commits.count,
                state.summaries.byteCount + state.commits.byteCount, state.commits.rootCount,
                published - min(behind.min() ?? published, published)
            )
        }
    }
}

extension CommitHub.State {
    /// Returns what a subscription can take, and advances it.
    mutating func take(_ entry: SubscriptionEntry, _ maximumCount: Int) -> Pending? {
        guard !entry.isRemoved, let processedRoot else { return nil }
        guard let since = entry.since else {
            guard entry.mustMove else { return nil }
            entry.reset(at: max(entry.position, processedRoot.version))
            return Pending(
                root: processedRoot, since: processedRoot.version, isConcerned: false,
                summaries: [],
                origins: [], commits: entry.buffering.buffersEach ? [] : nil)
        }
        if entry.concerning.count > maximumCount,
            let first = takeFirst(entry, maximumCount, since: since, processedRoot)
        {
            return first
        }
        var summaries: [CommitSummary]?
        var commits: [KeptCommit]?
        if entry.isKept {
            if entry.buffering.buffersEach {
                commits = takeEach(entry, since: since, entry.concerning)
                summaries = commits?.map(\.summary)
            } else {
                summaries = self.summaries.take(since: since)
            }
        }
        let origins = entry.origins.all
        entry.reset(at: processedRoot.version)
        return Pending(
            root: processedRoot, since: since, isConcerned: true, summaries: summaries,
            origins: origins,
            commits: commits)
    }

    /// Returns the first commits that a subscription can take, and advances it to the next one that
    /// concerns it; `nil` if they were dropped.
    private mutating func takeFirst(
        _ entry: SubscriptionEntry, _ count: Int, since: UInt64, _ processedRoot: DatabaseRoot
    ) -> Pending? {
        let (last, next) = (entry.concerning[count - 1], entry.concerning[count] - 1)
        guard commits.addSubscriber(at: next, after: since) else { return nil }
        let found = takeEach(
            entry, since: since, through: last, Array(entry.concerning[..<count]))
        entry.concerning.removeFirst(count)
        entry.position = last
        entry.since = next
        return Pending(
            root: processedRoot, since: since, isConcerned: true,
            summaries: found?.map(\.summary), origins: entry.origins.all, commits: found)
    }

    /// Returns the commits up to `last` to a subscription that keeps each one.
    private mutating func takeEach(
        _ entry: SubscriptionEntry, since: UInt64, through last: UInt64 = .max,
        _ concerning: [UInt64]
    ) -> [KeptCommit]? {
        let found = commits.take(
            since: since, through: last, concerning: concerning,
            hasRoots: entry.buffering == .versions)
        if entry.unlabelled.isEmpty { return found }
        return found?.map { commit in
            var commit = commit
            commit.isLabelled = !entry.unlabelled.contains(commit.summary.version)
            return commit
        }
    }

    /// Recomputes the interest of a subscription, for the commits after a version.
    mutating func renewInterest(of entry: SubscriptionEntry, at root: DatabaseRoot) {
        let interest = entry.interestAt(root)
        guard interest != entry.interest else { return }
        routes.remove(entry)
        entry.interest = interest
        routes.insert(entry)
    }

    /// Releases what is kept for a subscription.
    mutating func release(_ entry: SubscriptionEntry) {
        guard entry.isKept, let since = entry.since else { return }
        entry.isKept = false
        if entry.buffering.buffersEach {
            commits.release(
                since: since, roots: entry.buffering == .versions ? entry.concerning : [])
        } else {
            summaries.release(since: since)
        }
    }
}

extension BufferingPolicy {
    /// Whether commits are kept individually.
    var buffersEach: Bool { self == .commits || self == .versions }
}
