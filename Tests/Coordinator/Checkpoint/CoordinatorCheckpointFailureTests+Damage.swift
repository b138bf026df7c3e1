import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

@testable import EngineOracle
@testable import RegnumEngine

extension CoordinatorCheckpointFailureTests {
    @Test func aDamagedDirectoryIsHealedByTheOlderCheckpoint() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: 4)
        for number in 0..<60 {
            try await insert(number, into: coordinator)
            try await eventually {
                coordinator.statistics.checkpoints * 4 >= UInt64(number + 1) / 4 * 2
            }
        }
        await coordinator.close()
        let newest = try #require(try reopened("/sim", disk).report.checkpoint)
        disk.flipBit(
            8 * Int(newest.offset + newest.byteCount / 2), of: "nodes-\(newest.file)", in: "/sim")
        let (root, report) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(0..<60))
        expectEqual(report.damagedCheckpoints, [newest])
    }

    @Test func aDamagedLeafIsTold() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: coordinator)
        await coordinator.close()
        let newest = try #require(try reopened("/sim", disk).report.checkpoint)
        disk.flipBit(8 * (4096 + 20), of: "nodes-\(newest.file)", in: "/sim")
        let again = try await openPeer("/sim", disk)
        expectNil(again.published.damage)
        _ = numbers(again.published)
        expectEqual(again.published.damage?.code, .invalidDatabase)
        await again.close()
    }
}

extension CoordinatorCheckpointFailureTests {
    @Test func aDamagedLeafOfTheNewestCheckpointIsHealed() async throws {
        let disk = SimFileSystem()
        let again = try await openDamagedRealm(disk) { $0.checkpoint.isOn = false }
        let snapshot = again.published
        _ = snapshot.stateHash()
        expectEqual(snapshot.damage?.code, .invalidDatabase)
        again.heal()
        try await eventually { again.published !== snapshot }
        expectEqual(numbers(again.published), Array(0...60))
        _ = again.published.stateHash()
        expectNil(again.published.damage)
        try await insert(61, into: again)
        expectEqual(numbers(again.published), Array(0...61))
        // the next checkpoint keeps the intact one as its predecessor, not the damaged one
        try await checkpointNow(again)
        let log = try requireValue(again.state.withLock { $0.log })
        expectEqual(log.newestCheckpoint?.version, again.published.version)
        expectEqual(log.olderCheckpoint?.version, 1)
        await again.close()
        let (root, report) = try reopened("/sim", disk)
        expectTrue(numbers(root) == Array(0...61) && report.damagedCheckpoints.isEmpty)
        _ = root.stateHash()
        expectNil(root.damage)
    }

    /// A checkpoint on close would release the older one, which has an intact copy.
    @Test func noCheckpointOfADamagedLeafIsMadeOnClose() async throws {
        let disk = SimFileSystem()
        let again = try await openDamagedRealm(disk) { $0.checkpoint.closingByteCountMin = 1 }
        let log = try requireValue(again.state.withLock { $0.log })
        let newest = try requireValue(log.newestCheckpoint)
        let turn = try await again.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        _ = try transaction.addTable(name: "Other", columns: [])
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await again.commit(turn, commit, durability: .full)
        _ = again.published.stateHash()
        expectEqual(again.published.damage?.code, .invalidDatabase)
        await again.close()
        try expectEqual(reopened("/sim", disk).report.checkpoint, newest)

        let third = try await openPeer("/sim", disk) { $0.checkpoint.closingByteCountMin = 1 }
        let snapshot = third.published
        _ = snapshot.stateHash()
        third.heal()
        try await eventually { third.published !== snapshot }
        expectTrue(numbers(third.published) == Array(0...60) && third.published.damage == nil)
        await third.close()
    }
}
