import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite(.timeLimit(.minutes(40)))
struct CoordinatorCheckpointTests {
    private func follow(_ coordinator: Coordinator, to version: UInt64) async throws {
        try await eventually {
            coordinator.hint()
            try coordinator.checkReadable()
            return coordinator.published.version >= version
        }
    }

    @Test func checkpointsAreMadeWhileCommitsGoOnAndTheTreeMovesOn() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk)
        let first = coordinator.published
        for number in 0..<60 { try await insert(number, into: coordinator) }
        try await eventually { coordinator.statistics.reloads > 0 }
        expectTrue(coordinator.statistics.checkpoints > 0)
        expectEqual(numbers(coordinator.published), Array(0..<60))
        for number in 60..<70 { try await insert(number, into: coordinator) }
        let hash = coordinator.published.stateHash()
        let kept = coordinator.published
        await coordinator.close()
        expectTrue(first.version == 0 && numbers(first).isEmpty)
        expectEqual(numbers(kept), Array(0..<70))

        let again = try await openBusy("/sim", disk)
        expectTrue(again.recovery?.checkpoint != nil)
        try expectTrue(requireValue(again.recovery).commitCount < 70)
        expectEqual(again.published.stateHash(), hash)
        await again.close()
    }

    @Test func snapshotsOutliveTheTreeThatTheyAreOf() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk)
        var snapshots: [DatabaseRoot] = []
        try await eventually {
            let (count, reloads) = (snapshots.count, coordinator.statistics.reloads)
            if count >= 20, reloads >= 4 || count >= 200 && reloads > 1 { return true }
            try await insert(count, into: coordinator)
            snapshots.append(coordinator.published)
            await giveTime(to: coordinator, after: 200, count)
            return false
        }
        for (index, snapshot) in snapshots.enumerated() {
            expectEqual(numbers(snapshot), Array(0...index))
        }
        await coordinator.close()
    }

    @Test func memoryIsGivenBack() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max)
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        let table = try transaction.addTable(
            name: "Text", columns: [ColumnDefinition(name: "text", type: .string)])
        for number in 0..<600 {
            _ = try transaction.insert(
                table, [.string(String(repeating: "x", count: 900) + "\(number)")])
        }
        let commit = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 1000)
        expectTrue(commit.bulk != nil && commit.body.isEmpty)
        let before = commit.root.content.context.store.usage.byteCount
        try await coordinator.commit(turn, commit, durability: .full)
        try await eventually { coordinator.statistics.reloads == 1 }
        let root = coordinator.published
        expectTrue(root.content.context.store.usage.byteCount * 20 < before)
        expectEqual(root.stateHash(), commit.root.stateHash())
        await coordinator.close()
    }

    /// Deletions take few bytes of log, so that going by the log alone would keep the large files
    /// for long.
    @Test func deletingMostRowsGivesTheSpaceBack() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.checkpoint.minimumDeletedRowCount = 100
            options.store.nodesSlackByteCount = 0
            options.store.retention = .none
        }
        try await insertInBulk(0..<20_000, into: coordinator)
        expectTrue(disk.fileNames(in: "/sim").contains("nodes-1"))
        let table = TableKey(rawValue: 0)
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        for key in transaction.keys(table) { transaction.delete(table, key) }
        let commit = try transaction.commit(timestampMicroseconds: 0)
        expectNil(commit.bulk)
        try await coordinator.commit(turn, commit, durability: .full)
        // Without another commit.
        try await eventually { !disk.fileNames(in: "/sim").contains("nodes-1") }
        for number in 1..<10 { try await insert(number, into: coordinator) }
        expectEqual(coordinator.statistics.checkpoints, 2)
        await coordinator.close()
    }

    /// A checkpoint between the end of a migration and its commit could remove the file with the
    /// saved states, to which no record refers yet.
    @Test func noCheckpointComesBetweenSavedStatesAndTheirCommit() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: 1) { options in
            options.store.nodesSlackByteCount = 0
            options.store.retention = .none
        }
        try await insertInBulk(0..<2_000, into: coordinator)
        let turn = try await coordinator.beginWrite()
        let stage = try #require(try await coordinator.beginStage(turn, target: 1))
        var transaction = EngineTransaction(base: turn.base)
        let table = try requireValue(transaction.schema.table(named: "Number")?.key)
        for number in 2_000..<4_000 {
            _ = try transaction.insert(table, [.int(Int64(number))])
            if number == 3_000 { transaction = try stage.save(transaction, progress: []) }
        }
        let count = coordinator.statistics.checkpoints
        let commit = try transaction.commit(timestampMicroseconds: 0)
        expectTrue(commit.bulk?.nodesFile != nil)
        try await coordinator.commit(turn, commit, durability: .full)
        expectEqual(coordinator.statistics.checkpoints, count + 1)
        coordinator.end(stage)
        await coordinator.discard(stage)
        var next = 4_000
        try await eventually {
            try await insert(next, into: coordinator)
            next += 1
            await giveTime(to: coordinator, after: 4_100, next)
            return coordinator.statistics.checkpoints > count + 2
        }
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(0..<next))
    }

    @Test func theLastOneToCloseMakesACheckpoint() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) { options in
            options.checkpoint.minimumClosingByteCount = 1000
        }
        for number in 0..<30 { try await insert(number, into: coordinator) }
        let hash = coordinator.published.stateHash()
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectEqual(report.commitCount, 0)
        expectEqual(report.checkpoint?.version, 30)
        expectEqual(root.stateHash(), hash)
    }

    @Test func aBulkCommitIsOneVersionForEverybody() async throws {
        let disk = SimFileSystem()
        let writer = try await openPeer("/sim", disk)
        let peer = try await openPeer("/sim", SimView(disk))
        let subscription = peer.subscribe(.all, buffering: .commits)
        try await insert(0, into: writer)
        let bulk = try await insertInBulk(1..<50, into: writer)
        try await insert(50, into: writer)
        try await follow(peer, to: 3)
        expectEqual(numbers(peer.published), Array(0...50))
        expectEqual(peer.published.stateHash(), writer.published.stateHash())
        await subscription.sees(3)
        let summaries = try requireValue(subscription.take()?.summaries)
        expectEqual(summaries.count, 3)
        expectEqual(summaries[1].tables, bulk.summary.tables)
        expectEqual(summaries[1].origin, "bulk")
        // The peer continues from there.
        try await insert(51, into: peer)
        try await follow(writer, to: 4)
        expectEqual(writer.published.stateHash(), peer.published.stateHash())
        let (root, report) = try reopened("/sim", SimView(disk))
        expectEqual(report.checkpoint?.version, 2)
        expectEqual(root.stateHash(), peer.published.stateHash())
        await writer.close()
        await peer.close()
    }

    @Test func peersThatCheckpointAndWriteInTurnReachTheSameTree() async throws {
        let disk = SimFileSystem()
        let peers = [
            try await openBusy("/sim", disk), try await openBusy("/sim", SimView(disk)),
        ]
        var next = 0
        for round in 0..<40 {
            let peer = peers[round % 2]
            if round % 5 == 4 {
                try await insertInBulk(next..<next + 20, into: peer)
                next += 20
            } else {
                try await insert(
                    next, into: peer,
                    durability: round % 7 == 0 ? .relaxed(withinNanoseconds: 1_000_000) : .full)
                next += 1
            }
        }
        for peer in peers {
            try await follow(peer, to: 40)
            expectEqual(numbers(peer.published), Array(0..<next))
            expectEqual(peer.published.stateHash(), peers[0].published.stateHash())
        }
        for peer in peers { await peer.close() }
        let (root, _) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(0..<next))
    }

    @Test func peersThatCheckpointAndWriteAtOnceLoseNothing() async throws {
        let realm = TemporaryRealm()
        let peers = [
            try await openBusy(realm.path, PosixFileSystem(), every: 10),
            try await openBusy(realm.path, PosixFileSystem(), every: 10),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, peer) in peers.enumerated() {
                group.addTask {
                    for number in 0..<150 {
                        let value = index * 10_000 + number
                        if number % 30 == 29 {
                            try await insertInBulk(value..<value + 1, into: peer)
                        } else {
                            try await insert(value, into: peer)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for peer in peers {
            try await follow(peer, to: 300)
            let found = numbers(peer.published)
            expectEqual(found.filter { $0 < 10_000 }, Array(0..<150))
            expectEqual(found.filter { $0 >= 10_000 }, Array(10_000..<10_150))
            expectTrue(peer.statistics.checkpoints > 0)
        }
        expectEqual(peers[0].published.stateHash(), peers[1].published.stateHash())
        for peer in peers { await peer.close() }
    }

    @Test func aFollowerWhoseSegmentIsGoneBeginsAnewAndItsSubscribersCompare() async throws {
        let disk = SimFileSystem()
        let writer = try await openBusy("/sim", disk)
        try await insert(0, into: writer)
        let late = try await openPeer("/sim", SimView(disk)) { $0.checkpoint.isOn = false }
        let subscription = late.subscribe(.tables(["Number"]))
        let slot = subscription.attach()
        let before = late.published
        var next = 1
        try await eventually {
            try await insert(next, into: writer)
            next += 1
            await giveTime(to: writer, after: 300, next)
            return next >= 300 && !disk.fileNames(in: "/sim").contains("log-0-0")
        }
        try await follow(late, to: UInt64(next))
        expectEqual(late.published.stateHash(), writer.published.stateHash())
        await expectEqual(slot.wait(), .changed)
        await subscription.sees(UInt64(next))
        let pending = try requireValue(subscription.take())
        expectTrue(
            pending.isConcerned && pending.summaries == nil && pending.since == before.version)
        expectTrue(pending.root === late.published)
        let delta = MergedDelta(from: before, to: late.published, tableName: "Number")
        expectEqual(delta.inserted.count, next - 1)
        expectTrue(delta.deleted.isEmpty && delta.modified.isEmpty)
        // From now on there are summaries again.
        try await insert(next, into: writer)
        try await follow(late, to: UInt64(next + 1))
        await subscription.sees(UInt64(next + 1))
        expectEqual(subscription.take()?.summaries?.count, 1)
        await late.close()
        await writer.close()
    }

    @Test func theDirectoryOfARealmThatIsWrittenForLongStaysSmall() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: 10)
        var count = 0
        try await eventually {
            try await insert(count % 7, into: coordinator)
            count += 1
            await giveTime(to: coordinator, after: 600, count)
            return count >= 600 && coordinator.statistics.checkpoints > 3
        }
        await coordinator.close()
        let names = disk.fileNames(in: "/sim")
        expectTrue(names.filter { $0.hasPrefix("log-") }.count <= 6)
        expectTrue(names.filter { $0.hasPrefix("nodes-") }.count <= 2)
        expectTrue(!names.contains("log-0-0"))
    }
}
