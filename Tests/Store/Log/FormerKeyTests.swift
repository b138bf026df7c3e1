import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Logs of realms that are given another key.
@Suite struct FormerKeyTests {
    private let fixture: LogFixture
    private static let both = EncryptionKey.fake(2, former: [1])

    init() {
        var fixture = LogFixture()
        fixture.options.key = .fake(1)
        self.fixture = fixture
    }

    private func with(_ key: EncryptionKey?) -> LogFixture {
        var other = fixture
        other.options.key = key
        return other
    }

    private func code(_ key: EncryptionKey?) -> StoreError.Code? {
        codeThrown { _ = try with(key).open() }
    }

    // Covers .wrongKey
    @Test func formerKeysAreReadAndNewSegmentsHaveTheNewest() throws {
        let first = try fixture.openWriter()
        for _ in 0..<3 { try first.commit(3000) }
        first.log.releaseLocks()
        let second = try with(Self.both).openWriter()
        expectEqual(second.versions, [1, 2, 3])
        expectTrue(second.log.lacksNewestKey)
        try second.commit()
        expectTrue(second.log.lacksNewestKey, "the segment stays until it is full")
        try second.log.beginSegmentWithNewestKey()
        expectTrue(!second.log.lacksNewestKey)
        let number = second.log.segment.header.number
        try second.log.beginSegmentWithNewestKey()
        expectEqual(second.log.segment.header.number, number)
        try second.commit()
        second.log.releaseLocks()
        for key in [EncryptionKey.fake(1), .fake(2)] { expectEqual(code(key), .wrongKey) }
        let third = try with(.fake(2, former: [3, 1])).openWriter()
        expectEqual(third.versions, [1, 2, 3, 4, 5])
        third.log.releaseLocks()
    }

    /// A process without the new key neither reads nor writes on.
    // Covers .wrongKey
    @Test func processesThatOnlyHaveTheFormerKeyStop() throws {
        let first = try fixture.openWriter()
        try first.commit()
        first.log.releaseWriterLock()
        let second = try with(Self.both).openWriter()
        try second.commit()
        try first.catchUp()
        expectEqual(first.versions, [1, 2])
        try second.log.beginSegmentWithNewestKey()
        expectEqual(codeThrown { try first.catchUp() }, .wrongKey)
        try second.commit()
        second.log.releaseWriterLock()
        expectEqual(codeThrown { try first.catchUp() }, .wrongKey)
        expectEqual(codeThrown { _ = try first.becomeWriter() }, .wrongKey)
        expectTrue(!first.log.tryBecomeWriterIfCurrent())
        expectEqual(first.versions, [1, 2])
        expectEqual(code(.fake(1)), .wrongKey)
        try expectTrue(second.becomeWriter())
        try second.commit()
        try expectEqual(with(Self.both).open().versions, [1, 2, 3, 4])
    }

    /// The key of a file that a former key encrypts is known to who has that key, also where the
    /// records are framed again in a new segment.
    @Test(arguments: [false, true])
    func recordsThatAreFramedAgainKeepTheirAge(losesData: Bool) throws {
        let first = try fixture.openWriter()
        try first.commit()
        first.log.releaseLocks()
        let second = try with(Self.both).openWriter()
        let fileKey = second.log.segment.header.fileKey
        try second.write()
        fixture.disk.inject(SimFailure(.sync, nth: 1, losesDirtyData: losesData))
        expectEqual(codeThrown { try second.log.sync() }, .outcomeUnknown)
        second.log.releaseLocks()
        if losesData { fixture.disk.dropCaches() }
        let third = try with(Self.both).openWriter()
        expectEqual(third.log.segment.header.number, 1)
        expectEqual(third.log.segment.header.fileKey, fileKey)
        expectTrue(third.log.lacksNewestKey)
        expectEqual(code(.fake(2)), .wrongKey)
        try third.log.beginSegmentWithNewestKey()
        expectTrue(third.log.segment.header.fileKey != fileKey)
        third.log.releaseLocks()
    }

