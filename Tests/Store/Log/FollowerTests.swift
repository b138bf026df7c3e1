import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Reading what another process writes.
@Suite struct FollowerTests {
    @Test func publishedCommitsAreReadOnce() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        let reader = try realm.open()
        expectTrue(reader.report.followedWriter)
        expectEqual(reader.versions, [1])
        expectTrue(!reader.log.isBehind())
        try writer.commit()
        try writer.commit(700)
        expectTrue(reader.log.isBehind())
        try reader.catchUp()
        try reader.catchUp()
        expectEqual(reader.versions, [1, 2, 3])
        expectEqual(reader.log.version, 3)
        expectTrue(!reader.log.isBehind())
    }

    @Test func nothingIsReadBeforeItIsPublished() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        let reader = try realm.open()
        try writer.write()
        try reader.catchUp()
        expectTrue(reader.versions.isEmpty)
        try writer.log.sync()
        try reader.catchUp()
        expectTrue(reader.versions.isEmpty)
        writer.log.publish()
        try reader.catchUp()
        expectEqual(reader.versions, [1])
    }

    @Test func relaxedCommitsAreReadBeforeTheyAreDurable() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        let reader = try realm.open()
        try writer.write()
        writer.log.publish()
        try reader.catchUp()
        expectEqual(reader.versions, [1])
        expectTrue(reader.log.durableEnd < reader.log.position)
        try writer.log.sync()
        writer.log.publish()
        try reader.catchUp()
        expectEqual(reader.versions, [1])
        expectEqual(reader.log.durableEnd, reader.log.position)
    }

    @Test func aReaderGoesOnThroughManySegments() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        let reader = try realm.open()
        for _ in 0..<30 { try writer.commit(3000) }
        expectTrue(realm.segmentSizes().count > 3)
        try reader.catchUp()
        expectEqual(reader.versions, Array(1...30))
        try writer.commit(20)
        try reader.catchUp()
        expectEqual(reader.versions.last, 31)
    }

    @Test func aReaderGoesOnFromTheLogOfAnIdleWriter() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        let reader = try realm.open()
        try writer.log.writeIdle()
        try reader.catchUp()
        expectTrue(reader.log.endsIdle)
        try writer.commit()
        try reader.catchUp()
        expectEqual(reader.versions, [1, 2])
        expectTrue(!reader.log.endsIdle)
    }

    @Test func anIdleRecordIsWrittenOnce() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        try writer.log.writeIdle()
        let position = writer.log.position
        try writer.log.writeIdle()
        expectEqual(writer.log.position, position)
        try expectTrue(realm.open().log.endsIdle)
    }

    /// After a failed sync the log continues in a new segment that repeats the records since the
    /// last durable one. A reader that knows some of them skips these.
    @Test(arguments: [false, true])
    func aReaderGoesOnAcrossARepairedFailure(knowsThem: Bool) throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        let reader = try realm.open()
        try writer.commit()
        try writer.write(200)
        writer.log.publish()
        if knowsThem { try reader.catchUp() }
        try writer.write(300)
        realm.disk.inject(SimFailure(.sync))
        expectEqual(codeThrown { try writer.log.sync() }, .outcomeUnknown)
        writer.log.releaseWriterLock()
        let heir = try realm.openWriter()
        expectTrue(heir.report.wasPoisoned)
        expectEqual(heir.versions, [1, 2, 3])
        try heir.commit()
        try reader.catchUp()
        expectEqual(reader.versions, [1, 2, 3, 4])
        // The reader's chain is that of the new segment, so it can continue writing.
        heir.log.releaseWriterLock()
        try expectTrue(reader.becomeWriter())
        try reader.commit()
        try expectEqual(realm.open().versions, [1, 2, 3, 4, 5])
    }

    @Test func publishedBytesThatAreDamagedAreAnErrorAndKeepWhatWasRead() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        let reader = try realm.open()
        try writer.commit()
        try reader.catchUp()
        let end = 4096 + Int(writer.log.position)
        try writer.commit(100)
        realm.disk.flipBit((end + 60) * 8, of: "log-0-0", in: realm.path)
        expectEqual(codeThrown { try reader.catchUp() }, .invalidDatabase)
        expectEqual(reader.versions, [1])
        expectEqual(reader.log.version, 1)
    }

    // Covers 12.16, .invalidDatabase
    @Test(arguments: [false, true])
    func aDestroyedControlPageIsAnError(isReadOnly: Bool) throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        let reader = isReadOnly ? try realm.openForReading() : try realm.open().log
        realm.disk.setControlSlots(ControlWords(), ControlWords(), in: realm.path)
        expectTrue(reader.isBehind())
        expectEqual(
            codeThrown { try reader.catchUp { (_) throws(StoreError) in } }, .invalidDatabase)
        try writer.commit()
        try reader.catchUp { (_) throws(StoreError) in }
        expectEqual(reader.version, 2)
    }

    /// Reading doesn't rebuild it.
    @Test func aControlPageThatWasLostBeforeReadingIsNoError() throws {
        let realm = LogFixture()
        try realm.openWriter().commit()
        realm.disk.setControlSlots(ControlWords(), ControlWords(), in: realm.path)
        let reader = try realm.openForReading()
        try reader.catchUp { (_) throws(StoreError) in }
        expectTrue(!reader.isBehind())
        try realm.openWriter().commit()
        try reader.catchUp { (_) throws(StoreError) in }
        expectEqual(reader.version, 2)
    }

    @Test func anErrorOfTheReceiverStopsBeforeThatCommit() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        let reader = try realm.open()
        for _ in 0..<3 { try writer.commit() }
        let error = #expect(throws: StoreError.self) {
            try reader.log.catchUp { (body) throws(StoreError) in
                if LogFixture.version(body) == 2 { throw StoreError(.invalidValue, "No.") }
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectEqual(error?.lastGoodVersion, 1)
        expectEqual(reader.log.version, 1)
        try reader.catchUp()
        expectEqual(reader.versions, [2, 3])
    }
}
