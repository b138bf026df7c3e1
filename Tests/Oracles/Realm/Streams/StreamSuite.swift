import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore
package import RegnumTestSupport

/// Many histories; failures are reported with their seeds.
package struct StreamSuite: Sendable {
    private let runs: NumberedRuns

    package init(_ name: String, count: Int) {
        runs = NumberedRuns(name, count: count)
    }

    /// Runs every third history in memory and the others on two simulated sides.
    package func run() async throws {
        let isTraced = runs.isOne
        try await runs.run(tasksPerCore: 2) { number, seed in
            try await RunWatchdog.run { pulse in
                let place: RealmSidesPlace = number % 3 == 0 ? .memory : .simulated(count: 2)
                try await Self.run(seed, place, pulse, isTraced: isTraced)
            }
        }
    }

    /// Runs them on realms that this process shares with another long-lived one.
    package func runWithProcess() async throws {
        let peer = try PeerProcess("RegnumPeer", ["streams"])
        try await runs.run(sharedWith: peer) { try await Self.runHalf($0, side: 0, meet: $1) }
    }

    package static func runHalf(
        _ assignment: PeerAssignment, side: Int,
        meet: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await RunWatchdog.run { pulse in
            try await run(
                assignment.seed, .shared(own: side, path: assignment.path, meet: meet), pulse)
        }
    }

    private static func run(
        _ seed: UInt64, _ place: RealmSidesPlace, _ pulse: RunPulse, isTraced: Bool = false
    ) async throws {
        let keepsSummaries = seed % 5 != 0
        let sides = try await RealmSides<StreamSide>(place, seed: seed, streamClasses) {
            // Streams can resume from any cursor, however old.
            $0.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
            if !keepsSummaries { $0.maximumSummaryByteCount = 0 }
        }
        do {
            try await StreamHistory(
                seed: seed, sides: sides, pulse: pulse, isTraced: isTraced,
                keepsSummaries: keepsSummaries
            ).run()
        } catch {
            await sides.close()
            throw error
        }
    }
}
