import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Compactions that give an encrypted realm another key while processes use it, with a stand-in for
/// the cipher.
@Suite(.timeLimit(.minutes(40)))
struct KeyChangeTests {
    private let disk = SimFileSystem(seed: 31)
    private static let both = EncryptionKey.fake(2, former: [1])

    private func open(
        _ key: EncryptionKey, _ path: String = "/sim",
        _ change: (inout CoordinatorOptions) -> Void = { _ in }
    ) async throws -> Coordinator {
        try await openBusy(path, SimView(disk)) { options in
            options.store.key = key
            options.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
            change(&options)
        }
    }

    /// Makes a realm with 50 numbers and the first key.
    private func make() async throws {
        let coordinator = try await open(.fake(1))
        for number in 0..<10 { try await insert(number, into: coordinator) }
        try await insertInBulk(10..<40, into: coordinator)
        for number in 40..<50 { try await insert(number, into: coordinator) }
        try await checkpointNow(coordinator)
        await coordinator.close()
    }

    private func expectNumbers(_ expected: Range<Int>, _ key: EncryptionKey) async throws {
        let coordinator = try await open(key)
        expectEqual(numbers(coordinator.published), Array(expected))
        try coordinator.published.checkIntegrity { false }
        await coordinator.close()
    }

    // Covers .wrongKey
    @Test func onlyTheNewKeyIsNeededAfterACompaction() async throws {
        try await make()
        let coordinator = try await open(Self.both)
        try await expectEqual(coordinator.information()?.formerKeyFileCount ?? 0 > 1, true)
        let sizes = try await coordinator.compact()
        expectEqual(sizes.formerKeyFileCount, 0)
        expectEqual(sizes.after.history, 0)
        try await expectEqual(coordinator.information()?.formerKeyFileCount, 0)
        let code = await storeErrorCode { try await coordinator.history(from: 3) }
        expectEqual(code, .historyTrimmed)
        await coordinator.close()
        await expectEqual(storeErrorCode { try await open(.fake(1)) }, .wrongKey)
        try await expectNumbers(0..<50, .fake(2))
        try await expectNumbers(0..<50, Self.both)
        // The next compaction keeps the history again.
        let last = try await open(.fake(2))
        let version = last.published.version
        try await insert(50, into: last)
        expectTrue(try await last.compact().after.history > 0)
        expectTrue(try await last.history(from: version).root.version == version)
        await last.close()
    }

    @Test func processesWithBothKeysGoOn() async throws {
        try await make()
        let coordinator = try await open(Self.both)
        let peers = [try await open(Self.both), try await open(.fake(2, former: [3, 1]))]
        let snapshot = peers[0].published
        let writers = peers.enumerated().map { index, peer in
            Task {
                for number in 0..<40 { try await insert(1_000 * (index + 1) + number, into: peer) }
            }
        }
        expectEqual(try await coordinator.compact().formerKeyFileCount, 0)
        for writer in writers { try await writer.value }
        for peer in peers { try await insert(1, into: peer) }
        expectEqual(numbers(snapshot), Array(0..<50))
        expectNil(snapshot.damage)
        try await coordinator.catchUp()
        expectEqual(numbers(coordinator.published).count, 50 + 80 + 2)
        for peer in peers {
            try await peer.catchUp()
            expectEqual(peer.published.stateHash(), coordinator.published.stateHash())
            await peer.close()
        }
        await coordinator.close()
        let last = try await open(.fake(2))
        expectEqual(numbers(last.published).count, 50 + 80 + 2)
        await last.close()
    }

    /// Processes can be given the new key one by one, while the realm keeps the other one.
    @Test func theNewKeyCanBeAcceptedBefore() async throws {
        try await make()
        let former = try await open(.fake(1))
        let accepting = try await open(.fake(1, former: [2]))
        try await insert(50, into: accepting)
        try await insert(51, into: former)
        await former.close()
        let coordinator = try await open(Self.both)
        try await insert(52, into: coordinator)
        expectEqual(try await coordinator.compact().formerKeyFileCount, 0)
        try await insert(53, into: accepting)
        try await coordinator.catchUp()
        expectEqual(numbers(accepting.published), Array(0..<54))
        expectEqual(numbers(coordinator.published), Array(0..<54))
        await accepting.close()
        await coordinator.close()
        try await expectNumbers(0..<54, Self.both)
    }

    // Covers .wrongKey
    @Test func processesWithTheFormerKeyGetAnError() async throws {
        try await make()
        let former = try await open(.fake(1))
        let reading = try await open(.fake(1)) { $0.isReadOnly = true }
        let coordinator = try await open(Self.both)
        try await insert(50, into: former)
        try await insert(51, into: coordinator)
        try await former.catchUp()
        expectEqual(try await coordinator.compact().formerKeyFileCount, 0)
        let version = former.published.version
        for peer in [former, reading] {
            await expectEqual(storeErrorCode { try await peer.catchUp() }, .wrongKey)
        }
        await expectEqual(storeErrorCode { try await insert(52, into: former) }, .wrongKey)
        await expectEqual(storeErrorCode { try await former.compact() }, .wrongKey)
        expectEqual(former.published.version, version)
        expectEqual(numbers(former.published), Array(0..<52))
        expectEqual(numbers(reading.published), Array(0..<50))
        try await insert(52, into: coordinator)
        await former.close()
        await reading.close()
        await coordinator.close()
        try await expectNumbers(0..<53, .fake(2))
    }

