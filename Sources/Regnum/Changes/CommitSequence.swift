internal import RegnumEngine

/// The commits of a realm, by any process, one element each.
///
///     for try await commit in realm.commits { print(commit.version, commit.origin ?? "-") }
///
/// The iteration starts after the version that is published when it begins, and pulls. It ends
/// normally when the task is cancelled or the realm is closed, and throws `.historyTrimmed` if the
/// consumer is so slow that commits which it has not seen are no longer kept.
public struct CommitSequence: AsyncSequence, Sendable {
    public typealias Element = CommitNotice
    public typealias Failure = Realm.Error

    private let realm: RealmCore

    init(_ realm: RealmCore) {
        self.realm = realm
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(realm)
    }

    /// Holds the version that was reached.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let realm: RealmCore
        private let follower: CommitFollower
        private let wasClosed: Bool
        /// Commits that are known and not delivered yet, the last one first.
        private var pending: [CommitSummary] = []
        private var isFinished = false

        fileprivate init(_ realm: RealmCore) {
            self.realm = realm
            wasClosed = realm.coordinator.isClosed
            follower = CommitFollower(realm, tableNames: nil)
        }

        /// The next commit, waited for; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CommitNotice? {
            if isFinished { return nil }
            while pending.isEmpty {
                isFinished = true
                if wasClosed { throw Realm.Error.closed(realm.configuration.name) }
                guard let step = try await follower.next(isolation: actor) else {
                    follower.cancel()
                    return nil
                }
                guard let summaries = step.summaries else {
                    follower.cancel()
                    throw Realm.Error(
                        .historyTrimmed,
                        "The commits after version \(step.old.version) are no longer kept.")
                }
                isFinished = false
                pending = summaries.reversed()
            }
            return pending.popLast().map { CommitNotice($0) }
        }
    }
}

/// What is told of one commit.
public struct CommitNotice: Sendable, Hashable {
    /// The version that the commit made.
    public let version: UInt64
    /// The label given to `write`.
    public let origin: String?
    /// The names of the classes of which objects were added, changed or deleted, sorted.
    public let classNames: [String]

    init(_ summary: CommitSummary) {
        version = summary.version
        origin = summary.origin
        classNames = summary.tables.values.map(\.tableName).sorted()
    }
}
