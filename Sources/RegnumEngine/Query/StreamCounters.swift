internal import Synchronization

/// Counters of the work done for streams, for cost tests and diagnostics.
package final class StreamCounters: Sendable {
    /// Rows on which a stream's query was evaluated, initially and for commits.
    package let rowsEvaluated = Counter()
    /// Rows visited to find out which objects reach a changed row through links.
    package let rowsReached = Counter()
    /// Subscriptions woken by commits.
    package let signals = Counter()
    /// Steps of queries from one version to the next. A step shared by several streams counts once.
    package let steps = Counter()
    /// Steps of results that were referenced elsewhere, so that nodes were copied instead of edited
    /// in place.
    package let resultsCopied = Counter()

    package init() {}

    /// A monotonically increasing number that any thread can add to.
    package final class Counter: Sendable {
        private let number = Atomic<Int>(0)

        package var value: Int { number.load(ordering: .relaxed) }

        package func add(_ count: Int) { number.wrappingAdd(count, ordering: .relaxed) }
    }
}
