internal import RegnumStore

/// A published change of the root, in order.
enum PublishedStep: Sendable {
    /// A commit on top of the previous root.
    case commit(CommitSummary, DatabaseRoot)
    /// The same content in another tree.
    case moved(DatabaseRoot)
    /// A newer root; the commits leading to it are unknown.
    case gap(DatabaseRoot)

    /// The version after the step.
    fileprivate var version: UInt64 {
        switch self {
        case .commit(_, let root), .moved(let root), .gap(let root): root.version
        }
    }
}

extension CommitHub.Publication {
    /// The bytes counted for the root of a step. The memory that it alone keeps alive isn't known
    /// in advance.
    private static let rootByteCount = 1_024

    /// Adds steps to the queue. If the queue exceeds the byte limit, it is replaced by a gap, and
    /// observers compare the versions instead.
    ///
    /// - Returns: the steps that were dropped.
    fileprivate mutating func add(
        _ steps: [PublishedStep], _ root: DatabaseRoot, _ maximumByteCount: Int
    ) -> [PublishedStep] {
        queue += steps
        for step in steps {
            queueByteCount += Self.rootByteCount
            if case .commit(let summary, _) = step { queueByteCount += summary.byteCount }
        }
        guard queueByteCount > maximumByteCount, queue.count > 1 else { return [] }
        queueByteCount = Self.rootByteCount
        defer { queue = [.gap(root)] }
        return queue
    }

    mutating func takeQueue() -> [PublishedStep] {
        queueByteCount = 0
        defer { queue = [] }
        return queue
    }
}

/// Processing published commits.
extension CommitHub {
    /// Maximum number of rows read on the publishing thread; a pool job handles larger commits.
    private static let maximumInlineCost = 4_096
    /// Maximum number of slots signaled on the publishing thread.
    private static let maximumInlineSignalCount = 64
    private static let signalChunkCount = 256
    /// Commits processed between two rounds of signals.
    private static let stepCountPerRound = 64

    /// Publishes `root`. The caller calls `process` after resuming the writers.
    ///
    /// Publishing and queuing are atomic with respect to subscribing: a later subscriber starts at
    /// `root`.
    ///
    /// - Parameter steps: the steps leading to `root`, in order; the last one has `root`.
    /// - Returns: the previous root and dropped steps, to be released outside all locks.
    func publish(
        _ root: DatabaseRoot, _ steps: [PublishedStep]
    ) -> (DatabaseRoot, [PublishedStep]) {
        publication.withLock { publication in
            let old = publication.root
            publication.root = root
            return (
                old,
                publication.isObserved ? publication.add(steps, root, maximumQueueByteCount) : []
            )
        }
    }

    /// Processes published commits and signals the subscriptions that they concern, unless another
    /// thread is doing so; that thread then continues. Call outside all locks.
    ///
    /// - Complexity: for a commit O(changed rows of observed classes x routed properties x log n +
    ///   concerned subscriptions); O(1) without subscriptions.
    func process() {
        let isMine = publication.withLock { publication in
            let hasWork =
                !publication.queue.isEmpty || publication.isClosing
                || !publication.catchUps.isEmpty
            if publication.isProcessing || !hasWork { return false }
            publication.isProcessing = true
            return true
        }
        if isMine { process([], isInline: true) }
    }

    /// Ends all current and future subscriptions after everything published has been processed.
    func close() {
        publication.withLock { $0.isClosing = true }
        process()
    }

