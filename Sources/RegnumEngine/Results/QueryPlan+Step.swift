package import RegnumStore

extension QueryPlan {
    /// The result at one version for a stream: as a result that is advanced needs it, so that the
    /// first step costs no more than the others. Throws as `evaluate`.
    package func evaluate(
        _ root: DatabaseRoot, counters: StreamCounters
    ) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        let result = try evaluate(root, statistics: &statistics).prepared()
        counters.rowsEvaluated.add(statistics.rowsEvaluated)
        return result
    }

    /// Brings a result through a step and tells what changed: deletions and insertions only.
    ///
    /// - Parameters:
    ///   - result: what `evaluate` or `advance` gave for the step's old version.
    ///   - listChange: for a plan whose source is a list: how the list changed; the step tells by
    ///     itself if it is nil.
    ///
    /// Throws as `evaluate`.
    package func advance(
        _ result: ResultTree, _ step: VersionStep, listChange: ListChange? = nil
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        let (newResult, change) = try advance(
            result, from: step.old, to: step.new, delta: step.rows(tableName),
            listChange: listChange ?? sourceChange(step))
        var moves = ResultChange()
        (moves.deletions, moves.deletedKeys) = (change.deletions, change.deletedKeys)
        (moves.insertions, moves.insertedKeys) = (change.insertions, change.insertedKeys)
        return (newResult, moves)
    }

    /// What `advance` tells, where the result at the new version is known already.
    package func change(
        from old: ResultTree, to new: ResultTree, _ step: VersionStep,
        listChange: ListChange? = nil
    ) throws(StoreError) -> ResultChange {
        try advance(old, step, listChange: listChange).1
    }

    /// Adds the modifications to a change: the rows that are marked and stay, wherever they stand.
    ///
    /// - Parameter change: what `advance` or `change` told of the step from `old` to `new`.
    package func mark(
        _ change: inout ResultChange, _ marks: RowMarks, from old: ResultTree, to new: ResultTree,
        _ step: VersionStep
    ) throws(StoreError) {
        if marks.isEmpty { return }
        for (position, key) in old.enumerated() {
            guard let mark = marks[key], let place = change.newPosition(position) else { continue }
            change.modifications.append(position)
            change.newModifications.append(place)
            change.modified.append(
                ModifiedResult(key: key, oldIndex: position, newIndex: place, mark: mark))
        }
    }

    /// How the list that is the source changed; nil for other plans and where it is not known.
    func sourceChange(_ step: VersionStep) -> ListChange? {
        guard case .list(let owner, let row, let name) = source, step.summaries != nil,
            let table = step.new.schema.table(named: owner),
            let list = table.list(named: name),
            step.old.contains(table.key, row), step.new.contains(table.key, row)
        else { return nil }
        let changes = step.delta(owner).listChanges[list.key] ?? []
        return changes.first { $0.row == row } ?? ListChange(row: row, splices: [])
    }
}
