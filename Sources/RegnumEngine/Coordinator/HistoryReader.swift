internal import RegnumStore

/// A reader of a realm's past commits, which it reads from the log one after the other into a
/// separate lineage. Created by `Coordinator.history(from:)`.
///
/// Used by one task at a time. All work is done in short jobs of `HistoryPool`.
package final class HistoryReader: Sendable {
    /// A past commit.
    package typealias Step = (root: DatabaseRoot, summary: CommitSummary)

    private struct State {
        var root: DatabaseRoot
        /// Commits that were read but not delivered.
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

    /// The root of the last delivered commit; initially that of the requested version.
    package var root: DatabaseRoot { state.withLock { $0.root } }

    /// Returns the next commit with its root; `nil` once `version`, or the newest published version
    /// if that is lower, was delivered.
    ///
    /// Throws `CancellationError`; `StoreError`: `historyTrimmed` if the log no longer has the next
    /// commit, `invalidDatabase` for damage, `closed`. No commit is lost by a cancellation.
    package func next(through version: UInt64) async throws -> Step? {
        let wasBusy = state.withLock { state in
            defer { state.isBusy = true }
            return state.isBusy
        }
        if wasBusy {
            fatalError(
                "Two tasks are waiting for the next element of the same history stream. Create a "
                    + "separate stream for each task.")
        }
        defer { state.withLock { $0.isBusy = false } }
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

    /// Reads ahead if nothing is buffered.
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
}

/// A past root that advances through the log.
///
/// Guard of the `@unchecked Sendable`: used by one job at a time; the end of a job and the start of
/// the next one are ordered by the task that waits for them.
final class PastRoot: @unchecked Sendable {
    private(set) var root: DatabaseRoot
    private var replay: LogReplay
    private let nodes: NodesDirectory
    private var failure: StoreError?

    /// Limits of one job: commits, bytes of summaries, and approximate time.
    private static let maximumCommitCount = 64
    private static let maximumByteCount = 256 << 10
    private static let maximumNanoseconds: UInt64 = 5_000_000

    /// Creates the root at a starting point in the log.
    init(
        _ beginning: LogHistory.Beginning, _ nodes: NodesDirectory, knownSchema: DatabaseSchema,
        acceptsDamage: Bool = false
    ) throws(StoreError) {
        root = try CheckpointLoader.load(
            beginning.reference, in: nodes, knownSchema: knownSchema, acceptsDamage: acceptsDamage)
        replay = beginning.replay
        self.nodes = nodes
    }

    /// Advances for a limited time. Returns whether it has reached `version`.
    func advance(to version: UInt64) throws(StoreError) -> Bool {
        let deadline = IOPool.now() + Self.maximumNanoseconds
        while try step(through: version) != nil {
            if IOPool.now() > deadline { break }
        }
        return root.version >= version
    }

    /// Returns a few of the next commits through `version`; at least one if there is one. After
    /// throwing an error, it throws the same error again.
    func steps(through version: UInt64) throws(StoreError) -> [HistoryReader.Step] {
        if let failure { throw failure }
        let deadline = IOPool.now() + Self.maximumNanoseconds
        var steps: [HistoryReader.Step] = []
        var byteCount = 0
        do throws(StoreError) {
            while steps.count < Self.maximumCommitCount, byteCount < Self.maximumByteCount,
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
        // Commits applied to a damaged leaf are invalid.
        let (next, summary) = try DamageWatch.check(on: base) { () throws(StoreError) in
            try CommitRecord.apply(body, to: base, nodes)
        }
        root = next
        return summary
    }
}

/// The threads that read past versions: few, and separate from those that commit, which they don't
/// delay. First come, first served.
enum HistoryPool {
    private static let pool = IOPool(maximumThreadCount: 2, overflow: .shared)

    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await Coordinator.run(body) { pool.submit($0) }
    }
}
