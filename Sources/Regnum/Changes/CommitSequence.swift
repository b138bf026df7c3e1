internal import RegnumEngine
internal import RegnumStore

/// The commits made to a realm by any process, as an asynchronous sequence with one element for
/// each commit.
///
///     for try await commit in realm.commits { print(commit.version, commit.origin ?? "-") }
///
/// Iteration is pull-based, and starts after the newest version published when it begins, or after
/// the version that a cursor refers to. It ends normally when the task is cancelled or the realm is
/// closed. Commits that are no longer in memory are read from the log. Iterating throws
/// `.historyTrimmed` if the log doesn't go back far enough, `.closed` if the realm was already
/// closed and, for a cursor from another realm or for a version that the realm doesn't have,
/// `.invalidInput` (see ``Realm/Error/isHistoryUnavailable``).
public struct CommitSequence: ChangeStream {
    public typealias Element = CommitNotice
    public typealias Failure = Realm.Error

    let realm: RealmCore
    let cursor: ChangeCursor?
    /// The labels of the commits that are skipped.
    let excluded: Set<StoredText>

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(CommitStream(realm, since: cursor, excluding: excluded))
    }

    /// An iterator, which holds the version that it has reached.
    public struct AsyncIterator: ChangeStreamIterator {
        private let stream: CommitStream

        fileprivate init(_ stream: CommitStream) {
            self.stream = stream
        }

        /// Waits for the next commit. Returns `nil` when the sequence has ended.
        ///
        /// - Throws: The errors described at ``CommitSequence``.
        public mutating func next() async throws(Realm.Error) -> CommitNotice? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next commit in the isolation of the given actor. Returns `nil` when the
        /// sequence has ended.
        ///
        /// - Throws: The errors described at ``CommitSequence``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CommitNotice? {
            try await stream.next(isolation: actor).element
        }

        public mutating func next(
            within duration: Duration, clock: any Clock<Duration>,
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> NextElement<CommitNotice> {
            try await stream.next(until: Deadline(in: duration, of: clock), isolation: actor)
        }

        public var cursor: ChangeCursor? { stream.position }
    }
}

/// One commit, as reported by ``CommitSequence``.
public struct CommitNotice: Sendable, Hashable {
    /// The version that the commit created.
    public let version: UInt64
    /// The `origin` label that was passed to `write`, if any.
    public let origin: String?
    /// The names of the classes whose objects were added, changed or deleted, sorted.
    public let classNames: [String]
    /// The cursor for resuming after this commit.
    public let cursor: ChangeCursor

    init(_ summary: CommitSummary, _ cursor: ChangeCursor) {
        version = summary.version
        origin = summary.origin
        // The elements of a list of values are rows of a hidden class `Class.property`. A dot and
        // the start of a property's name can be one `Character`.
        let names = summary.tables.values.map {
            StoredText(String(Substring($0.tableName.utf8.prefix { $0 != UInt8(ascii: ".") })))
        }
        classNames = Set(names).sorted().map(\.wrappedValue)
        self.cursor = cursor
    }
}

/// One iteration over the commits of a realm. Confined to the iterator's task.
private final class CommitStream {
    private let realm: RealmCore
    private var subscription: Subscription
    private var slot: SignalSlot
    private let cursor: ChangeCursor?
    private let excluded: Set<StoredText>
    /// The version that was published when the subscription began; held until the first element.
    private var start: DatabaseRoot?
    /// The last delivered commit, or the starting position.
    private var place: ChangeCursor
    private var commits: ArraySlice<KeptCommit> = []
    private var past: PastCommits?
    private let wasClosed: Bool
    private var isEnding = false
    /// Whether the realm was closed, or the task cancelled, while reading history.
    private var hasEnded = false
    private var isFinished = false

    init(_ realm: RealmCore, since cursor: ChangeCursor?, excluding excluded: Set<StoredText>) {
        self.realm = realm
        self.cursor = cursor
        self.excluded = excluded
        wasClosed = realm.coordinator.isClosed
        subscription = realm.coordinator.subscribe(buffering: .commits) { _ in .all }
        slot = subscription.attach()
        let start = subscription.start
        self.start = start
        place = cursor ?? realm.cursor(at: start.version)
        realm.external.observerBegan()
    }

