internal import RegnumEngine
internal import RegnumStore

/// The commits between an old version and a published one, read from the log.
///
/// Confined to one stream's task.
final class PastCommits {
    /// The state before the first commit, in a separate lineage.
    let start: DatabaseRoot
    /// The state after the last commit.
    let end: DatabaseRoot
    /// Whether the task was cancelled or the realm closed in the meantime, which ends the stream.
    private(set) var hasEnded = false
    private let reader: HistoryReader

    private init(_ reader: HistoryReader, to end: DatabaseRoot) {
        self.reader = reader
        start = reader.root
        self.end = end
    }

    /// Returns the commits after `version` up to and including that of `end`, or `nil` if the task
    /// was cancelled or the realm closed in the meantime.
    ///
    /// Throws `.historyTrimmed` if the log doesn't go back far enough.
    static func read(
        _ coordinator: Coordinator, from version: UInt64, to end: DatabaseRoot
    ) async throws(Realm.Error) -> PastCommits? {
        try await orEnd {
            PastCommits(try await coordinator.history(from: version), to: end)
        }
    }

    /// Returns the next commit, or `nil` at the end of the commits or of the stream.
    func next() async throws(Realm.Error) -> (root: DatabaseRoot, summary: CommitSummary)? {
        let step = try await PastCommits.orEnd { [reader, end] in
            (step: try await reader.next(through: end.version), isThere: true)
        }
        hasEnded = step == nil
        return step?.step
    }

    /// The number of summaries above which they are merged while reading.
    private static let summaryCountMax = 1_024

    /// Returns the summaries of all commits, and the labels of those that concern a query; `nil` at
    /// the end of the stream.
    func merged(
        _ query: StreamQuery
    ) async throws(Realm.Error) -> (summaries: [CommitSummary], origins: [String])? {
        var summaries: [CommitSummary] = []
        var origins = OriginList()
        var last = start
        var interest = query.interest(at: last)
        while let (root, summary) = try await next() {
            if let origin = summary.origin, !origins.contains(origin),
                interest.holds(for: summary, from: last, to: root)
            {
                origins.add(origin)
            }
            if query.owner != nil || root.schema !== last.schema {
                interest = query.interest(at: root)
            }
            summaries.append(summary)
            if summaries.count > PastCommits.summaryCountMax {
                summaries = CommitSummary.merged(summaries).map { [$0] } ?? []
            }
            last = root
        }
        return hasEnded ? nil : (summaries, origins.all)
    }

    /// Returns the result of `body`, or `nil` if the task was cancelled or the realm closed.
    private static func orEnd<R>(
        _ body: () async throws -> R
    ) async throws(Realm.Error) -> R? {
        do {
            return try await body()
        } catch let error as StoreError {
            if error.code == .closed { return nil }
            throw Realm.Error(error)
        } catch {
            if error is CancellationError { return nil }
            throw Realm.Error(below: error)
        }
    }
}
