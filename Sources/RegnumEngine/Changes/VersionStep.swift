internal import RegnumStore

/// A step of a stream from the version that it delivered last to a later one, and what the commits
/// between changed. Streams that make the same step share it: what is found once serves all.
package final class VersionStep: Sendable {
    package let old: DatabaseRoot
    package let new: DatabaseRoot
    /// What the commits after `old` through `new` changed, in order, of the classes that were asked
    /// for at least; some may be several commits merged. nil where that is no longer known: the two
    /// versions are compared instead.
    package let summaries: [CommitSummary]?
    /// Counts the work that is done for the step.
    package let counters: StreamCounters
    private let deltas = Guarded<[String: MergedDelta]>([:])
    let found = Guarded(Found())
    /// Which rows count as modified, by class and filter (`marks`).
    let foundMarks = Guarded(FoundMarks())

    package init(
        from old: DatabaseRoot, to new: DatabaseRoot, summaries: [CommitSummary]?,
        counters: StreamCounters = StreamCounters()
    ) {
        self.old = old
        self.new = new
        self.summaries = summaries
        self.counters = counters
    }

    /// The net effect on a class; from a comparison of the versions where the summaries are gone.
    ///
    /// - Complexity: O(changes) the first time, then O(1).
    package func delta(_ tableName: String) -> MergedDelta {
        if let known = deltas.withLock({ $0[tableName] }) { return known }
        let found =
            summaries.map { MergedDelta($0, tableName: tableName) }
            ?? comparison(tableName)
        deltas.withLock { $0[tableName] = found }
        return found
    }

    /// The net effect on a class by a comparison of the versions.
    private func comparison(_ tableName: String) -> MergedDelta {
        var delta = MergedDelta(from: old, to: new, tableName: tableName)
        if let table = new.schema.table(named: tableName) {
            delta.addChangedItems(of: table, in: new) { self.delta($0.name).modified }
        }
        return delta
    }
}
