internal import RegnumStore

/// The queries of a realm that streams follow now: one for each distinct query, which all streams
/// that ask it share. None is kept for nobody.
package final class MaintainedQueries: Sendable {
    private struct Entry {
        weak var query: MaintainedQuery?
    }

    private let coordinator: Coordinator
    private let entries = Guarded<[StreamQuery: Entry]>([:])

    package init(_ coordinator: Coordinator) {
        self.coordinator = coordinator
    }

    /// The number of distinct queries that are followed now.
    package var count: Int { entries.withLock { $0.values.map(\.query) }.count { $0 != nil } }

    /// The query that is followed, or a new one.
    package func query(_ query: StreamQuery) -> MaintainedQuery {
        if let known = entries.withLock({ $0[query]?.query }) { return known }
        let made = MaintainedQuery(query, coordinator, self)
        return entries.withLock { entries in
            // another task may have been quicker
            if let known = entries[query]?.query { return known }
            entries[query] = Entry(query: made)
            return made
        }
    }

    /// A query ended. A new one may have its place already.
    func remove(_ query: StreamQuery) {
        // what is read weakly is let go of outside of the lock: it may be the last to hold it
        let successor = entries.withLock { entries in
            let successor = entries[query]?.query
            if successor == nil { entries[query] = nil }
            return successor
        }
        withExtendedLifetime(successor) {}
    }
}
