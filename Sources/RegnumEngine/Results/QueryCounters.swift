/// Counters of the work done by queries of snapshots and transactions, for cost tests and
/// diagnostics.
package final class QueryCounters: Sendable {
    /// Rows on which a condition was evaluated.
    package let rowsEvaluated = StreamCounters.Counter()
    /// Row keys listed as results. Results that read from a root list none.
    package let keysFound = StreamCounters.Counter()

    package init() {}

    func add(_ statistics: QueryStatistics, foundCount: Int) {
        rowsEvaluated.add(statistics.rowsEvaluated)
        keysFound.add(foundCount)
    }
}
