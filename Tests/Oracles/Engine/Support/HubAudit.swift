import RegnumStore

@testable import RegnumEngine

extension CommitHub {
    /// Whether nothing is kept.
    var isIdle: Bool {
        let isQuiet = publication.withLock { $0.queue.isEmpty && !$0.isObserved }
        return isQuiet
            && state.withLock { state in
                state.entries.isEmpty && state.routes.isEmpty && state.processedRoot == nil
                    && state.summaries.count == 0 && state.commits.count == 0
            }
    }
}