    @Test func filesWithAFormerKeyAreCounted() throws {
        let first = try fixture.openWriter()
        for _ in 0..<3 { try first.commit(5000) }
        let segmentCount = fixture.segmentSizes().count
        let appender = try first.log.nodes.appender(after: nil, liveByteCount: 0)
        try appender.sync()
        try first.log.migrationMark.write(MigrationMark(version: 9, file: 1, content: [1, 2]))
        func count(_ key: EncryptionKey?) throws -> Int {
            var history = first.log.history
            history.options = with(key).options
            return try history.formerKeyFileCount()
        }
        try expectEqual(count(nil), 0)
        try expectEqual(count(.fake(1)), 0)
        for key in [Self.both, .fake(2)] { try expectEqual(count(key), segmentCount + 2) }
        let header = try requireValue(fixture.disk.contents(of: "nodes-1", in: fixture.path))
        fixture.disk.setContents(header, of: "tmp-1-1", in: fixture.path)
        fixture.disk.setContents(
            [UInt8](repeating: 0, count: 8192), of: "tmp-2-1", in: fixture.path)
        fixture.disk.setContents([UInt8](repeating: 0, count: 8192), of: "spare", in: fixture.path)
        try expectEqual(count(.fake(2)), segmentCount + 3)
        fixture.disk.damage("nodes-1", in: fixture.path) { $0[4092] ^= 1 }
        try expectEqual(count(.fake(1)), 1, "it can't be told")
        first.log.releaseLocks()
    }

    /// A file with a hole can have more bytes than any memory.
    @Test func theMarkOfAMigrationIsNotReadIfItIsTooLarge() throws {
        try fixture.openWriter().log.releaseLocks()
        let system = WatchedFileSystem(fixture.disk)
        let (log, _) = try RealmLog.open(
            system, path: fixture.path, options: fixture.options
        ) { (_) throws(StoreError) in }
        try log.migrationMark.write(MigrationMark(version: 9, file: 1, content: [1, 2]))
        try expectEqual(log.history.formerKeyFileCount(), 0)
        system.sizes["migration"] = Limits.maximumMigrationMarkByteCount + 1
        try expectEqual(log.history.formerKeyFileCount(), 1, "it can't be told")
        expectEqual(system.reads, [])
        log.releaseLocks()
    }

    /// What a killed process saved of a migration is found with either key.
    @Test func theMarkOfAMigrationIsReadWithAFormerKey() throws {
        let first = try fixture.openWriter()
        let mark = MigrationMark(version: 1, file: 2, content: Array(repeating: 7, count: 100))
        try first.log.migrationMark.write(mark)
        first.log.releaseLocks()
        func read(_ key: EncryptionKey) throws -> MigrationMark? {
            let directory = try fixture.disk.openDirectory(fixture.path, .existing)
            return try MigrationMarkFile(
                fixture.disk, directory, realmID: first.log.realmID, key: key
            ).read()
        }
        try expectEqual(read(Self.both), mark)
        try expectNil(read(.fake(2)))
    }

