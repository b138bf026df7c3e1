import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

/// Relaxed commits whose sync fails while another process may write.
@Suite struct FailedSyncTests {
    /// Checks that every possible disk after a power failure has all of the versions.
    private func expectAll(_ versions: [UInt64], _ realm: LogFixture) throws {
        for image in realm.disk.crashImages() {
            var found: [UInt64] = []
            _ = try RealmLog.open(image.fileSystem, path: realm.path, options: realm.options) {
                (body) throws(StoreError) in found.append(LogFixture.version(body))
            }
            expectEqual(found, versions)
        }
    }

    // Covers 12.10
    @Test func aWriterThatComesAfterAFailedSyncBeginsANewSegment() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let second = try realm.open()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try first.log.sync() }
        try second.catchUp()
        expectTrue(!second.log.isCurrent())
        expectTrue(!second.log.tryBecomeWriterIfCurrent())
        try expectTrue(second.becomeWriter())
        expectEqual(realm.segmentSizes().count, 2)
        try second.commit()
        expectEqual(second.versions, [1, 2, 3])
        try expectAll([1, 2, 3], realm)
        expectTrue(second.log.isCurrent(), "the failure was repaired")
        second.log.releaseWriterLock()
        expectTrue(second.log.tryBecomeWriterIfCurrent())
    }

    // Covers 12.10, .outcomeUnknown
    @Test func aWriterBesideAFailedSyncAcknowledgesNothing() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let second = try realm.open()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        try expectTrue(second.becomeWriter())
        try second.write()
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try first.log.sync() }
        let error = #expect(throws: StoreError.self) { try second.log.sync() }
        expectEqual(error?.code, .outcomeUnknown)
        second.log.releaseWriterLock()
        let third = try realm.openWriter()
        try third.commit()
        try expectAll(third.versions, realm)
    }

    /// The process that takes over from a dead one writes and syncs its records again.
    // Covers 12.10, .outcomeUnknown
    @Test func aSyncThatFailsDuringRecoveryIsRecorded() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        var second: LogFixture.Process? = try realm.open()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        try expectEqual(second?.becomeWriter(), true)
        try second?.write()
        second = nil
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .ioFailed)
        expectEqual(codeThrown { try first.log.sync() }, .outcomeUnknown, "the pages are clean")
        realm.disk.dropCaches()
        try expectEqual(realm.openForReading().version, 1)
        let third = try realm.openWriter()
        expectTrue(third.report.wasPoisoned && third.versions == [1])
        try third.commit()
        try expectAll([1, 2], realm)
    }

    /// Calls a closure just before the next sync of a file, once.
    private func beforeNextSync(
        _ disk: SimFileSystem, _ body: @escaping @Sendable () -> Void
    ) {
        let isFirst = Mutex(true)
        disk.onEffect = { kind, _ in
            let isDue = isFirst.withLock { isFirst in
                guard kind == .sync, isFirst else { return false }
                isFirst = false
                return true
            }
            if isDue { body() }
        }
    }

    /// Lets another process fail to sync, without the writer lock, just before the next sync. What
    /// both would write is dropped.
    private func failSync(of other: RealmLog, beforeTheNextOn disk: SimFileSystem) {
        beforeNextSync(disk) {
            disk.inject(SimFailure(.sync, losesDirtyData: true))
            expectEqual(codeThrown { try other.sync() }, .outcomeUnknown)
        }
    }

    /// What the process that takes over writes again isn't on disk, although its sync succeeds.
    @Test func aSyncThatFailsElsewhereDuringRecoveryIsRecorded() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        var second: LogFixture.Process? = try realm.open()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        try expectEqual(second?.becomeWriter(), true)
        let other = try realm.open()
        try second?.write()
        second = nil
        failSync(of: other.log, beforeTheNextOn: realm.disk)
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .ioFailed)
        realm.disk.onEffect = nil
        realm.disk.dropCaches()
        let third = try realm.openWriter()
        expectTrue(third.report.wasPoisoned && third.versions == [1])
        try third.commit()
        try expectAll([1, 2], realm)
    }

    /// The zeros that replace the rejected commit aren't on disk, although their sync succeeds.
    // Covers .outcomeUnknown
    @Test func aSyncThatFailsElsewhereMakesARejectedCommitUncertain() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit()
        try writer.write()
        writer.log.publish()
        let other = try realm.open()
        realm.disk.inject(SimFailure(.write, code: .diskFull, writtenByteCount: .max))
        failSync(of: other.log, beforeTheNextOn: realm.disk)
        expectEqual(codeThrown { try writer.write() }, .outcomeUnknown)
        realm.disk.onEffect = nil
    }

    /// A failed sync of the directory may have dropped the name of a segment.
    @Test func aDirectorySyncThatFailsWhileOpeningIsRecorded() throws {
        let realm = LogFixture()
        try realm.openWriter().commit()
        realm.disk.inject(SimFailure(.syncDirectory))
        expectEqual(codeThrown { _ = try realm.open() }, .ioFailed)
        let again = try realm.openWriter()
        expectTrue(again.report.wasPoisoned && again.versions == [1])
        expectEqual(realm.segmentSizes().count, 2)
    }

    /// The other commit has the same version, position and size.
    // Covers .invalidDatabase
    @Test func commitThatReplacesALostOneIsNotMistakenForIt() throws {
        let realm = LogFixture()
        let (first, reader) = try openWithRelaxedCommit(realm)
        var replay = try requireValue(reader.log.history.find(2).beginnings.first).replay
        for version in reader.versions {
            let body = try requireValue(replay.nextCommit(through: 2))
            expectEqual(LogFixture.version(body), version)
        }
        try Self.replaceRelaxedCommit(first.log, realm)
        expectTrue(reader.log.isBehind())
        expectEqual(codeThrown { try reader.catchUp() }, .invalidDatabase)
        expectEqual(codeThrown { _ = try reader.becomeWriter() }, .invalidDatabase)
        // The process that wrote the lost commit has it in memory too.
        first.log.revive()
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .invalidDatabase)
        expectEqual(codeThrown { _ = try replay.nextCommit(through: 3) }, .invalidDatabase)
        expectEqual(reader.versions, [1, 2])
        expectEqual(first.versions, [1, 2])
    }

    @Test func processThatHasNotReadALostCommitGoesOn() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let (second, reader) = try (realm.open(), realm.open())
        try first.write()
        first.log.publish()
        Self.loseRelaxedCommit(first.log, realm)
        try reader.catchUp()
        try expectTrue(second.becomeWriter())
        try second.commit()
        try reader.catchUp()
        expectEqual(second.versions, [1, 2])
        expectEqual(reader.versions, [1, 2])
        try expectAll([1, 2], realm)
    }

    /// Nothing is damaged: the realm can be opened again, without the commit.
    // Covers .invalidDatabase
    @Test func processWhoseCommitWasLostIsToldToOpenTheRealmAgain() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        try process.commit()
        try process.write()
        process.log.publish()
        Self.loseRelaxedCommit(process.log, realm)
        process.log.revive()
        let error = #expect(throws: StoreError.self) { _ = try process.becomeWriter() }
        expectEqual(error?.code, .invalidDatabase)
        try expectTrue(requireValue(error).message.hasSuffix("open it again."))
        process.log.releaseLocks()
        try expectEqual(realm.openWriter().versions, [1])
    }

    @Test func commitsReadBeforeAnErrorAreNotReadAgainAfterAFailedSync() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        let second = try realm.openWriter()
        for _ in 0..<2 {
            try second.write()
            second.log.publish()
        }
        second.log.releaseWriterLock()
        let code = codeThrown {
            try first.log.catchUp { (body) throws(StoreError) in
                let version = LogFixture.version(body)
                if version == 3 { throw StoreError(.ioFailed, "No descriptors.") }
                first.versions.append(version)
            }
        }
        expectEqual(code, .ioFailed)
        realm.disk.inject(SimFailure(.sync))
        expectEqual(codeThrown { try first.log.sync() }, .outcomeUnknown)
        expectEqual(first.log.version, 2)
        first.log.revive()
        try expectTrue(first.becomeWriter())
        try first.commit()
        expectEqual(first.versions, [1, 2, 3, 4])
        try expectAll([1, 2, 3, 4], realm)
    }

    @Test func aDamagedCheckpointIsStillPassedOverAfterAFailedSync() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        for file in 1...2 {
            try writer.commit()
            var reference = try requireValue(writer.log.checkpointPoint)
            reference.file = UInt64(file)
            try writer.log.appendCheckpoint(reference)
        }
        writer.log.skipCheckpoint(of: 2)
        expectEqual(writer.log.newestCheckpoint?.version, 1)
        realm.disk.inject(SimFailure(.sync))
        expectEqual(codeThrown { try writer.commit() }, .outcomeUnknown)
        expectEqual(writer.log.newestCheckpoint?.version, 1)
        expectNil(writer.log.olderCheckpoint)
    }

    @Test func whatOthersHaveSyncedIsNotSyncedAgain() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        let second = try realm.openWriter()
        try second.commit()
        let syncs = realm.disk.count(.sync)
        try first.log.sync()
        expectEqual(realm.disk.count(.sync), syncs)
        expectEqual(first.log.durableEnd, first.log.position)
    }

    /// Opens a realm with a durable commit and a relaxed one, written by the first process. The
    /// second one has read both.
    private func openWithRelaxedCommit(
        _ realm: LogFixture
    ) throws -> (writer: LogFixture.Process, reader: LogFixture.Process) {
        let writer = try realm.openWriter()
        try writer.commit()
        let reader = try realm.open()
        try writer.write()
        writer.log.publish()
        try reader.catchUp()
        expectEqual(reader.versions, [1, 2])
        return (writer, reader)
    }

    /// Lets the sync of a relaxed commit fail, so that the commit is lost.
    private static func loseRelaxedCommit(_ writer: RealmLog, _ realm: LogFixture) {
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { try writer.sync() }, .outcomeUnknown)
        writer.releaseWriterLock()
        realm.disk.dropCaches()
    }

    /// Lets a relaxed commit be lost, and another process commit in its place.
    private static func replaceRelaxedCommit(_ writer: RealmLog, _ realm: LogFixture) throws {
        loseRelaxedCommit(writer, realm)
        let heir = try realm.openWriter()
        expectEqual(heir.versions, [1])
        try heir.log.append([Array(LogFixture.body(2, 10).dropLast()) + [0xFF]], version: 2)
        try heir.log.sync()
        heir.log.publish()
        heir.log.releaseWriterLock()
    }

    /// Bytes up to the same position are durable, but others.
    // Covers .invalidDatabase
    @Test func whatWasReplacedIsNotCalledDurable() throws {
        let realm = LogFixture()
        let (writer, reader) = try openWithRelaxedCommit(realm)
        try Self.replaceRelaxedCommit(writer.log, realm)
        let syncs = realm.disk.count(.sync)
        expectTrue(reader.log.maySync)
        try reader.log.sync()
        expectEqual(realm.disk.count(.sync), syncs, "the file is never synced again")
        expectTrue(reader.log.durableEnd < reader.log.position)
        expectEqual(codeThrown { try reader.catchUp() }, .invalidDatabase)
    }

    /// The sync succeeds, since the pages that were dropped are clean.
    @Test func whatIsReplacedDuringASyncIsNotCalledDurable() throws {
        let realm = LogFixture()
        let (writer, reader) = try openWithRelaxedCommit(realm)
        beforeNextSync(realm.disk) { [log = writer.log] in
            expectNil(codeThrown { try Self.replaceRelaxedCommit(log, realm) })
        }
        try reader.log.sync()
        realm.disk.onEffect = nil
        expectTrue(reader.log.durableEnd < reader.log.position)
        expectEqual(codeThrown { try reader.catchUp() }, .invalidDatabase)
    }

    @Test func theNextSegmentOfAnotherProcessShowsWhatIsDurable() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        let second = try realm.openWriter()
        try second.commit(6000)
        expectEqual(realm.segmentSizes().count, 2)
        let syncs = realm.disk.count(.sync)
        try first.log.sync()
        expectEqual(realm.disk.count(.sync), syncs)
        expectTrue(first.log.durableEnd < first.log.position)
        try first.catchUp()
        expectEqual(first.log.durableEnd, first.log.position)
        expectEqual(first.versions, [1, 2])
    }

    @Test func thePublishedDurableEndNeverGoesBack() throws {
        let realm = LogFixture()
        func durableEnd(_ log: RealmLog) throws -> LogPosition {
            try requireValue(log.lock.loadControl()).durableEnd
        }
        let first = try realm.openWriter()
        try first.write()
        first.log.publish()
        first.log.releaseWriterLock()
        let second = try realm.openWriter()
        try second.log.sync()
        second.log.publish()
        second.log.releaseWriterLock()
        let end = try durableEnd(second.log)
        expectEqual(end, second.log.position)
        expectTrue(first.log.tryBecomeWriterIfCurrent())
        first.log.publish()
        try expectEqual(durableEnd(first.log), end)
    }
}
