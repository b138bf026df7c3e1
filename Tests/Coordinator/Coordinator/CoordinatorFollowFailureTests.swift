import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A temporary failure of the system or the disk never stops a process for good.
@Suite(.timeLimit(.minutes(40)))
struct CoordinatorFollowFailureTests {
    /// Collects the events of a coordinator.
    private final class Events: Sendable {
        private let delays = Guarded(0)
        private let ends = Guarded(0)

        func note(_ event: CoordinatorEvent) {
            switch event {
            case .followingDelayed: delays.withLock { $0 += 1 }
            case .followingFailed: ends.withLock { $0 += 1 }
            default: break
            }
        }

        var delayCount: Int { delays.withLock { $0 } }
        var endCount: Int { ends.withLock { $0 } }
    }

    /// For example, too many files are open just when another process begins a segment.
    @Test(arguments: [EffectKind.open, .read, .size])
    func followingIsTriedAgain(kind: EffectKind) async throws {
        let disk = SimFileSystem()
        let events = Events()
        let writer = try await openPeer("/sim", SimView(disk))
        try await insert(0, into: writer)
        let reader = try await openPeer("/sim", SimView(disk)) { $0.report = events.note }
        for number in 1..<400 { try await insert(number, into: writer) }
        expectTrue(disk.fileNames(in: "/sim").contains("log-0-1"))
        while writer.holdsWriterLock { await Task.yield() }
        disk.inject(SimFailure(kind, code: .ioFailed, errno: 24, times: .forever))
        // A caller that waits for the newest version gets the error.
        await expectEqual(storeErrorCode { try await reader.catchUp() }, .ioFailed)
        reader.hint()
        while events.delayCount < 3 { await Task.yield() }
        expectTrue(reader.published.version < 400)
        await expectNil(storeErrorCode { try reader.checkReadable() })
        disk.clearFailures()
        // Without a further hint.
        while reader.published.version < 400 { await Task.yield() }
        expectEqual(numbers(reader.published), Array(0..<400))
        expectEqual(events.endCount, 0)
        try await insert(400, into: reader)
        await reader.close()
        await writer.close()
    }

    /// A process whose own sync failed may read for long before it writes again.
    @Test func followingIsTriedAgainAfterAFailedSync() async throws {
        let disk = SimFileSystem()
        let events = Events()
        let writer = try await openPeer("/sim", SimView(disk))
        let reader = try await openPeer("/sim", SimView(disk)) { $0.report = events.note }
        var (count, _) = try await insertUnsynced(into: writer, withinSeconds: 3_600)
        while writer.holdsWriterLock { await Task.yield() }
        disk.inject(SimFailure(.sync))
        try await reader.catchUp(durably: true)
        expectTrue(reader.state.withLock { $0.writeFailure != nil })
        while !disk.fileNames(in: "/sim").contains("log-0-2") {
            try await insert(count, into: writer)
            count += 1
        }
        while writer.holdsWriterLock { await Task.yield() }
        disk.inject(SimFailure(.open, code: .ioFailed, errno: 24, times: .forever))
        reader.hint()
        try await eventually { events.delayCount >= 2 }
        disk.clearFailures()
        // Without a further hint.
        try await eventually { reader.published.version == UInt64(count) }
        expectEqual(numbers(reader.published), Array(0..<count))
        await reader.close()
        await writer.close()
    }

    // Covers .invalidDatabase
    @Test func damageThatAWriterFindsIsReportedOnce() async throws {
        let disk = SimFileSystem()
        let events = Events()
        let first = try await openPeer("/sim", SimView(disk))
        try await insert(0, into: first)
        let second = try await openPeer("/sim", SimView(disk)) { $0.report = events.note }
        await first.close()
        disk.setControlSlots(ControlWords(), ControlWords(), in: "/sim")
        await expectEqual(storeErrorCode { try await insert(1, into: second) }, .invalidDatabase)
        await second.close()
        expectEqual(events.endCount, 1)
    }

