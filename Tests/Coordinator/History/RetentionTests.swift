import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The retention that belongs to a realm.
@Suite(.timeLimit(.minutes(40)))
struct RetentionTests {
    private let disk = SimFileSystem()

    private func open(
        _ disk: any FileSystem, _ retention: HistoryRetention
    ) async throws -> Coordinator {
        try await openPeer("/sim", disk) { options in
            options.store.retention = retention
            options.store.firstSegmentByteCount = 8192
            options.store.maximumSegmentByteCount = 8192
            options.store.nodesSlackByteCount = 0
            options.checkpoint.isOn = false
            options.checkpoint.minimumClosingByteCount = 1
        }
    }

    private func work(_ coordinator: Coordinator, from start: Int) async throws {
        for number in start..<start + 30 {
            try await insert(number, into: coordinator)
            if number % 6 == 5 { try await checkpointNow(coordinator) }
        }
        // Unneeded files are removed then.
        try await eventually { coordinator.state.withLock { !$0.checkpoint.isBusy } }
    }

    // Covers O34
    @Test func whoeverTrimsGoesByWhatTheRealmKeeps() async throws {
        let keeping = try await open(disk, .none)
        try await expectEqual(keeping.retention(), HistoryRetention.none)
        let all = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        try await keeping.setRetention(all)
        try await work(keeping, from: 0)
        let other = try await open(SimView(disk), .none)
        try await expectEqual(other.retention(), all)
        try await work(other, from: 30)
        await other.close()
        try await expectEqual(numbers(keeping.history(from: 3).root), Array(0..<3))
        await keeping.close()
        let last = try await open(disk, .none)
        try await expectEqual(numbers(last.history(from: 3).root), Array(0..<3))
        try await last.setRetention(.none)
        try await work(last, from: 60)
        await expectEqual(storeErrorCode { try await last.history(from: 3) }, .historyTrimmed)
        await last.close()
    }

    /// A disk that is full of history is a reason to keep less of it.
    // Covers .diskFull
    @Test func aFullDiskDoesNotKeepHistoryThatIsNoLongerWanted() async throws {
        let coordinator = try await open(disk, .none)
        try await coordinator.setRetention(HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try await work(coordinator, from: 0)
        try await eventually { coordinator.state.withLock { !$0.isMakingSpare } }
        let names = disk.fileNames(in: "/sim")
        disk.capacityByteCount = disk.usedByteCount
        await expectEqual(
            storeErrorCode { try await coordinator.setRetention(.none) }, .diskFull)
        try await eventually {
            let kept = try await coordinator.retention()
            return kept == HistoryRetention.none && !disk.fileNames(in: "/sim").contains("log-0-0")
        }
        let left = disk.fileNames(in: "/sim")
        expectTrue(names.contains("log-0-0") && !left.contains("log-0-0"))
        expectTrue(!left.contains { $0.hasPrefix("tmp-") })
        disk.capacityByteCount = nil
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(0..<30))
    }

    // Covers .diskFull
    @Test func aRetentionIsStoredOnceThereIsSpace() async throws {
        let coordinator = try await open(disk, .none)
        disk.capacityByteCount = disk.usedByteCount
        let all = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        await expectEqual(storeErrorCode { try await coordinator.setRetention(all) }, .diskFull)
        try await expectEqual(coordinator.retention(), HistoryRetention.none)
        disk.capacityByteCount = nil
        try await work(coordinator, from: 0)
        try await expectEqual(coordinator.retention(), all)
        try await expectEqual(numbers(coordinator.history(from: 3).root), Array(0..<3))
        await coordinator.close()
    }

    /// Another process has set a retention in the meantime, which counts.
    // Covers .diskFull
    @Test func aRetentionThatWasReplacedIsNotStored() async throws {
        let coordinator = try await open(disk, .none)
        disk.capacityByteCount = disk.usedByteCount
        let all = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        await expectEqual(storeErrorCode { try await coordinator.setRetention(all) }, .diskFull)
        // The next attempt fails, too.
        try await eventually {
            coordinator.state.withLock { state in
                !state.checkpoint.isTrimmingWanted && !state.checkpoint.isBusy
            }
        }
        disk.capacityByteCount = nil
        let other = try await open(SimView(disk), .none)
        let few = HistoryRetention(ageNanoseconds: nil, byteCount: 7)
        try await other.setRetention(few)
        await other.close()
        try await work(coordinator, from: 0)
        try await expectEqual(coordinator.retention(), few)
        await expectEqual(
            storeErrorCode { try await coordinator.history(from: 3) }, .historyTrimmed)
        await coordinator.close()
    }

    /// For the thread sanitizer: whoever asks doesn't own the log.
    @Test func retentionIsReadWhileSegmentsAreBegun() async throws {
        let coordinator = try await open(disk, .none)
        let writing = Task { for number in 0..<200 { try await insert(number, into: coordinator) } }
        for _ in 0..<200 { try await expectEqual(coordinator.retention(), HistoryRetention.none) }
        try await writing.value
        expectTrue(disk.fileNames(in: "/sim").contains("log-0-1"))
        await coordinator.close()
    }

    @Test func aDamagedRetentionIsNoneAtAll() async throws {
        let coordinator = try await open(disk, .none)
        let all = HistoryRetention(ageNanoseconds: nil, byteCount: 7, nodesByteCount: 9)
        try await coordinator.setRetention(all)
        let size = try requireValue(disk.contents(of: "retention", in: "/sim")).count
        for bit in 0..<size * 8 where bit % 5 == 0 {
            disk.flipBit(bit, of: "retention", in: "/sim")
            try await expectEqual(coordinator.retention(), HistoryRetention.none)
            disk.flipBit(bit, of: "retention", in: "/sim")
        }
        try await expectEqual(coordinator.retention(), all)
        disk.inject(SimFailure(.read))
        await expectEqual(storeErrorCode { try await coordinator.retention() }, .ioFailed)
        await coordinator.close()
    }

    /// Makes each checkpoint in a nodes file of its own.
    @Test func nodesFilesOfThePastHaveALimit() async throws {
        func nodesByteCount(limit: UInt64?) async throws -> (total: Int, largest: Int) {
            let disk = SimFileSystem()
            let coordinator = try await open(disk, .none)
            try await coordinator.setRetention(
                HistoryRetention(ageNanoseconds: nil, byteCount: nil, nodesByteCount: limit))
            for start in [0, 30, 60] { try await work(coordinator, from: start) }
            let sizes = disk.fileNames(in: "/sim").filter { $0.hasPrefix("nodes-") }
                .map { disk.contents(of: $0, in: "/sim")?.count ?? 0 }
            await coordinator.close()
            return (sizes.reduce(0, +), sizes.max() ?? 0)
        }
        let all = try await nodesByteCount(limit: nil)
        let few = try await nodesByteCount(limit: 30_000)
        let none = try await nodesByteCount(limit: 0)
        expectTrue(all.total > 30_000 + 3 * all.largest, "the test needs more files")
        expectTrue(few.total <= 30_000 + 3 * few.largest)
        expectTrue(none.total < few.total && few.total < all.total)
    }
}
