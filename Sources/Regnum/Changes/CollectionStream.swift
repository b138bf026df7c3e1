internal import RegnumEngine
internal import RegnumStore

/// One iteration of a stream: its place, and how it gets from there to the next element.
///
/// It *pulls*: it holds the version that it delivered last, waits for a commit that concerns it, and
/// then makes one step to the newest version. The work is done on the consumer's task.
///
/// Confined to the iterator's task.
final class CollectionStream {
    private let request: StreamRequest
    private let maintained: MaintainedQuery
    private var subscription: Subscription
    private var slot: SignalSlot
    /// What was published when the subscription began; held until the first element.
    private var start: DatabaseRoot?
    /// What was delivered last, nil before the first element.
    private var place: StreamPlace?
    /// Commits that are known and not looked at yet, for a stream that delivers each.
    private var commits: ArraySlice<KeptCommit> = []
    /// Where the commits come from that are no longer in memory.
    private var past: PastCommits?
    /// What the subscription waits for.
    private var interest: Interest
    private let wasClosed: Bool
    private var isEnding = false
    private var isFinished = false

    private var realm: RealmCore { request.realm }

    init(_ request: StreamRequest) {
        self.request = request
        let coordinator = request.realm.coordinator
        wasClosed = coordinator.isClosed
        maintained = request.realm.queries.query(request.query)
        subscription = CollectionStream.subscribe(request)
        slot = subscription.attach()
        let start = subscription.start
        self.start = start
        interest = request.interest(at: start)
        request.realm.external.observerBegan()
    }

    deinit {
        slot.close()
        request.realm.external.observerEnded()
    }

    private static func subscribe(_ request: StreamRequest) -> Subscription {
        let coordinator = request.realm.coordinator
        let keeps: Keeps =
            switch request.policy {
            case .coalesce: .merged
            case .everyCommit: .versions
            case .newest: .nothing
            }
        return coordinator.subscribe(keeps: keeps) { request.interest(at: $0) }
    }

    /// The next element, waited for; nil at the end.
    func next(isolation: isolated (any Actor)?) async throws(Realm.Error) -> StreamElement? {
        if isFinished { return nil }
        do throws(Realm.Error) {
            if let element = try await pull(isolation: isolation) { return element }
        } catch {
            finish()
            throw error
        }
        finish()
        return nil
    }

    private func finish() {
        isFinished = true
        slot.close()
        subscription.cancel()
        start = nil
        place = nil
        commits = []
        past = nil
    }

    // MARK: Beginning

