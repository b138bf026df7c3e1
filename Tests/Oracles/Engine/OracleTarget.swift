import RegnumEngine
import RegnumSimulation
import RegnumStore

/// The environment of a sequence: one or two users ("peers") of one realm.
///
/// A process that shares a realm with another one has one peer here and leaves the other's
/// transactions to it: both run the same sequence.
protocol OracleTarget: AnyObject {
    /// The number of peers of the realm, in all processes.
    var peerCount: Int { get }
    /// The peers in this process.
    var ownPeers: [Int] { get }
    /// Returns the published root of a peer.
    func root(_ peer: Int) -> DatabaseRoot
    /// Starts a transaction.
    func begin(_ peer: Int) async throws -> DatabaseRoot
    /// Ends the transaction.
    func commit(_ peer: Int, _ commit: Commit) async throws
    func abandon(_ peer: Int) async throws
    /// Returns once the version or a later one is published at all own peers.
    func settle(_ version: UInt64) async throws
    /// Returns the summary of a version as one of the peers received it; `nil` if it wasn't kept.
    func summary(_ peer: Int, _ version: UInt64) -> CommitSummary?
    /// Closes the realm at all own peers and opens it again. Returns `false` if it can't.
    func reopen() async throws -> Bool
    /// Writes a checkpoint.
    func checkpoint(_ peer: Int) async throws
    func close() async
}

/// Transactions on roots, without a log: one peer.
final class RootTarget: OracleTarget {
    let peerCount = 1
    let ownPeers = [0]
    private var published = EngineAdapter.emptyRoot()
    private var summaries: [UInt64: CommitSummary] = [:]

    func root(_ peer: Int) -> DatabaseRoot { published }
    func begin(_ peer: Int) async throws -> DatabaseRoot { published }
    func commit(_ peer: Int, _ commit: Commit) async throws {
        published = commit.root
        summaries[commit.root.version] = commit.summary
    }
    func abandon(_ peer: Int) async throws {}
    func settle(_ version: UInt64) async throws {}
    func summary(_ peer: Int, _ version: UInt64) -> CommitSummary? { summaries[version] }
    func reopen() async throws -> Bool { false }
    func checkpoint(_ peer: Int) async throws {}
    func close() async {}
}

/// Coordinators of one realm, as if in several processes.
final class CoordinatorTarget: OracleTarget {
    let peerCount: Int
    let ownPeers: [Int]
    private let open: (Int) async throws -> Coordinator
    private var coordinators: [Int: Coordinator] = [:]
    private var subscriptions: [Int: (subscription: Subscription, slot: SignalSlot)] = [:]
    /// The version up to which each peer has consumed summaries.
    private var taken: [Int: UInt64] = [:]
    private var summaries: [Int: [UInt64: CommitSummary]] = [:]
    private var turns: [Int: WriteTurn] = [:]

    /// - Parameter open: Opens the coordinator of a peer.
    init(
        peerCount: Int, ownPeers: [Int], _ open: @escaping (Int) async throws -> Coordinator
    ) async throws {
        self.peerCount = peerCount
        self.ownPeers = ownPeers
        self.open = open
        for peer in ownPeers { try await start(peer) }
    }

    private func start(_ peer: Int) async throws {
        let coordinator = try await open(peer)
        coordinators[peer] = coordinator
        let subscription = coordinator.subscribe(.all, buffering: .commits)
        taken[peer] = subscription.start.version
        subscriptions[peer] = (subscription, subscription.attach())
    }

    private func coordinator(_ peer: Int) throws -> Coordinator {
        guard let coordinator = coordinators[peer] else {
            throw OracleFailure("peer \(peer) is not open")
        }
        return coordinator
    }

    func root(_ peer: Int) -> DatabaseRoot {
        coordinators[peer]?.published ?? EngineAdapter.emptyRoot()
    }

    func begin(_ peer: Int) async throws -> DatabaseRoot {
        let turn = try await coordinator(peer).beginWrite()
        turns[peer] = turn
        return turn.base
    }

    func commit(_ peer: Int, _ commit: Commit) async throws {
        guard let turn = turns.removeValue(forKey: peer) else { return }
        let isRelaxed = commit.root.version % 3 == 0
        try await coordinator(peer).commit(
            turn, commit,
            durability: isRelaxed ? .relaxed(withinNanoseconds: 1_000_000) : .full)
    }

    func abandon(_ peer: Int) async throws {
        guard let turn = turns.removeValue(forKey: peer) else { return }
        try await coordinator(peer).abandon(turn)
    }

    func settle(_ version: UInt64) async throws {
        for peer in ownPeers {
            let coordinator = try coordinator(peer)
            while coordinator.published.version < version {
                try Task.checkCancellation()
                try coordinator.checkReadable()
                coordinator.hint()
                await Task.yield()
            }
            await take(peer, version)
        }
    }

    /// Consumes from the subscription until that version is reached.
    private func take(_ peer: Int, _ version: UInt64) async {
        guard let (subscription, slot) = subscriptions[peer] else { return }
        while taken[peer, default: 0] < version {
            guard let pending = subscription.take() else {
                guard await slot.wait() == .changed else { return }
                continue
            }
            for commit in pending.commits ?? [] {
                summaries[peer, default: [:]][commit.summary.version] = commit.summary
            }
            taken[peer] = pending.root.version
        }
    }

    func summary(_ peer: Int, _ version: UInt64) -> CommitSummary? {
        summaries[peer]?[version]
    }

    func reopen() async throws -> Bool {
        await close()
        for peer in ownPeers { try await start(peer) }
        return true
    }

    func checkpoint(_ peer: Int) async throws {
        guard let call = EngineAdapter.checkpoint else { return }
        try await call(try coordinator(peer))
    }

    func close() async {
        // A turn left over after a failure would keep the coordinator open.
        for (peer, turn) in turns { try? await coordinators[peer]?.abandon(turn) }
        turns = [:]
        subscriptions = [:]
        for peer in ownPeers { await coordinators[peer]?.close() }
        coordinators = [:]
    }
}
