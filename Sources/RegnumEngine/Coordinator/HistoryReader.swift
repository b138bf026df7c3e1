internal import RegnumStore

/// Reads the past of a realm from its log, one commit after the other, in a lineage of its own.
/// `Coordinator.history(from:)` makes one.
///
/// Used by one task at a time. All work is done on threads of `IOPool`, in short pieces, of which few
/// run at the same time in a process.
package final class HistoryReader: Sendable {
    /// One commit of the past.
    package typealias Step = (root: DatabaseRoot, summary: CommitSummary)

    private struct State {
        var root: DatabaseRoot
        /// Commits that are read and not delivered.
        var ahead: ArraySlice<Step> = []
        var isBusy = false
    }

    private let coordinator: Coordinator
    private let past: PastRoot
    private let state: Guarded<State>

    init(_ coordinator: Coordinator, _ past: PastRoot) {
        self.coordinator = coordinator
        self.past = past
        state = Guarded(State(root: past.root))
    }

    /// The state at the commit that was delivered last; at first that of the version asked for.
    package var root: DatabaseRoot { state.withLock { $0.root } }

    /// The next commit, with the state that it made; nil once `version` was delivered, or whatever
    /// is published if that is less.
    ///
    /// Throws `CancellationError`; `StoreError`: `historyTrimmed` if the log has lost what comes
    /// next, `invalidDatabase` for damage, `closed`. Nothing is lost by a cancellation.
    package func next(through version: UInt64) async throws -> Step? {
        try await use { () async throws in
            try await fill(through: version)
            return state.withLock { state -> Step? in
                guard let step = state.ahead.first, step.summary.version <= version else {
                    return nil
                }
                state.ahead.removeFirst()
                state.root = step.root
                return step
            }
        }
    }

    /// The summaries of the commits that come next, through `version` or until they have about
    /// `byteCountMax` bytes; none where there are no more. `root` is then the state behind the last
    /// one.
    ///
    /// Throws as `next` does; what was read before is lost then.
    package func summaries(
        through version: UInt64, byteCountMax: Int = 16 << 20
    ) async throws -> [CommitSummary] {
        try await use { () async throws in
            var summaries: [CommitSummary] = []
            var byteCount = 0
            repeat {
                try await fill(through: version)
                let more = state.withLock { state -> [CommitSummary] in
                    let steps = state.ahead.prefix { $0.summary.version <= version }
                    guard let last = steps.last else { return [] }
                    state.ahead.removeFirst(steps.count)
                    state.root = last.root
                    return steps.map(\.summary)
                }
                if more.isEmpty { break }
                summaries += more
                byteCount += more.reduce(0) { $0 + $1.byteCount }
            } while byteCount < byteCountMax
            return summaries
        }
    }

    /// Reads ahead, unless there is something.
    private func fill(through version: UInt64) async throws {
        try Task.checkCancellation()
        try coordinator.checkOpen()
        guard state.withLock({ $0.ahead.isEmpty }) else { return }
        let last = min(version, coordinator.published.version)
        guard state.withLock({ $0.root.version }) < last else { return }
        let past = past
        let steps = try await HistoryPool.run { () throws(StoreError) in
            try past.steps(through: last)
        }
        state.withLock { $0.ahead = steps[...] }
    }

    private func use<Result>(_ body: () async throws -> Result) async throws -> Result {
        let wasBusy = state.withLock { state in
            defer { state.isBusy = true }
            return state.isBusy
        }
        if wasBusy {
            fatalError(
                "Two tasks wait for the next element of one stream of past commits: make a stream "
                    + "for each of them.")
        }
        defer { state.withLock { $0.isBusy = false } }
        return try await body()
    }
}

/// A root of the past, on its way through the log.
///
/// Guard of the `@unchecked Sendable`: used by one job at a time; the job's end and the next one's
/// begin are ordered by the task that waits for them.
final class PastRoot: @unchecked Sendable {
    private(set) var root: DatabaseRoot
    private var replay: LogReplay
    private let nodes: NodesDirectory
    private var failure: StoreError?

    /// One piece of work has at most so many commits, bytes of summaries, and about so much time.
    private static let commitCountMax = 64
    private static let byteCountMax = 256 << 10
    private static let nanosecondsMax: UInt64 = 5_000_000

    /// The state where a way through the log begins.
    init(
        _ beginning: LogHistory.Beginning, _ nodes: NodesDirectory, knownSchema: DatabaseSchema
    ) throws(StoreError) {
        if let reference = beginning.reference {
            root = try CheckpointLoader.load(
                reference, from: nodes,
                seed: IndexSeed(high: nodes.realmID.high, low: nodes.realmID.low),
                knownSchema: knownSchema)
        } else {
            root = .makeEmpty(realmID: nodes.realmID)
        }
        replay = beginning.replay
        self.nodes = nodes
    }

    /// Goes on for a while. Returns whether it is at `version`.
    func advance(to version: UInt64) throws(StoreError) -> Bool {
        let deadline = IOPool.now() + Self.nanosecondsMax
        while try step(through: version) != nil {
            if IOPool.now() > deadline { break }
        }
        return root.version >= version
    }

    /// The next commits through `version`, a few; at least one if there is one. What it throws once
    /// it throws again.
    func steps(through version: UInt64) throws(StoreError) -> [HistoryReader.Step] {
        if let failure { throw failure }
        let deadline = IOPool.now() + Self.nanosecondsMax
        var steps: [HistoryReader.Step] = []
        var byteCount = 0
        do throws(StoreError) {
            while steps.count < Self.commitCountMax, byteCount < Self.byteCountMax,
                steps.isEmpty || IOPool.now() < deadline, let summary = try step(through: version)
            {
                steps.append((root, summary))
                byteCount += summary.byteCount
            }
        } catch {
            failure = error
            if steps.isEmpty { throw error }
        }
        return steps
    }

    private func step(through version: UInt64) throws(StoreError) -> CommitSummary? {
        guard let body = try replay.nextCommit(through: version) else { return nil }
        let base = root
        // what was applied to a damaged leaf is void
        let (next, summary) = try DamageWatch.check(on: base) { () throws(StoreError) in
            try CommitRecord.apply(body, to: base, nodes)
        }
        root = next
        return summary
    }
}

/// Reading the past leaves threads of `IOPool` to the commits: few jobs at a time, first come first
/// served.
enum HistoryPool {
    private static let jobCountMax = 2
    private static let state = Guarded(State())

    private struct State {
        var running = 0
        var jobs: [IOPool.Job] = []
    }

    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let result: Swift.Result<Result, StoreError> = await withUnsafeContinuation { waiter in
            submit {
                let result = Swift.Result { () throws(StoreError) in try body() }
                state.withLock { _ in }
                waiter.resume(returning: result)
            }
        }
        state.withLock { _ in }  // both for the thread sanitizer, as in `Coordinator.beginWrite`
        return try result.get()
    }

    private static func submit(_ job: @escaping IOPool.Job) {
        let mayRun = state.withLock { state in
            if state.running == jobCountMax {
                state.jobs.append(job)
                return false
            }
            state.running += 1
            return true
        }
        if mayRun { IOPool.shared.submit { run(job) } }
    }

    private static func run(_ job: IOPool.Job) {
        job()
        let next = state.withLock { state -> IOPool.Job? in
            if state.jobs.isEmpty {
                state.running -= 1
                return nil
            }
            return state.jobs.removeFirst()
        }
        if let next { IOPool.shared.submit { run(next) } }
    }
}
