import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The cost of commits in countable units: writes, syncs, bytes.
@Suite(.timeLimit(.minutes(40)), .disabled(if: Effort.isReduced))
struct CommitCounterTests {
    private static let hour: UInt64 = 3_600_000_000_000

    /// Opens a realm whose log is written by commits only.
    private func openRealm(_ disk: SimFileSystem) async throws -> Coordinator {
        try await openPeer("/sim", disk) { options in
            options.store.idleDelayNanoseconds = Self.hour
            options.store.firstSegmentByteCount = 4 << 20
            options.store.keepsSpareSegment = false
        }
    }

    @Test func aDurableCommitIsOneBatchOneWriteAndOneSync() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openRealm(disk)
        try await insert(0, into: coordinator)
        let before = coordinator.statistics
        let effects = EffectCounter(disk)
        for number in 1...50 { try await insert(number, into: coordinator) }
        let after = coordinator.statistics
        expectEqual(after.commits - before.commits, 50)
        expectEqual(after.batches - before.batches, 50)
        expectEqual(after.syncs - before.syncs, 50)
        expectEqual(effects.count(.write), 50)
        expectEqual(effects.count(.sync), 50)
        expectEqual(effects.count(.create) + effects.count(.syncDirectory), 0)
        await coordinator.close()
    }

    @Test func aRelaxedCommitIsOneWriteAndNoSyncUntilItsTimeIsUp() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openRealm(disk)
        // The first one is synced, with a note that others may not be.
        try await insert(
            0, into: coordinator, durability: .relaxed(withinNanoseconds: Self.hour))
        expectEqual(coordinator.statistics.syncs, 1)
        expectEqual(disk.count(.syncLock), 1)
        let before = coordinator.statistics
        let effects = EffectCounter(disk)
        for number in 1...500 {
            try await insert(
                number, into: coordinator, durability: .relaxed(withinNanoseconds: Self.hour))
        }
        let after = coordinator.statistics
        expectEqual(after.commits - before.commits, 500)
        expectEqual(after.batches - before.batches, 500)
        expectEqual(after.syncs, before.syncs)
        expectEqual(effects.count(.write), 500)
        expectEqual(effects.count(.sync) + effects.count(.syncLock), 0)
        await coordinator.close()
        expectTrue(effects.count(.sync) > 0)
        expectEqual(effects.count(.syncLock), 0)
    }

    /// Two syncs per delay: one when it is over, and one for a commit that came during it and had
    /// to join a batch.
    @Test func relaxedCommitsAreSyncedOncePerDelay() async throws {
        let delay: UInt64 = 20_000_000
        let disk = SimFileSystem()
        let coordinator = try await openRealm(disk)
        try await insert(0, into: coordinator, durability: .relaxed(withinNanoseconds: delay))
        let before = coordinator.statistics
        let start = IOPool.now()
        for number in 1...2_000 {
            try await insert(
                number, into: coordinator, durability: .relaxed(withinNanoseconds: delay))
        }
        while coordinator.statistics.syncs == before.syncs { await Task.yield() }
        let delays = (IOPool.now() - start) / delay + 1
        let syncs = coordinator.statistics.syncs - before.syncs
        expectTrue(syncs >= 1)
        expectTrue(syncs <= 2 * delays)
        await coordinator.close()
    }

    @Test(arguments: [Durability.full, .relaxed(withinNanoseconds: hour)])
    func aCommitOfOneObjectAppendsItsContentAndAFewBytes(_ durability: Durability) async throws {
        let disk = SimFileSystem()
        let coordinator = try await openRealm(disk)
        let people = try await PeopleTable(coordinator, count: 5_000)
        // 72 bytes of content (with a varint each for id and age) and 32 bytes around it.
        let inserted = try await people.appended(durability) { transaction, table in
            _ = try transaction.insert(table, PeopleTable.person(5_000))
        }
        expectTrue(inserted <= 112)
        expectTrue(RecordFraming.byteCount(bodyByteCount: Int(inserted)) <= 152)
        let updated = try await people.appended(durability) { transaction, table in
            let age = ColumnKey(rawValue: 2)
            try transaction.set(table, ObjectKey(rawValue: 2_500), age, .int(7))
        }
        expectTrue(updated <= 32)
        let deleted = try await people.appended(durability) { transaction, table in
            transaction.delete(table, ObjectKey(rawValue: 2_500))
        }
        expectTrue(deleted <= 28)
        await coordinator.close()
    }

    @Test func aTransactionThatChangesNothingAppendsAndSyncsNothing() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openRealm(disk)
        try await insert(0, into: coordinator)
        let before = coordinator.statistics
        let effects = EffectCounter(disk)
        for _ in 0..<20 {
            let turn = try await coordinator.beginWrite()
            let transaction = EngineTransaction(base: turn.base, origin: "nothing")
            let table = try requireValue(transaction.schema.table(named: "Number")?.key)
            let key = try transaction.insert(table, [.int(1)])
            transaction.delete(table, key)
            expectTrue(!transaction.hasChanges)
            try await coordinator.abandon(turn)
        }
        let after = coordinator.statistics
        expectEqual(after.commits, before.commits)
        expectEqual(after.batches, before.batches)
        expectEqual(after.syncs, before.syncs)
        expectEqual(after.appendedByteCount, before.appendedByteCount)
        expectEqual(effects.count(.write) + effects.count(.sync), 0)
        expectEqual(coordinator.published.version, 1)
        await coordinator.close()
    }

    // Covers 5.3, 13.8
    @Test func commitsInMemoryTouchNoDisk() async throws {
        let disk = SimFileSystem()
        let effects = EffectCounter(disk)
        let coordinator = try await Coordinator.open(
            CoordinatorOptions(place: .memory(identifier: "touch-no-disk"), fileSystem: disk))
        for number in 0..<10 { try await insert(number, into: coordinator) }
        expectEqual(coordinator.statistics.commits, 10)
        expectEqual(coordinator.statistics.syncs, 0)
        expectEqual(effects.total, 0)
        await coordinator.close()
    }
}
