import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Checkpoints that fail again and again.
@Suite(.timeLimit(.minutes(40)))
struct CheckpointRetryTests {
    /// A process that has given up its privileges can't create nodes files any more. On a disk that
    /// fails, each attempt would also write much.
    @Test func thePauseBetweenAttemptsGrows() async throws {
        let disk = SimFileSystem()
        let failureCount = Guarded(0)
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.checkpoint.retryNanoseconds = 100_000
            options.report = { event in
                if case .checkpointFailed = event { failureCount.withLock { $0 += 1 } }
            }
        }
        try await insert(0, into: coordinator)
        disk.inject(SimFailure(.create, code: .filePermissionDenied, times: .forever))
        let start = IOPool.now()
        coordinator.state.withLock { $0.checkpoint.wantedVersion = $0.publishedVersion }
        // Wakes the pump, from a thread of its own, because a task may have to wait for long.
        let isDone = Guarded(false)
        defer { isDone.withLock { $0 = true } }
        Thread.detachNewThread {
            while !isDone.withLock({ $0 }) {
                coordinator.heal()
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
        try await eventually { failureCount.withLock { $0 } >= 12 }
        // 1 ms after the first failure, then twice as long each time, but at most 60 ms
        expectTrue(IOPool.now() - start >= 363_000_000)
        disk.clearFailures()
        try await eventually { coordinator.statistics.checkpoints > 0 }
        expectTrue(coordinator.state.withLock { $0.checkpoint.writeRetry == nil })
        await coordinator.close()
    }

    /// Each attempt would write everything before the damage again.
    @Test func damageAfterAnotherFailureIsNotTriedSooner() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        var options = CheckpointOptions()
        options.retryNanoseconds = 1_000_000_000
        let start = IOPool.now()
        let pauses = coordinator.state.withLock { state in
            [StoreError.Code.ioFailed, .invalidDatabase, .ioFailed].map { code in
                state.delayCheckpoint(after: StoreError(code, ""), options)
                return (state.checkpoint.retryAt - start) / 1_000_000_000
            }
        }
        expectTrue((10..<300).contains(pauses[0]) && pauses[1] >= 600 && pauses[2] >= 600)
        coordinator.state.withLock { $0.checkpoint.retryAt = 0 }
        await coordinator.close()
    }
}