    /// Whatever the retention, a compaction removes what has a former key, and nothing else that is
    /// retained.
    @Test(arguments: [false, true])
    func trimmingAfterACompactionEndsTheHistory(removesFormerKeys: Bool) throws {
        var fixture = with(.fake(1))
        fixture.options.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        let first = try fixture.openWriter()
        func image(_ process: LogFixture.Process, isNewFile: Bool) throws -> CheckpointReference {
            let appender = try process.log.nodes.appender(
                after: process.log.newestCheckpoint, liveByteCount: 1 << 30,
                isNewFileWanted: isNewFile)
            var reference = try requireValue(process.log.checkpointPoint)
            let place = [UInt8](repeating: 1, count: 100).withUnsafeBytes { bytes in
                Result { () throws(StoreError) in try appender.append(parts: [bytes]) }
            }
            reference.file = appender.fileNumber
            reference.offset = try place.get()
            reference.byteCount = 100
            try appender.sync()
            return reference
        }
        func checkpoint(_ process: LogFixture.Process) throws {
            let reference = try image(process, isNewFile: true)
            try process.log.appendCheckpoint(reference, copy: reference)
        }
        for _ in 0..<3 { try first.commit(5000) }
        try checkpoint(first)
        try first.log.migrationMark.write(MigrationMark(version: 4, file: 1, content: []))
        // The checkpoint of a bulk commit ends where the next segment begins.
        let bulk = try image(first, isNewFile: false)
        _ = try first.log.appendBulk(LogFixture.body(4, 100), version: 4, reference: bulk)
        try first.log.sync()
        first.log.publish()
        first.log.releaseLocks()
        fixture.options.key = Self.both
        let load: RealmLog.Load = { (_, _) throws(StoreError) in }
        let (log, _) = try RealmLog.open(
            fixture.disk, path: fixture.path, options: fixture.options, load: load
        ) { (_) throws(StoreError) in }
        let second = LogFixture.Process(log, RecoveryReport(), [])
        try expectTrue(second.becomeWriter())
        try log.beginSegmentWithNewestKey()
        let begin = log.segment.header.number
        expectEqual(log.newestCheckpoint?.position, log.segment.header.base)
        for _ in 0..<3 { try second.commit(5000) }
        try checkpoint(second)
        try expectTrue(log.tryLockCheckpoint())
        var trimming = log.trimmingWithOrphans()
        trimming.removesFormerKeys = removesFormerKeys
        try trimming.run()
        let names = Set(fixture.disk.fileNames(in: fixture.path))
        expectEqual(names.contains("log-0-0"), !removesFormerKeys)
        expectEqual(names.contains("nodes-1"), !removesFormerKeys)
        expectEqual(names.contains("migration"), !removesFormerKeys)
        expectTrue(names.contains("nodes-2"))
        let end = log.segment.header.number
        expectTrue(end > begin)
        if !removesFormerKeys {
            for number in 0...end { expectTrue(names.contains("log-0-\(number)"), "\(number)") }
        }
        expectTrue(names.contains("log-0-\(end)"))
        try expectEqual(trimming.formerKeyFileCount() == 0, removesFormerKeys)
        log.releaseLocks()
    }

    /// While the processes of a realm are restarted one by one, those that still have the former
    /// key as the key go on beginning files. A compaction removes them all, wherever they are.
    @Test(arguments: [false, true])
    func aFormerKeyBetweenFilesWithTheNewestIsRemoved(inNodes: Bool) throws {
        var fixture = with(Self.both)
        fixture.options.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        func open(_ key: EncryptionKey) throws -> LogFixture.Process {
            fixture.options.key = key
            let load: RealmLog.Load = { (_, _) throws(StoreError) in }
            let (log, report) = try RealmLog.open(
                fixture.disk, path: fixture.path, options: fixture.options, load: load
            ) { (_) throws(StoreError) in }
            let process = LogFixture.Process(log, report, [])
            try expectTrue(process.becomeWriter())
            return process
        }
        func checkpoint(_ process: LogFixture.Process, isTwofold: Bool) throws {
            let appender = try process.log.nodes.appender(
                after: process.log.newestCheckpoint, liveByteCount: 0, isNewFileWanted: true)
            try appender.sync()
            var reference = try requireValue(process.log.checkpointPoint)
            reference.file = appender.fileNumber
            try process.log.appendCheckpoint(reference, copy: isTwofold ? reference : nil)
        }
        let first = try open(Self.both)
        for _ in 0..<3 { try first.commit(5000) }
        first.log.releaseLocks()
        let second = try open(.fake(1, former: [2]))
        if inNodes {
            try checkpoint(second, isTwofold: false)
        } else {
            try second.log.beginSegmentWithNewestKey()
            try second.commit()
        }
        second.log.releaseLocks()
        let third = try open(Self.both)
        try third.log.beginSegmentWithNewestKey()
        for _ in 0..<3 { try third.commit(5000) }
        try checkpoint(third, isTwofold: true)
        try expectTrue(third.log.tryLockCheckpoint())
        var trimming = third.log.trimmingWithOrphans()
        trimming.removesFormerKeys = true
        try expectTrue(trimming.formerKeyFileCount() > 0)
        try trimming.run()
        try expectEqual(trimming.formerKeyFileCount(), 0)
        let names = fixture.disk.fileNames(in: fixture.path)
        expectTrue(names.contains("log-0-\(third.log.segment.header.number)"))
        third.log.releaseLocks()
    }
}
