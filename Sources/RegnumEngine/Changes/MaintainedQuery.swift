package import RegnumStore

/// A result at one version, which streams stand at. Two streams stand at the same one if it is the
/// same object.
package final class MaintainedResult: Sendable {
    package let tree: ResultTree
    /// The query that it is the result of.
    package let plan: QueryPlan
    /// The version that it was found at; it is that of later ones too, as long as nothing concerned it.
    let version: UInt64

    init(_ tree: ResultTree, _ plan: QueryPlan, version: UInt64) {
        self.tree = tree
        self.plan = plan
        self.version = version
    }
}

/// The result of a query that streams follow, brought from version to version by the first one that
/// asks, for all of them.
///
/// Each stream has its own subscription and its own place. What one finds out is kept for the
/// others: the newest result, and the last step to it. A stream that lags makes its step by itself,
/// at the cost of what changed meanwhile.
package final class MaintainedQuery: Sendable {
    package let query: StreamQuery
    private let counters: StreamCounters
    /// Tells whether the newest result is still that of the newest version.
    private let subscription: Subscription
    private let state: Guarded<State>
    private weak let queries: MaintainedQueries?

    private struct State {
        var newest: MaintainedResult?
        var lastStep: LastStep?
        /// The subscription tells of commits after this version: an older result, such as that of a
        /// stream that reads the past, may be wrong for any later version.
        var floor: UInt64

        init(floor: UInt64) { self.floor = floor }

        mutating func keep(_ result: MaintainedResult) {
            guard newest?.version ?? 0 < result.version else { return }
            newest = result
            lastStep = nil
        }

        /// A stream goes on from the result: whoever stands at it too holds it by itself.
        mutating func letGo(of result: MaintainedResult) {
            if newest === result { newest = nil }
            if lastStep?.to === result { lastStep = nil }
        }
    }

    /// A result that nobody may stand at any more.
    private struct LeftResult {
        weak let result: MaintainedResult?
    }

    private struct LastStep {
        let from: LeftResult
        let since: UInt64
        let version: UInt64
        /// Whether the summaries told what changed, and not a comparison.
        let isExact: Bool
        let to: MaintainedResult
        let change: ResultChange
    }

    init(_ query: StreamQuery, _ coordinator: Coordinator, _ queries: MaintainedQueries) {
        self.query = query
        self.queries = queries
        counters = coordinator.streamCounters
        subscription = coordinator.subscribe(keeps: .nothing) { query.interest(at: $0) }
        state = Guarded(State(floor: subscription.start.version))
    }

    deinit { queries?.remove(query) }

    /// The result at a version that was published, or is of the past.
    ///
    /// Throws as `QueryPlan.evaluate`, and damage that it encounters.
    /// - Complexity: that of the evaluation, where no stream has the result already.
    package func begin(at root: DatabaseRoot) throws(StoreError) -> MaintainedResult {
        try state.withLock { state throws(StoreError) in
            // asked for before the take, which then knows of all commits up to there
            let seen = subscription.seenVersion
            if let pending = subscription.take() {
                if pending.isConcerned {
                    state.floor = max(state.floor, pending.root.version)
                    if let newest = state.newest, newest.version < state.floor {
                        state.newest = nil
                        state.lastStep = nil
                    }
                }
                subscription.update(
                    query.interest(at: pending.root), asOf: pending.root.version)
            }
            // commits that were not looked at yet may concern the query
            if let newest = state.newest {
                if newest.version == root.version { return newest }
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

    /// The same result for a later version, which nothing that concerns the query lies before: without
    /// a root that it reads from.
    package func move(
        _ result: MaintainedResult, to root: DatabaseRoot
    ) throws(StoreError) -> MaintainedResult {
        guard result.tree.holdsRoot else { return result }
        return try state.withLock { state throws(StoreError) in
            if let newest = state.newest, newest.version == root.version { return newest }
            let moved = try query.result(at: root, counters)
            state.keep(moved)
            return moved
        }
    }

    /// The result at `step.new`, and how it came from that at `step.old`.
    ///
    /// - Parameters:
    ///   - result: the result at `step.old`. Where no other stream stands at it, and the caller gives
    ///     its reference away, it is edited in place.
    ///   - since: the version before the first commit that concerned the query.
    ///
    /// Throws as `QueryPlan.evaluate`, and damage that it encounters.
    package func advance(
        _ result: consuming MaintainedResult, _ step: VersionStep, since: UInt64
    ) throws(StoreError) -> (MaintainedResult, ResultChange) {
        var given: MaintainedResult? = consume result
        return try state.withLock { state throws(StoreError) in
            guard let result = given.take() else {
                preconditionFailure("A step has a result to start from.")
            }
            if let last = state.lastStep, last.from.result === result, last.since == since,
                last.version == step.new.version, last.isExact == (step.summaries != nil)
            {
                return (last.to, last.change)
            }
            var known: MaintainedResult?
            if let newest = state.newest, newest.version == step.new.version { known = newest }
            let from = LeftResult(result: result)
            state.letGo(of: result)
            given = consume result
            let (new, change) = try DamageWatch.check(on: step.new) { () throws(StoreError) in
                guard let result = given.take() else {
                    preconditionFailure("A step has a result to start from.")
                }
                return try query.advance(consume result, step, known: known)
            }
            counters.steps.add(1)
            if (state.newest?.version ?? 0) <= new.version {
                state.newest = new
                state.lastStep = LastStep(
                    from: from, since: since, version: step.new.version,
                    isExact: step.summaries != nil, to: new, change: change)
            }
            return (new, change)
        }
    }
}

extension StreamQuery {
    /// The result at a version, which no other stream shares.
    ///
    /// Throws as `QueryPlan.evaluate`, and damage that it encounters.
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
