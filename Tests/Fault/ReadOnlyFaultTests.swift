import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Reading what crashes left on a disk that can't be written: the reader sees what the next writer
/// will find, and nothing is modified. (A write would trap: see `SimDirectory`.)
@Suite struct ReadOnlyFaultTests {
    @Test func readerShowsWhatTheNextWriterFinds() throws {
        let seed = SeededRandom.seed()
        var numbers = SeededRandom(seed)
        var powerCuts = 0
        var deaths = 0
        for _ in 0..<60 {
            let steps = (0..<4).map { _ in numbers.oneOf(WorkloadStep.allCases) }
            let driver = LogDriver(seed: numbers.next())
            try driver.open()
            for step in steps {
                do { try driver.run(step) } catch {
                    Issue.record("\(steps): \(describe(error))")
                    break
                }
                let images = driver.disk.crashImages(
                    SimCrashOptions(limitUnits: 4, samples: 4), seed: numbers.next())
                for _ in 0..<3 {
                    let image = images[numbers.below(images.count)]
                    try compare(
                        image.fileSystem, visibleCount: 0,
                        "\(steps.map(\.rawValue)) power cut, \(image.summary)")
                    powerCuts += 1
                }
                try compare(
                    driver.disk.killImage(), visibleCount: driver.expectation.visibleCount,
                    "\(steps.map(\.rawValue)) death")
                deaths += 1
            }
        }
        expectTrue(powerCuts > 500 && deaths > 200)
    }

    /// After a death in the same boot the reader sees at least what was published; a writer may
    /// adopt more.
    private func compare(_ disk: SimFileSystem, visibleCount: Int, _ place: String) throws {
        let names = disk.fileNames(in: TinyStore.path)
        let before = names.map { disk.contents(of: $0, in: TinyStore.path) }
        disk.isReadOnly = true
        let read = Result {
            let opened = try TestSeed.open(disk, isReadOnly: true)
            try opened.log.catchUp(Self.refuse)
            return opened
        }
        disk.isReadOnly = false
        expectEqual(disk.effectCount, 0, "\(place)")
        expectEqual(disk.fileNames(in: TinyStore.path), names, "\(place)")
        let isSame = names.map { disk.contents(of: $0, in: TinyStore.path) } == before
        expectTrue(isSame, "\(place)")
        let written = Result { try TinyStore.open(disk) }
        switch (read, written) {
        case (.success(let read), .success(let written)):
            let isPrefix = written.bodies.starts(with: read.bodies)
            expectTrue(isPrefix && read.bodies.count >= visibleCount, "\(place)")
            if visibleCount == 0 {
                expectEqual(read.bodies.count, written.bodies.count, "\(place)")
            }
            expectEqual(read.log.version, UInt64(read.bodies.count), "\(place)")
        case (.failure(let error), .success(let written)):
            // Nothing had a name yet.
            let code = (error as? StoreError)?.code
            expectTrue(code == .fileNotFound && written.report.isNew, "\(place): \(error)")
        case (_, .failure(let error)):
            Issue.record("\(place): \(describe(error))")
        }
    }

    /// Nothing has been published since the realm was opened.
    private static func refuse(_ body: [UInt8]) throws(StoreError) {
        throw StoreError(.invalidInput, "An unknown commit was delivered.")
    }