    /// Waits until everything published before the call has been processed, so that takes aren't
    /// older than that. Doesn't wait for later publications.
    ///
    /// The publishing thread processes commits next, or ensures that another thread does, without
    /// waiting for anything.
    func catchUp() async {
        let isBehind = publication.withLock { $0.isProcessing || !$0.queue.isEmpty }
        guard isBehind else { return }
        await withUnsafeContinuation { continuation in
            let isReady = publication.withLock { publication in
                guard publication.isProcessing || !publication.queue.isEmpty else { return true }
                publication.catchUps.append(
                    CatchUp(version: publication.root.version, continuation: continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
        // for the thread sanitizer, as in `Coordinator.beginWrite`
        publication.withLock { _ in }
    }

    /// Wakes every subscriber because of an event other than a commit.
    func signalAll() {
        signal(state.withLock { $0.words })
    }

    /// - Parameter rest: the steps to process before the queue.
    private func process(_ rest: [PublishedStep], isInline: Bool) {
        var budget = isInline ? CommitHub.maximumInlineCost : .max
        var steps = rest
        while true {
            if steps.isEmpty {
                steps = publication.withLock { $0.takeQueue() }
                if steps.isEmpty {
                    if finishProcessing() { return }
                    continue
                }
            }
            var words: [SignalWord] = []
            let batch = state.withLock { state in
                state.batch += 1
                return state.batch
            }
            var done = 0
            for step in steps.prefix(CommitHub.stepCountPerRound) {
                guard process(step, batch, &budget, &words) else { break }
                done += 1
            }
            signal(words)
            if done > 0 { resumeCatchUps(through: steps[done - 1].version) }
            steps.removeFirst(done)
            if budget <= 0 {
                let rest = steps
                IOPool.shared.submitLong { self.process(rest, isInline: false) }
                return
            }
        }
    }

    private func resumeCatchUps(through version: UInt64) {
        let ready = publication.withLock { publication -> [CatchUp] in
            if publication.catchUps.isEmpty { return [] }
            let ready = publication.catchUps.filter { $0.version <= version }
            publication.catchUps.removeAll { $0.version <= version }
            return ready
        }
        for catchUp in ready { catchUp.continuation.resume() }
    }

    /// Returns false if more has been published in the meantime.
    private func finishProcessing() -> Bool {
        let (isFinished, closes, ready) = publication.withLock {
            publication -> (Bool, Bool, [CatchUp]) in
            guard publication.queue.isEmpty else { return (false, false, []) }
            publication.isProcessing = false
            defer {
                publication.isClosing = false
                publication.catchUps = []
            }
            return (true, publication.isClosing, publication.catchUps)
        }
        for catchUp in ready { catchUp.continuation.resume() }
        if closes {
            let words = state.withLock { state in
                state.isClosed = true
                return state.words
            }
            for word in words { word.close() }
        }
        return isFinished
    }

    /// Processes one step. Returns false if that would exceed the budget, which is then used up.
    private func process(
        _ step: PublishedStep, _ batch: UInt64, _ budget: inout Int, _ words: inout [SignalWord]
    ) -> Bool {
        switch step {
        case .commit(let summary, let root):
            return process(summary, root, batch, &budget, &words)
        case .moved(let root):
            let old = state.withLock { state in state.move(to: root, &words) }
            withExtendedLifetime(old) {}
        case .gap(let root):
            let old = state.withLock { state in state.resync(to: root, &words) }
            withExtendedLifetime(old) {}
        }
        return true
    }

    private func process(
        _ summary: CommitSummary, _ root: DatabaseRoot, _ batch: UInt64, _ budget: inout Int,
        _ words: inout [SignalWord]
    ) -> Bool {
        let question = state.withLock { state -> (DatabaseRoot, [RouteSearch], UInt64)? in
            guard let processedRoot = state.processedRoot, processedRoot.version < summary.version
            else { return nil }
            precondition(
                processedRoot.version + 1 == summary.version, "A published commit is missing.")
            let searches = state.routes.searches(summary)
            return (processedRoot, searches, state.epoch)
        }
        guard let question else { return true }  // no subscribers, or only later ones
        let (old, epoch) = (question.0, question.2)
        var searches = question.1
        budget -= searches.reduce(1) { $0 + $1.cost }
        if budget < 0 { return false }
        let isSchemaChange = !root.schema.isSame(as: old.schema)
        for index in searches.indices { searches[index].run(old, root) }
        var isDamaged = false
        if !searches.isEmpty, old.hasDamage || root.hasDamage {
            let (_, damage) = DamageWatch.run(on: root) {
                for index in searches.indices { searches[index].run(old, root) }
            }
            isDamaged = damage != nil
        }
        let (concernedCount, garbage) = state.withLock { state -> (Int, [DatabaseRoot]) in
            guard state.epoch == epoch else { return (0, []) }
            var matches = CommitMatches(summary: summary, root: root, batch: batch)
            state.routes.visit(summary, searches) { matches.note($0, state.commits) }
            if isSchemaChange || isDamaged {  // may concern any subscription
                for entry in state.entries.values {
                    matches.note(entry, state.commits, isLabelled: false)
                }
            }
            for entry in matches.concerned
            where isSchemaChange || entry.interest.mayChange(with: summary) {
                state.renewInterest(of: entry, at: root)
            }
            state.processedRoot = root
            state.keep(matches, maximumByteCount: maximumByteCount)
            words += matches.words
            return (matches.concerned.count, state.commits.takeDroppedRoots())
        }
        withExtendedLifetime((old, garbage)) {}
        counters.signals.add(concernedCount)
        return true
    }

    /// Signals outside all locks. Many slots are signaled in chunks by pool jobs, so that neither
    /// the publishing thread nor other jobs wait for them.
    func signal(_ words: [SignalWord]) {
        if words.count <= CommitHub.maximumInlineSignalCount {
            for word in words { word.signal() }
        } else {
            CommitHub.signal(words[...])
        }
    }

    private static func signal(_ words: ArraySlice<SignalWord>) {
        IOPool.shared.submit {
            for word in words.prefix(signalChunkCount) { word.signal() }
            let rest = words.dropFirst(signalChunkCount)
            if !rest.isEmpty { signal(rest) }
        }
    }
}

/// The subscriptions that one commit concerns, as they are found.
struct CommitMatches {
    let summary: CommitSummary
    let root: DatabaseRoot
    let batch: UInt64
    private(set) var concerned: [SubscriptionEntry] = []
    /// The slots of those not yet signaled in this batch.
    private(set) var words: [SignalWord] = []
    /// Number of subscriptions concerned for the first time since their last take: those with
    /// merged summaries, and those with individual commits.
    private(set) var mergedSubscriberCount = 0
    private(set) var individualSubscriberCount = 0
    /// Number of subscriptions that keep the commit's root.
    private(set) var rootUserCount = 0
    /// Subscriptions whose individual commits have already been dropped.
    private(set) var late: [SubscriptionEntry] = []

    /// - Parameter isLabelled: whether the commit changed relevant content, not just the schema.
    mutating func note(
        _ entry: SubscriptionEntry, _ commits: CommitHistory, isLabelled: Bool = true
    ) {
        guard entry.position < summary.version, entry.lastConcern != summary.version else { return }
        entry.lastConcern = summary.version
        concerned.append(entry)
        if entry.since == nil {
            entry.since = summary.version - 1
            entry.isKept = entry.buffering == .merged || entry.buffering.buffersEach
            if entry.buffering == .merged { mergedSubscriberCount += 1 }
            if entry.buffering.buffersEach { individualSubscriberCount += 1 }
            noteIndividually(entry, isLabelled)
        } else if entry.isKept, entry.buffering.buffersEach {
            if let since = entry.since, commits.has(since: since) {
                noteIndividually(entry, isLabelled)
            } else {
                late.append(entry)
            }
        }
        if isLabelled, entry.buffering != .concern, let origin = summary.origin {
            entry.origins.add(origin)
        }
        if entry.lastSignal != batch {
            entry.lastSignal = batch
            entry.slots.append(to: &words)
        }
    }

    private mutating func noteIndividually(_ entry: SubscriptionEntry, _ isLabelled: Bool) {
        guard entry.buffering.buffersEach else { return }
        entry.concerning.append(summary.version)
        if !isLabelled { entry.unlabelled.insert(summary.version) }
        if entry.buffering == .versions { rootUserCount += 1 }
    }
}

extension CommitHub.State {
    /// The signals of all slots.
    fileprivate var words: [SignalWord] {
        var words: [SignalWord] = []
        for entry in entries.values { entry.slots.append(to: &words) }
        return words
    }

    fileprivate mutating func keep(_ matches: CommitMatches, maximumByteCount: Int) {
        for entry in matches.late {
            if entry.buffering == .versions { commits.releaseRoots(entry.concerning) }
            entry.concerning = []
        }
        summaries.append(matches.summary, newSubscriberCount: matches.mergedSubscriberCount)
        summaries.limit(maximumByteCount: maximumByteCount)
        commits.append(
            matches.summary, matches.root, newSubscriberCount: matches.individualSubscriberCount,
            rootUserCount: matches.rootUserCount)
        commits.limit(maximumByteCount: maximumByteCount)
    }

    /// Makes all subscriptions adopt another tree with the same content. Returns the root to
    /// release.
    fileprivate mutating func move(
        to root: DatabaseRoot, _ words: inout [SignalWord]
    ) -> DatabaseRoot? {
        guard let old = processedRoot, old.version == root.version else { return nil }
        processedRoot = root
        for entry in entries.values where entry.position <= root.version {
            entry.mustMove = true
            renewInterest(of: entry, at: root)  // damage may have kept it from being determined
        }
        words += self.words
        return old
    }

    /// Makes all subscriptions compare versions. Returns the objects to release.
    fileprivate mutating func resync(
        to root: DatabaseRoot, _ words: inout [SignalWord]
    ) -> (DatabaseRoot?, CommitHistory)? {
        guard let old = processedRoot, old.version < root.version else { return nil }
        processedRoot = root
        for entry in entries.values where entry.position < root.version {
            release(entry)
            // no earlier commit concerned it
            entry.since = entry.since ?? max(entry.position, old.version)
            entry.concerning = []
            renewInterest(of: entry, at: root)
        }
        words += self.words
        defer {
            summaries = SummaryHistory()
            commits = CommitHistory()
        }
        return (old, commits)
    }
}
