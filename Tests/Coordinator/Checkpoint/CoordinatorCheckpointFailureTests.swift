import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite(.timeLimit(.minutes(40)))
struct CoordinatorCheckpointFailureTests {
    @Test func aBulkCommitWithoutSpaceIsNotCommittedAndWritingGoesOn() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(0, into: coordinator)
        disk.capacityByteCount = disk.usedByteCount + 2048
        await expectEqual(
            storeErrorCode { try await insertInBulk(1..<2000, into: coordinator) }, .diskFull)
        expectEqual(numbers(coordinator.published), [0])
        try await insert(1, into: coordinator)
        disk.capacityByteCount = nil
        try await insertInBulk(2..<100, into: coordinator)
        expectEqual(numbers(coordinator.published), Array(0..<100))
        await coordinator.close()
        let (root, _) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(0..<100))
    }

    // Covers .busy
    @Test func aBulkCommitDoesNotWaitForeverForACheckpointOfAnother() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.bulkTimeoutNanoseconds = 1_000_000
        }
        try await insert(0, into: coordinator)
        let other = try disk.openDirectory("/sim", .existing).openLock()
        try expectTrue(other.tryLock(.checkpoint, .exclusive))
        await expectEqual(
            storeErrorCode { try await insertInBulk(1..<9, into: coordinator) }, .busy)
        other.unlock(.checkpoint)
        try await insertInBulk(1..<9, into: coordinator)
        expectEqual(numbers(coordinator.published), Array(0..<9))
        await coordinator.close()
    }

    @Test func aBulkCommitWaitsForACheckpointOfAnotherUntilCancelled() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.bulkTimeoutNanoseconds = 3_600_000_000_000
        }
        try await insert(0, into: coordinator)
        let other = try disk.openDirectory("/sim", .existing).openLock()
        try expectTrue(other.tryLock(.checkpoint, .exclusive))
        let waiting = Task { _ = try await insertInBulk(1..<9, into: coordinator) }
        try await eventually { coordinator.state.withLock { $0.isFlushing } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        expectEqual(numbers(coordinator.published), [0])
        other.unlock(.checkpoint)
        try await insertInBulk(1..<9, into: coordinator)
        expectEqual(numbers(coordinator.published), Array(0..<9))
        await coordinator.close()
    }

    // Covers .busy
    @Test func aStageWaitsForACheckpointOfAnotherUntilCancelledOrItsTimeout() async throws {
        let disk = SimFileSystem()
        let path = "/sim"
        @Sendable func begin(_ coordinator: Coordinator) async throws {
            let turn = try await coordinator.beginWrite()
            do {
                coordinator.end(try #require(await coordinator.beginStage(turn, target: 1)))
            } catch {
                try await coordinator.abandon(turn)
                throw error
            }
            try await coordinator.abandon(turn)
        }
        var coordinator = try await openPeer(path, disk) {
            $0.checkpoint.bulkTimeoutNanoseconds = 3_600_000_000_000
        }
        try await insertInBulk(0..<9, into: coordinator)
        let other = try disk.openDirectory(path, .existing).openLock()
        // The coordinator may not have released the lock of its checkpoint yet.
        while try !other.tryLock(.checkpoint, .exclusive) { await Task.yield() }
        let waiting = Task { [coordinator] in try await begin(coordinator) }
        for _ in 0..<100 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await coordinator.close()

        coordinator = try await openPeer(path, disk) {
            $0.checkpoint.bulkTimeoutNanoseconds = 1_000_000
        }
        await expectEqual(storeErrorCode { [coordinator] in try await begin(coordinator) }, .busy)
        other.unlock(.checkpoint)
        await coordinator.close()
        coordinator = try await openPeer(path, disk)
        try await begin(coordinator)
        await coordinator.close()
    }

    /// The log before a checkpoint gets other chain values when another process frames it again.
    @Test func aCheckpointOfALogThatWasFramedAgainIsNotRecorded() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insert(0, into: coordinator)
        let other = try await openPeer("/sim", SimView(disk)) { $0.checkpoint.isOn = false }
        var next = 1
        var syncCount: UInt64
        repeat {  // until a commit isn't part of a batch
            syncCount = coordinator.statistics.syncs
            try await insert(
                next, into: coordinator,
                durability: .relaxed(withinNanoseconds: 3_600_000_000_000))
            next += 1
        } while coordinator.statistics.syncs > syncCount
        // `LOCK` doesn't show that the commit is synced, because the other process holds the lock.
        let turn = try await other.beginWrite()
        coordinator.state.withLock { $0.syncDue = 0 }
        coordinator.heal()  // wakes the pump
        try await eventually { coordinator.statistics.syncs > syncCount }

        let gate = EffectGate(disk, at: .create, once: true)
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        coordinator.heal()
        await gate.waitUntilReached()
        disk.inject(SimFailure(.sync))
        let commit = try makeInsert(next, on: turn.base)
        await expectEqual(
            storeErrorCode { try await other.commit(turn, commit, durability: .full) },
            .outcomeUnknown)
        try await insert(next + 1, into: other)
        expectTrue(disk.fileNames(in: "/sim").contains("log-0-1"))
        gate.open()
        try await eventually {
            coordinator.heal()
            return coordinator.statistics.checkpoints > 0
        }
        let content = numbers(other.published)
        await other.close()
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), content)
    }

    /// Another process records a checkpoint after this one's is written, before it is recorded.
    @Test func aCheckpointThatWasOvertakenIsNotRecorded() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        let version = try await insert(0, into: coordinator)
        let other = try await openPeer("/sim", SimView(disk))
        let turn = try await other.beginWrite()  // holds the writer lock
        coordinator.state.withLock { $0.checkpoint.wantedVersion = version }
        coordinator.heal()  // wakes the pump
        try await eventually { coordinator.state.withLock { $0.checkpoint.finished != nil } }
        other.state.withLock { $0.checkpoint.wantedVersion = version }
        try await eventually {
            other.heal()
            return other.statistics.checkpoints > 0
        }
        try await other.abandon(turn)
        try await insert(1, into: coordinator)  // after checkpoints
        expectEqual(coordinator.statistics.checkpoints, 0)
        expectEqual(other.statistics.checkpoints, 1)
        await other.close()
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), [0, 1])
    }

    /// It would otherwise count as recorded, because the one before it is in the same file.
    @Test func aCheckpointThatCannotBeRecordedIsRepeated() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insertInBulk(0..<50, into: coordinator)
        try await eventually { coordinator.statistics.reloads == 1 }
        let version = try await insert(50, into: coordinator)
        let gate = EffectGate(disk, at: .sync, once: true)
        coordinator.state.withLock { $0.checkpoint.wantedVersion = version }
        coordinator.heal()  // wakes the pump
        await gate.waitUntilReached()
        disk.inject(SimFailure(.write, code: .diskFull))  // of the record
        gate.open()
        try await checkpointNow(coordinator)
        expectEqual(disk.firedFailureCount, 1)
        expectEqual(coordinator.statistics.checkpoints, 2)
        expectEqual(nodesFiles(disk), ["nodes-1"])
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(0...50))
    }

    /// Otherwise each attempt would leave another one on a full disk.
    // Covers .diskFull
    @Test func theFileOfABulkCommitThatFailsIsRemoved() async throws {
        var failureCount = 0
        while true {
            let disk = SimFileSystem()
            let coordinator = try await openPeer("/sim", disk)
            try await insert(0, into: coordinator)
            disk.inject(SimFailure(.write, nth: failureCount + 1, code: .diskFull))
            let code = await storeErrorCode { try await insertInBulk(1..<9, into: coordinator) }
            if code != nil {
                failureCount += 1
                expectEqual(code, .diskFull)
                expectEqual(nodesFiles(disk), [], "write \(failureCount)")
            }
            await coordinator.close()
            if code == nil { break }
        }
        expectEqual(failureCount, 3)  // the header, the images, the record
    }

    @Test func theFileOfACheckpointThatCannotBeRecordedIsRemoved() async throws {
        let disk = SimFileSystem()
        let paths = Guarded<[String?]>([])
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.report = { event in
                if case .checkpointFailed(let error) = event {
                    paths.withLock { $0.append(error.path) }
                }
            }
        }
        try await insert(0, into: coordinator)
        disk.inject(SimFailure(.write, nth: 3, code: .diskFull))  // the header, the images
        try await checkpointNow(coordinator)
        expectEqual(paths.withLock { $0 }, ["/sim"], "the log's path, not the file's")
        expectEqual(nodesFiles(disk), ["nodes-1"])
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), [0])
    }

    /// A process that opens the realm then uses another `LOCK`, and may create a file of the same
    /// number.
    // Covers .ioFailed
    @Test func aFileIsNotReplacedOnceLockIsAnother() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(0, into: coordinator)
        let gate = EffectGate(disk, at: .create, once: true)
        let writing = Task {
            await storeErrorCode { try await insertInBulk(100..<109, into: coordinator) }
        }
        await gate.waitUntilReached()
        disk.removeFile("LOCK", in: "/sim")
        let other = try await openPeer("/sim", SimView(disk))
        try await insertInBulk(1..<9, into: other)
        expectEqual(nodesFiles(disk), ["nodes-1"])
        gate.open()
        await expectEqual(writing.value, .ioFailed)
        await coordinator.close()
        await other.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(0..<9))
    }

    @Test func aFileIsNotRemovedOnceLockIsAnother() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insert(0, into: coordinator)
        let gate = EffectGate(disk, at: .syncDirectory, once: true)
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        coordinator.heal()  // wakes the pump
        await gate.waitUntilReached()
        disk.removeFile("LOCK", in: "/sim")
        let other = try await openPeer("/sim", SimView(disk))
        try await insertInBulk(1..<9, into: other)
        expectEqual(nodesFiles(disk), ["nodes-1"])
        let closing = Task { await coordinator.close() }
        try await eventually { coordinator.state.withLock { $0.checkpoint.isCancelled } }
        gate.open()
        await closing.value
        await other.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(0..<9))
    }

    private func nodesFiles(_ disk: SimFileSystem) -> [String] {
        disk.fileNames(in: "/sim").filter { $0.hasPrefix("nodes-") }
    }

    @Test func aFailedSyncOfTheNodesFileHarmsNoCommit() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insertInBulk(0..<10, into: coordinator)
        let hash = coordinator.published.stateHash()
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        await expectEqual(
            storeErrorCode { try await insertInBulk(10..<90, into: coordinator) }, .ioFailed)
        expectEqual(coordinator.published.stateHash(), hash)
        try await insertInBulk(10..<20, into: coordinator)
        expectEqual(numbers(coordinator.published), Array(0..<20))
        await coordinator.close()
        disk.dropCaches()
        let (root, _) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(0..<20))
    }

    /// Files that can't be mapped are read into private memory: nothing is lost or refused, and all
    /// acknowledged commits exist when the realm is opened again.
    @Test func aRefusedMappingHarmsNoCommit() async throws {
        for nth in 1...12 {
            let disk = SimFileSystem(seed: UInt64(nth))
            let coordinator = try await openBusy("/sim", disk, every: 4)
            try await insertInBulk(0..<50, into: coordinator)
            var number = 50
            disk.inject(SimFailure(.map, nth: nth, errno: 12))
            try await eventually {
                if disk.firedFailureCount > 0 { return true }
                try await insert(number, into: coordinator)
                number += 1
                coordinator.hint()
                await giveTime(to: coordinator, after: 450, number)
                return false
            }
            expectEqual(disk.firedFailureCount, 1, "call \(nth)")
            try await insert(number, into: coordinator)
            let root = coordinator.published
            expectTrue(numbers(root) == Array(0...number) && root.damage == nil, "call \(nth)")
            await coordinator.close()
            expectEqual(numbers(try reopened("/sim", disk).root), Array(0...number), "call \(nth)")
        }
    }
}
