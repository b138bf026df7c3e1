import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The hand-off of the writer lock between two processes, on one simulated disk.
@Suite(.timeLimit(.minutes(40)))
struct CoordinatorPolitenessTests {
    /// A writer that continues immediately after each commit doesn't begin again before a process
    /// that waits for the lock has committed.
    @Test func aWaitingProcessComesBeforeTheNextTurnHere() async throws {
        let disk = SimFileSystem()
        let busy = try await openPeer("/sim", disk) { options in
            // however busy the machine is
            options.store.maximumHandOffWaitNanoseconds = 600_000_000_000
        }
        let patient = try await openPeer("/sim", SimView(disk))
        let onlooker = try disk.openDirectory("/sim", .existing).openLock()
        try await insert(1, into: busy)
        let gate = EffectGate(disk, at: .sync)
        let writer = Task {
            try await insert(2, into: busy)
            try await insert(3, into: busy)
        }
        await gate.waitUntilReached()
        let waiter = Task { try await insert(100, into: patient) }
        while !onlooker.isLockedElsewhere(.waiters) { await Task.yield() }
        gate.open()
        _ = try await waiter.value
        _ = try await writer.value
        expectEqual(numbers(busy.published), [1, 2, 100, 3])
        expectEqual(busy.statistics.handOffs, 1)
        await busy.close()
        await patient.close()
    }

    /// A waiting process that dies or gives up delays nobody.
    @Test func aWaiterThatGivesUpIsForgotten() async throws {
        let disk = SimFileSystem()
        let busy = try await openPeer("/sim", disk)
        let patient = try await openPeer("/sim", SimView(disk))
        let onlooker = try disk.openDirectory("/sim", .existing).openLock()
        let turn = try await busy.beginWrite()
        let waiter = Task { try await insert(100, into: patient) }
        while !onlooker.isLockedElsewhere(.waiters) { await Task.yield() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        try await busy.abandon(turn)
        for number in 1...3 { try await insert(number, into: busy) }
        expectEqual(numbers(busy.published), [1, 2, 3])
        await busy.close()
        await patient.close()
    }
}
