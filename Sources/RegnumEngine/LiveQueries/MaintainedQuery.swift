package import RegnumStore

/// The result of a query at one version. Streams are at the same result if they hold the same
/// object.
package final class MaintainedResult: Sendable {
    package let tree: ResultTree
    /// The query that produced the result.
    package let plan: QueryPlan
    /// The version that the result was computed at. It also holds for later versions, as long as no
    /// commit concerns the query.
    let version: UInt64

    init(_ tree: ResultTree, _ plan: QueryPlan, version: UInt64) {
        self.tree = tree
        self.plan = plan
        self.version = version
    }

    /// Whether it is the result at the version of a root, and reads from no other root of that
    /// version: one that a reload has replaced is released, and may be damaged.
    fileprivate func belongs(to root: DatabaseRoot) -> Bool {
        version == root.version && !readsFromAnother(than: root)
    }

    fileprivate func readsFromAnother(than root: DatabaseRoot) -> Bool {
        tree.heldRoot.map { $0 !== root } ?? false
    }
}

/// The result of a query that streams follow. The first stream to ask advances it from version to
/// version, on behalf of all of them.
///
/// Each stream has its own subscription and its own position. Whatever one of them computes is kept
/// for the others: the newest result, and the last step that led to it. A stream that lags behind
/// computes its step on its own, at the cost of what has changed since.
package final class MaintainedQuery: Sendable {
    package let query: StreamQuery
    private let counters: StreamCounters
    /// Reports whether the newest result still holds for the newest version.
    private let subscription: Subscription
    private let state: Guarded<State>
    private weak let queries: MaintainedQueries?

    private struct State {
        var newest: MaintainedResult?
        var lastStep: LastStep?
        /// The subscription reports commits after this version. An older result, such as that of a
        /// stream that reads history, may not hold for any later version.
        var floor: UInt64

        mutating func keep(_ result: MaintainedResult) {
            guard newest?.version ?? 0 <= result.version else { return }
            newest = result
            lastStep = nil
        }

        /// Drops the cached references to a result that a stream advances from, so that it can be
        /// edited in place. Other streams at that result hold it themselves.
        mutating func evict(_ result: MaintainedResult) {
            if newest === result { newest = nil }
            if lastStep?.to === result { lastStep = nil }
        }
    }

    /// A weak reference to a result that streams may have moved on from.
    private struct LeftResult {
        weak let result: MaintainedResult?
    }

    private struct LastStep {
        let from: LeftResult
        let since: UInt64
        /// Whether the step was computed from summaries, rather than by comparing versions.
        let isExact: Bool
        let to: MaintainedResult
        let change: ResultChange
    }

    init(_ query: StreamQuery, _ coordinator: Coordinator, _ queries: MaintainedQueries) {
        self.query = query
        self.queries = queries
        counters = coordinator.streamCounters
        subscription = coordinator.subscribe(buffering: .concern) { query.interest(at: $0) }
        state = Guarded(State(floor: subscription.processedVersion))
    }

    deinit { queries?.remove(query) }

    /// Returns the result at a published version, or at one in the past.
    ///
    /// Throws the errors of `QueryPlan.evaluate`, and damage that it encounters.
    /// - Complexity: that of the evaluation, unless a stream already has the result.
    package func begin(at root: DatabaseRoot) throws(StoreError) -> MaintainedResult {
        try state.withLock { state throws(StoreError) in
            // read before `take()`, which then covers all commits up to this version
            let seen = subscription.processedVersion
            if let pending = subscription.take() {
                if pending.isConcerned { state.floor = max(state.floor, pending.root.version) }
                if let newest = state.newest {
                    let isOutdated = pending.isConcerned && newest.version < state.floor
                    let isMoved =
                        newest.version <= pending.root.version
                        && newest.readsFromAnother(than: pending.root)
                    if isOutdated || isMoved {
                        state.newest = nil
                        state.lastStep = nil
                    }
                }
            }
            // later commits haven't been checked yet and may concern the query
            if let newest = state.newest {
                if newest.belongs(to: root) { return newest }
                let known = state.floor...max(state.floor, seen)
                if newest.version < root.version, known.contains(newest.version),
                    known.contains(root.version)
                {
                    return newest
                }
            }
            let found = try query.result(at: root, counters)
            state.keep(found)
            return found
        }
    }

    /// Returns the same result for a later version, given that no commit in between concerns the
    /// query. The result no longer holds the earlier root.
    package func move(
        _ result: MaintainedResult, to root: DatabaseRoot
    ) throws(StoreError) -> MaintainedResult {
        guard result.tree.holdsRoot else { return result }
        return try state.withLock { state throws(StoreError) in
            if let newest = state.newest, newest.belongs(to: root) { return newest }
            let moved = try query.result(at: root, counters)
            state.keep(moved)
            return moved
        }
    }

    /// Returns the result at `step.new`, and how it differs from that at `step.old`.
    ///
    /// - Parameters:
    ///   - result: the result at `step.old`. It is edited in place if no other stream is at it and
    ///     the caller gives up its reference.
    ///   - since: the version before the first commit that concerned the query.
    ///
    /// Throws the errors of `QueryPlan.evaluate`, and damage that it encounters.
    package func advance(
        _ result: consuming MaintainedResult, _ step: VersionStep, since: UInt64
    ) throws(StoreError) -> (MaintainedResult, ResultChange) {
        var given: MaintainedResult? = consume result
        return try state.withLock { state throws(StoreError) in
            guard let result = given.take() else {
                preconditionFailure("A step has no result to start from.")
            }
            if let last = state.lastStep, last.from.result === result, last.since == since,
                last.isExact == (step.summaries != nil), last.to.belongs(to: step.new)
            {
                return (last.to, last.change)
            }
            var known: MaintainedResult?
            if let newest = state.newest, newest.belongs(to: step.new) { known = newest }
            let from = LeftResult(result: result)
            state.evict(result)
            given = consume result
            let (new, change) = try DamageWatch.check(on: step.new) { () throws(StoreError) in
                guard let result = given.take() else {
                    preconditionFailure("A step has no result to start from.")
                }
                return try query.advance(consume result, step, known: known)
            }
            counters.steps.add(1)
            if (state.newest?.version ?? 0) <= new.version {
                state.newest = new
                state.lastStep = LastStep(
                    from: from, since: since, isExact: step.summaries != nil, to: new,
                    change: change)
            }
            return (new, change)
        }
    }
}

extension StreamQuery {
    /// Returns the result at a version, without sharing it with other streams.
    ///
    /// Throws the errors of `QueryPlan.evaluate`, and damage that it encounters.
    package func result(
        at root: DatabaseRoot, _ counters: StreamCounters
    ) throws(StoreError) -> MaintainedResult {
        try DamageWatch.check(on: root) { () throws(StoreError) in
            let plan = plan(at: root)
            return MaintainedResult(
                try plan.evaluate(root, counters: counters), plan, version: root.version)
        }
    }
}
