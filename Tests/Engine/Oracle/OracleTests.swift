import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

extension CoordinatorTarget {
    /// Creates two peers on one simulated disk.
    convenience init(seed: UInt64) async throws {
        let disk = SimFileSystem(seed: seed)
        let views: [any FileSystem] = [disk, SimView(disk)]
        try await self.init(peerCount: 2, ownPeers: [0, 1]) { peer in
            try await openPeer("/sim", views[peer])
        }
    }
}

/// Random sequences against the oracle.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct OracleTests {
    @Test func transactionsAgreeWithTheOracle() async throws {
        let count = Effort.count(gate: 250, soak: 2_000)
        let suite = OracleSuite("OracleTests.transactions", count: count) { number in
            number % 50 == 49 ? .bulk : (number % 20 == 19 ? .long : .short)
        } _: { _ in
            RootTarget()
        }
        try await suite.run()
    }

    @Test func twoCoordinatorsAgreeWithTheOracle() async throws {
        let count = Effort.count(gate: 600, soak: 9_500)
        let suite = OracleSuite("OracleTests.coordinators", count: count) { number in
            number % 200 == 199 ? .bulk : (number % 50 == 49 ? .long : .short)
        } _: {
            try await CoordinatorTarget(seed: $0)
        }
        try await suite.run()
    }

    /// As with two processes, each run has one peer, executes its transactions, and applies those
    /// of the other to its oracle.
    @Test func twoRunsThatShareARealmFollowEachOther() async throws {
        let suite = OracleSuite("OracleTests.sharing", count: 10) { _ in
            .short
        } _: { _ in
            RootTarget()
        }
        for number in 0..<suite.count {
            let sequence = suite.sequence(number)
            let disk = SimFileSystem(seed: sequence.seed)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let views: [any FileSystem] = [disk, SimView(disk)]
                for peer in 0..<2 {
                    group.addTask {
                        let target = try await CoordinatorTarget(peerCount: 2, ownPeers: [peer]) {
                            try await openPeer("/sim", views[$0])
                        }
                        let log = OracleLog(isKept: false)
                        do {
                            try await OracleRun(target, log).run(sequence)
                        } catch {
                            await target.close()
                            throw error
                        }
                        await target.close()
                    }
                }
                // The first failure cancels the other run, which waits for versions.
                for try await _ in group {}
            }
        }
    }
}