    /// The new segment needs the writer lock, which another process gives away between batches.
    @Test func busyWritersDoNotPreventIt() async throws {
        try await make()
        let coordinator = try await open(Self.both)
        let peer = try await open(Self.both)
        let turn = try await peer.beginWrite()
        let compaction = Task { try await coordinator.compact() }
        try await eventually { coordinator.state.withLock { $0.checkpoint.isKeyDue } }
        let commit = try makeInsert(50, on: turn.base)
        try await peer.commit(turn, commit, durability: .full)
        try await expectEqual(compaction.value.formerKeyFileCount, 0)
        await peer.close()
        await coordinator.close()
        try await expectNumbers(0..<51, .fake(2))
    }

    // Covers .busy
    @Test func aCompactionThatDoesNotGetTheWriterLockEnds() async throws {
        try await make()
        let coordinator = try await open(Self.both)
        let peer = try await open(.fake(1))
        let turn = try await peer.beginWrite()
        let compaction = Task { await storeErrorCode { try await coordinator.compact() } }
        try await eventually { coordinator.state.withLock { $0.checkpoint.isKeyDue } }
        coordinator.state.withLock { $0.checkpoint.compaction?.deadline = 0 }
        await expectEqual(compaction.value, .busy)
        // Nothing has changed, so the former key suffices.
        let commit = try makeInsert(50, on: turn.base)
        try await peer.commit(turn, commit, durability: .full)
        await coordinator.close()
        await peer.close()
        try await expectNumbers(0..<51, .fake(1))
    }

    // Covers .diskFull
    @Test func aFailedCompactionLeavesBothKeysNeeded() async throws {
        try await make()
        let coordinator = try await open(Self.both)
        for room: UInt64 in [0, 16384 + 4096] {
            disk.capacityByteCount = disk.usedByteCount + room
            let code = await storeErrorCode { try await coordinator.compact() }
            expectEqual(code, .diskFull)
        }
        disk.capacityByteCount = nil
        await coordinator.close()
        for key in [EncryptionKey.fake(1), .fake(2)] {
            await expectEqual(storeErrorCode { try await open(key) }, .wrongKey)
        }
        let again = try await open(Self.both)
        expectEqual(numbers(again.published), Array(0..<50))
        expectEqual(try await again.compact().formerKeyFileCount, 0)
        await again.close()
        try await expectNumbers(0..<50, .fake(2))
    }

    @Test func aRealmWithoutCommitsDoesNotSeemToHaveTheNewKey() async throws {
        let former = try await open(.fake(1))
        await former.close()
        let coordinator = try await open(Self.both)
        expectEqual(try await coordinator.compact().formerKeyFileCount, 1)
        try await insert(0, into: coordinator)
        expectEqual(try await coordinator.compact().formerKeyFileCount, 0)
        await coordinator.close()
        try await expectNumbers(0..<1, .fake(2))
    }

    @Test func filesOfAnUnknownKeyAreDamageForVerificationAndSalvage() async throws {
        let realm = TemporaryRealm()
        let target = TemporaryRealm()
        let former = try await openPeer(realm.path) { $0.store.key = .fake(1) }
        for number in 0..<5 { try await insert(number, into: former) }
        await former.close()
        var options = StoreOptions()
        options.key = Self.both
        let (log, _) = try RealmLog.open(
            PosixFileSystem.shared, path: realm.path, options: options
        ) { (_) throws(StoreError) in }
        let isWriter = try log.tryBecomeWriter { (_) throws(StoreError) in }
        expectTrue(isWriter)
        try log.beginSegmentWithNewestKey()
        log.releaseLocks()
        func damageCount(_ key: EncryptionKey) throws -> Int {
            try RealmCheck.run(realm.path, key, limit: 100) { false }.damages.count
        }
        try expectEqual(damageCount(Self.both), 0)
        try expectTrue(damageCount(.fake(2)) > 0)
        await expectEqual(storeErrorCode { try damageCount(.fake(1)) }, .wrongKey)
        _ = try await RealmSalvage.run(
            realm.path, to: target.path, Self.both, isCancelled: CancellationFlag())
        let salvaged = try await openPeer(target.path) { $0.store.key = .fake(2) }
        expectEqual(numbers(salvaged.published), Array(0..<5))
        await salvaged.close()
    }

    /// An update of a backup writes with the newest key; the backup itself can be compacted.
    // Covers 5.79
    @Test func backupsWithAFormerKeyAreUpdatedAndCompacted() async throws {
        try await make()
        _ = try disk.openDirectory("/copies", .creating)
        let former = try await open(.fake(1))
        try await RealmCopy(
            of: former.published, former.timelines, to: "/copies/a", former.options
        ) { true }.make()
        await former.close()
        let coordinator = try await open(Self.both)
        _ = try await coordinator.compact()
        try await insert(50, into: coordinator)
        let version = try await CopyExtension(of: coordinator, at: "/copies/a") { true }.make()
        expectEqual(version, coordinator.published.version)
        for key in [EncryptionKey.fake(1), .fake(2)] {
            await expectEqual(storeErrorCode { try await open(key, "/copies/a") }, .wrongKey)
        }
        let copy = try await open(Self.both, "/copies/a")
        expectEqual(numbers(copy.published), Array(0..<51))
        expectEqual(try await copy.compact().formerKeyFileCount, 0)
        await copy.close()
        try await insert(51, into: coordinator)
        _ = try await CopyExtension(of: coordinator, at: "/copies/a") { true }.make()
        await coordinator.close()
        let restored = try await RealmRestore(
            of: "/copies/a", at: .newest, to: "/copies/b", key: .fake(2),
            fileSystem: SimView(disk)
        ) { true }.make()
        expectEqual(restored, version + 1)
    }
}
