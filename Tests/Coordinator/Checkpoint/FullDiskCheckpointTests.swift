import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// When checkpoints are attempted again after the disk had no space for one.
@Suite(.timeLimit(.minutes(40)))
struct FullDiskCheckpointTests {
    private func fullDisk(_ coordinator: Coordinator) -> FullDisk? {
        coordinator.state.withLock { $0.checkpoint.fullDisk }
    }

    /// Checks that a checkpoint is made now that there is space, and closes the realm.
    private func expectCheckpoint(_ coordinator: Coordinator, _ disk: SimFileSystem) async throws {
        try await eventually {
            coordinator.heal()
            return coordinator.statistics.checkpoints == 1
        }
        expectNil(fullDisk(coordinator)?.freeByteCount)
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), [0])
    }

    /// Checks that a checkpoint is due and isn't attempted.
    private func expectPause(_ coordinator: Coordinator) async throws {
        try await eventually {
            coordinator.heal()  // wakes the pump
            let isPostponed = coordinator.state.withLock { $0.checkpoint.retryAt > 0 }
            return isPostponed || coordinator.statistics.checkpoints > 0
        }
        expectEqual(coordinator.statistics.checkpoints, 0)
    }

    /// Each attempt takes the remaining space from others for a moment.
    // Covers .diskFull
    @Test func aCheckpointWaitsForSpace() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insert(0, into: coordinator)
        disk.capacityByteCount = disk.usedByteCount + 1_000_000
        var options = CheckpointOptions()
        options.retryNanoseconds = 3_600_000_000_000
        let last = FullDisk(after: nil, freeByteCount: 1_000_000, Deletions(), options)
        coordinator.state.withLock { state in
            state.checkpoint.fullDisk = last
            state.checkpoint.wantedVersion = state.publishedVersion
        }
        try await expectPause(coordinator)
        disk.capacityByteCount = disk.usedByteCount + 1_200_000
        try await expectCheckpoint(coordinator, disk)
    }

    /// In a queue, as many rows as it has are soon deleted again, and it doesn't become smaller.
    // Covers .diskFull
    @Test func onlyDeletionsAfterTheLastAttemptEndThePause() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.checkpoint.minimumDeletedRowCount = 5
        }
        try await insert(0, into: coordinator)
        var options = CheckpointOptions()
        options.retryNanoseconds = 3_600_000_000_000
        let last = FullDisk(after: nil, freeByteCount: nil, Deletions(rowCount: 5), options)
        coordinator.state.withLock { state in
            state.checkpoint.fullDisk = last
            state.checkpoint.deletions = Deletions(rowCount: 9)
        }
        try await expectPause(coordinator)
        coordinator.state.withLock { $0.checkpoint.deletions = Deletions(rowCount: 10) }
        try await expectCheckpoint(coordinator, disk)
    }

    // Covers .diskFull
    @Test func attemptsAreCountedUntilThereIsSpace() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insert(0, into: coordinator)
        disk.capacityByteCount = disk.usedByteCount + 1024
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        try await eventually {
            coordinator.heal()
            return fullDisk(coordinator).map { $0.backoff.failureCount >= 3 } ?? false
        }
        expectEqual(fullDisk(coordinator)?.freeByteCount, 1024)
        disk.capacityByteCount = nil
        try await expectCheckpoint(coordinator, disk)
    }

    /// A checkpoint after many deletions, with two directory images in the same file.
    // Covers .diskFull
    @Test func theFirstImageOfACheckpointThatFailsTakesNoSpace() async throws {
        let disk = SimFileSystem()
        let failures = CheckpointFailures()
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.store.nodesSlackByteCount = 16 << 20
            options.store.keepsSpareSegment = false
            options.checkpoint.isOn = false
            options.checkpoint.minimumDeletedRowCount = 1
            options.checkpoint.retryNanoseconds = 3_600_000_000_000
            options.report = failures.report
        }
        try await insertInBulk(0..<15_000, into: coordinator)
        try await eventually {
            coordinator.published.nodesFileNumber == 1
                && coordinator.state.withLock { !$0.checkpoint.isBusy }
        }
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        let table = try requireValue(transaction.schema.table(named: "Number")?.key)
        transaction.delete(table, Array(transaction.keys(table).prefix(14_500)))
        for number in 15_000..<25_000 {
            _ = try transaction.insert(table, [.int(Int64(number))])
        }
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
        let used = disk.usedByteCount
        disk.inject(SimFailure(.write, nth: 2, code: .diskFull))
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        coordinator.heal()  // wakes the pump
        try await eventually { !failures.errors.isEmpty }
        expectEqual(failures.errors.map(\.code), [.diskFull])
        // All but the gap before the next page.
        expectTrue(disk.usedByteCount < used + 4096)
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(14_500..<25_000))
    }

    @Test func pausesGrowToAMinute() {
        var last: FullDisk?
        for seconds: UInt64 in [1, 2, 4, 8, 16, 32, 60, 60] {
            let before = IOPool.now()
            let next = FullDisk(after: last, freeByteCount: nil, Deletions(), CheckpointOptions())
            let after = IOPool.now()
            let pause = seconds * 1_000_000_000
            let retryAt = next.backoff.retryAt
            expectTrue(retryAt >= before + pause && retryAt <= after + pause)
            last = next
        }
    }
}
