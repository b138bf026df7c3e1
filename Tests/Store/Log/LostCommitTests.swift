import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Commits that were published and then lost, before others get their versions.
@Suite struct LostCommitTests {
    private func timeline(_ log: RealmLog, _ version: UInt64) -> Identity128 {
        log.timelines.withLock { $0.id(at: version) }
    }

    /// Opens a realm with a durable commit and one that was published without being synced.
    private func openUnsynced(_ realm: LogFixture) throws -> LogFixture.Process {
        let writer = try realm.openWriter()
        try writer.commit()
        writer.log.allowUnsynced()
        try writer.write()
        writer.log.publish()
        return writer
    }

    private func open(_ disk: SimFileSystem, _ realm: LogFixture) throws -> RealmLog {
        let log = try RealmLog.open(disk, path: realm.path, options: realm.options) {
            (_) throws(StoreError) in
        }.log
        try expectTrue(log.tryBecomeWriter { (_) throws(StoreError) in })
        return log
    }

    private func commit(_ log: RealmLog) throws {
        let version = log.version + 1
        try log.append([LogFixture.body(version, 10)], version: version)
        try log.sync()
        log.publish()
    }

    /// Expects that the next commit begins a timeline, or that it doesn't.
    private func expectTimeline(_ begins: Bool, _ log: RealmLog, _ place: String = "") throws {
        let version = log.version
        let before = timeline(log, version)
        try commit(log)
        expectEqual(timeline(log, version), before, "\(place)")
        expectEqual(timeline(log, version + 1) != before, begins, "\(place)")
        try commit(log)
        expectEqual(timeline(log, version + 2), timeline(log, version + 1), "\(place)")
    }

    @Test(arguments: [false, true])
    func commitsThatReplaceThoseOfAFailedSyncBeginATimeline(isLost: Bool) throws {
        let realm = LogFixture()
        let writer = try openUnsynced(realm)
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { try writer.log.sync() }, .outcomeUnknown)
        writer.log.releaseLocks()
        if isLost { realm.disk.dropCaches() }
        let heir = try open(realm.disk, realm)
        expectEqual(heir.version, isLost ? 1 : 2)
        try expectTimeline(isLost, heir)
    }

    /// The segments that tell what has replaced the lost commit are gone.
    // Covers .invalidDatabase
    @Test func processNoticesThatACommitWasLostAfterTheLogWasTrimmed() throws {
        var realm = LogFixture()
        realm.options.retention = .none
        let writer = try realm.openWriter()
        try writer.commit()
        let earlier = try realm.open()
        writer.log.allowUnsynced()
        try writer.write()
        writer.log.publish()
        let later = try realm.open()
        expectTrue(earlier.versions == [1] && later.versions == [1, 2])
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { try writer.log.sync() }, .outcomeUnknown)
        writer.log.releaseLocks()
        realm.disk.dropCaches()
        let heir = try realm.openWriter()
        expectEqual(heir.versions, [1])
        while realm.segmentSizes().count < 6 { try heir.commit(2_000) }
        var reference = try requireValue(heir.log.checkpointPoint)
        reference.file = 1
        try heir.log.appendCheckpoint(reference, copy: reference)
        try heir.log.trimming.run()
        expectNil(realm.disk.contents(of: "log-0-1", in: realm.path))
        var loadCount = 0
        let load: RealmLog.Load = { (_, _) throws(StoreError) in loadCount += 1 }
        let code = codeThrown { try later.log.catchUp(load: load) { (_) throws(StoreError) in } }
        expectTrue(code == .invalidDatabase && loadCount == 0)
        // this process hasn't read the commit
        try earlier.log.catchUp(load: load) { (_) throws(StoreError) in }
        expectTrue(earlier.log.version == heir.log.version && loadCount == 1)
    }

    /// Nothing in the log tells whether there was another commit.
    @Test func commitsAfterAPowerFailureBeginATimelineIfSomeMayBeLost() throws {
        let realm = LogFixture()
        let writer = try openUnsynced(realm)
        var versions: Set<UInt64> = []
        for image in realm.disk.crashImages() {
            let log = try open(image.fileSystem, realm)
            versions.insert(log.version)
            try expectTimeline(true, log, image.summary)
        }
        expectEqual(versions, [1, 2])
        writer.log.releaseLocks()
    }

    @Test func durableCommitsStayOnTheirTimeline() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        for _ in 0..<3 { try writer.commit() }
        for image in realm.disk.crashImages() {
            try expectTimeline(false, open(image.fileSystem, realm), image.summary)
        }
        expectEqual(realm.disk.count(.syncLock), 0)
        writer.log.releaseLocks()
    }

    /// The boot of the control page is another one, but nothing was lost.
    @Test(arguments: [false, true])
    func aRebootAfterClosingBeginsNoTimeline(isClosed: Bool) throws {
        let realm = LogFixture()
        let writer = try openUnsynced(realm)
        writer.log.disallowUnsynced()
        expectTrue(writer.log.mayPublishUnsynced, "the commit isn't durable")
        try writer.log.writeIdle()
        if isClosed { writer.log.disallowUnsynced() }
        expectEqual(writer.log.mayPublishUnsynced, !isClosed)
        let machine = realm.disk.killImage()
        machine.setBootID(Identity128(high: 1, low: 2))
        // also if it is only opened and closed before
        try open(machine, realm).releaseLocks()
        try expectTimeline(!isClosed, open(machine, realm))
        writer.log.releaseLocks()
    }

    /// A process that is killed between the two stores leaves a note that may not be on disk.
    @Test func withoutADurableNoteNothingIsPublishedUnsynced() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        realm.disk.inject(SimFailure(.syncLock))
        writer.log.allowUnsynced()
        expectTrue(!writer.log.mayPublishUnsynced)
        writer.log.releaseWriterLock()
        expectTrue(writer.log.tryBecomeWriterIfCurrent())
        expectTrue(!writer.log.mayPublishUnsynced)
        writer.log.allowUnsynced()
        expectTrue(writer.log.mayPublishUnsynced)
        expectEqual(realm.disk.count(.syncLock), 2)
        writer.log.releaseLocks()
    }
}