    // Covers .ioFailed
    @Test func writerThatCannotReadNowFailsAndWritesLater() async throws {
        let disk = SimFileSystem()
        let writer = try await openPeer("/sim", SimView(disk))
        try await insert(0, into: writer)
        let other = try await openPeer("/sim", SimView(disk))
        try await insert(1, into: writer)
        while writer.holdsWriterLock { await Task.yield() }
        disk.inject(SimFailure(.read, code: .ioFailed, errno: 24, times: .forever))
        await expectEqual(storeErrorCode { try await insert(2, into: other) }, .ioFailed)
        disk.clearFailures()
        try await insert(3, into: other)
        expectEqual(numbers(other.published), [0, 1, 3])
        await other.close()
        await writer.close()
    }

    /// A segment that can't be begun is like a full disk: nothing was written, and the outcome is
    /// certain.
    // Covers .ioFailed, .filePermissionDenied
    @Test(arguments: [StoreError.Code.ioFailed, .filePermissionDenied])
    func segmentThatCannotBeBegunIsTriedAgain(code: StoreError.Code) async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) { $0.store.keepsSpareSegment = false }
        disk.inject(SimFailure(.create, code: code, errno: 24, times: .forever))
        var count = 0
        var failure: StoreError.Code?
        while failure == nil, count < 1000 {
            failure = await storeErrorCode { try await insert(count, into: coordinator) }
            if failure == nil { count += 1 }
        }
        expectEqual(failure, code)
        await expectEqual(storeErrorCode { try await insert(-1, into: coordinator) }, code)
        disk.clearFailures()
        for number in count..<count + 5 { try await insert(number, into: coordinator) }
        expectTrue(disk.fileNames(in: "/sim").contains("log-0-1"))
        expectTrue(!disk.fileNames(in: "/sim").contains { $0.hasPrefix("tmp-") })
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(numbers(again.published), Array(0..<count + 5))
        expectEqual(again.recovery?.wasPoisoned, false)
        await again.close()
    }

    /// The commit that replaced it has the same version.
    // Covers .invalidDatabase
    @Test func aCommitThatWasLostAndReplacedDoesNotCountAsTheNewest() async throws {
        let disk = SimFileSystem()
        let reader = try await openPeer("/sim", SimView(disk))
        try await insert(1, into: reader)
        while reader.holdsWriterLock { await Task.yield() }
        let lost = try makeInsert(2, on: reader.published.copied())
        let other = try makeInsert(3, on: reader.published.copied())
        let log = try openWriter(disk, reader.options.store)
        try log.append([lost.body], version: 2)
        log.publish()
        try await reader.catchUp()
        expectEqual(numbers(reader.published), [1, 2])
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        await expectEqual(storeErrorCode { try log.sync() }, .outcomeUnknown)
        log.releaseWriterLock()
        disk.dropCaches()
        let heir = try openWriter(disk, reader.options.store)
        expectEqual(heir.version, 1)
        try heir.append([other.body], version: 2)
        try heir.sync()
        heir.publish()
        await expectEqual(storeErrorCode { try await reader.catchUp() }, .invalidDatabase)
        await reader.close()
    }

    /// The sync that failed was another process's, so nothing else would tell.
    @Test func closingReportsARelaxedCommitThatAnotherProcessHasLost() async throws {
        let disk = SimFileSystem()
        let events = Events()
        let coordinator = try await openPeer("/sim", SimView(disk)) { $0.report = events.note }
        try await insert(-1, into: coordinator)
        let (count, _) = try await insertUnsynced(into: coordinator, withinSeconds: 3_600)
        while coordinator.holdsWriterLock { await Task.yield() }
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        let code = await storeErrorCode { try openWriter(disk, coordinator.options.store) }
        expectEqual(code, .ioFailed)
        disk.dropCaches()
        let heir = try openWriter(disk, coordinator.options.store)
        expectEqual(heir.version, UInt64(count))
        expectEqual(events.endCount, 0)
        await coordinator.close()
        expectEqual(events.endCount, 1)
        heir.releaseLocks()
    }

    /// Opens the log as another process.
    private func openWriter(
        _ disk: SimFileSystem, _ options: StoreOptions
    ) throws -> RealmLog {
        let deliver: RealmLog.Deliver = { (_) throws(StoreError) in }
        let log = try RealmLog.open(disk, path: "/sim", options: options, deliver).log
        try expectTrue(log.tryBecomeWriter(deliver))
        return log
    }
}
