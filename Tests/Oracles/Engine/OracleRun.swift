import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// One sequence on one target: the oracle and the engine side by side, compared at every step.
///
/// All randomness comes from the steps, so that several processes with one peer each can run the
/// same sequence on one realm: each applies the transactions of the others to its oracle only.
final class OracleRun<Target: OracleTarget> {
    private let target: Target
    private let log: OracleLog
    private var oracle = OracleDatabase()
    private var observations = OracleObservations()
    /// Built from the records alone; `nil` where other processes write, whose records aren't
    /// visible.
    private var replica: DatabaseRoot?
    /// The record bodies of the commits since `bodiesBase`.
    private var bodies: [[UInt8]] = []
    /// The last bulk commit; `nil` for the empty realm.
    private var bodiesBase: DatabaseRoot?
    private var transaction: OracleTransactionRun?
    private var writer = 0
    /// Whether another process committed the next version before this transaction began. The
    /// transaction must then be one that commits nothing, and is applied to the oracle only.
    private var isOvertaken = false

    init(_ target: Target, _ log: OracleLog) {
        self.target = target
        self.log = log
        if hasAllPeers { replica = EngineAdapter.emptyRoot() }
    }

    private var hasAllPeers: Bool { target.ownPeers.count == target.peerCount }
    private var ownsTransaction: Bool { target.ownPeers.contains(writer) }

    /// Runs the steps and compares everything at the end. Throws the first difference.
    func run(_ sequence: OracleSequence) async throws {
        for step in sequence.steps { try await run(step) }
        var generator = SeededRandom(sequence.seed ^ 1)
        if transaction != nil { try await commit(&generator) }
        try await target.settle(oracle.version)
        try observations.recheck(&generator)
        for peer in target.ownPeers { try compare(peer, maximumRowCount: 2_000, &generator) }
        if hasAllPeers, try await target.reopen() {
            for peer in target.ownPeers { try compare(peer, maximumRowCount: 200, &generator) }
        }
        if let replica {
            try oracle.compare(root: replica, maximumRowCount: 200, &generator)
            var root = bodiesBase ?? EngineAdapter.emptyRoot()
            for body in bodies { root = try CommitRecord.apply(body, to: root).root }
            try require(
                root.stateHash() == replica.stateHash(), "the replay of all records differs")
        }
        try await checkNodes()
    }

    private func run(_ step: OracleStep) async throws {
        var generator = SeededRandom(step.seed)
        switch step.kind {
        case .commit:
            if transaction != nil { try await commit(&generator) }
        case .abort:
            if transaction != nil { try await abort(&generator) }
        case .reopen, .checkpoint:
            guard transaction == nil else { return }
            try await target.settle(oracle.version)
            log.add("\(step.kind)")
            if step.kind == .reopen {
                if try await target.reopen() { observations.forgetResults() }
            } else {
                let peer = generator.below(target.peerCount)
                if target.ownPeers.contains(peer) { try await target.checkpoint(peer) }
            }
            for peer in target.ownPeers { try compare(peer, maximumRowCount: 50, &generator) }
        case .hold, .recheck, .letGo, .holdResult, .advance:
            try observe(step, &generator)
            if step.kind == .recheck || step.kind == .letGo { try await checkNodes() }
        default:
            if transaction == nil { try await begin(&generator) }
            try transaction?.run(step)
        }
    }

    private func observe(_ step: OracleStep, _ generator: inout SeededRandom) throws {
        let peer = generator.oneOf(target.ownPeers)
        let root = target.root(peer)
        switch step.kind {
        case .recheck: try observations.recheck(&generator)
        case .letGo: observations.letGo(&generator)
        default:
            // Another process may be ahead of this one's oracle.
            guard hasAllPeers || root.version == oracle.version else { return }
            switch step.kind {
            case .hold:
                log.add("hold version \(root.version) at peer \(peer)")
                observations.hold(peer, root, oracle)
            case .holdResult:
                try observations.holdResult(peer, root, oracle, log, &generator)
            default:
                log.add("advance a result")
                try observations.advance(target, oracle, &generator)
            }
        }
    }

    // MARK: Transactions

    private func begin(_ generator: inout SeededRandom) async throws {
        writer = generator.below(target.peerCount)
        isOvertaken = false
        var engine: EngineTransaction?
        if ownsTransaction {
            try await target.settle(oracle.version)
            let base = try await target.begin(writer)
            // Nobody waits for a transaction without a version, so the next writer may already have
            // committed.
            isOvertaken = !hasAllPeers && base.version > oracle.version
            try require(
                base.version == oracle.version || isOvertaken,
                "a transaction began at \(base.version), not \(oracle.version)")
            if isOvertaken {
                try await target.abandon(writer)
            } else {
                let origin = generator.oneIn(3) ? "origin \u{E9}" : nil
                engine = EngineTransaction(base: base, origin: origin)
            }
        }
        log.add("begin version \(oracle.version + 1) at peer \(writer)")
        transaction = OracleTransactionRun(oracle, engine, log)
    }

    private func abort(_ generator: inout SeededRandom) async throws {
        guard let run = transaction else { return }
        transaction = nil
        log.add("abort")
        guard let engine = run.engine else { return }
        try run.finish(&generator)
        EngineAdapter.abort?(engine)
        try await target.abandon(writer)
        try compare(writer, maximumRowCount: 30, &generator)
    }

