internal import RegnumEngine
internal import RegnumStore

/// One iteration of a stream: its position, and how it advances to the next element.
///
/// It *pulls*: it holds the version that it delivered last, waits for a commit that concerns it,
/// and then advances to the newest version in one step. The work is done on the consumer's task.
///
/// Confined to the iterator's task.
final class CollectionStream {
    private let request: StreamRequest
    /// The shared result of the query; `nil` after the end.
    private var maintained: MaintainedQuery?
    private var subscription: Subscription
    private var slot: SignalSlot
    /// The version that was published when the subscription began; held until the first element.
    private var start: DatabaseRoot?
    /// The last delivered version and result; `nil` before the first element.
    private var place: StreamPlace? {
        didSet { placeCount += 1 }
    }
    /// The number of times the place was set.
    private var placeCount = 0
    /// The number of elements that weren't delivered because their commits are skipped.
    private(set) var skippedCount = 0
    /// The version before the first commit of the last step that concerns the stream.
    private(set) var stepStart: UInt64 = 0
    /// Commits that aren't processed yet, for a stream that delivers each one.
    private var commits: ArraySlice<KeptCommit> = []
    /// The source of commits that are no longer in memory.
    private var past: PastCommits?
    private let wasClosed: Bool
    private var isEnding = false
    /// Whether the realm was closed, or the task cancelled, while reading history, so that later
    /// changes can't be determined.
    private var hasEnded = false
    private var isFinished = false

    private var realm: RealmCore { request.realm }

    private var sharedQuery: MaintainedQuery {
        guard let maintained else { preconditionFailure("A stream was advanced after its end.") }
        return maintained
    }

    init(_ request: StreamRequest) {
        self.request = request
        wasClosed = request.realm.coordinator.isClosed
        maintained = request.realm.queries.query(request.query)
        subscription = CollectionStream.subscribe(request)
        slot = subscription.attach()
        start = subscription.start
        request.realm.external.observerBegan()
    }

    deinit {
        slot.close()
        if !isFinished { realm.external.observerEnded() }
    }

    private static func subscribe(_ request: StreamRequest) -> Subscription {
        let coordinator = request.realm.coordinator
        let (query, isSteady) = (request.query, request.isStepwise)
        let buffering: BufferingPolicy =
            isSteady ? .versions : request.policy == .newest ? .nothing : .merged
        return coordinator.subscribe(buffering: buffering) {
            query.interest(at: $0, isSteady: isSteady)
        }
    }

    var publishedVersion: UInt64 { realm.coordinator.published.version }

    /// Whether a wait ends because its deadline has passed and the stream has examined what was
    /// published before it. Otherwise commits without a net effect that arrive faster than they are
    /// examined could extend it.
    func isOver(_ deadline: Deadline?, from version: UInt64) -> Bool {
        guard let deadline, let place, place.root.version >= version else { return false }
        return !hasEnded && deadline.hasPassed
    }

