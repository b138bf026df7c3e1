import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Several coordinators of one realm, as in several processes.
@Suite(.timeLimit(.minutes(40)))
struct CoordinatorPeerTests {
    private func catchUp(_ coordinator: Coordinator, to version: UInt64) async throws {
        while coordinator.published.version < version {
            coordinator.hint()
            await Task.yield()
        }
    }

    @Test func peersThatWriteInTurnReachTheSameTree() async throws {
        let realm = TemporaryRealm()
        let peers = [
            try await openPeer(realm.path), try await openPeer(realm.path),
            try await openPeer(realm.path),
        ]
        for number in 0..<60 {
            try await insert(
                number, into: peers[number % 3],
                durability: number % 7 == 0 ? .relaxed(withinNanoseconds: 1_000_000) : .full)
        }
        for peer in peers {
            try await catchUp(peer, to: 60)
            expectEqual(numbers(peer.published), Array(0..<60))
            expectEqual(peer.published.stateHash(), peers[0].published.stateHash())
        }
        for peer in peers { await peer.close() }
    }

    @Test func peersThatWriteAtOnceLoseNothingAndNobodyStarves() async throws {
        let realm = TemporaryRealm()
        let peers = [try await openPeer(realm.path), try await openPeer(realm.path)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, peer) in peers.enumerated() {
                group.addTask {
                    for number in 0..<300 { try await insert(index * 1000 + number, into: peer) }
                }
            }
            try await group.waitForAll()
        }
        for peer in peers {
            try await catchUp(peer, to: 600)
            let found = numbers(peer.published)
            expectEqual(found.filter { $0 < 1000 }, Array(0..<300))
            expectEqual(found.filter { $0 >= 1000 }, Array(1000..<1300))
            await peer.close()
        }
    }

    @Test func aRelaxedCommitIsVisibleToPeersBeforeItsSync() async throws {
        let realm = TemporaryRealm()
        let writer = try await openPeer(realm.path)
        let reader = try await openPeer(realm.path)
        let (count, syncs) = try await insertUnsynced(into: writer, withinSeconds: 3_600)
        try await catchUp(reader, to: UInt64(count))
        expectEqual(numbers(reader.published), Array(0..<count))
        expectEqual(writer.statistics.syncs, syncs)
        try await insert(count, into: writer)
        expectEqual(writer.statistics.syncs, syncs + 1)
        await writer.close()
        await reader.close()
    }

    @Test func aCoordinatorThatIsDroppedGivesTheWriterLockBack() async throws {
        let realm = TemporaryRealm()
        let other = try await openPeer(realm.path)
        do {
            let dropped = try await openPeer(realm.path)
            try await insert(1, into: dropped)
        }
        try await insert(2, into: other, timeoutNanoseconds: 300_000_000_000)
        expectEqual(numbers(other.published), [1, 2])
        await other.close()
    }

    @Test func subscriptionsHearOfOtherProcessesAndOnlyOfTheirClass() async throws {
        let realm = TemporaryRealm()
        let writer = try await openPeer(realm.path)
        let reader = try await openPeer(realm.path)
        try await insert(0, into: writer)  // adds the class, which concerns everybody
        try await catchUp(reader, to: 1)
        let subscription = reader.subscribe(.tables(["Number"]))
        let unrelated = reader.subscribe(.tables(["Other"]))
        let (slot, unrelatedSlot) = (subscription.attach(), unrelated.attach())
        try await insert(1, into: writer)
        try await catchUp(reader, to: 2)
        guard case .changed = await slot.wait() else {
            Issue.record("not signalled")
            return
        }
        let summaries = subscription.take()?.summaries
        expectEqual(summaries?.first?.delta(tableName: "Number")?.inserted.count, 1)
        let waiting = Task { await unrelatedSlot.wait() }
        waiting.cancel()
        guard case .cancelled = await waiting.value else {
            Issue.record("woken for an unrelated class")
            return
        }
        await writer.close()
        await reader.close()
    }

    /// The largest records, and a commit that is one byte too large for one.
    @Test func commitsAroundTheMaximumSizeOfARecord() async throws {
        let realm = TemporaryRealm()
        let writer = try await openPeer(realm.path)
        let reader = try await openPeer(realm.path)
        /// Inserts data of that size and returns the size of the record; 0 for a bulk commit.
        func write(_ byteCount: Int) async throws -> Int {
            let turn = try await writer.beginWrite()
            let transaction = EngineTransaction(base: turn.base)
            let table =
                try transaction.schema.table(named: "A")?.key
                ?? transaction.addTable(
                    name: "A", columns: [ColumnDefinition(name: "d", type: .data)])
            _ = try transaction.insert(table, [.data([UInt8](repeating: 7, count: byteCount))])
            let commit = try transaction.commit(timestampMicroseconds: 0)
            try await writer.commit(turn, commit, durability: .full)
            return commit.body.count
        }
        _ = try await write(0)  // adds the class
        let maximumByteCount = Limits.maximumRecordBodyByteCount
        let overhead = try await write(4_000_000) - 4_000_000
        for excess in [-1, 0, 1] {
            let byteCount = try await write(maximumByteCount - overhead + excess)
            expectEqual(byteCount, excess > 0 ? 0 : maximumByteCount + excess)
        }
        let hash = writer.published.stateHash()
        try await catchUp(reader, to: 5)
        expectEqual(reader.published.stateHash(), hash)
        await reader.close()
        await writer.close()
        let again = try await openPeer(realm.path)
        expectTrue(again.published.version == 5 && again.published.stateHash() == hash)
        await again.close()
    }
}
