/// What queries of snapshots and transactions cost, counted: for tests of costs and for diagnostics.
package final class QueryCounters: Sendable {
    /// Rows on which a condition was evaluated.
    package let rowsEvaluated = StreamCounters.Counter()
    /// Keys of rows that were listed as results; results that read from a version list none.
    package let keysFound = StreamCounters.Counter()

    package init() {}

    func add(_ statistics: QueryStatistics, foundCount: Int) {
        rowsEvaluated.add(statistics.rowsEvaluated)
        keysFound.add(foundCount)
    }
}
