import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Single failures of the disk from the perspective of a realm's processes.
@Suite struct FailureTests {
    private func realm(commits: Int = 2) throws -> (SimFileSystem, TinyStore.Opened, [[UInt8]]) {
        let disk = SimFileSystem(seed: 3)
        let opened = try TinyStore.open(disk)
        try expectTrue(opened.log.takeWriter())
        let bodies = (1...commits).map { TestBody.make(version: $0, payloadByteCount: 100) }
        for body in bodies { try opened.log.commit([body]) }
        return (disk, opened, bodies)
    }

    @Test(arguments: [false, true])
    func afterAFailedSyncTheLogGoesOnInANewSegment(dropsCaches: Bool) throws {
        let (disk, opened, bodies) = try realm()
        let next = TestBody.make(version: 3, payloadByteCount: 700)
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try opened.log.commit([next]) }
        expectTrue(opened.log.isPoisoned)
        opened.log.releaseWriterLock()
        expectTrue(!opened.log.tryBecomeWriterIfCurrent())
        if dropsCaches { disk.dropCaches() }
        let again = try TinyStore.open(disk)
        expectTrue(again.report.wasPoisoned)
        expectTrue(again.bodies == (dropsCaches ? bodies : bodies + [next]))
        expectTrue(disk.fileNames(in: TinyStore.path).contains("log-0-1"))
        try expectTrue(again.log.takeWriter())
        let last = TestBody.make(version: again.bodies.count + 1, payloadByteCount: 9)
        let syncs = disk.count(.sync)
        try again.log.commit([last])
        expectEqual(disk.count(.sync), syncs + 1)
        for image in disk.crashImages() {
            try expectEqual(TinyStore.open(image.fileSystem).bodies, again.bodies + [last])
        }
    }

    @Test func aPoisonedLogIsNotWritten() async {
        await #expect(processExitsWith: .failure) {
            let disk = SimFileSystem(seed: 3)
            let opened = try TinyStore.open(disk)
            _ = try opened.log.takeWriter()
            disk.inject(SimFailure(.sync))
            try? opened.log.commit([TestBody.make(version: 1, payloadByteCount: 1)])
            guard opened.log.isPoisoned else { return }
            try opened.log.append([TestBody.make(version: 1, payloadByteCount: 1)], version: 1)
        }
    }

    @Test func aPoisonedInstanceReadsWhatAnotherProcessMakesOfItsBatch() throws {
        let (disk, opened, bodies) = try realm()
        let follower = try TinyStore.open(disk)
        let unsure = TestBody.make(version: 3, payloadByteCount: 200)
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try opened.log.commit([unsure]) }
        expectEqual(opened.log.version, 2)
        opened.log.releaseWriterLock()
        var heard: [[UInt8]] = []
        let isWriter = try follower.log.tryBecomeWriter { (body) throws(StoreError) in
            heard.append(body)
        }
        expectTrue(isWriter && heard == [unsure])
        let last = TestBody.make(version: 4, payloadByteCount: 10)
        try follower.log.commit([last])
        var read: [[UInt8]] = []
        try opened.log.catchUp { (body) throws(StoreError) in read.append(body) }
        expectEqual(read, [unsure, last])
        expectEqual(bodies.count, 2)
    }

    /// A process that opened the realm while another one was writing, then wrote and failed.
    @Test func aFollowerWhoseSyncFailsIsToldOnlyWhatIsNew() throws {
        let (disk, opened, bodies) = try realm()
        let follower = try TinyStore.open(disk)
        expectEqual(follower.bodies, bodies)
        opened.log.releaseWriterLock()
        expectTrue(follower.log.tryBecomeWriterIfCurrent())
        let unsure = TestBody.make(version: 3, payloadByteCount: 200)
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try follower.log.commit([unsure]) }
        expectEqual(follower.log.version, 2)
        follower.log.releaseWriterLock()
        try expectTrue(opened.log.tryBecomeWriter { (_) throws(StoreError) in })
        var heard: [[UInt8]] = []
        try follower.log.catchUp { (body) throws(StoreError) in heard.append(body) }
        expectEqual(heard, [unsure])
    }

    /// Nothing was published since the segment before the one whose sync failed.
    @Test func aFailureBehindAnUnpublishedSegmentIsFollowed() throws {
        let (disk, opened, _) = try realm()
        let unsure = (3...4).map { TestBody.make(version: $0, payloadByteCount: 2500) }
        try opened.log.append([unsure[0]], version: 3)
        try opened.log.append([unsure[1]], version: 4)
        expectTrue(disk.fileNames(in: TinyStore.path).contains("log-0-1"))
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try opened.log.sync() }
        opened.log.releaseWriterLock()
        let heir = try TinyStore.open(disk)
        expectEqual(heir.bodies.count, 4)
        var heard: [[UInt8]] = []
        try opened.log.catchUp { (body) throws(StoreError) in heard.append(body) }
        expectEqual(heard, unsure)
    }

    // Covers 12.10, .diskFull
    @Test func aFullDiskRefusesCommitsUntilThereIsSpaceAgain() throws {
        let (disk, opened, bodies) = try realm()
        disk.capacityByteCount = disk.usedByteCount
        let large = TestBody.make(version: 3, payloadByteCount: 6000)
        for _ in 0..<3 {
            let error = #expect(throws: StoreError.self) { try opened.log.commit([large]) }
            expectEqual(error?.code, .diskFull)
            expectEqual(error?.message.contains(TinyStore.path), true)
        }
        // Commits that need no new segment still succeed.
        let small = TestBody.make(version: 3, payloadByteCount: 20)
        try opened.log.commit([small])
        disk.capacityByteCount = nil
        let last = TestBody.make(version: 4, payloadByteCount: 6000)
        try opened.log.commit([last])
        expectTrue(!disk.fileNames(in: TinyStore.path).contains { $0.hasPrefix("tmp-") })
        try expectEqual(TinyStore.open(disk.killImage()).bodies, bodies + [small, last])
    }

    @Test func noPowerCutBringsBackWhatAFullDiskRefused() throws {
        let (disk, opened, bodies) = try realm()
        let refused = [3, 4].map { TestBody.make(version: $0, payloadByteCount: 300) }
        disk.inject(SimFailure(.write, code: .diskFull, writtenByteCount: 640))
        #expect(throws: StoreError.self) { try opened.log.commit(refused) }
        expectTrue(!opened.log.isPoisoned)
        for image in disk.crashImages() {
            try expectEqual(TinyStore.open(image.fileSystem).bodies, bodies)
        }
        let next = TestBody.make(version: 3, payloadByteCount: 8)
        try opened.log.append([next], version: 3)
        for image in disk.crashImages() {
            let found = try TinyStore.open(image.fileSystem).bodies
            expectTrue(found == bodies || found == bodies + [next])
        }
    }

    /// Whatever is left of a refused batch is the beginning of it, which another process can keep
    /// or discard.
    @Test func aProcessKilledWhileItTakesBackABatchLeavesTheBeginningOfIt() throws {
        let refused = (4...6).map { TestBody.make(version: $0, payloadByteCount: 2200) }
        for effect in 0... {
            let disk = SimFileSystem(seed: 3)
            let mortal = MortalProcess(disk)
            var opened: TinyStore.Opened? = try TinyStore.open(mortal)
            try expectTrue(opened?.log.takeWriter() == true)
            let bodies = [100, 100, 5000].enumerated().map {
                TestBody.make(version: $0 + 1, payloadByteCount: $1)
            }
            for body in bodies { try opened?.log.commit([body]) }
            disk.inject(SimFailure(.write, code: .diskFull, writtenByteCount: 6700))
            mortal.die(after: effect, writtenByteCount: 4096)
            try? opened?.log.append(refused, version: 6)
            opened = nil
            disk.clearFailures()
            let found = try TinyStore.open(disk)
            expectTrue((bodies + refused).starts(with: found.bodies), "effect \(effect)")
            expectTrue(found.bodies.starts(with: bodies), "effect \(effect)")
            guard mortal.isDead else {
                expectTrue(effect > 4)
                break
            }
        }
    }
}
