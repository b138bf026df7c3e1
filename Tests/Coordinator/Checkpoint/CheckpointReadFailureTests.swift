import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The disk fails to read a part of a realm while it is opened.
@Suite(.timeLimit(.minutes(40)))
struct CheckpointReadFailureTests {
    /// Makes a closed realm with two checkpoints, and commits before, between and after them.
    private func makeRealm() async throws -> SimFileSystem {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: 1000)
        for round in 0..<3 {
            for number in 0..<4 { try await insert(round * 4 + number, into: coordinator) }
            if round < 2 { try await checkpointNow(coordinator) }
        }
        await coordinator.close()
        return disk
    }

    /// Returns the results of openings whose nth read fails, for every n.
    private func openings(
        _ disk: SimFileSystem, errno: Int32
    ) throws -> (refused: Int, fellBack: Int) {
        var (refused, fellBack) = (0, 0)
        for nth in 1..<1000 {
            let machine = disk.killImage()
            machine.inject(SimFailure(.read, nth: nth, errno: errno))
            do {
                let (root, report) = try reopened("/sim", machine)
                let found = numbers(root)
                if let damage = root.damage { throw damage }  // a leaf, on first access
                expectEqual(found, Array(0..<12), "read \(nth)")
                if machine.firedFailureCount == 0 { return (refused, fellBack) }
                if !report.damagedCheckpoints.isEmpty { fellBack += 1 }
            } catch let error as StoreError {
                expectTrue(error.code == .ioFailed && error.errno == errno, "read \(nth)")
                expectEqual(error.path?.hasPrefix("/sim"), true)
                refused += 1
            }
        }
        throw TestFailure("opening makes more than 1,000 reads")
    }

    // Covers 12.11, .ioFailed
    @Test func olderCheckpointServesWhereTheDiskCannotReadTheNewest() async throws {
        let disk = try await makeRealm()
        let (refused, fellBack) = try openings(disk, errno: 5)  // EIO
        expectTrue(refused > 0 && fellBack > 0)
    }

    @Test func checkpointIsNotDamagedForWantOfMemory() async throws {
        let disk = try await makeRealm()
        let (refused, fellBack) = try openings(disk, errno: 12)  // ENOMEM
        expectTrue(refused > 0 && fellBack == 0)
    }
}
