internal import RegnumStore

extension StreamQuery {
    /// Returns the result at the new version of a step, and how it differs from that at the old
    /// one.
    ///
    /// - Parameters:
    ///   - result: the result at the old version, edited in place if the caller gives up the only
    ///     reference.
    ///   - known: the result at the new version, if it is known.
    func advance(
        _ result: consuming MaintainedResult, _ step: VersionStep, known: MaintainedResult?
    ) throws(StoreError) -> (MaintainedResult, ResultChange) {
        let plan = plan(at: step.new)
        guard plan.source == result.plan.source,
            owner?.kind != .object || plan.predicate == result.plan.predicate
        else {
            return try replace(result, by: plan, step)
        }
        let old = result.tree
        _ = consume result
        var change: ResultChange
        let new: MaintainedResult
        if let known {
            new = known
            change = try plan.change(from: old, to: known.tree, step)
        } else {
            let tree: ResultTree
            (tree, change) = try plan.advance(consume old, step)
            new = MaintainedResult(tree, plan, version: step.new.version)
        }
        let marks = step.marks(
            plan.tableName, filter, route: plan.route(in: step.new.schema), among: new.tree)
        if !marks.isEmpty {
            try plan.mark(&change, marks, in: new.tree, step)
        }
        return (new, change)
    }

    /// Replaces all rows: the owner was inserted or deleted, or another row now has its key.
    private func replace(
        _ result: MaintainedResult, by plan: QueryPlan, _ step: VersionStep
    ) throws(StoreError) -> (MaintainedResult, ResultChange) {
        let tree = try plan.evaluate(step.new, counters: step.counters)
        var change = ResultChange()
        change.deletions = Array(0..<result.tree.count)
        change.deletedKeys = Array(result.tree)
        change.insertions = Array(0..<tree.count)
        change.insertedKeys = Array(tree)
        return (MaintainedResult(tree, plan, version: step.new.version), change)
    }
}