    deinit {
        slot.close()
        if !isFinished { realm.external.observerEnded() }
    }

    /// The position to resume from; `nil` after the end.
    var position: ChangeCursor? { isFinished ? nil : place }

    func next(
        until deadline: Deadline? = nil, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> NextElement<CommitNotice> {
        if isFinished { return .end }
        do throws(Realm.Error) {
            switch try await pull(until: deadline, isolation: isolation) {
            case .element(let summary):
                place = realm.cursor(at: summary.version)
                return .element(CommitNotice(summary, place))
            case .timedOut: return .timedOut
            case .end: break
            }
        } catch {
            finish()
            throw error
        }
        finish()
        return .end
    }

    private func finish() {
        if isFinished { return }
        isFinished = true
        start = nil
        slot.close()
        subscription.cancel()
        realm.external.observerEnded()
        commits = []
        past = nil
    }

    private func pull(
        until deadline: Deadline?, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> NextElement<CommitSummary> {
        if let start {
            if Task.isCancelled { return .end }
            if wasClosed { throw Realm.Error.closed(realm.configuration.name) }
            if let cursor { try await seek(to: cursor, from: start) }
            self.start = nil
        }
        // catches up before waiting, so that a wait is only for what is published after the call
        var isCaughtUp = commits.isEmpty && past == nil
        let published = realm.coordinator.published.version
        if isCaughtUp { await subscription.catchUp() }
        while !hasEnded {
            if Task.isCancelled { return .end }
            if let past {
                if let commit = try await past.next() {
                    guard passes(commit.summary) else { return .element(commit.summary) }
                    if isOver(deadline, from: published) { return .timedOut }
                    continue
                }
                self.past = nil
                if past.hasEnded { return .end }
            }
            while let commit = commits.popFirst() {
                guard commit.summary.version > place.version else { continue }
                guard passes(commit.summary) else { return .element(commit.summary) }
                if isOver(deadline, from: published) { return .timedOut }
            }
            if let pending = subscription.take(maximumCount: Subscription.commitCountPerTake) {
                guard pending.root.version > place.version else { continue }
                if let known = pending.commits {
                    commits = known[...]
                } else {
                    try await readHistory(from: place.version, to: pending.root)
                }
                continue
            }
            if isEnding { return .end }
            guard isCaughtUp else {
                await subscription.catchUp()
                isCaughtUp = true
                continue
            }
            try realm.checkReadable()
            switch await slot.wait(until: deadline) {
            case .changed: continue
            case .closed: isEnding = true
            case .cancelled: return .end
            case .timedOut: return .timedOut
            }
        }
        return .end
    }

    /// Whether a wait ends because its deadline has passed and all commits that were published
    /// before it are delivered or skipped. Otherwise skipped commits that arrive faster than they
    /// are examined could extend it.
    private func isOver(_ deadline: Deadline?, from version: UInt64) -> Bool {
        guard let deadline, place.version >= version else { return false }
        return deadline.hasPassed
    }

    /// Skips a commit that has one of the excluded labels, and returns whether it did.
    private func passes(_ commit: CommitSummary) -> Bool {
        guard let origin = commit.origin, excluded.contains(StoredText(origin)) else {
            return false
        }
        place = realm.cursor(at: commit.version)
        return true
    }

    /// Positions the stream at the version of a cursor.
    private func seek(
        to cursor: ChangeCursor, from start: DatabaseRoot
    ) async throws(Realm.Error) {
        var newest = start
        guard let isAhead = try await realm.isAhead(cursor, of: start) else {
            hasEnded = true
            return
        }
        if isAhead {
            slot.close()
            subscription = realm.coordinator.subscribe(buffering: .commits) { _ in .all }
            slot = subscription.attach()
            newest = subscription.start
        }
        try realm.check(cursor, newest)
        if cursor.version < newest.version {
            try await readHistory(from: cursor.version, to: newest)
        }
    }

    private func readHistory(
        from version: UInt64, to newest: DatabaseRoot
    ) async throws(Realm.Error) {
        past = try await PastCommits.read(realm.coordinator, from: version, to: newest)
        if past == nil { hasEnded = true }
    }
}
