import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite(.timeLimit(.minutes(40)))
struct CompactionTests {
    private let disk = SimFileSystem()

    /// Opens a realm with 15,000 rows in `nodes-1`.
    private func openWasteful(
        _ change: (inout CoordinatorOptions) -> Void = { _ in }
    ) async throws -> Coordinator {
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.store.nodesSlackByteCount = 16 << 20
            options.store.retention = .none
            change(&options)
        }
        try await insertInBulk(0..<15_000, into: coordinator)
        try await eventually {
            coordinator.published.nodesFileNumber == 1
                && coordinator.state.withLock { !$0.checkpoint.isBusy }
        }
        return coordinator
    }

    /// Deletes all rows but the last 500, which makes no checkpoint due.
    private func deleteMost(_ coordinator: Coordinator) async throws {
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        let table = try requireValue(transaction.schema.table(named: "Number")?.key)
        transaction.delete(table, Array(transaction.keys(table).prefix(14_500)))
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
    }

    private var nodesFiles: [String] {
        disk.fileNames(in: "/sim").filter { $0.hasPrefix("nodes-") }
    }

    @Test func filesShrinkAndSnapshotsStay() async throws {
        let coordinator = try await openWasteful()
        let snapshot = coordinator.published
        try await deleteMost(coordinator)
        let sizes = try await coordinator.compact()
        expectTrue(sizes.after.total < sizes.before.total, "\(sizes)")
        expectTrue(sizes.before.history == 0 && sizes.after.history == 0)
        expectEqual(nodesFiles, ["nodes-2"])
        let held = try await coordinator.removedByteCount(heldBy: [snapshot, snapshot])
        expectTrue(held >= 15_000 * 2 && held < sizes.before.total)
        expectEqual(numbers(snapshot), Array(0..<15_000))
        expectNil(snapshot.damage)
        // Without another commit, the process leaves the removed file.
        try await eventually { coordinator.published.nodesFileNumber == 2 }
        expectEqual(numbers(coordinator.published), Array(14_500..<15_000))
        try await insert(15_000, into: coordinator)
        // Also if nothing was committed since the last checkpoint.
        _ = try await coordinator.compact()
        _ = try await coordinator.compact()
        expectEqual(nodesFiles, ["nodes-4"])
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(14_500...15_000))
        expectTrue(report.commitCount == 0 && report.damagedCheckpoints.isEmpty)
    }

    /// Each of the two directory images suffices.
    @Test(arguments: [false, true])
    func eitherImageCanBeDamaged(isEncrypted: Bool) async throws {
        var options = StoreOptions()
        options.key = isEncrypted ? .fake() : nil
        let coordinator = try await openWasteful { $0.store.key = options.key }
        try await deleteMost(coordinator)
        _ = try await coordinator.compact()
        await coordinator.close()
        let (log, _) = try RealmLog.open(
            disk.killImage(), path: "/sim", options: options, load: { _, _ in }, { _ in })
        let newest = try requireValue(log.newestCheckpoint)
        let older = try requireValue(log.olderCheckpoint)
        expectTrue(newest.version == older.version && newest.file == older.file)
        expectTrue(newest.offset / 4096 > (older.offset + older.byteCount - 1) / 4096)
        for (reference, damagedCount) in [(newest, 1), (older, 0)] {
            let copy = disk.killImage()
            copy.flipBit(8 * Int(reference.offset + 40), of: "nodes-2", in: "/sim")
            let (root, report) = try reopened("/sim", copy, options.key)
            expectEqual(numbers(root), Array(14_500..<15_000))
            expectEqual(report.damagedCheckpoints.count, damagedCount)
        }
    }

    @Test func otherProcessesGoOnAndLeaveTheRemovedFile() async throws {
        let coordinator = try await openWasteful()
        let peer = try await openPeer("/sim", SimView(disk)) {
            $0.checkpoint.minimumReloadByteCount = .max
            $0.store.retention = .none
        }
        expectEqual(peer.published.nodesFileNumber, 1)
        try await deleteMost(coordinator)
        try await insert(15_000, into: peer)
        _ = try await coordinator.compact()
        try await eventually {
            peer.hint()
            return peer.published.nodesFileNumber == 2
        }
        try await insert(15_001, into: peer)
        try await insert(15_002, into: coordinator)
        // The other process can compact too.
        _ = try await peer.compact()
        expectEqual(nodesFiles, ["nodes-3"])
        try await coordinator.catchUp()
        try await peer.catchUp()
        expectEqual(numbers(peer.published), Array(14_500..<15_003))
        expectEqual(peer.published.stateHash(), coordinator.published.stateHash())
        await peer.close()
        await coordinator.close()
        expectEqual(numbers(try reopened("/sim", disk).root), Array(14_500..<15_003))
    }

    @Test func filesThatKilledProcessesLeftAreRemoved() async throws {
        let coordinator = try await openWasteful()
        let peer = try await openPeer("/sim", SimView(disk))
        let lock = try requireValue(peer.state.withLock { $0.log?.lock })
        let isLocked = try lock.tryLock(.nodesFile(9), .exclusive)
        expectTrue(isLocked)
        for name in ["nodes-7", "nodes-9"] { disk.setContents([1, 2, 3], of: name, in: "/sim") }
        try await insert(15_000, into: coordinator)
        try await checkpointNow(coordinator)
        try await eventually { nodesFiles == ["nodes-1", "nodes-9"] }
        lock.unlock(.nodesFile(9))
        try await insert(15_001, into: coordinator)
        try await checkpointNow(coordinator)
        try await eventually { nodesFiles == ["nodes-1"] }
        await peer.close()
        await coordinator.close()
    }

    /// A bulk commit removes what killed processes left, but not the file of a checkpoint of the
    /// same process that isn't recorded yet.
    @Test func ownFileThatIsNotRecordedYetStays() async throws {
        let coordinator = try await openWasteful()
        let peer = try await openPeer("/sim", SimView(disk))
        let lock = try requireValue(peer.state.withLock { $0.log?.lock })
        let log = try requireValue(coordinator.state.withLock { $0.log })
        let isLocked = try log.tryLockCheckpoint()
        expectTrue(isLocked)
        let appender = try log.nodes.appender(
            after: log.newestCheckpoint, liveByteCount: 0, isNewFileWanted: true)
        expectEqual(appender.newFileNumber, 2)
        log.unlockCheckpoint()
        try await insertInBulk(15_000..<15_001, into: coordinator)
        try await eventually { coordinator.state.withLock { !$0.checkpoint.isBusy } }
        expectEqual(nodesFiles, ["nodes-1", "nodes-2"])
        expectTrue(lock.isLockedElsewhere(.nodesFile(2)))
        await peer.close()
        await coordinator.close()
    }

    /// The number of a file can have been used again when its checkpoint turns out to be overtaken.
    @Test func fileThatAnotherProcessHasCreatedSinceIsNotDiscarded() async throws {
        let coordinator = try await openWasteful()
        let newest = try requireValue(coordinator.state.withLock { $0.log?.newestCheckpoint })
        disk.setContents([1, 2, 3], of: "nodes-9", in: "/sim")
        coordinator.state.withLock { state in
            state.checkpoint.finished = FinishedCheckpoint(
                reference: newest, newFile: 9, base: nil, reframeCount: 0, deletions: Deletions())
        }
        try await insert(15_000, into: coordinator)
        try await eventually { coordinator.state.withLock { $0.checkpoint.finished == nil } }
        try await insert(15_001, into: coordinator)
        expectEqual(nodesFiles, ["nodes-1", "nodes-9"])
        await coordinator.close()
    }

    @Test func historyIsKept() async throws {
        let coordinator = try await openWasteful {
            $0.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        try await deleteMost(coordinator)
        let sizes = try await coordinator.compact()
        expectEqual(nodesFiles, ["nodes-1", "nodes-2"])
        expectTrue(sizes.after.history > 0 && sizes.after.history < sizes.after.total)
        let reader = try await coordinator.history(from: 1)
        expectEqual(numbers(reader.root), Array(0..<15_000))
        await coordinator.close()
    }

    @Test func cancellationStopsWriting() async throws {
        let coordinator = try await openWasteful()
        let gate = EffectGate(disk, at: .create, once: true)
        let task = Task { try await coordinator.compact() }
        await gate.waitUntilReached()
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        gate.open()
        disk.onEffect = nil
        try await eventually { coordinator.state.withLock { !$0.checkpoint.isBusy } }
        expectEqual(nodesFiles, ["nodes-1"])
        expectEqual(coordinator.statistics.checkpoints, 1)
        _ = try await coordinator.compact()
        expectTrue(!nodesFiles.contains("nodes-1"))
        await coordinator.close()
    }

    // Covers .diskFull
    @Test func fullDiskLeavesEverythingAsItWas() async throws {
        let coordinator = try await openWasteful()
        try await deleteMost(coordinator)
        for room: UInt64 in [0, 4096] {
            disk.capacityByteCount = disk.usedByteCount + room
            let code = await storeErrorCode { try await coordinator.compact() }
            expectEqual(code, .diskFull)
            expectEqual(nodesFiles, ["nodes-1"])
            try await insert(15_000 + Int(room), into: coordinator)
        }
        disk.capacityByteCount = nil
        _ = try await coordinator.compact()
        expectEqual(nodesFiles, ["nodes-2"])
        await coordinator.close()
        let expected = Array(14_500...15_000) + [19_096]
        expectEqual(numbers(try reopened("/sim", disk).root), expected)
    }

    // Covers .busy
    @Test func anotherProcessWithTheCheckpointLockIsReported() async throws {
        let coordinator = try await openWasteful {
            $0.checkpoint.bulkTimeoutNanoseconds = 1_000_000
        }
        let peer = try await openPeer("/sim", SimView(disk))
        let log = try requireValue(peer.state.withLock { $0.log })
        let isLocked = try log.tryLockCheckpoint()
        expectTrue(isLocked)
        let code = await storeErrorCode { try await coordinator.compact() }
        expectEqual(code, .busy)
        log.unlockCheckpoint()
        await peer.close()
        try await eventually { await storeErrorCode { try await coordinator.compact() } == nil }
        expectTrue(!nodesFiles.contains("nodes-1"))
        await coordinator.close()
    }

    // Covers .busy
    @Test func anotherProcessThatKeepsTheWriterLockIsReported() async throws {
        let coordinator = try await openWasteful()
        let peer = try await openPeer("/sim", SimView(disk))
        let turn = try await peer.beginWrite()
        let compaction = Task { await storeErrorCode { try await coordinator.compact() } }
        try await eventually { coordinator.state.withLock { $0.checkpoint.finished != nil } }
        coordinator.state.withLock { $0.checkpoint.compaction?.deadline = 0 }
        await expectEqual(compaction.value, .busy)
        expectEqual(nodesFiles, ["nodes-1", "nodes-2"])
        // What was written is recorded later.
        try await peer.abandon(turn)
        try await eventually { nodesFiles == ["nodes-2"] }
        await peer.close()
        await coordinator.close()
        expectEqual(numbers(try reopened("/sim", disk).root), Array(0..<15_000))
    }

    /// An earlier compaction was cancelled, which doesn't concern this one.
    @Test func removingFilesWaitsForAnotherProcessWithTheCheckpointLock() async throws {
        let coordinator = try await openWasteful()
        let peer = try await openPeer("/sim", SimView(disk))
        let log = try requireValue(peer.state.withLock { $0.log })
        let turn = try await peer.beginWrite()
        let compaction = Task { try await coordinator.compact() }
        try await eventually { coordinator.state.withLock { $0.checkpoint.finished != nil } }
        let isLocked = try log.tryLockCheckpoint()
        expectTrue(isLocked)
        coordinator.state.withLock { $0.checkpoint.isCancelled = true }
        try await peer.abandon(turn)
        try await eventually { coordinator.statistics.checkpoints == 2 }
        expectEqual(nodesFiles, ["nodes-1", "nodes-2"])
        log.unlockCheckpoint()
        _ = try await compaction.value
        expectEqual(nodesFiles, ["nodes-2"])
        await peer.close()
        await coordinator.close()
    }

    /// A write fails while the images wait to be recorded.
    @Test func aFailedWriteEndsTheCompaction() async throws {
        let coordinator = try await openWasteful()
        let finished = try makePendingCheckpoint(coordinator)
        let failure = coordinator.state.withLock { state in
            state.checkpoint.compaction = Compaction()
            state.checkpoint.finished = finished
            state.writeFailure = StoreError(.ioFailed, "A sync failed.")
            defer {
                state.checkpoint.compaction = nil
                state.checkpoint.finished = nil
                state.writeFailure = nil
            }
            return state.log.flatMap { state.compactionFailure($0, 0) }
        }
        expectEqual(failure?.code, .ioFailed)
        await coordinator.close()
    }

    @Test func closingRemovesTheFileOfACheckpointThatIsNotRecorded() async throws {
        let coordinator = try await openWasteful()
        let finished = try makePendingCheckpoint(coordinator)
        expectEqual(nodesFiles, ["nodes-1", "nodes-2"])
        coordinator.state.withLock { state in
            state.checkpoint.finished = finished
            state.phase = .closing  // before the pump looks at it
        }
        await coordinator.close()
        expectEqual(nodesFiles, ["nodes-1"])
    }

    /// A compaction is another checkpoint than the one before it, even of the same version.
    @Test func aCheckpointThatCouldNotBeLoadedIsReplaced() async throws {
        let coordinator = try await openWasteful()
        coordinator.state.withLock { state in
            state.checkpoint.damagedVersion = state.publishedVersion
            state.checkpoint.unusable = state.log?.newestCheckpoint
        }
        _ = try await coordinator.compact()
        try await eventually {
            coordinator.heal()  // wakes the pump
            return coordinator.published.nodesFileNumber == 2
        }
        await coordinator.close()
    }

    // Covers .readOnly, .closed
    @Test func realmsThatCannotBeWrittenRefuse() async throws {
        let coordinator = try await openWasteful()
        let reading = try await openPeer("/sim", SimView(disk)) { $0.isReadOnly = true }
        await expectEqual(storeErrorCode { try await reading.compact() }, .readOnly)
        await reading.close()
        await coordinator.close()
        await expectEqual(storeErrorCode { try await coordinator.compact() }, .closed)
    }

    @Test func knownDamageIsRefused() async throws {
        let coordinator = try await openWasteful()
        let source = try requireValue(coordinator.published.content.context.source)
        source.contradict("An index lacks the entry of a row.")
        let code = await storeErrorCode { try await coordinator.compact() }
        expectEqual(code, .invalidDatabase)
        expectEqual(nodesFiles, ["nodes-1"])
        await coordinator.close()
    }

    /// What many small checkpoints left is removed by the last process to close the realm.
    @Test func closingCompactsWhatIsMostlyGarbage() async throws {
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.store.nodesSlackByteCount = 16 << 20
            options.store.retention = .none
            options.checkpoint.minimumClosingByteCount = .max
            options.checkpoint.minimumClosingGarbageByteCount = 50_000
        }
        for number in 0..<60 { try await insertInBulk(number..<number + 1, into: coordinator) }
        let version = coordinator.published.version
        try await eventually {
            coordinator.heal()  // wakes the pump
            return coordinator.state.withLock { $0.checkpoint.baseVersion == version }
        }
        try await insert(60, into: coordinator)
        expectEqual(nodesFiles, ["nodes-1"])
        let wakeCount = disk.count(.wake)
        await coordinator.close()
        expectEqual(nodesFiles, ["nodes-2"])
        expectTrue(disk.count(.wake) > wakeCount)  // so that others leave the file
        let (root, report) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(0...60))
        expectEqual(report.commitCount, 0)
    }
}