    /// `fileNotFound` would mean that there is no realm.
    // Covers .invalidDatabase
    @Test func missingLastSegmentIsDamage() throws {
        let disk = SimFileSystem(seed: 9)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        var version = 0
        while !disk.fileNames(in: TinyStore.path).contains("log-0-1") {
            version += 1
            try log.commit([TestBody.make(version: version, payloadByteCount: 500)])
        }
        let machine = disk.killImage()
        machine.removeFile("log-0-1", in: TinyStore.path)
        for isReadOnly in [true, false] {
            let error = #expect(throws: StoreError.self) {
                _ = try TestSeed.open(machine, isReadOnly: isReadOnly)
            }
            expectEqual(error?.code, .invalidDatabase)
        }
    }

    /// The control page may be newer than what a power loss has left of the log.
    @Test func readerOpenedAfterAPowerLossFollowsTheNextWriter() throws {
        let disk = SimFileSystem(seed: 8)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 50)])
        try log.commitRelaxed([TestBody.make(version: 2, payloadByteCount: 50)])
        var lostCount = 0
        for image in disk.crashImages() {
            let machine = image.fileSystem
            let reader = try TestSeed.open(machine, isReadOnly: true).log
            let version = reader.version
            let page = reader.lock.loadControl()
            if let page, page.visibleEnd > reader.position { lostCount += 1 }
            if page != nil { expectEqual(reader.isBehind(), false, "\(image.summary)") }
            try reader.catchUp(Self.refuse)
            let writer = try TinyStore.open(machine).log
            try expectTrue(writer.takeWriter())
            try writer.commit([TestBody.make(version: Int(version) + 1, payloadByteCount: 9)])
            try reader.catchUp { (_) throws(StoreError) in }
            expectEqual(reader.version, version + 1, "\(image.summary)")
        }
        expectTrue(lostCount > 0)
    }

    /// The next process marks the control page as "writing" before it removes a torn tail, and
    /// publishes the end only after that.
    @Test func readerOpenedAfterAPowerLossWaitsForTheEndOfARecovery() throws {
        let disk = SimFileSystem(seed: 8)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 50)])
        try log.commitRelaxed([TestBody.make(version: 2, payloadByteCount: 50)])
        var lostCount = 0
        for image in disk.crashImages() {
            let machine = image.fileSystem
            let reader = try TestSeed.open(machine, isReadOnly: true).log
            let lock = try machine.openDirectory(TinyStore.path, .existing).openLock()
            guard var page = lock.loadControl() else { continue }
            if page.visibleEnd > reader.position { lostCount += 1 }
            page.isWriting = true
            lock.storeControl(&page)
            expectEqual(reader.isBehind(), false, "\(image.summary)")
            try reader.catchUp(Self.refuse)
        }
        expectTrue(lostCount > 0)
    }

    @Test func readerFollowsAWriterThroughSegments() throws {
        let disk = SimFileSystem(seed: 3)
        let writer = try TinyStore.open(disk).log
        try expectTrue(writer.takeWriter())
        let reader = try TestSeed.open(disk, isReadOnly: true).log
        var bodies: [[UInt8]] = []
        var read: [[UInt8]] = []
        for version in 1...40 {
            let body = TestBody.make(version: version, payloadByteCount: version * 37 % 900)
            bodies.append(body)
            version % 3 == 0 ? try writer.commitRelaxed([body]) : try writer.commit([body])
            expectTrue(reader.isBehind())
            try reader.catchUp { (body) throws(StoreError) in read.append(body) }
            expectTrue(!reader.isBehind() && read == bodies)
        }
        expectTrue(disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix("log-") }.count > 2)
    }

    /// A realm that was copied without `LOCK` is observed all the same once somebody writes to it.
    @Test func lockThatComesLaterIsFound() throws {
        let disk = SimFileSystem(seed: 3)
        let first = try TinyStore.open(disk).log
        try expectTrue(first.takeWriter())
        try first.commit([TestBody.make(version: 1, payloadByteCount: 9)])
        first.releaseLocks()
        disk.removeFile("LOCK", in: TinyStore.path)
        let opened = try TestSeed.open(disk, isReadOnly: true)
        var read = opened.bodies
        expectTrue(read.count == 1 && opened.log.isBehind())
        try opened.log.catchUp { (body) throws(StoreError) in read.append(body) }
        expectEqual(read.count, 1)
        let second = try TinyStore.open(disk).log
        try expectTrue(second.takeWriter())
        try second.commit([TestBody.make(version: 2, payloadByteCount: 9)])
        try opened.log.catchUp { (body) throws(StoreError) in read.append(body) }
        expectTrue(read.count == 2 && !opened.log.isBehind())
        second.releaseLocks()
        let error = #expect(throws: StoreError.self) {
            try RealmLog.remove(disk, path: TinyStore.path)
        }
        expectEqual(error?.code, .alreadyOpen)
    }

    /// A reader doesn't wait for a process that is opening the realm alone, and shows itself later.
    @Test func realmIsNotRemovedUnderAReaderThatOpenedItBesideAWriter() throws {
        let disk = SimFileSystem(seed: 22)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 9)])
        log.releaseLocks()
        let other = try disk.openDirectory(TinyStore.path, .existing).openLock()
        try expectTrue(other.tryLock(.session, .exclusive))
        let opened = try TestSeed.open(disk, isReadOnly: true)
        try opened.log.catchUp(Self.refuse)
        expectTrue(opened.bodies.count == 1 && opened.log.isBehind())
        other.unlock(.session)
        try opened.log.catchUp(Self.refuse)
        expectTrue(!opened.log.isBehind())
        let error = #expect(throws: StoreError.self) {
            try RealmLog.remove(disk, path: TinyStore.path)
        }
        expectEqual(error?.code, .alreadyOpen)
    }

    /// Commits that were visible but not synced when a sync failed may be gone, so they aren't
    /// shown.
    @Test(arguments: [true, false], [false, true])
    func afterAFailedSyncOnlyWhatIsDurableIsShown(holdsWriter: Bool, dropsCaches: Bool) throws {
        let disk = SimFileSystem(seed: 5)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 50)])
        try log.commitRelaxed([TestBody.make(version: 2, payloadByteCount: 50)])
        if !holdsWriter { log.releaseWriterLock() }
        disk.inject(SimFailure(.sync, nth: 1, losesDirtyData: true))
        #expect(throws: StoreError.self) { try log.sync() }
        if dropsCaches { disk.dropCaches() }
        let opened = try TestSeed.open(disk, isReadOnly: true)
        try opened.log.catchUp(Self.refuse)
        expectTrue(opened.bodies.count == 1 && opened.log.version == 1)
    }

    /// Without a boot id, nothing says that the control page is of this boot, except for a process
    /// that is writing.
    @Test(arguments: [false, true])
    func recordWhoseSyncIsInProgressIsNotShownWithoutABootID(hasWriterBootID: Bool) throws {
        let disk = SimFileSystem(seed: 27)
        if !hasWriterBootID { disk.setBootID(nil) }
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 50)])
        try log.append([TestBody.make(version: 2, payloadByteCount: 50)], version: 2)
        disk.setBootID(nil)
        let opened = try TestSeed.open(disk, isReadOnly: true)
        expectEqual(opened.bodies.count, 1)
        expectTrue(!opened.log.isBehind() && opened.report.followedWriter)
        try log.sync()
        log.publish()
        var read = opened.bodies
        try opened.log.catchUp { (body) throws(StoreError) in read.append(body) }
        expectEqual(read.count, 2)
    }

    /// The process that holds the writer lock is recovering the realm, and the control page is from
    /// before a power loss.
    @Test func readerWithoutABootIDReadsWhatARecoveringProcessFinds() throws {
        let disk = SimFileSystem(seed: 28)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 50)])
        try log.commitRelaxed([TestBody.make(version: 2, payloadByteCount: 50)])
        var lostCount = 0
        for image in disk.crashImages() {
            let machine = image.fileSystem
            machine.setBootID(nil)
            let lock = try machine.openDirectory(TinyStore.path, .existing).openLock()
            let expected = try TestSeed.open(machine, isReadOnly: true).log
            if let page = lock.loadControl(), page.visibleEnd > expected.position { lostCount += 1 }
            try expectTrue(lock.tryLock(.writer, .exclusive))
            let opened = try TestSeed.open(machine, isReadOnly: true)
            let isPrefix = opened.log.version <= expected.version
            expectTrue(isPrefix && opened.bodies.count == opened.log.version, "\(image.summary)")
        }
        expectTrue(lostCount > 0)
    }

    @Test func damageIsRefusedAndATornTailPassedOver() throws {
        for isDamage in [false, true] {
            let disk = SimFileSystem(seed: 5)
            let log = try TinyStore.open(disk).log
            try expectTrue(log.takeWriter())
            for version in 1...3 {
                try log.commit([TestBody.make(version: version, payloadByteCount: 50)])
            }
            let end = 4096 + Int(log.position)
            log.releaseLocks()
            disk.removeFile("LOCK", in: TinyStore.path)
            disk.damage("log-0-0", in: TinyStore.path) { bytes in
                if isDamage {
                    bytes[4096 + 20] ^= 1
                } else {
                    for index in end..<end + 100 { bytes[index] = 7 }
                }
            }
            disk.isReadOnly = true
            if isDamage {
                let error = #expect(throws: StoreError.self) {
                    try TestSeed.open(disk, isReadOnly: true)
                }
                expectTrue(error?.code == .invalidDatabase && error?.position == 0)
            } else {
                let opened = try TestSeed.open(disk, isReadOnly: true)
                expectTrue(opened.bodies.count == 3 && opened.report.discardedByteCount == 100)
            }
        }
    }

    /// An old `LOCK` together with the current log, in one boot: the log is authoritative.
    @Test(arguments: [1, 6])
    func controlPageThatIsOlderThanTheLogHidesNothing(later: Int) throws {
        let disk = SimFileSystem(seed: 21)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        let bodies = (1...2 + later).map { TestBody.make(version: $0, payloadByteCount: 2500) }
        for body in bodies[..<2] { try log.commit([body]) }
        let slots = (0...1).map { log.lock.loadControlSlot($0) }
        for body in bodies[2...] { try log.commit([body]) }
        try log.writeIdle()
        log.releaseLocks()
        let machine = disk.killImage()
        machine.setControlSlots(slots[0], slots[1], in: TinyStore.path)
        let read = try TestSeed.open(machine, isReadOnly: true)
        expectTrue(read.bodies == bodies && read.report.controlPageWasLost)
        try expectEqual(TinyStore.open(machine).bodies, bodies)
    }
}
