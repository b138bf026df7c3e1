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
    /// The state after the commits that `merged` has returned.
    private var position: DatabaseRoot
    /// A commit that was read but belongs to the next merged ones.
    private var ahead: (root: DatabaseRoot, summary: CommitSummary)?
    /// The schema of the last past version whose objects were found to be readable.
    private var readableSchema: DatabaseSchema?

    private init(_ reader: HistoryReader, to end: DatabaseRoot) {
        self.reader = reader
        start = reader.root
        position = start
        self.end = end
    }

    /// Returns the commits after `version` up to and including that of `end`, or `nil` if the task
    /// was cancelled or the realm closed in the meantime.
    ///
    /// Throws `.historyTrimmed` if the log doesn't go back far enough.
    static func read(
        _ coordinator: Coordinator, from version: UInt64, to end: DatabaseRoot
    ) async throws(Realm.Error) -> PastCommits? {
        try await nilIfEnded {
            PastCommits(try await coordinator.history(from: version), to: end)
        }
    }

    /// Returns the next commit, or `nil` at the end of the commits or of the stream.
    func next() async throws(Realm.Error) -> (root: DatabaseRoot, summary: CommitSummary)? {
        if let ahead {
            self.ahead = nil
            return ahead
        }
        let step = try await PastCommits.nilIfEnded { [reader, end] in
            (step: try await reader.next(through: end.version), isThere: true)
        }
        hasEnded = step == nil
        return step?.step
    }

    /// The number of summaries above which they are merged while reading.
    private static let maximumSummaryCount = 1_024

    /// Commits that a stream passes in one step.
    struct Run {
        var summaries: [CommitSummary] = []
        /// The labels of those that concern the stream.
        var origins: [String] = []
        /// The state after them.
        var root: DatabaseRoot
        /// Whether they are skipped.
        var isExcluded = false
        /// Whether no more commits follow.
        var isLast = false
    }

    /// Returns the next commits up to the first that a stream skips, or the next that it skips;
    /// `nil` at the end of the stream. Commits that don't concern the stream belong to either.
    func merged(_ request: StreamRequest) async throws(Realm.Error) -> Run? {
        var run = Run(root: end)
        var origins = OriginList()
        var interest = request.query.interest(at: position)
        var isDecided = false
        while let (root, summary) = try await next() {
            let isNew = summary.origin.map { !origins.contains($0) } ?? false
            if isNew || request.isSelective,
                interest.holds(for: summary, from: position, to: root)
            {
                let isExcluded = request.excludes(summary.origin)
                if isDecided, isExcluded != run.isExcluded {
                    ahead = (root, summary)
                    run.root = position
                    run.origins = origins.all
                    return run
                }
                (isDecided, run.isExcluded) = (true, isExcluded)
                if let origin = summary.origin { origins.add(origin) }
            }
            if request.query.owner != nil || root.schema !== position.schema {
                interest = request.query.interest(at: root)
            }
            run.summaries.append(summary)
            if run.summaries.count > PastCommits.maximumSummaryCount {
                run.summaries = CommitSummary.merged(run.summaries).map { [$0] } ?? []
            }
            position = root
        }
        run.origins = origins.all
        run.isLast = true
        return hasEnded ? nil : run
    }

    /// Returns an element of a stream. Throws `.historyTrimmed` if it has objects from before a
    /// migration that lead to what the migration has changed. A program that is older than the
    /// migration can read them.
    func checked(
        _ element: StreamElement?, _ request: StreamRequest
    ) throws(Realm.Error) -> StreamElement? {
        guard end.schema.version <= request.realm.configuration.schemaVersion,
            case .update(let old, _, let place, let change, _, _)? = element
        else { return element }
        let hasOld = !change.deletedKeys.isEmpty || !change.modified.isEmpty
        for root in hasOld ? [old.snapshot.root, place.root] : [place.root]
        where root.schema.version < end.schema.version && root.schema !== readableSchema {
            try request.checkObjects(at: root, before: end)
            readableSchema = root.schema
        }
        return element
    }

    /// Returns the result of `body`, or `nil` if the task was cancelled or the realm closed.
    private static func nilIfEnded<R>(
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
