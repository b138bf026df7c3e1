internal import Synchronization

/// What streams cost, counted: for tests of costs and for diagnostics.
package final class StreamCounters: Sendable {
    /// Rows on which a query of a stream was evaluated, at the beginning and at commits.
    package let rowsEvaluated = Counter()
    /// Rows that were looked at to find out which objects reach a changed one through links.
    package let rowsReached = Counter()
    /// Subscriptions that were woken by commits.
    package let signals = Counter()
    /// Steps of queries from version to version: one for all streams that share it.
    package let steps = Counter()
    /// Steps of results that somebody else held, of which nodes were copied; others are edited in
    /// place.
    package let resultsCopied = Counter()

    package init() {}

    /// A number that only rises, from any thread.
    package final class Counter: Sendable {
        private let number = Atomic<Int>(0)

        package var value: Int { number.load(ordering: .relaxed) }

        package func add(_ count: Int) { number.wrappingAdd(count, ordering: .relaxed) }
    }
}