    /// Waits for the next element, but not beyond a deadline.
    func next(
        until deadline: Deadline? = nil, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> NextElement<StreamElement> {
        if isFinished { return .end }
        do throws(Realm.Error) {
            let next = try await pull(until: deadline, isolation: isolation)
            if case .end = next { finish() }
            return next
        } catch {
            finish()
            throw error
        }
    }

    /// The position to resume from after the elements delivered so far, or `nil` before the first
    /// element and after the end. Advances with commits that don't concern the stream.
    var cursor: ChangeCursor? {
        if isFinished { return nil }
        guard let place, start == nil else { return request.since }
        let version = place.root.version
        guard commits.isEmpty, past == nil, let idleVersion = subscription.idleVersion else {
            return realm.cursor(at: version)
        }
        return realm.cursor(at: max(version, idleVersion))
    }

    /// Ends the stream and releases what it holds.
    func finish() {
        if isFinished { return }
        isFinished = true
        slot.close()
        subscription.cancel()
        maintained = nil
        realm.external.observerEnded()
        start = nil
        place = nil
        commits = []
        past = nil
    }

    // MARK: Beginning

    // The frames of these functions are part of what suspended tasks hold, so work that doesn't
    // wait is done in separate functions.

    private func pull(
        until deadline: Deadline?, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> NextElement<StreamElement> {
        if let start {
            if Task.isCancelled { return .end }
            if let element = try begin(at: start) {
                self.start = nil
                return .element(element)
            }
            try await seek(from: start, isolation: isolation)
            self.start = nil
        }
        // catches up before waiting, so that a wait is only for what is published after the call
        var isCaughtUp = commits.isEmpty && past == nil
        let published = publishedVersion
        if isCaughtUp { await subscription.catchUp() }
        while place != nil, !hasEnded {
            if Task.isCancelled { return .end }
            if let past {
                if let element = try await step(past) { return .element(element) }
                if isOver(deadline, from: published) { return .timedOut }
                continue
            }
            let placeCount = placeCount
            switch try step() {
            case .element(let element): return .element(element)
            case .nothing: break
            case .past(let version, let newest):
                try await readHistory(from: version, to: newest, isolation: isolation)
                continue
            }
            if self.placeCount != placeCount || !commits.isEmpty {
                if isOver(deadline, from: published) { return .timedOut }
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

    /// Returns the first element, or `nil` for a stream that resumes from a cursor.
    @inline(never)
    private func begin(at start: DatabaseRoot) throws(Realm.Error) -> StreamElement? {
        if wasClosed { throw Realm.Error.closed(realm.configuration.name) }
        try request.checkClasses(at: start)
        if request.since != nil { return nil }
        let place = try newest(at: start)
        self.place = place
        return .initial(place)
    }

    /// Returns the place at a version that was just published.
    @inline(never)
    private func newest(at root: DatabaseRoot) throws(Realm.Error) -> StreamPlace {
        let result = try stored { () throws(StoreError) in try sharedQuery.begin(at: root) }
        return StreamPlace(table: request.table(root), result: result)
    }

    /// Positions the stream at the version of the cursor.
    private func seek(
        from start: DatabaseRoot, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) {
        guard let cursor = request.since else { return }
        var newest = start
        guard let isAhead = try await realm.isAhead(cursor, of: start) else {
            hasEnded = true
            return
        }
        if isAhead {
            resubscribe()
            newest = subscription.start
            try request.checkClasses(at: newest)
        }
        try realm.check(cursor, newest)
        if cursor.version == newest.version {
            place = try self.newest(at: newest)
        } else {
            try await readHistory(from: cursor.version, to: newest, isolation: isolation)
        }
    }

    @inline(never)
    private func resubscribe() {
        slot.close()
        subscription = CollectionStream.subscribe(request)
        slot = subscription.attach()
    }

    /// Goes back to an old version, and reads the commits since then from the log.
    private func readHistory(
        from version: UInt64, to newest: DatabaseRoot, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) {
        if let past = try await PastCommits.read(realm.coordinator, from: version, to: newest) {
            place = try oldest(of: past)
            self.past = past
        } else {
            hasEnded = true
        }
    }

    @inline(never)
    private func oldest(of past: PastCommits) throws(Realm.Error) -> StreamPlace {
        try request.checkClasses(at: past.start, before: past.end)
        let result = try stored { () throws(StoreError) in
            try request.query.result(at: past.start, realm.coordinator.streamCounters)
        }
        return StreamPlace(table: request.table(past.start), result: result)
    }

    // MARK: Steps

    private enum Step {
        case element(StreamElement)
        /// Nothing to deliver.
        case nothing
        /// Commits must be read from the log.
        case past(from: UInt64, to: DatabaseRoot)
    }

    /// Advances through commits that are in memory.
    @inline(never)
    private func step() throws(Realm.Error) -> Step {
        guard let version = place?.root.version else { return .nothing }
        if let run = CommitRun.removeNext(from: &commits, after: version, request) {
            let element = try step(
                to: run.root, summaries: summaries(run.summaries), origins: run.origins,
                since: run.since)
            return visible(element, run.isExcluded).map { .element($0) } ?? .nothing
        }
        let count = request.policy == .everyCommit ? Subscription.commitCountPerTake : .max
        guard let pending = subscription.take(maximumCount: count) else { return .nothing }
        guard pending.root.version > version, pending.isConcerned else {
            try move(to: pending.root)
            return .nothing
        }
        if request.isStepwise {
            guard let known = pending.commits else {
                // no commit up to `since` concerns the stream
                return .past(from: max(pending.since, version), to: pending.root)
            }
            commits = known[...]
            return .nothing
        }
        let element = try step(
            to: pending.root, summaries: pending.summaries, origins: pending.origins,
            since: pending.since)
        return element.map { .element($0) } ?? .nothing
    }

    /// Returns an element unless the commits that it shows are skipped.
    private func visible(_ element: StreamElement?, _ isExcluded: Bool) -> StreamElement? {
        guard isExcluded else { return element }
        if element != nil { skippedCount += 1 }
        return nil
    }

    /// Returns the summaries that a step uses, or `nil` if it compares the two versions instead.
    private func summaries(_ summaries: [CommitSummary]) -> [CommitSummary]? {
        request.policy == .newest ? nil : summaries
    }

    /// Advances through commits that are read from the log: those of one element, or those that are
    /// skipped.
    private func step(_ past: PastCommits) async throws(Realm.Error) -> StreamElement? {
        if request.policy == .everyCommit {
            if let (root, summary) = try await past.next() {
                let element = try step(to: root, summary)
                return try past.checked(
                    visible(element, request.excludes(summary.origin)), request)
            }
            self.past = nil
            if past.hasEnded { hasEnded = true } else { try move(to: past.end) }
            return nil
        }
        guard let version = place?.root.version, let run = try await past.merged(request) else {
            self.past = nil
            hasEnded = true
            return nil
        }
        if run.isLast { self.past = nil }
        let element = try step(
            to: run.root, summaries: summaries(run.summaries), origins: run.origins,
            since: version)
        return try past.checked(visible(element, run.isExcluded), request)
    }

    @inline(never)
    private func step(
        to root: DatabaseRoot, _ summary: CommitSummary
    ) throws(Realm.Error) -> StreamElement? {
        guard let version = place?.root.version, summary.version > version else { return nil }
        return try step(
            to: root, summaries: [summary],
            origins: summary.origin.map { [$0] } ?? [], since: summary.version - 1)
    }

    @inline(never)
    private func step(
        to root: DatabaseRoot, summaries: [CommitSummary]?, origins: [String], since: UInt64
    ) throws(Realm.Error) -> StreamElement? {
        guard let old = place?.table else { return nil }
        stepStart = since
        try checkSchema(of: root, since: old)
        let step = VersionStep(
            from: old.snapshot.root, to: root, summaries: summaries,
            counters: realm.coordinator.streamCounters)
        let kept = request.keepsOld ? place?.result : nil
        // the stream gives up its own reference, because an error ends the stream anyway
        guard let left = leave() else { return nil }
        let (result, change) = try advance(consume left, step, since)
        let next = StreamPlace(table: request.table(root), result: result)
        self.place = next
        if change.isEmpty, !request.deliversAll { return nil }
        let trace = request.policy == .everyCommit ? summaries?.last?.trace : nil
        return .update(from: old, old: kept, to: next, change, origins: origins, trace: trace)
    }

    /// Returns the current result and resets the place.
    private func leave() -> MaintainedResult? {
        defer { place = nil }
        return place?.result
    }

    private func advance(
        _ result: consuming MaintainedResult, _ step: VersionStep, _ since: UInt64
    ) throws(Realm.Error) -> (MaintainedResult, ResultChange) {
        do throws(StoreError) {
            return try sharedQuery.advance(consume result, step, since: since)
        } catch {
            throw realm.failure(error)
        }
    }

    /// Moves to another version with the same content.
    @inline(never)
    private func move(to root: DatabaseRoot) throws(Realm.Error) {
        guard let place else { return }
        try checkSchema(of: root, since: place.table)
        let result = try stored { () throws(StoreError) in
            try sharedQuery.move(place.result, to: root)
        }
        self.place = StreamPlace(table: request.table(root), result: result)
    }

    // MARK: Errors

    /// Throws the mismatch of a class that the stream reads if the schema has changed, for example
    /// because a newer program has migrated it.
    private func checkSchema(
        of root: DatabaseRoot, since old: FrozenTable
    ) throws(Realm.Error) {
        if root.schema === old.snapshot.root.schema { return }
        guard let past else {
            return try request.checkClasses(at: root, since: old.snapshot.root)
        }
        try request.checkClasses(at: root, before: past.end)
    }

    private func stored<R>(_ body: () throws(StoreError) -> R) throws(Realm.Error) -> R {
        do throws(StoreError) { return try body() } catch { throw realm.failure(error) }
    }
}
