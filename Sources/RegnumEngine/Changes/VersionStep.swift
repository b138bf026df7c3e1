internal import RegnumStore

/// A step of a stream from the version it delivered last to a later one, with the changes of the
/// commits in between. Streams that take the same step share it, so that everything is computed
/// once.
package final class VersionStep: Sendable {
    package let old: DatabaseRoot
    package let new: DatabaseRoot
    /// The changes of the commits after `old` through `new`, in order, for at least the classes
    /// that were asked for. An entry may be several commits merged. `nil` if the changes are no
    /// longer known; the two versions are compared then.
    package let summaries: [CommitSummary]?
    /// Counts the work done for the step.
    package let counters: StreamCounters
    private let deltas = Guarded<[StoredText: MergedDelta]>([:])
    let found = Guarded(Found())
    /// The rows that count as modified, by class and filter (`marks`).
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

    /// Returns the net changes to the class that has the name in the new version, comparing the
    /// versions if there are no summaries. A class that was dropped before may have had the same
    /// name.
    ///
    /// - Complexity: O(changes) the first time, then O(1).
    package func delta(_ tableName: String) -> MergedDelta {
        let name = StoredText(tableName)
        if let known = deltas.withLock({ $0[name] }) { return known }
        let table = new.schema.table(named: tableName)?.key
        let found = summaries.map { MergedDelta($0, table) } ?? comparison(tableName)
        deltas.withLock { $0[name] = found }
        return found
    }

    /// Computes the net changes to a class by comparing the versions.
    private func comparison(_ tableName: String) -> MergedDelta {
        var delta = MergedDelta(from: old, to: new, tableName: tableName)
        if let table = new.schema.table(named: tableName) {
            delta.addChangedItems(of: table, in: new) { self.delta($0.name).modified }
        }
        return delta
    }
}
