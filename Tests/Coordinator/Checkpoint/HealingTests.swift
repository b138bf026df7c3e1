import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// What a process does about a damaged leaf in its nodes file.
@Suite(.timeLimit(.minutes(20)))
struct HealingTests {
    /// Its checkpoint would be the newest one, with the damage, and release the intact one.
    // Covers .busy
    @Test func aBulkCommitIsRefusedWhileTheOlderCheckpointIsLoaded() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openDamagedRealm(disk)
        _ = coordinator.published.stateHash()
        expectEqual(coordinator.published.damage?.code, .invalidDatabase)
        let version = coordinator.published.version
        await expectEqual(storeErrorCode { try await insertOthersInBulk(into: coordinator) }, .busy)
        expectEqual(coordinator.published.version, version)
        try await insertOthersInBulkOnceNotBusy(into: coordinator)
        expectEqual(numbers(coordinator.published), Array(0...60))
        _ = coordinator.published.stateHash()
        expectNil(coordinator.published.damage)
        await coordinator.close()
        let (root, _) = try reopened("/sim", disk)
        expectEqual(numbers(root), Array(0...60))
        _ = root.stateHash()
        expectNil(root.damage)
    }

    /// Creates a closed realm with two checkpoints that have the same damaged leaf.
    private func makeRealmWithSharedDamage(_ disk: SimFileSystem) async throws {
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        await first.close()
        let second = try await openPeer("/sim", disk)
        try await insertOthersInBulk(into: second)
        await second.close()
        disk.flipBit(8 * (4096 + 20), of: "nodes-1", in: "/sim")  // the first leaf
    }

    @Test func damageOfBothCheckpointsIsReportedOnce() async throws {
        let disk = SimFileSystem()
        try await makeRealmWithSharedDamage(disk)

        let failures = CheckpointFailures()
        let coordinator = try await openPeer("/sim", disk) { $0.report = failures.report }
        for _ in 0..<3 {
            _ = coordinator.published.stateHash()
            expectEqual(coordinator.published.damage?.code, .invalidDatabase)
            coordinator.heal()
            try await eventually { !failures.errors.isEmpty }
        }
        // Later checkpoints have the leaf too.
        for _ in 0..<3 {
            try await insertOthersInBulk(into: coordinator)
            try await checkpointNow(coordinator)
            _ = coordinator.published.stateHash()
            expectEqual(coordinator.published.damage?.code, .invalidDatabase)
        }
        await coordinator.close()
        expectEqual(failures.errors.count, 1)
        let error = try requireValue(failures.errors.first)
        expectTrue(error.code == .invalidDatabase && error.position != nil)
        expectTrue(error.message.hasPrefix("The older checkpoint has the same damage."))
        expectTrue(error.message.hasSuffix(StoreError.advice))
    }

    /// Not damage of one leaf: what is read from two intact ones doesn't fit together.
    @Test func contradictionIsReportedOnce() async throws {
        let disk = SimFileSystem()
        let failures = CheckpointFailures()
        let coordinator = try await openDamagedRealm(disk, isDamaged: false) {
            $0.report = failures.report
        }
        for round in 0..<3 {
            let source = try requireValue(coordinator.published.content.context.source)
            source.contradict("An index lacks the entry of a row.")
            for _ in 0..<3 {
                coordinator.heal()
                try await eventually { !failures.errors.isEmpty }
            }
            try await insertOther(into: coordinator)
            if round < 2 { try await checkpointNow(coordinator) }
        }
        await coordinator.close()
        expectEqual(failures.errors.map(\.code), [.invalidDatabase])
        expectEqual(failures.errors.first?.message.contains("An index lacks"), true)
    }

    /// A disk that is full must not fill up with the remains of checkpoints.
    @Test(arguments: 1...2)
    func aFailedCheckpointRemovesTheFileThatItCreated(nth: Int) async throws {
        let disk = SimFileSystem()
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        await first.close()
        let coordinator = try await openPeer("/sim", disk) { $0.store.nodesSlackByteCount = 0 }
        // The file then has more than twice the live bytes.
        disk.damage("nodes-1", in: "/sim") { $0 += [UInt8](repeating: 0, count: 4 << 20) }
        disk.inject(SimFailure(.write, nth: nth, code: .diskFull))  // the header or the images
        await expectEqual(
            storeErrorCode { try await insertInBulk(50..<60, into: coordinator) }, .diskFull)
        expectEqual(disk.fileNames(in: "/sim").filter { $0.hasPrefix("nodes-") }, ["nodes-1"])
        try await insertInBulk(50..<60, into: coordinator)
        expectTrue(disk.fileNames(in: "/sim").contains("nodes-2"))
        expectEqual(numbers(coordinator.published), Array(0..<60))
        await coordinator.close()
        expectEqual(numbers(try reopened("/sim", disk).root), Array(0..<60))
    }

    /// Another process has made two checkpoints in a new file, and removed the one with the damage.
    @Test func nothingIsAppendedToAFileThatWasRemoved() async throws {
        let disk = SimFileSystem()
        try await makeRealmWithSharedDamage(disk)
        disk.flipBit(8 * (4096 + 20), of: "nodes-1", in: "/sim")  // intact again
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.isOn = false
            $0.checkpoint.minimumReloadByteCount = .max
            $0.checkpoint.leavesRemovedFiles = false
            $0.store.retention = .none
        }
        let other = try await openPeer("/sim", SimView(disk)) {
            $0.store.nodesSlackByteCount = 0
            $0.checkpoint.minimumReloadByteCount = 0
        }
        disk.damage("nodes-1", in: "/sim") { $0 += [UInt8](repeating: 0, count: 4 << 20) }
        for _ in 0..<2 {
            try await insertOther(into: other)
            try await checkpointNow(other)
        }
        let version = other.published.version
        await other.close()
        expectTrue(!disk.fileNames(in: "/sim").contains("nodes-1"))
        try await eventually {
            coordinator.hint()
            return coordinator.published.version == version
        }
        let source = try requireValue(coordinator.published.content.context.source)
        source.contradict("An index lacks the entry of a row.")
        try await insertOthersInBulkOnceNotBusy(into: coordinator)
        expectTrue(!disk.fileNames(in: "/sim").contains("nodes-1"))
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectTrue(root.version == version + 1 && report.damagedCheckpoints.isEmpty)
        expectEqual(numbers(root), Array(0..<50))
    }

    /// Other processes may remove it at any time, because neither kept checkpoint is in it.
    @Test func nothingIsAppendedToAFileThatIsKeptForHistory() async throws {
        let disk = SimFileSystem()
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        await first.close()
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.isOn = false
            $0.checkpoint.minimumReloadByteCount = .max
            $0.checkpoint.leavesRemovedFiles = false
            $0.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        let other = try await openPeer("/sim", SimView(disk)) {
            $0.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        _ = try await other.compact()
        try await insertOther(into: other)
        let version = other.published.version
        await other.close()
        try await eventually {
            coordinator.hint()
            return coordinator.published.version == version
        }
        expectEqual(coordinator.published.nodesFileNumber, 1)
        let byteCount = disk.contents(of: "nodes-1", in: "/sim")?.count
        expectEqual(coordinator.state.withLock { $0.log?.newestCheckpoint?.file }, 2)
        let source = try requireValue(coordinator.published.content.context.source)
        source.contradict("An index lacks the entry of a row.")
        try await insertOthersInBulkOnceNotBusy(into: coordinator)
        expectEqual(disk.contents(of: "nodes-1", in: "/sim")?.count, byteCount)
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectTrue(root.version == version + 1 && report.damagedCheckpoints.isEmpty)
        expectEqual(report.checkpoint?.file, 2)
        expectEqual(numbers(root), Array(0..<50))
    }

    /// Creates a closed realm with 61 rows and checkpoints in two files, the newer one of which has
    /// damaged content versions.
    private func makeDamagedFile(_ disk: SimFileSystem) async throws {
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        await first.close()
        let second = try await openPeer("/sim", disk) {
            $0.store.nodesSlackByteCount = 0
            $0.checkpoint.minimumClosingByteCount = 1
            $0.checkpoint.minimumClosingGarbageByteCount = .max
        }
        // The file then has more than twice the live bytes.
        disk.damage("nodes-1", in: "/sim") { $0 += [UInt8](repeating: 0, count: 4 << 20) }
        for number in 50...60 { try await insert(number, into: second) }
        await second.close()
        let newest = try requireValue(reopened("/sim", disk).report.checkpoint)
        expectTrue(newest.file == 2 && newest.version == 12)
        // The content versions are just before the directory.
        disk.damage("nodes-2", in: "/sim") { bytes in bytes[Int(newest.offset) - 300] ^= 1 }
    }

    /// Another process hasn't read the damaged image, and makes a checkpoint that refers to it.
    @Test func healedContentIsNotGivenUpForACheckpointWithTheDamage() async throws {
        let disk = SimFileSystem()
        try await makeDamagedFile(disk)
        let failures = CheckpointFailures()
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.isOn = false
            $0.report = failures.report
        }
        let other = try await openPeer("/sim", SimView(disk)) { $0.store.retention = .none }
        let snapshot = coordinator.published
        _ = snapshot.stateHash()
        coordinator.heal()
        try await eventually { coordinator.published !== snapshot }
        expectEqual(coordinator.published.nodesFileNumber, 1)
        try await insertOther(into: other)
        try await checkpointNow(other)
        await other.close()
        expectTrue(!disk.fileNames(in: "/sim").contains("nodes-1"))
        try await eventually {
            coordinator.hint()
            coordinator.heal()  // wakes the pump
            return !failures.errors.isEmpty || coordinator.published.nodesFileNumber != 1
        }
        expectEqual(failures.errors.map(\.code), [.invalidDatabase])
        expectEqual(coordinator.published.nodesFileNumber, 1)
        // The next checkpoint of this process repairs the realm.
        try await insert(61, into: coordinator)
        try await checkpointNow(coordinator)
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectTrue(numbers(root) == Array(0...61) && report.damagedCheckpoints.isEmpty)
        _ = root.stateHash()
        expectNil(root.damage)
    }

    /// Another process has removed the log that this one would have read next.
    @Test(arguments: [false, true])
    func checkpointWithKnownDamageIsLoadedOnlyIfThereIsNoOther(inBoth: Bool) async throws {
        let disk = SimFileSystem()
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        try await insertOthersInBulk(into: first)
        await first.close()
        let coordinator = try await openPeer("/sim", disk) { $0.checkpoint.isOn = false }
        let other = try await openPeer("/sim", SimView(disk)) {
            $0.store.retention = .none
            $0.store.firstSegmentByteCount = 8192
            $0.checkpoint.minimumReloadByteCount = 0
        }
        var images: [Set<UInt64>] = []
        for number in 50..<54 {
            try await insert(number, into: other)
            try await checkpointNow(other)
            expectEqual(other.published.nodesFileNumber, 1)
            images.append(leafOffsets(other.published))
        }
        let version = other.published.version
        await other.close()
        expectTrue(!disk.fileNames(in: "/sim").contains("log-0-1"))
        // all of the class "Other", or what the last checkpoint wrote
        let damaged = inBoth ? images[3].intersection(images[2]) : images[3].subtracting(images[2])
        expectTrue(!damaged.isEmpty)
        coordinator.state.withLock {
            $0.checkpoint.healedDamage = DamagedImages(fileNumber: 1, offsets: damaged)
        }
        coordinator.hint()
        try await coordinator.waitUntil(version: version)
        expectEqual(numbers(coordinator.published), Array(0..<54))
        let base = coordinator.state.withLock { $0.checkpoint.baseVersion }
        expectEqual(base, inBoth ? version : version - 1)
        await coordinator.close()
    }

    /// Returns the places of the values in the nodes file.
    private func leafOffsets(_ root: DatabaseRoot) -> Set<UInt64> {
        var offsets: Set<UInt64> = []
        for table in root.schema.tables {
            root.content[table.key.index].forEachCluster { cluster in
                cluster.forEachLeaf { offsets.insert($0.extent & ~63) }
                return true
            }
        }
        return offsets.subtracting([0])
    }

    /// In the older file, it would be the newest one, so that other processes would remove the file
    /// with the damage, and its number would be used again while they read from it.
    @Test func theNextCheckpointAfterDamageInANewerFileBeginsAnother() async throws {
        let disk = SimFileSystem()
        try await makeDamagedFile(disk)
        let coordinator = try await openPeer("/sim", disk) { $0.checkpoint.isOn = false }
        let snapshot = coordinator.published
        _ = snapshot.stateHash()
        expectEqual(snapshot.damage?.code, .invalidDatabase)
        coordinator.heal()
        try await eventually { coordinator.published !== snapshot }
        expectEqual(coordinator.published.nodesFileNumber, 1)
        try await insert(61, into: coordinator)
        try await checkpointNow(coordinator)
        let log = try requireValue(coordinator.state.withLock { $0.log })
        expectEqual(log.newestCheckpoint?.file, 3)
        expectEqual(log.olderCheckpoint?.file, 1)
        await coordinator.close()
        let (root, report) = try reopened("/sim", disk)
        expectTrue(numbers(root) == Array(0...61) && report.damagedCheckpoints.isEmpty)
        _ = root.stateHash()
        expectNil(root.damage)
    }

    /// A checkpoint that was finished before the damage was found isn't recorded.
    @Test func theFileOfACheckpointThatIsDroppedIsRemoved() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openDamagedRealm(disk)
        _ = coordinator.published.stateHash()
        let finished = try makePendingCheckpoint(coordinator)
        expectTrue(disk.fileNames(in: "/sim").contains("nodes-2"))
        coordinator.state.withLock { $0.checkpoint.finished = finished }
        coordinator.heal()
        try await eventually { coordinator.statistics.reloads == 1 }
        expectTrue(!disk.fileNames(in: "/sim").contains("nodes-2"))
        expectEqual(coordinator.statistics.checkpoints, 0)
        await coordinator.close()
    }

    /// No other process is to blame if the older checkpoint can't be loaded in time.
    @Test func aCompactionThatWaitsForHealingFailsWithTheDamage() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openDamagedRealm(disk)
        _ = coordinator.published.stateHash()
        let failure = coordinator.state.withLock { state in
            state.checkpoint.compaction = Compaction()
            defer { state.checkpoint.compaction = nil }
            return state.log.flatMap { state.compactionFailure($0, .max) }
        }
        expectEqual(failure?.code, .invalidDatabase)
        await coordinator.close()
    }

    /// A leaf that no one has read yet turns out to be damaged when a new nodes file is begun.
    @Test(arguments: [false, true])
    func aCheckpointThatMeetsDamageStaysInItsFile(inBulk: Bool) async throws {
        let disk = SimFileSystem()
        try await makeRealmWithSharedDamage(disk)

        let coordinator = try await openPeer("/sim", disk) {
            $0.store.nodesSlackByteCount = 0
            $0.checkpoint.paceNanoseconds = 0
        }
        // The file then has more than twice the live bytes.
        disk.damage("nodes-1", in: "/sim") { $0 += [UInt8](repeating: 0, count: 1 << 20) }
        let version = coordinator.published.version
        if inBulk {
            try await insertOthersInBulk(into: coordinator)
        } else {
            try await insertOther(into: coordinator)
            coordinator.state.withLock { $0.checkpoint.wantedVersion = version + 1 }
            coordinator.heal()  // wakes the pump
            try await eventually { coordinator.statistics.checkpoints == 1 }
        }
        expectEqual(coordinator.published.version, version + 1)
        await coordinator.close()
        let names = disk.fileNames(in: "/sim")
        expectEqual(names.filter { $0.hasPrefix("nodes-") }, ["nodes-1"])
        let (root, report) = try reopened("/sim", disk)
        expectTrue(root.version == version + 1 && report.checkpoint?.version == root.version)
    }
}
