import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

extension HealingTests {
    /// The newest checkpoint, which another process has made, is in a newer file. If the next one
    /// were in the older file, other processes would remove the newer one, whose number would be
    /// used again while they read from it.
    @Test func nothingIsAppendedToAnOlderFileThanThatOfTheNewestCheckpoint() async throws {
        let disk = SimFileSystem()
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        await first.close()
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.isOn = false
            $0.checkpoint.minimumReloadByteCount = .max
            $0.checkpoint.leavesRemovedFiles = false
        }
        let other = try await openPeer("/sim", SimView(disk)) {
            $0.store.nodesSlackByteCount = 0
            $0.checkpoint.minimumClosingGarbageByteCount = .max
        }
        // The file then has more than twice the live bytes.
        disk.damage("nodes-1", in: "/sim") { $0 += [UInt8](repeating: 0, count: 4 << 20) }
        try await insertOther(into: other)
        try await checkpointNow(other)
        let version = other.published.version
        await other.close()
        try await eventually {
            coordinator.hint()
            return coordinator.published.version == version
        }
        let log = try requireValue(coordinator.state.withLock { $0.log })
        expectTrue(log.newestCheckpoint?.file == 2 && log.olderCheckpoint?.file == 1)
        expectEqual(coordinator.published.nodesFileNumber, 1)
        // Nor can this process switch to that checkpoint first.
        coordinator.state.withLock { $0.checkpoint.unusable = $0.log?.newestCheckpoint }
        let source = try requireValue(coordinator.published.content.context.source)
        source.contradict("An index lacks the entry of a row.")
        try await insertOthersInBulkOnceNotBusy(into: coordinator)
        expectEqual(log.newestCheckpoint?.file, 2)
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectTrue(root.version == version + 1 && report.damagedCheckpoints.isEmpty)
        expectEqual(report.checkpoint?.file, 2)
        expectEqual(numbers(root), Array(0..<50))
    }
}