    private func pull(
        isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> StreamElement? {
        if let start {
            if Task.isCancelled { return nil }
            if wasClosed { throw Realm.Error.closed(realm.configuration.name) }
            let element = try await begin(at: start, isolation: isolation)
            self.start = nil
            if let element { return element }
        }
        while let place {
            if Task.isCancelled { return nil }
            if let element = try await step(from: place, isolation: isolation) { return element }
            if self.place !== place || !commits.isEmpty || past != nil { continue }
            if isEnding { return nil }
            try realm.checkReadable()
            switch await slot.wait() {
            case .changed: continue
            case .closed: isEnding = true
            case .cancelled: return nil
            }
        }
        return nil
    }

    /// The first element; nil where a stream that goes on from a cursor has nothing to tell yet.
    private func begin(
        at start: DatabaseRoot, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> StreamElement? {
        let table = request.table(start)
        if let problem = table.mismatch ?? request.plan.problem { throw problem }
        guard let cursor = request.since else {
            let result = try stored { () throws(StoreError) in
                try maintained.begin(at: start)
            }
            let place = StreamPlace(table: table, result: result)
            try realm.checkDelivery(of: place.root)
            self.place = place
            return .initial(place)
        }
        try await go(to: cursor, from: start, isolation: isolation)
        return nil
    }

    /// Stands at the version of a cursor.
    private func go(
        to cursor: ChangeCursor, from start: DatabaseRoot, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) {
        var newest = start
        if try await realm.isAhead(cursor, of: start) {
            slot.close()
            subscription = CollectionStream.subscribe(request)
            slot = subscription.attach()
            newest = subscription.start
            interest = request.interest(at: newest)
        }
        try realm.check(cursor, newest)
        if cursor.version == newest.version {
            let result = try stored { () throws(StoreError) in try maintained.begin(at: newest) }
            place = StreamPlace(table: request.table(newest), result: result)
            return
        }
        try await readPast(from: cursor.version, to: newest, isolation: isolation)
    }

    /// Goes back to a version of the past; what was committed since is read from the log.
    private func readPast(
        from version: UInt64, to newest: DatabaseRoot, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) {
        guard
            let past = try await PastCommits.read(realm.coordinator, from: version, to: newest)
        else {
            isEnding = true
            return
        }
        let root = past.start
        let result = try stored { () throws(StoreError) in 
            try request.query.result(at: root, realm.coordinator.streamCounters)
        }
        let table = request.table(root)
        if let mismatch = table.mismatch { throw mismatch }
        place = StreamPlace(table: table, result: result)
        self.past = past
    }

    // MARK: Steps

    /// One step; nil if it leads to nothing that is told.
    private func step(
        from place: StreamPlace, isolation: isolated (any Actor)?
    ) async throws(Realm.Error) -> StreamElement? {
        if let past { return try await step(from: place, past) }
        while let commit = commits.popFirst() {
            guard let root = commit.root else { continue }
            return try step(from: place, to: root, commit.summary)
        }
        guard let pending = subscription.take() else { return nil }
        guard pending.root.version > place.root.version, pending.isConcerned else {
            try move(place, to: pending.root)
            return nil
        }
        if request.policy == .everyCommit {
            if let known = pending.commits {
                commits = known[...]
            } else {
                try await readPast(
                    from: place.root.version, to: pending.root, isolation: isolation)
            }
            return nil
        }
        return try step(
            from: place, to: pending.root, summaries: pending.summaries,
            origins: pending.origins, since: pending.since)
    }

    /// One step through commits that are read from the log: through all of them, or one.
    private func step(
        from place: StreamPlace, _ past: PastCommits
    ) async throws(Realm.Error) -> StreamElement? {
        if request.policy == .everyCommit {
            if let (root, summary) = try await past.next() {
                return try step(from: place, to: root, summary)
            }
            self.past = nil
            isEnding = isEnding || past.hasEnded
            try move(place, to: past.end)
            return nil
        }
        self.past = nil
        guard let merged = try await past.merged(request.query) else {
            isEnding = true
            return nil
        }
        return try step(
            from: place, to: past.end,
            summaries: request.policy == .newest ? nil : merged.summaries,
            origins: merged.origins, since: place.root.version)
    }

    private func step(
        from place: StreamPlace, to root: DatabaseRoot, _ summary: CommitSummary
    ) throws(Realm.Error) -> StreamElement? {
        guard summary.version > place.root.version else { return nil }
        return try step(
            from: place, to: root, summaries: [summary],
            origins: summary.origin.map { [$0] } ?? [], since: summary.version - 1)
    }

    private func step(
        from place: StreamPlace, to root: DatabaseRoot, summaries: [CommitSummary]?,
        origins: [String], since: UInt64
    ) throws(Realm.Error) -> StreamElement? {
        let step = VersionStep(
            from: place.root, to: root, summaries: summaries,
            counters: realm.coordinator.streamCounters)
        let (result, change) = try stored { () throws(StoreError) in
            try maintained.advance(place.result, step, since: since)
        }
        let table = request.table(root)
        if root.schema !== place.root.schema || result.plan.source != place.result.plan.source {
            let interest = request.interest(at: root)
            if interest != self.interest {
                self.interest = interest
                subscription.update(interest, asOf: root.version)
                // those that are known were looked at with the old one: they are taken again
                commits = []
            }
        }
        try realm.checkDelivery(of: root)
        let next = StreamPlace(table: table, result: result)
        self.place = next
        if change.isEmpty { return nil }
        return .update(from: place, to: next, change, origins: origins)
    }

    /// Stands at another version with the same content.
    private func move(_ place: StreamPlace, to root: DatabaseRoot) throws(Realm.Error) {
        let result = try stored { () throws(StoreError) in
            try maintained.move(place.result, to: root)
        }
        self.place = StreamPlace(table: request.table(root), result: result)
    }

    // MARK: Errors

    private func stored<R>(_ body: () throws(StoreError) -> R) throws(Realm.Error) -> R {
        do throws(StoreError) { return try body() } catch { throw Realm.Error(error) }
    }
}