    private func commit(_ generator: inout SeededRandom) async throws {
        guard let run = transaction else { return }
        guard run.oracle.hasChanges else { return try await abort(&generator) }
        transaction = nil
        try require(!isOvertaken, "version \(oracle.version + 1) was committed by another process")
        log.add("commit")
        let deltas = run.oracle.deltas
        let names = run.oracle.tables.map(\.name)
        let before = oracle
        oracle = run.oracle.committed()
        observations.note(run.oracle)
        var hash: UInt64?
        var origin: String??
        if let engine = run.engine {
            try run.finish(&generator)
            let base = engine.base
            let baseHash = base.stateHash()
            let commit = try engine.commit(
                timestampMicroseconds: 1_700_000_000_000_000,
                maximumBodyByteCount: generator.oneIn(8) ? 8 : Limits.maximumRecordBodyByteCount)
            origin = engine.origin
            try compareSummary(
                commit.summary, deltas, version: oracle.version, origin: engine.origin, names,
                "the summary of \(oracle.version)")
            hash = commit.root.stateHash()
            try replay(commit, base)
            try oracle.compare(root: commit.root, maximumRowCount: 40, &generator)
            try require(
                base.stateHash() == baseHash && base.version == before.version,
                "the base of \(oracle.version) changed with its commit")
            try await target.commit(writer, commit)
        }
        try await target.settle(oracle.version)
        for peer in target.ownPeers {
            if let hash {
                let root = target.root(peer)
                try require(
                    !hasAllPeers || root.version == oracle.version,
                    "peer \(peer) has version \(root.version), not \(oracle.version)")
                try require(
                    root.version != oracle.version || root.stateHash() == hash,
                    "peer \(peer) has a different version \(root.version)")
            }
            if hash == nil || generator.oneIn(3) {
                try compare(peer, maximumRowCount: 30, &generator)
            }
            if let summary = target.summary(peer, oracle.version) {
                try compareSummary(
                    summary, deltas, version: oracle.version, origin: origin ?? summary.origin,
                    names, "the summary of \(oracle.version) at peer \(peer)")
            } else if hasAllPeers {
                throw OracleFailure("peer \(peer) has no summary of \(oracle.version)")
            }
        }
    }

    /// Applies the record to the previous root, on the replica and alongside the transaction.
    private func replay(_ commit: Commit, _ base: DatabaseRoot) throws {
        if commit.bulk != nil { return try replayBulk(commit) }
        var roots: [DatabaseRoot] = []
        if let replica { roots.append(replica) }
        if EngineAdapter.canFork { roots.append(base) }
        for (index, root) in roots.enumerated() {
            let (next, summary) = try CommitRecord.apply(commit.body, to: root)
            try require(
                next.stateHash() == commit.root.stateHash(),
                "the record of \(commit.root.version) results in a different root")
            try require(
                summary.tables == commit.summary.tables
                    && summary.version == commit.summary.version
                    && summary.origin == commit.summary.origin,
                "the record of \(commit.root.version) results in a different summary")
            if index == 0, replica != nil { replica = next }
        }
        if replica != nil { bodies.append(commit.body) }
    }

    /// Replays a bulk commit. It has no operations, so the replica continues from its checkpoint.
    private func replayBulk(_ commit: Commit) throws {
        guard replica != nil else { return }
        // A default can take 70,000 bytes in each row. Memory that isn't written to costs nothing.
        let file = MemoryNodesFile(byteCount: 512 << 20)
        let root = try TestCheckpoint(commit.root, to: file).load(from: file)
        try require(
            root.stateHash() == commit.root.stateHash(),
            "the checkpoint of \(commit.root.version) results in a different root")
        replica = root
        bodiesBase = root
        bodies = []
    }

    // MARK: Comparing

    /// Compares what a peer has published with the oracle, if the versions are equal.
    private func compare(_ peer: Int, maximumRowCount: Int, _ generator: inout SeededRandom) throws
    {
        let root = target.root(peer)
        guard hasAllPeers || root.version == oracle.version else { return }
        do {
            try oracle.compare(root: root, maximumRowCount: maximumRowCount, &generator)
        } catch {
            throw OracleFailure("at peer \(peer), version \(oracle.version): \(error)")
        }
    }

    /// Throws if nodes were leaked or freed early. Only valid between transactions.
    private func checkNodes() async throws {
        guard let problems = EngineAdapter.nodeProblems, transaction == nil else { return }
        var groups = target.ownPeers.map { peer in
            ("peer \(peer)", [target.root(peer)] + observations.roots(peer))
        }
        if let replica { groups.append(("the replica", [replica])) }
        for (name, roots) in groups {
            var found = problems(roots)
            // A coordinator's thread may be about to release an old root, and be waiting for a
            // processor.
            let start = ContinuousClock.now
            var turns = 0
            while !found.isEmpty, turns < 1_000 || ContinuousClock.now - start < .seconds(120) {
                await Task.yield()
                found = problems(roots)
                turns += 1
            }
            try require(found.isEmpty, "the nodes of \(name): \(found)")
        }
    }
}
