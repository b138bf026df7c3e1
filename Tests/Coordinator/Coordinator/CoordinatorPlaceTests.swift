import Glibc
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Realms whose `LOCK` can't be examined, or is no longer there.
@Suite(.timeLimit(.minutes(40)))
struct CoordinatorPlaceTests {
    /// Whether other processes have the same `LOCK` isn't known then. Only a process that gave up
    /// the permission to search the directory continues.
    // Covers .ioFailed
    @Test func nothingIsAcknowledgedWhileLockCannotBeExamined() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(1, into: coordinator)
        disk.lockFailure.withLock { $0 = StoreError(.ioFailed, "The disk failed.", errno: EIO) }
        await expectEqual(storeErrorCode { try await insert(2, into: coordinator) }, .ioFailed)
        expectEqual(numbers(coordinator.published), [1])
        disk.lockFailure.withLock {
            $0 = StoreError(.filePermissionDenied, "Permission denied.", errno: EACCES)
        }
        try await insert(3, into: coordinator)
        disk.lockFailure.withLock { $0 = nil }
        try await insert(4, into: coordinator)
        expectEqual(numbers(coordinator.published), [1, 3, 4])
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(numbers(again.published), [1, 3, 4])
        await again.close()
    }

    // Covers .outcomeUnknown
    @Test func aBatchIsInDoubtIfLockCannotBeExaminedAfterItsSync() async throws {
        let disk = SimFileSystem()
        let events = Guarded<[String]>([])
        let coordinator = try await openPeer("/sim", disk) { options in
            options.report = { event in
                if case .writingFailed = event { events.withLock { $0.append("\(event)") } }
            }
        }
        try await insert(1, into: coordinator)
        let gate = EffectGate(disk, at: .sync)
        let second = Task { await storeErrorCode { try await insert(2, into: coordinator) } }
        await gate.waitUntilReached()
        disk.lockFailure.withLock { $0 = StoreError(.ioFailed, "The disk failed.", errno: EIO) }
        gate.open()
        await expectEqual(second.value, .outcomeUnknown)
        expectEqual(events.withLock { $0.count }, 1)
        expectEqual(numbers(coordinator.published), [1])
        disk.onEffect = nil
        disk.lockFailure.withLock { $0 = nil }
        try await insert(3, into: coordinator)
        let found = numbers(coordinator.published)
        expectTrue(found == [1, 2, 3] || found == [1, 3])
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectEqual(numbers(again.published), found)
        await again.close()
    }

    /// What `write` acknowledged may be lost then, and no later write would tell.
    @Test func aFailedSyncOfAMovedRealmIsReported() async throws {
        let disk = SimFileSystem()
        let failures = Guarded<[StoreError.Code]>([])
        let coordinator = try await openPeer("/sim", disk) { options in
            options.report = { event in
                if case .writingFailed(let error) = event {
                    failures.withLock { $0.append(error.code) }
                }
            }
        }
        for number in 1...2 {
            try await insert(
                number, into: coordinator,
                durability: .relaxed(withinNanoseconds: 3_600_000_000_000))
        }
        disk.removeFile("LOCK", in: "/sim")
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        await coordinator.close()
        expectEqual(failures.withLock { $0 }, [.outcomeUnknown])
    }
}
