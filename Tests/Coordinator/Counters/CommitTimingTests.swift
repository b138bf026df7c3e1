import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The durations that a coordinator measures for metrics.
@Suite struct CommitTimingTests {
    private func openRealm() async throws -> Coordinator {
        try await openPeer("/sim", SimFileSystem()) { $0.store.idleDelayNanoseconds = .max / 2 }
    }

    @Test func nothingIsKeptUnlessDurationsAreTaken() async throws {
        let coordinator = try await openRealm()
        try await insert(0, into: coordinator)
        expectTrue(coordinator.state.withLock { $0.timings == nil })
        expectEqual(coordinator.takeTimings(), CommitTimings())
        try await insert(1, into: coordinator)
        coordinator.stopTimings()
        try await insert(2, into: coordinator)
        expectTrue(coordinator.state.withLock { $0.timings == nil })
        expectEqual(coordinator.takeTimings(), CommitTimings())
        await coordinator.close()
    }

    @Test func eachBatchAndSyncHasADurationThatIsTakenOnce() async throws {
        let coordinator = try await openRealm()
        try await insert(0, into: coordinator)
        _ = coordinator.takeTimings()
        let before = coordinator.statistics
        let start = IOPool.now()
        for number in 1...10 { try await insert(number, into: coordinator) }
        for number in 11...30 {
            try await insert(
                number, into: coordinator, durability: .relaxed(withinNanoseconds: .max / 2))
        }
        let elapsed = IOPool.now() - start
        let (timings, after) = (coordinator.takeTimings(), coordinator.statistics)
        expectEqual(timings.commits.count, Int(after.batches - before.batches))
        expectEqual(timings.syncs.count, Int(after.syncs - before.syncs))
        expectTrue(timings.syncs.reduce(0, +) <= timings.commits.reduce(0, +))
        expectTrue(timings.commits.reduce(0, +) <= elapsed)
        expectEqual(coordinator.takeTimings(), CommitTimings())
        await coordinator.close()
    }

    @Test func writersThatHadToWaitHaveADuration() async throws {
        let coordinator = try await openRealm()
        try await insert(0, into: coordinator)
        let turn = try await coordinator.beginWrite()
        _ = coordinator.takeTimings()
        let start = IOPool.now()
        let waiting = Task {
            let turn = try await coordinator.beginWrite()
            try await coordinator.abandon(turn)
        }
        // given up
        let cancelled = Task { _ = try await coordinator.beginWrite() }
        while coordinator.state.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
        cancelled.cancel()
        _ = await cancelled.result
        try await coordinator.abandon(turn)
        try await waiting.value
        let timings = coordinator.takeTimings()
        expectEqual(timings.waits.count, 1)
        expectTrue((1...IOPool.now() - start).contains(timings.waits[0]))
        await coordinator.close()
    }

    @Test func onlySoManyDurationsAreKept() {
        var timings = CommitTimings()
        for number in 0..<UInt64(CommitTimings.maximumCount) + 10 {
            timings.add(commit: number)
            timings.add(sync: number)
            timings.add(wait: number)
        }
        let kept = Array(0..<UInt64(CommitTimings.maximumCount))
        expectTrue(timings.commits == kept && timings.syncs == kept && timings.waits == kept)
    }
}
