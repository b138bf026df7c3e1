import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// What the stage of a resumable migration waits for before it begins.
@Suite(.timeLimit(.minutes(40)))
struct StageTests {
    /// The checkpoint that a stage waits for is recorded even if another process is to have the
    /// writer lock next.
    @Test func aStageDoesNotWaitForACheckpointThatWaitsForItsTurnToEnd() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insert(0, into: coordinator)
        let turn = try await coordinator.beginWrite()
        let gate = EffectGate(disk, at: .create, once: true)
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        coordinator.heal()  // wakes the pump
        await gate.waitUntilReached()
        coordinator.state.withLock { $0.shutGate(isWanted: true) }
        gate.open()
        try await eventually { coordinator.statistics.checkpoints == 1 }
        let stage = try requireValue(await coordinator.beginStage(turn, target: 1))
        coordinator.end(stage)
        try await coordinator.abandon(turn)
        await coordinator.close()
    }

    /// Writing it may take longer than a stage waits for another process.
    @Test func aStageWaitsForTheCheckpointThatItsProcessIsWriting() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max) {
            $0.checkpoint.bulkTimeoutNanoseconds = 1_000_000_000
        }
        try await insert(0, into: coordinator)
        let turn = try await coordinator.beginWrite()
        let gate = EffectGate(disk, at: .write, once: true)
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        coordinator.heal()  // wakes the pump
        await gate.waitUntilReached()
        let isOpen = Guarded(false)
        let opening = Task {
            try await Task.sleep(for: .milliseconds(1_500))
            isOpen.withLock { $0 = true }
            gate.open()
        }
        var begun: MigrationStage?
        while begun == nil {
            do {
                begun = try await coordinator.beginStage(turn, target: 1)
            } catch let error as StoreError {
                // On a slow machine, what comes after the writing may take too long.
                let mayBeLate = isOpen.withLock { $0 }
                guard error.code == .busy, mayBeLate else { throw error }
            }
        }
        let stage = try requireValue(begun)
        try await opening.value
        expectEqual(coordinator.statistics.checkpoints, 1)
        coordinator.end(stage)
        try await coordinator.abandon(turn)
        await coordinator.close()
    }

    // Covers .diskFull
    @Test func aStageDoesNotWaitForACommitThatFailed() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.bulkTimeoutNanoseconds = 1_000_000
        }
        try await insert(0, into: coordinator)
        let gate = EffectGate(disk, at: .write, once: true)
        disk.inject(SimFailure(.write, code: .diskFull))
        let failing = Task { await storeErrorCode { try await insert(1, into: coordinator) } }
        await gate.waitUntilReached()
        let turn = try await coordinator.beginWrite()
        expectEqual(numbers(turn.base), [0, 1])
        gate.open()
        await expectEqual(failing.value, .diskFull)
        await expectEqual(
            storeErrorCode { try await coordinator.beginStage(turn, target: 1) }, .diskFull)
        await expectEqual(storeErrorCode { try await coordinator.abandon(turn) }, .diskFull)
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), [0])
    }

    /// The realm was compacted since, so that the file with the state exists for history only.
    /// Other processes may remove it at any time.
    @Test func aStateInAFileThatWasReplacedIsNotResumed() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) {
            $0.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        try await insertInBulk(0..<9, into: coordinator)
        let turn = try await coordinator.beginWrite()
        let stage = try requireValue(await coordinator.beginStage(turn, target: 1))
        let saved = try stage.save(EngineTransaction(base: turn.base), progress: [7])
        saved.abort()
        coordinator.end(stage)
        try await coordinator.abandon(turn)
        _ = try await coordinator.compact()
        let names = disk.fileNames(in: "/sim")
        expectTrue(["migration", "nodes-1", "nodes-2"].allSatisfy(names.contains))
        let next = try await coordinator.beginWrite()
        let again = try requireValue(await coordinator.beginStage(next, target: 1))
        let resumed = try again.resume()
        expectTrue(resumed == nil)
        resumed?.transaction.abort()
        expectTrue(!disk.fileNames(in: "/sim").contains("migration"))
        coordinator.end(again)
        try await coordinator.abandon(next)
        await coordinator.close()
    }

    /// A checkpoint of the same version was written to a new file since. If the migration were
    /// committed in the old one, that file would count as the remains of a killed process.
    @Test func aStateInAnOlderFileIsNotResumed() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        try await insertInBulk(0..<9, into: coordinator)
        try await insert(9, into: coordinator)
        let turn = try await coordinator.beginWrite()
        let stage = try requireValue(await coordinator.beginStage(turn, target: 1))
        var transaction = EngineTransaction(base: turn.base)
        // Each takes a page of the file.
        for _ in 0..<64 { transaction = try stage.save(transaction, progress: [7]) }
        transaction.abort()
        coordinator.end(stage)
        try await coordinator.abandon(turn)
        expectTrue(!disk.fileNames(in: "/sim").contains("nodes-2"))
        try await checkpointNow(coordinator)
        let names = disk.fileNames(in: "/sim")
        expectTrue(["migration", "nodes-1", "nodes-2"].allSatisfy(names.contains))
        let next = try await coordinator.beginWrite()
        let again = try requireValue(await coordinator.beginStage(next, target: 1))
        let resumed = try again.resume()
        expectTrue(resumed == nil)
        resumed?.transaction.abort()
        coordinator.end(again)
        try await coordinator.abandon(next)
        await coordinator.close()
    }

    /// Neither the images nor the mark of a state can be written: the file that was created for
    /// them is removed, since each attempt creates another one.
    // Covers .diskFull
    @Test(arguments: [1, 2]) func aStateThatCannotBeSavedLeavesNoFile(nth: Int) async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(0, into: coordinator)
        let turn = try await coordinator.beginWrite()
        let stage = try requireValue(await coordinator.beginStage(turn, target: 1))
        let directory = try disk.openDirectory("/sim", .readOnly)
        let before = try directory.names().sorted()
        let transaction = EngineTransaction(base: turn.base)
        // The first file is the nodes file, the second one the mark.
        disk.inject(SimFailure(.create, nth: nth, code: .diskFull))
        let error = #expect(throws: StoreError.self) {
            _ = try stage.save(transaction, progress: [])
        }
        expectEqual(error?.code, .diskFull)
        try expectEqual(directory.names().sorted(), before)
        let saved = try stage.save(transaction, progress: [])
        try expectEqual(
            directory.names().sorted(), (before + ["migration", "nodes-1"]).sorted())
        saved.abort()
        coordinator.end(stage)
        try await coordinator.abandon(turn)
        await coordinator.close()
    }
}
