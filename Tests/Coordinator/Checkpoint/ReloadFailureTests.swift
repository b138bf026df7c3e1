import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Obstacles to loading a checkpoint while a realm is open.
@Suite(.timeLimit(.minutes(20)))
struct ReloadFailureTests {
    // MARK: Loading the older checkpoint, because the newest one is damaged

    @Test func anAttemptThatMeetsAPassingObstacleIsRepeated() async throws {
        let disk = SimFileSystem()
        let failures = CheckpointFailures()
        let coordinator = try await openDamagedRealm(disk) { $0.report = failures.report }
        _ = coordinator.published.stateHash()
        disk.inject(SimFailure(.read, errno: ENOMEM))
        coordinator.heal()
        try await eventually { coordinator.statistics.reloads == 1 }
        expectEqual(failures.errors.map(\.errno), [ENOMEM])
        expectEqual(numbers(coordinator.published), Array(0...60))
        _ = coordinator.published.stateHash()
        expectNil(coordinator.published.damage)
        await coordinator.close()
    }

    /// The disk can't read the older checkpoint.
    @Test func anAttemptThatMeetsDamageIsNotRepeated() async throws {
        let disk = SimFileSystem()
        let failures = CheckpointFailures()
        let coordinator = try await openDamagedRealm(disk) { $0.report = failures.report }
        _ = coordinator.published.stateHash()
        disk.inject(SimFailure(.read, errno: EIO))
        coordinator.heal()
        try await eventually { !failures.errors.isEmpty }
        try await insertOthersInBulk(into: coordinator)
        expectEqual(failures.errors.map(\.errno), [EIO])
        await coordinator.close()
    }

    @Test func checkpointsDoNotWaitForeverForTheOlderOne() async throws {
        let disk = SimFileSystem()
        let failures = CheckpointFailures()
        let coordinator = try await openDamagedRealm(disk) {
            $0.report = failures.report
            $0.checkpoint.retryNanoseconds = 100_000
        }
        _ = coordinator.published.stateHash()
        let version = coordinator.published.version
        disk.inject(SimFailure(.read, errno: ENOMEM, times: .forever))
        coordinator.heal()
        try await eventually { failures.errors.count == 20 }
        disk.clearFailures()
        try await insertOthersInBulk(into: coordinator)
        expectEqual(coordinator.published.version, version + 1)
        expectTrue(failures.errors.allSatisfy { $0.errno == ENOMEM })
        expectEqual(failures.errors.count, 20)
        await coordinator.close()
        try expectEqual(reopened("/sim", disk).root.version, version + 1)
    }

    // MARK: Loading a newer checkpoint

    /// Opens a realm with 21 rows whose newest checkpoint was made by another process, before the
    /// last row, and isn't loaded yet.
    private func openFollower(
        _ disk: SimFileSystem, _ failures: CheckpointFailures
    ) async throws -> Coordinator {
        let coordinator = try await openPeer("/sim", disk) {
            $0.report = failures.report
            $0.checkpoint.isOn = false
            $0.checkpoint.minimumReloadByteCount = .max
            $0.checkpoint.retryNanoseconds = 100_000
        }
        for number in 0..<20 { try await insert(number, into: coordinator) }
        let other = try await openPeer("/sim", SimView(disk)) {
            $0.checkpoint.minimumReloadByteCount = 0
        }
        try await checkpointNow(other)
        try await insert(20, into: other)
        await other.close()
        try await eventually {
            coordinator.hint()
            return numbers(coordinator.published).count == 21
        }
        return coordinator
    }

    private func loadNewest(_ coordinator: Coordinator) {
        coordinator.state.withLock { state in
            state.checkpoint.wantedVersion = state.log?.newestCheckpoint?.version ?? 0
        }
        coordinator.heal()  // wakes the pump
    }

    /// The row after the checkpoint is added to a leaf that can't be read.
    @Test func reloadIsGivenUpIfACommitMeetsDamage() async throws {
        let disk = SimFileSystem()
        let failures = CheckpointFailures()
        let coordinator = try await openFollower(disk, failures)
        disk.flipBit(8 * (4096 + 20), of: "nodes-1", in: "/sim")  // the first leaf
        loadNewest(coordinator)
        try await eventually { !failures.errors.isEmpty }
        for number in 21..<40 {
            try await insert(number, into: coordinator)
            loadNewest(coordinator)
        }
        expectEqual(failures.errors.map(\.code), [.invalidDatabase])
        expectEqual(coordinator.statistics.reloads, 0)
        expectEqual(numbers(coordinator.published), Array(0..<40))
        expectNil(coordinator.published.damage)
        await coordinator.close()
    }

    @Test func reloadIsRepeatedAfterAReadError() async throws {
        var nth = 1
        while true {
            let disk = SimFileSystem()
            let failures = CheckpointFailures()
            let coordinator = try await openFollower(disk, failures)
            disk.inject(SimFailure(.read, nth: nth, errno: EIO))
            try await eventually {
                loadNewest(coordinator)
                return coordinator.statistics.reloads == 1
            }
            let firedCount = disk.firedFailureCount
            disk.clearFailures()
            expectEqual(numbers(coordinator.published), Array(0...20), "read \(nth)")
            expectNil(coordinator.published.damage, "read \(nth)")
            await coordinator.close()
            if firedCount == 0 { break }
            nth += 1
        }
        expectTrue(nth > 3)
    }
}
