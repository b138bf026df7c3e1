import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The right to write, and the content of the control page in each case.
@Suite struct WriterLockTests {
    @Test func oneProcessWritesAtATime() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        let second = try realm.open()
        try expectTrue(!second.becomeWriter())
        expectTrue(!second.log.tryBecomeWriterIfCurrent())
        try first.commit()
        first.log.releaseWriterLock()
        try expectTrue(second.becomeWriter())
        expectEqual(second.versions, [1])
        try expectTrue(!first.becomeWriter())
        try second.commit()
        second.log.releaseWriterLock()
        try expectTrue(first.becomeWriter())
        expectEqual(first.versions, [1, 2])
    }

    @Test func theLockIsFreeWhenItsHolderDies() throws {
        let realm = LogFixture()
        let second: LogFixture.Process
        do {
            let first = try realm.openWriter()
            try first.commit()
            second = try realm.open()
            try first.write()
        }
        try expectTrue(second.becomeWriter())
        expectEqual(second.versions, [1, 2])
        expectEqual(second.log.durableEnd, second.log.position)
    }

    /// Without a boot id, a process can't tell whether the other one writes or repairs the realm.
    @Test func aProcessThatOpensWithoutABootIDAsksForTheLock() throws {
        let realm = LogFixture()
        realm.disk.setBootID(nil)
        let first = try realm.openWriter()
        try first.commit()
        let onlooker = try realm.disk.openDirectory(realm.path, .existing).openLock()
        var versions: [UInt64] = []
        let isWanted = {
            if onlooker.isLockedElsewhere(.waiters) { first.log.releaseWriterLock() }
            return true
        }
        let second = try RealmLog.open(
            realm.disk, path: realm.path, options: realm.options, isWanted: isWanted
        ) { (body) throws(StoreError) in versions.append(LogFixture.version(body)) }
        expectEqual(versions, [1])
        expectTrue(!onlooker.isLockedElsewhere(.waiters))
        second.log.releaseLocks()
    }

    @Test func everyGrantIsCounted() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        let before = first.log.lock.load(.grantCount)
        first.log.releaseWriterLock()
        let word = first.log.lock.load(.release)
        expectTrue(first.log.tryBecomeWriterIfCurrent())
        expectEqual(first.log.lock.load(.grantCount), before + 1)
        first.log.releaseWriterLock()
        expectTrue(first.log.lock.load(.release) != word)
    }

    @Test func theEpochRisesWhenTheLockChangesProcess() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        func epoch() throws -> UInt32 { try requireValue(first.log.lock.loadControl()).writerEpoch }
        try first.commit()
        let one = try epoch()
        first.log.releaseWriterLock()
        expectTrue(first.log.tryBecomeWriterIfCurrent())
        try expectEqual(epoch(), one, "the same process again")
        first.log.releaseWriterLock()
        let second = try realm.openWriter()
        try expectEqual(epoch(), one + 1)
        try second.commit()
        second.log.releaseWriterLock()
        try expectTrue(first.becomeWriter())
        try expectEqual(epoch(), one + 2)
        try first.commit()
        // Also from the records, without the control page.
        let copy = realm.disk.killImage()
        copy.setControlSlots(ControlWords(), ControlWords(), in: realm.path)
        let log = try RealmLog.open(copy, path: realm.path, options: realm.options) {
            (_) throws(StoreError) in
        }.log
        try expectEqual(requireValue(log.lock.loadControl()).writerEpoch, one + 2)
    }

    @Test func aLogIsCurrentUntilSomebodyElseWrites() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        first.log.releaseWriterLock()
        let second = try realm.open()
        expectTrue(first.log.isCurrent() && second.log.isCurrent())
        expectTrue(second.log.tryBecomeWriterIfCurrent())
        expectTrue(first.log.isCurrent(), "nothing has been written yet")
        try second.write()
        expectTrue(!first.log.isCurrent(), "another process is writing")
        try second.log.sync()
        second.log.publish()
        second.log.releaseWriterLock()
        expectTrue(!first.log.isCurrent())
        expectTrue(!first.log.tryBecomeWriterIfCurrent())
        expectTrue(!first.log.lock.isLockedElsewhere(.writer))
        try first.catchUp()
        expectTrue(first.log.isCurrent())
        expectTrue(first.log.tryBecomeWriterIfCurrent())
        try first.commit()
        try expectEqual(realm.open().versions, [1, 2, 3])
    }

    @Test func aLogIsNotCurrentBehindANewSegmentOrAnIdleRecord() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let second = try realm.open()
        try first.log.writeIdle()
        expectTrue(!second.log.isCurrent())
        try second.catchUp()
        expectTrue(second.log.isCurrent())
        try first.commit(5000)
        expectTrue(!second.log.isCurrent())
        try second.catchUp()
        expectTrue(second.log.isCurrent())
    }

    @Test func takingTheLockFromACurrentLogDoesNotTouchTheDisk() throws {
        let realm = LogFixture()
        let log = try realm.open().log
        let before = [EffectKind.read, .write, .sync, .open].map { realm.disk.count($0) }
        expectTrue(log.tryBecomeWriterIfCurrent())
        expectEqual([EffectKind.read, .write, .sync, .open].map { realm.disk.count($0) }, before)
    }

    @Test func aDestroyedControlPageStopsTheWritersThatHaveItOpen() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        first.log.releaseWriterLock()
        realm.disk.setControlSlots(ControlWords(), ControlWords(), in: realm.path)
        expectTrue(!first.log.isCurrent())
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .invalidDatabase)
        expectTrue(!first.log.holdsWriter)
        // A process that opens the realm rebuilds it, and all continue.
        _ = try realm.open()
        try expectTrue(first.becomeWriter())
    }

    @Test func oneSyncAndOneWriteABatch() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        let before = [EffectKind.write, .sync, .wake].map { realm.disk.count($0) }
        let bodies = (2...9).map { LogFixture.body($0, 50) }
        try writer.log.append(bodies, version: 9)
        try writer.log.sync()
        writer.log.publish()
        expectEqual(
            [EffectKind.write, .sync, .wake].map { realm.disk.count($0) }, before.map { $0 + 1 })
    }

    /// A writer whose `LOCK` was removed continues while another process opens the realm: its
    /// commits in segments after the last one seen are read too.
    @Test func segmentThatAppearsWhileTheRealmIsOpenedIsRead() throws {
        let realm = LogFixture()
        var first: LogFixture.Process? = try realm.openWriter()
        for _ in 0..<6 { try first?.commit(2500) }
        let sizes = realm.segmentSizes()
        expectTrue(sizes.count > 2)
        first = nil
        let directory = try realm.disk.openDirectory(realm.path, .existing)
        try directory.unlink("LOCK")
        let last = "log-0-\(sizes.count - 1)"
        try directory.rename(last, to: "hidden")
        var versions: [UInt64] = []
        let (log, report) = try RealmLog.open(
            realm.disk, path: realm.path, options: realm.options
        ) { (body) throws(StoreError) in
            if versions.isEmpty { try directory.rename("hidden", to: last) }
            versions.append(LogFixture.version(body))
        }
        expectEqual(versions, [1, 2, 3, 4, 5, 6])
        expectTrue(report.commitCount == 6 && log.version == 6)
    }

    // Covers .outcomeUnknown
    @Test func writerWhosePathCannotBeExaminedAcknowledgesNothing() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        try first.write()
        try first.log.sync()
        realm.disk.placeFailure.withLock { $0 = StoreError(.ioFailed, "The disk failed.") }
        expectEqual(codeThrown { try first.log.confirmPlace(path: true) }, .outcomeUnknown)
        first.log.releaseWriterLock()
        first.log.revive()
        expectTrue(!first.log.isInPlace)
        expectTrue(!first.log.tryBecomeWriterIfCurrent())
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .ioFailed)
        realm.disk.placeFailure.withLock { $0 = nil }
        try expectTrue(first.becomeWriter())
        try expectEqual(realm.open().versions, [1, 2])
    }

    /// A process that opens the realm after its `LOCK` was replaced has different locks.
    @Test func writerWithoutItsLockIsRefused() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let directory = try realm.disk.openDirectory(realm.path, .existing)
        try directory.unlink("LOCK")
        let second = try realm.openWriter()
        expectEqual(second.versions, [1])
        #expect(throws: StoreError.self) { try first.log.checkLock() }
        expectEqual(codeThrown { try first.commit(20_000) }, .fileMoved, "a new segment")
        first.log.releaseWriterLock()
        expectTrue(!first.log.tryBecomeWriterIfCurrent())
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .fileMoved)
        expectEqual(codeThrown { _ = try first.log.tryLockCheckpoint() }, .fileMoved)
        expectTrue(second.log.isInPlace && !first.log.isInPlace)
        try second.commit()
    }
}
