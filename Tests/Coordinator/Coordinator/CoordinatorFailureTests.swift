import Dispatch
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite(.timeLimit(.minutes(40)))
struct CoordinatorFailureTests {
    /// The directory may be copied or removed as soon as the realm is closed.
    @Test func closingWaitsForTheSpareSegment() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) {
            $0.store.firstSegmentByteCount = 8192
            $0.store.maximumSegmentByteCount = 16384
        }
        var number = 0
        while !disk.fileNames(in: "/sim").contains("log-0-1") {
            number += 1
            try await insert(number, into: coordinator)
        }
        let gate = EffectGate(disk, at: .create, once: true)
        let writer = Task { [number] in
            for next in number + 1...number + 1000 {
                _ = await storeErrorCode { try await insert(next, into: coordinator) }
            }
        }
        await gate.waitUntilReached()
        let closing = Task { await coordinator.close() }
        try await eventually { coordinator.state.withLock { $0.phase != .open } }
        for _ in 0..<1000 { await Task.yield() }
        gate.open()
        await closing.value
        let names = disk.fileNames(in: "/sim")
        expectTrue(names.contains("spare") && !names.contains { $0.hasPrefix("tmp-") }, "\(names)")
        await writer.value
    }

    // Covers .ioFailed, .outcomeUnknown
    @Test func aFailedSyncFailsTheBatchAndWhatIsStagedBehindIt() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(1, into: coordinator)
        let gate = EffectGate(disk, at: .sync)
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        let first = Task { await storeErrorCode { try await insert(2, into: coordinator) } }
        await gate.waitUntilReached()
        let turn = try await coordinator.beginWrite()
        let commit = try makeInsert(3, on: turn.base)
        let second = Task {
            await storeErrorCode {
                try await coordinator.commit(turn, commit, durability: .full)
            }
        }
        let third = try await beginAfterStaging(coordinator)
        gate.open()
        await expectEqual(first.value, .outcomeUnknown)
        await expectEqual(second.value, .ioFailed)
        await expectEqual(storeErrorCode { try await coordinator.abandon(third) }, .ioFailed)
        expectEqual(numbers(coordinator.published), [1])
        try await insert(4, into: coordinator)
        let recovered = numbers(coordinator.published)
        expectTrue(recovered == [1, 4] || recovered == [1, 2, 4])
        expectTrue(disk.fileNames(in: "/sim").contains("log-0-1"))
        for image in disk.crashImages() {
            let copy = try await openPeer("/sim", image.fileSystem)
            expectEqual(numbers(copy.published), recovered)
            await copy.close()
        }
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(again.recovery?.wasPoisoned, false)
        try await insert(5, into: again)
        await again.close()
        let last = try await openPeer("/sim", disk)
        expectEqual(numbers(last.published), recovered + [5])
        await last.close()
    }

    // Covers .ioFailed
    @Test func writesFailAsLongAsTheDiskDoes() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(1, into: coordinator)
        disk.inject(SimFailure(.sync, times: .forever))
        await expectEqual(
            storeErrorCode { try await insert(2, into: coordinator) }, .outcomeUnknown)
        for number in 3...5 {
            await expectEqual(
                storeErrorCode { try await insert(number, into: coordinator) }, .ioFailed)
        }
        expectEqual(numbers(coordinator.published), [1])
        disk.clearFailures()
        try await insert(6, into: coordinator)
        let found = numbers(coordinator.published)
        expectTrue(found == [1, 6] || found == [1, 2, 6])
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(numbers(again.published), found)
        await again.close()
    }

    /// Begins a turn after another writer's commit was staged, so that it builds on that commit.
    private func beginAfterStaging(_ coordinator: Coordinator) async throws -> WriteTurn {
        while true {
            let turn = try await coordinator.beginWrite()
            if numbers(turn.base).contains(3) { return turn }
            coordinator.finishTurn()
            await Task.yield()
        }
    }

    /// A log whose sync failed is never synced again: a second sync would succeed without writing
    /// the pages that the first one dropped.
    // Covers .outcomeUnknown
    @Test func aFailedSyncBehindRelaxedCommitsIsNotRepeated() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(1, into: coordinator)
        for number in 2...4 {
            try await insert(
                number, into: coordinator,
                durability: .relaxed(withinNanoseconds: 3_600_000_000_000))
        }
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        await expectEqual(
            storeErrorCode { try await insert(5, into: coordinator) }, .outcomeUnknown)
        let syncs = disk.count(.sync)
        while coordinator.holdsWriterLock { await Task.yield() }
        await coordinator.close()
        expectEqual(disk.count(.sync), syncs)
        disk.dropCaches()
        let again = try await openPeer("/sim", disk)
        let found = numbers(again.published)
        expectTrue(found.first == 1 && found == Array(1...max(found.count, 1)))
        try await insert(100, into: again)
        await again.close()
        let last = try await openPeer("/sim", disk)
        expectEqual(numbers(last.published), found + [100])
        await last.close()
    }

    /// Cursors of lost commits would otherwise be those of the commits that get their versions.
    @Test func commitsAfterAPowerFailureBeginATimelineIfRelaxedOnesMayBeLost() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        let (count, _) = try await insertUnsynced(into: coordinator, withinSeconds: 3_600)
        var found: Set<UInt64> = []
        for image in disk.crashImages() {
            let again = try await openPeer("/sim", image.fileSystem)
            let version = again.published.version
            found.insert(version)
            try await insert(-1, into: again)
            let timelines = again.timelines
            let isNew = timelines.id(at: version) != timelines.id(at: version + 1)
            expectTrue(isNew, "\(image.summary)")
            await again.close()
        }
        expectEqual(found, [UInt64(count) - 1, UInt64(count)])
        await coordinator.close()
        let machine = disk.killImage()
        machine.setBootID(Identity128(high: 1, low: 2))
        let again = try await openPeer("/sim", machine)
        try await insert(-1, into: again)
        expectEqual(again.timelines.id(at: UInt64(count) + 1), again.timelines.id(at: 1))
        await again.close()
    }

    /// The pump has stopped by the time the long body ends, and its end restarts it.
    @Test func aTurnThatEndsAfterAFailureGivesTheWriterLockBack() async throws {
        let disk = SimFileSystem()
        let failing = try await openPeer("/sim", disk)
        let other = try await openPeer("/sim", SimView(disk))
        let gate = EffectGate(disk, at: .sync)
        disk.inject(SimFailure(.sync))
        let writer = Task { await storeErrorCode { try await insert(1, into: failing) } }
        await gate.waitUntilReached()
        let turn = try await failing.beginWrite()
        gate.open()
        await expectEqual(writer.value, .outcomeUnknown)
        // Long enough for the pump to stop: the other one waits 50 ms in vain.
        let code = await storeErrorCode {
            try await insert(2, into: other, timeoutNanoseconds: 50_000_000)
        }
        expectEqual(code, .busy)
        let commit = try makeInsert(3, on: turn.base)
        let lost = await storeErrorCode {
            try await failing.commit(turn, commit, durability: .full)
        }
        expectEqual(lost, .ioFailed)
        try await insert(4, into: other)
        expectEqual(numbers(other.published).last, 4)
        await failing.close()
        await other.close()
    }

    // Covers 12.10, .diskFull
    @Test func aFullDiskFailsTheCommitAndLaterWritesWork() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) { options in
            options.store.firstSegmentByteCount = 8192
            options.store.keepsSpareSegment = false
        }
        disk.capacityByteCount = disk.usedByteCount + 4096
        var written: [Int] = []
        var code: StoreError.Code?
        while code == nil {
            let number = written.count
            code = await storeErrorCode { try await insert(number, into: coordinator) }
            if code == nil { written.append(number) }
        }
        expectEqual(code, .diskFull)
        expectEqual(numbers(coordinator.published), written)
        await expectEqual(storeErrorCode { try await insert(-1, into: coordinator) }, .diskFull)
        disk.capacityByteCount = nil
        try await insert(written.count, into: coordinator)
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(numbers(again.published), written + [written.count])
        await again.close()
    }

    @Test func oneSpareSegmentIsMadeAtATime() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) {
            $0.store.firstSegmentByteCount = 8192
        }
        var count = 0
        while !disk.fileNames(in: "/sim").contains("log-0-1") {
            try await insert(count, into: coordinator)
            count += 1
        }
        let creations = Guarded(0)
        let opened = DispatchSemaphore(value: 0)
        disk.onEffect = { kind, _ in
            guard kind == .create else { return }
            creations.withLock { $0 += 1 }
            opened.wait()
        }
        // Not one more, because the next segment would be created as well if it is needed before.
        while coordinator.state.withLock({ !$0.isMakingSpare }) {
            try await insert(count, into: coordinator)
            count += 1
        }
        try await eventually { creations.withLock { $0 } > 0 }
        for number in count..<count + 20 { try await insert(number, into: coordinator) }
        try await Task.sleep(for: .milliseconds(100))  // lets others begin
        expectEqual(creations.withLock { $0 }, 1)
        disk.onEffect = nil
        for _ in 0..<100 { opened.signal() }
        await coordinator.close()
    }

    /// A process that waits for the writer lock, with a checkpoint to record, syncs the relaxed
    /// commits of the process that holds it for a backup.
    @Test func aSyncThatFailsWhileWaitingForTheWriterLockIsRepairedLater() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", SimView(disk))
        try await insert(1, into: coordinator)
        while coordinator.holdsWriterLock { await Task.yield() }
        let relaxed = try makeInsert(2, on: coordinator.published.copied())
        let deliver: RealmLog.Deliver = { (_) throws(StoreError) in }
        let holder = try RealmLog.open(
            disk, path: "/sim", options: coordinator.options.store, deliver
        ).log
        try expectTrue(holder.tryBecomeWriter(deliver))
        coordinator.state.withLock { $0.checkpoint.wantedVersion = 1 }
        coordinator.heal()  // wakes the pump
        let onlooker = try disk.openDirectory("/sim", .existing).openLock()
        while !onlooker.isLockedElsewhere(.waiters) { await Task.yield() }
        try holder.append([relaxed.body], version: 2)
        holder.publish()
        disk.inject(SimFailure(.sync))
        await expectNil(storeErrorCode { try await coordinator.catchUp(durably: true) })
        expectEqual(numbers(coordinator.published), [1, 2])
        while onlooker.isLockedElsewhere(.waiters) { await Task.yield() }
        holder.releaseWriterLock()
        try await insert(3, into: coordinator)
        expectEqual(numbers(coordinator.published), [1, 2, 3])
        holder.releaseLocks()
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(numbers(again.published), [1, 2, 3])
        await again.close()
    }

    /// The process that is writing begins a segment during the sync for a backup.
    @Test func whatAnotherProcessSyncsInTheMeantimeIsDurable() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", SimView(disk)) {
            $0.store.firstSegmentByteCount = 8192
        }
        try await insert(1, into: coordinator)
        while coordinator.holdsWriterLock { await Task.yield() }
        let relaxed = try makeInsert(2, on: coordinator.published.copied())
        let transaction = EngineTransaction(base: relaxed.root, origin: nil)
        let table = try requireValue(transaction.schema.table(named: "Number")).key
        for number in 1...1000 {
            _ = try transaction.insert(table, [.int(Int64(number) &* 0x1E37_79B9_7F4A_7C15)])
        }
        let large = try transaction.commit(timestampMicroseconds: 0).body
        let deliver: RealmLog.Deliver = { (_) throws(StoreError) in }
        let writer = try RealmLog.open(
            disk, path: "/sim", options: coordinator.options.store, deliver
        ).log
        try expectTrue(writer.tryBecomeWriter(deliver))
        try writer.append([relaxed.body], version: 2)
        writer.publish()
        let isFirst = Guarded(true)
        disk.onEffect = { kind, _ in
            let isDue = isFirst.withLock { isFirst in
                guard kind == .sync, isFirst else { return false }
                isFirst = false
                return true
            }
            guard isDue else { return }
            try? writer.append([large], version: 3)
            try? writer.sync()
            writer.publish()
        }
        try await coordinator.catchUp(durably: true)
        disk.onEffect = nil
        expectTrue(disk.fileNames(in: "/sim").contains("log-0-1"))
        expectEqual(coordinator.published.version, 3)
        expectEqual(coordinator.state.withLock { $0.durableEnd }, writer.position)
        writer.releaseLocks()
        await coordinator.close()
    }

    /// Otherwise its memory would grow, and removed files would take space, until it writes.
    @Test func readerWhoseSyncFailedStillSwitchesToNewCheckpoints() async throws {
        let disk = SimFileSystem()
        let writer = try await openPeer("/sim", SimView(disk)) {
            $0.checkpoint.minimumReloadByteCount = 0
        }
        let reader = try await openPeer("/sim", SimView(disk)) {
            $0.checkpoint.isOn = false
            $0.checkpoint.minimumReloadByteCount = 0
            $0.checkpoint.retryNanoseconds = 100_000
        }
        let (count, _) = try await insertUnsynced(into: writer, withinSeconds: 3_600)
        while writer.holdsWriterLock { await Task.yield() }
        disk.inject(SimFailure(.sync))
        try await reader.catchUp(durably: true)
        expectEqual(disk.firedFailureCount, 1)
        try await insert(count, into: writer)
        try await checkpointNow(writer)
        try await eventually {
            reader.hint()
            reader.heal()  // wakes the pump
            return reader.statistics.reloads > 0
        }
        expectEqual(numbers(reader.published), Array(0...count))
        await reader.close()
        await writer.close()
    }

    @Test func aBodyThatReadAFailedCommitFailsToo() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        let gate = EffectGate(disk, at: .sync)
        disk.inject(SimFailure(.sync))
        let writer = Task { await storeErrorCode { try await insert(1, into: coordinator) } }
        await gate.waitUntilReached()
        let turn = try await coordinator.beginWrite()
        expectEqual(numbers(turn.base), [1])
        gate.open()
        await expectEqual(writer.value, .outcomeUnknown)
        let commit = try makeInsert(2, on: turn.base)
        let code = await storeErrorCode {
            try await coordinator.commit(turn, commit, durability: .full)
        }
        expectEqual(code, .ioFailed)
        expectEqual(numbers(coordinator.published), [])
        await coordinator.close()
    }
}
