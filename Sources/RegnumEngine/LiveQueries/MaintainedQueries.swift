internal import RegnumStore

/// The queries that streams of a realm currently follow. There is one for each distinct query,
/// shared by all of its streams. An entry is removed when its last stream ends.
package final class MaintainedQueries: Sendable {
    private struct Entry {
        weak var query: MaintainedQuery?
    }

    private let coordinator: Coordinator
    private let entries = Guarded<[StreamQuery: Entry]>([:])

    package init(_ coordinator: Coordinator) {
        self.coordinator = coordinator
    }

    /// Returns the maintained query for a stream's query, creating it if there is none.
    package func query(_ query: StreamQuery) -> MaintainedQuery {
        if let known = entries.withLock({ $0[query]?.query }) { return known }
        let made = MaintainedQuery(query, coordinator, self)
        return entries.withLock { entries in
            // another task may have been faster
            if let known = entries[query]?.query { return known }
            entries[query] = Entry(query: made)
            return made
        }
    }

    /// Removes the entry of a query that ended, unless a new one has replaced it already.
    func remove(_ query: StreamQuery) {
        // released outside of the lock, because this may be the last strong reference
        let successor = entries.withLock { entries in
            let successor = entries[query]?.query
            if successor == nil { entries[query] = nil }
            return successor
        }
        withExtendedLifetime(successor) {}
    }
}
