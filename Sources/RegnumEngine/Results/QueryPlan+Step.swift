package import RegnumStore

extension QueryPlan {
    /// Returns the result at one version for a stream, including everything that later steps need,
    /// so that the first step costs no more than the others. Throws the errors of `evaluate`.
    ///
    /// - Complexity: as `evaluate`, and O(n log n) for n rows with a distinct, a limit or a sort
    ///   through links. A list that is neither filtered nor sorted isn't copied: the result holds
    ///   the root.
    package func evaluate(
        _ root: DatabaseRoot, counters: StreamCounters
    ) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        let result = try FollowedPlan(self, root.schema).build(root, &statistics)
        counters.rowsEvaluated.add(statistics.rowsEvaluated)
        return result
    }

    /// Advances a result by a step and returns its deletions and insertions.
    ///
    /// Rows in both results that didn't change themselves and whose sort values are equal keep
    /// their place. Of the other rows in both, the longest subsequence that still fits stays (of
    /// several, the one with the lowest old positions); each of the rest is a deletion and an
    /// insertion. The result of a list in its own order changes as the list was spliced.
    ///
    /// Throws the errors of `evaluate`.
    ///
    /// - Parameter result: the result that `evaluate` or `advance` returned for the step's old
    ///   version. One of `evaluate(_:counters:)` saves the first step from building it again. It is
    ///   edited in place if the caller gives up the only copy.
    /// - Complexity: O(c x log n) for c rows that changed themselves or from which changed rows of
    ///   other classes are reached; O(elements) for filtered or sorted rows of a list or of an
    ///   inverse over a list, if the step concerns them; as `evaluate` if the part of the schema
    ///   that the plan reads changed between the versions, and for orders of more than 64 values.
    package func advance(
        _ result: consuming ResultTree, _ step: VersionStep
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        try advance(result, known: nil, step)
    }

    /// Returns the change that `advance` would return, given the result at the new version.
    package func change(
        from old: ResultTree, to new: ResultTree, _ step: VersionStep
    ) throws(StoreError) -> ResultChange {
        try advance(old, known: new, step).1
    }

    private func advance(
        _ result: consuming ResultTree, known: ResultTree?, _ step: VersionStep
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        var statistics = QueryStatistics()
        defer { step.counters.rowsEvaluated.add(statistics.rowsEvaluated) }
        var before: FollowedPlan
        if let followed = result.followed, followed.schema === step.old.schema {
            before = followed
        } else {
            before = try FollowedPlan(self, step.old.schema)
        }
        let old = try before.adopt(consume result, step.old, &statistics)
        before = old.followed ?? before
        let after: FollowedPlan
        if let followed = known?.followed, followed.schema === step.new.schema {
            after = followed
        } else if before.schema === step.new.schema {
            after = before
        } else {
            after = try FollowedPlan(self, step.new.schema)
        }
        let new = try known.map { known throws(StoreError) in
            try after.adopt(known, step.new, &statistics)
        }
        switch after.kind {
        case .tree where before.schema === after.schema || after.readsRows(as: before):
            return edit(
                consume old, known: new, ResultVersions(before, after, step), step, &statistics)
        case .all where after.readsRows(as: before):
            let (result, change) = advanceAll(before, after, step)
            return (new ?? result, change)
        case .list(let place, let row) where before.query.source == after.query.source:
            let (result, change) = advanceList(after, place, row, step, sourceChange(step))
            return (new ?? result, change)
        case .sequence(let hop, let table, let row) where before.schema === after.schema:
            let listChange = sourceChange(step)
            if !concerns(hop, table, row, after, step, listChange) { return (old, ResultChange()) }
            return try compare(old, known: new, before, after, step, listChange, &statistics)
        case .tree, .all, .list, .sequence, .reevaluate:
            return try compare(
                old, known: new, before, after, step, sourceChange(step), &statistics)
        }
    }

    // MARK: By what changed

    private func edit(
        _ old: consuming ResultTree, known: ResultTree?, _ versions: ResultVersions,
        _ step: VersionStep,
        _ statistics: inout QueryStatistics
    ) -> (ResultTree, ResultChange) {
        var (candidates, count) = versions.candidates(step)
        statistics.rowsEvaluated += count
        if candidates.isEmpty {
            if versions.before === versions.after { return (old, ResultChange()) }
            return (ResultTree(old.storage, versions.after, old.groups), ResultChange())
        }
        var groups: [SortedTree<GroupOrder>] = []
        for number in old.groups.indices {
            groups.append(
                versions.distinct(
                    number, old.groups[number], known: known?.groups[number], &candidates))
        }
        func finish<Shape: ResultShape>(
            _ tree: consuming SortedTree<Shape>
        ) -> (ResultTree, ResultChange) {
            if known == nil, !tree.isUnshared { step.counters.resultsCopied.add(1) }
            if tree.count == 0 { tree = SortedTree(order: Shape(versions.after.order)) }
            let edit = ResultEdit(
                versions, consume tree, known: known.flatMap { Shape.tree($0.storage) }, candidates)
            let result = ResultTree(Shape.storage(edit.newTree), versions.after, groups)
            return (known ?? result, edit.change)
        }
        // drop the other reference, so that the tree can be edited in place
        let storage = old.storage
        _ = consume old
        switch consume storage {
        case .keys(let tree): return finish(consume tree)
        case .ranks(let tree): return finish(consume tree)
        case .values(let tree): return finish(consume tree)
        case .keyList, .rankList, .sequence, .lazy, .list:
            preconditionFailure("Only a result that is a tree can be edited.")
        }
    }

    // MARK: By comparison

    private func compare(
        _ old: ResultTree, known: ResultTree?, _ before: FollowedPlan, _ after: FollowedPlan,
        _ step: VersionStep, _ listChange: ListChange?, _ statistics: inout QueryStatistics
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        let new: ResultTree
        if let known {
            new = known
        } else if before.schema === after.schema,
            let chosen = after.choose(old, step, listChange, &statistics)
        {
            new = chosen
        } else {
            new = try after.build(step.new, &statistics)
        }
        let oldKeys = old.map(\.rawValue)
        let newKeys = new.map(\.rawValue)
        if before.query.table != after.query.table {
            // a class that was dropped and created again has other rows with the same keys
            let stays = Array(repeating: -1, count: oldKeys.count)
            return (new, SequenceChange(oldKeys, newKeys, stays: stays).change)
        }
        if before.query.source == after.query.source, sort.isEmpty, after.query.steps.isEmpty,
            limit == nil, case .related(.list(let place, _), _, let row) = after.query.source
        {
            let stays = listed(oldKeys, newKeys, place, row, step, listChange)
            return (new, SequenceChange(oldKeys, newKeys, stays: stays).change)
        }
        var own: Set<UInt64> = []
        for row in step.rows(tableName).modified { own.insert(row.key.rawValue) }
        let change = SequenceChange(oldKeys, newKeys) { key in
            own.contains(key)
                || after.hasMoved(key, step.new.content, since: before, step.old.content)
        }
        return (new, change.change)
    }
}
