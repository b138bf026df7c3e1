import RegnumSimulation
import RegnumStore
import RegnumTestSupport
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
        let newest = try requireValue(reopened("/sim", disk).report.checkpoint)
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
        let newest = try requireValue(reopened("/sim", disk).report.checkpoint)
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
        let again = try await openDamagedRealm(disk) { $0.checkpoint.minimumClosingByteCount = 1 }
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

        let third = try await openPeer("/sim", disk) { $0.checkpoint.minimumClosingByteCount = 1 }
        let snapshot = third.published
        _ = snapshot.stateHash()
        third.heal()
        try await eventually { third.published !== snapshot }
        expectTrue(numbers(third.published) == Array(0...60) && third.published.damage == nil)
        await third.close()
    }
}

extension CoordinatorCheckpointFailureTests {
    /// Each attempt would add images that nothing refers to.
    // Covers .invalidDatabase
    @Test func repeatedlyRefusedCheckpointsLeaveImagesOnlyOnce() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insertIndexed(0..<300, into: coordinator, isBulk: true)
        await coordinator.close()
        let failures = CheckpointFailures()
        let again = try await openPeer("/sim", disk) {
            $0.checkpoint.maximumCommitCount = 1
            $0.checkpoint.retryNanoseconds = 1
            $0.store.nodesWriteByteCount = 64
            $0.report = failures.report
        }
        let content = again.published.content
        let inner = IndexInner(try requireValue(content[0].index(at: 0).root))
        inner.counts[0] -= 1
        let size = disk.contents(of: "nodes-1", in: "/sim")?.count ?? 0
        var number = 300
        func fail(_ count: Int) async throws -> Int {
            try await eventually {
                if failures.errors.count >= count { return true }
                try await insertIndexed(number..<number + 1, into: again, isBulk: false)
                number += 1
                return false
            }
            return disk.contents(of: "nodes-1", in: "/sim")?.count ?? 0
        }
        let sizeAfterFirst = try await fail(1)
        expectTrue(sizeAfterFirst > size)
        try expectEqual(await fail(4), sizeAfterFirst)
        expectTrue(failures.errors.allSatisfy { $0.code == .invalidDatabase })
        expectEqual(disk.fileNames(in: "/sim").filter { $0.hasPrefix("nodes-") }, ["nodes-1"])
        await again.close()
    }
}

/// Inserts numbers into a class with an index of several leaves.
private func insertIndexed(
    _ numbers: Range<Int>, into coordinator: Coordinator, isBulk: Bool
) async throws {
    let turn = try await coordinator.beginWrite()
    let transaction = EngineTransaction(base: turn.base)
    let column = ColumnDefinition(name: "value", type: .int, isIndexed: true)
    let table =
        try transaction.schema.table(named: "Indexed")?.key
        ?? transaction.addTable(name: "Indexed", columns: [column])
    for number in numbers { _ = try transaction.insert(table, [.int(Int64(number))]) }
    let commit = try transaction.commit(
        timestampMicroseconds: 0,
        maximumBodyByteCount: isBulk ? 16 : Limits.maximumRecordBodyByteCount)
    try await coordinator.commit(turn, commit, durability: .full)
}
