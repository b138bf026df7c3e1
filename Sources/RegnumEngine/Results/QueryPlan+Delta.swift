package import RegnumStore

extension QueryPlan {
    /// Brings a result from one version to a later one and tells what changed, with the rows of the
    /// delta that stay as modifications.
    ///
    /// - Parameters:
    ///   - delta: the merged summaries of exactly the commits after `old` through `new` for the
    ///     plan's class; nil where they are not to be had. What the plan reads of other classes is
    ///     found by a comparison of the versions.
    ///   - listChange: as `advance` of a step.
    ///
    /// Throws as `evaluate`.
    package func advance(
        _ result: ResultTree, from old: DatabaseRoot, to new: DatabaseRoot, delta: MergedDelta?,
        listChange: ListChange? = nil
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        let step = VersionStep(from: old, to: new, summaries: nil)
        if let delta { step.know(delta, tableName) }
        var (newResult, change) = try advance(result, step, listChange: listChange)
        var marks = RowMarks()
        for row in step.delta(tableName).modified {
            var mark = RowMarks.Mark()
            mark.columns = row.columns
            marks.rows[row.key] = mark
        }
        try mark(&change, marks, from: result, to: newResult, step)
        return (newResult, change)
    }
}
