import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore
package import RegnumTestSupport

/// Many sequences of the atlas. Failures are reported with the seed and the history.
package struct AtlasSuite: Sendable {
    private let runs: NumberedRuns

    package init(_ name: String, count: Int) {
        runs = NumberedRuns(name, count: count)
    }

    /// Runs every third sequence in memory, and the others on a simulated disk with one side or
    /// two.
    package func run() async throws {
        try await runs.run { number, seed in
            try await Self.run(seed, number % 3 == 0 ? .memory : .simulated(count: number % 3))
        }
    }

    /// Runs them on realms shared with another long-lived process: both write, read and reopen
    /// them.
    package func runWithProcess() async throws {
        let peer = try PeerProcess("RegnumPeer", ["atlas"])
        try await runs.run(sharedWith: peer) { try await Self.runHalf($0, side: 0, meet: $1) }
    }

    package static func runHalf(
        _ assignment: PeerAssignment, side: Int,
        meet: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        do {
            let path = assignment.path
            try await run(assignment.seed, .shared(own: side, path: path, meet: meet))
        } catch {
            throw AtlasFailure("side \(side): \(error)")
        }
    }

    private static func run(_ seed: UInt64, _ place: RealmSidesPlace) async throws {
        try await RunWatchdog.run { pulse in
            let sequence = AtlasSequence(seed: seed, pulse: pulse)
            let sides = try await RealmSides<AtlasSide>(place, seed: seed, sequence.objectTypes)
            do {
                try await sequence.run(sides)
            } catch {
                await sides.close()
                throw AtlasFailure("\(error)\n\(sequence.history)")
            }
            await sides.close()
        }
    }
}

/// A process of a sequence.
final class AtlasSide: RealmSide {
    let realm: Realm
    private let coordinator: Coordinator

    init(_ configuration: Realm.Configuration, _ fileSystem: any FileSystem) async throws {
        realm = try await Realm.open(configuration)
        coordinator = try await configuration.openCoordinator(fileSystem)
    }

    /// Throws unless each embedded class has as many objects as there are owned ones: queries
    /// don't find those that a failed or repeated assignment would leave behind.
    func checkEmbedded(_ expected: [String: Int]) throws {
        let root = coordinator.published
        for (name, count) in expected {
            let found = root.schema.table(named: name).map { root.count($0.key) } ?? 0
            if found != count {
                throw AtlasFailure("there are \(found) objects of \(name) instead of \(count)")
            }
        }
    }

    func close() async { await realm.close() }
}
