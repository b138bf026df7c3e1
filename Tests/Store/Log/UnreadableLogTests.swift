import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Realms of which parts are missing or can't be read, and segments that are larger than any that
/// is written.
@Suite struct UnreadableLogTests {
    private let realm: LogFixture
    private let system: WatchedFileSystem

    init() {
        var realm = LogFixture()
        realm.options.firstSegmentByteCount = 1 << 20
        realm.options.maximumSegmentByteCount = 1 << 20
        self.realm = realm
        system = WatchedFileSystem(realm.disk)
    }

    /// Makes a log with a checkpoint of the first 10 of 12 commits. The record of each commit has
    /// 3,048 bytes.
    private func make(laterCount: Int = 2) throws {
        let process = try realm.openWriter()
        for _ in 0..<10 { try process.commit(3_000) }
        try appendCheckpoint(inFile: 1, to: process.log)
        for _ in 0..<laterCount { try process.commit(3_000) }
        process.log.releaseLocks()
    }

    private func appendCheckpoint(inFile file: UInt64, to log: RealmLog) throws {
        var reference = try requireValue(log.checkpointPoint)
        reference.file = file
        try log.appendCheckpoint(reference)
    }

    /// Makes a log of which only the segment 2 is left. Its header names checkpoints in the files 1
    /// and 2, and its records, all in the first block, name those of the versions 13 and 14.
    private func makeTrimmed() throws {
        let process = try realm.openWriter()
        for file: UInt64 in 1...2 {
            for _ in 0..<6 { try process.commit(100_000) }
            try appendCheckpoint(inFile: file, to: process.log)
            try process.log.beginSegmentAfterCheckpoint()
        }
        for file: UInt64 in 3...4 {
            try process.commit()
            try appendCheckpoint(inFile: file, to: process.log)
        }
        process.log.releaseLocks()
        for number in 0...1 { realm.disk.removeFile("log-0-\(number)", in: realm.path) }
        for number in 3...4 {
            realm.disk.setContents([1], of: "nodes-\(number)", in: realm.path)
        }
    }

    /// What a process finds that opens the realm.
    private struct Opened {
        let log: RealmLog
        let report: RecoveryReport
        let versions: [UInt64]
    }

    private func open(
        isReadOnly: Bool, load: @escaping RealmLog.Load = { (_, _) throws(StoreError) in }
    ) throws(StoreError) -> Opened {
        var versions: [UInt64] = []
        let deliver: RealmLog.Deliver = { (body) throws(StoreError) in
            versions.append(LogFixture.version(body))
        }
        let (log, report) =
            isReadOnly
            ? try RealmLog.openForReading(
                system, path: realm.path, options: realm.options, load: load, deliver)
            : try RealmLog.open(
                system, path: realm.path, options: realm.options, load: load, deliver)
        return Opened(log: log, report: report, versions: versions)
    }

    private func error(isReadOnly: Bool) -> StoreError? {
        do throws(StoreError) {
            _ = try open(isReadOnly: isReadOnly)
            return nil
        } catch {
            return error
        }
    }

    private func check(_ didRead: @escaping (Int) -> Void = { _ in }) throws -> LogCheck {
        try LogCheck.run(
            system, path: realm.path, options: realm.options, limit: 10,
            isCancelled: { false }, didRead: didRead)
    }

    // MARK: Blocks that the disk can't read

    /// The newest checkpoint has the commits that can't be read. One block begins with the first
    /// commit, the other within the second.
    @Test(arguments: [(4_096, 0), (8_192, 3_048)], [true, false])
    func unreadableCommitsBeforeTheCheckpointAreNotNeeded(
        unreadable: (block: UInt64, position: LogPosition), hasLock: Bool
    ) throws {
        try make()
        if !hasLock { realm.disk.removeFile("LOCK", in: realm.path) }
        system.unreadable = [("log-0-0", unreadable.block..<unreadable.block + 4_096)]
        for isReadOnly in [true, false] {
            let opened = try open(isReadOnly: isReadOnly)
            expectEqual(opened.versions, [11, 12])
            expectEqual(opened.report.damagedPosition, unreadable.position)
            expectEqual(opened.report.damagedCheckpoints, [])
            realm.disk.setContents([1], of: "nodes-1", in: realm.path)
            for version: UInt64 in [9, 10, 12] {
                let beginning = try opened.log.history.find(version).beginnings.first
                expectEqual(beginning?.reference?.version, version < 10 ? nil : 10)
            }
            opened.log.releaseLocks()
        }
    }

    // Covers .ioFailed
    @Test(arguments: [true, false], [true, false])
    func unreadableCommitsAfterTheCheckpointAreNeeded(hasLock: Bool, isReadOnly: Bool) throws {
        try make()
        if !hasLock { realm.disk.removeFile("LOCK", in: realm.path) }
        system.unreadable = [("log-0-0", 36_864..<40_960)]  // in the eleventh commit
        expectEqual(error(isReadOnly: isReadOnly)?.code, .ioFailed)
        system.unreadable = []
        let opened = try open(isReadOnly: isReadOnly)
        expectEqual(opened.versions, [11, 12])
        opened.log.releaseLocks()
    }

    /// Each block can take the disk many seconds.
    // Covers .ioFailed
    @Test func notAllOfAnUnreadableSegmentIsTried() throws {
        try make()
        system.unreadable = [("log-0-0", 4_096..<1 << 20)]
        for isReadOnly in [true, false] {
            system.failureCount = 0
            expectEqual(error(isReadOnly: isReadOnly)?.code, .ioFailed)
            expectTrue(system.failureCount < 100, "\(system.failureCount)")
        }
    }

    /// The disk may be able to read the records later. A process that has fallen behind tries
    /// again.
    // Covers .ioFailed
    @Test func unreadableRecordsMayNameTheCheckpointsThatAreNeeded() throws {
        let load: RealmLog.Load = { (reference, _) throws(StoreError) in
            if reference?.file ?? 0 < 3 { throw StoreError(.historyTrimmed, "It was removed.") }
        }
        let refuse: RealmLog.Deliver = { (_) throws(StoreError) in
            throw StoreError(.invalidInput, "A commit before the checkpoint was delivered.")
        }
        let follower = try open(isReadOnly: false).log
        try makeTrimmed()
        system.unreadable = [("log-0-2", 4_096..<8_192)]
        expectEqual(codeThrown { try follower.catchUp(load: load, refuse) }, .ioFailed)
        for isReadOnly in [true, false] {
            let code = codeThrown { _ = try open(isReadOnly: isReadOnly, load: load) }
            expectEqual(code, .ioFailed)
        }
        system.unreadable = []
        try follower.catchUp(load: load, refuse)
        expectEqual(follower.version, 14)
        for isReadOnly in [true, false] {
            let opened = try open(isReadOnly: isReadOnly, load: load)
            expectEqual(opened.log.version, 14)
            opened.log.releaseLocks()
        }
        follower.releaseLocks()
    }

    /// Nothing follows the record of the checkpoint, so only `LOCK` says that it is durable.
    @Test func historyBeginsAtACheckpointThatLockConfirms() throws {
        try make(laterCount: 0)
        realm.disk.setContents([1], of: "nodes-1", in: realm.path)
        system.unreadable = [("log-0-0", 8_192..<12_288)]
        let opened = try open(isReadOnly: true)
        expectEqual(opened.report.damagedPosition, 3_048)
        let beginning = try opened.log.history.find(10).beginnings.first
        expectEqual(beginning?.reference?.version, 10)
        opened.log.releaseLocks()
    }

    /// A version that is no longer in the history isn't one that the disk may be able to read
    /// later.
    // Covers .ioFailed
    @Test func unreadableRecordsHideNoOlderCheckpointThanTheHeader() throws {
        try makeTrimmed()
        let opened = try open(isReadOnly: true)
        system.unreadable = [("log-0-2", 4_096..<8_192)]
        let history = opened.log.history
        try expectEqual(history.find(11).beginnings.count, 0)
        expectEqual(codeThrown { _ = try history.find(13) }, .ioFailed)
        system.unreadable = []
        try expectEqual(history.find(11).beginnings.count, 0)
        try expectEqual(history.find(13).beginnings.first?.reference?.version, 13)
        opened.log.releaseLocks()
    }

    // Covers .ioFailed
    @Test func unreadableLockCountsAsMissingForReaders() throws {
        try make()
        system.unreadable = [("LOCK", 0..<4_096)]
        let opened = try open(isReadOnly: true)
        expectEqual(opened.versions, [11, 12])
        expectTrue(opened.report.controlPageWasLost)
        try opened.log.catchUp { (_) throws(StoreError) in }
        let check = try check()
        expectEqual(check.damages, [])
        expectEqual(check.versions, [1...12])
        expectEqual(error(isReadOnly: false)?.code, .ioFailed)
        opened.log.releaseLocks()
    }

    /// `LOCK` can be newer than what a power failure has left of the log.
    @Test func lockThatBecomesReadableMayBeOutdated() throws {
        let process = try realm.openWriter()
        try process.commit()
        try process.write()
        process.log.publish()
        let load: RealmLog.Load = { (_, _) throws(StoreError) in }
        let refuse: RealmLog.Deliver = { (_) throws(StoreError) in
            throw StoreError(.invalidInput, "An unknown commit was delivered.")
        }
        var lostCount = 0
        for image in realm.disk.crashImages() {
            let machine = WatchedFileSystem(image.fileSystem)
            machine.unreadable = [("LOCK", 0..<4_096)]
            let reader = try RealmLog.openForReading(
                machine, path: realm.path, options: realm.options, load: load
            ) { (_) throws(StoreError) in }.log
            let version = reader.version
            machine.unreadable = []
            expectTrue(reader.isBehind())
            try reader.catchUp(refuse)
            let page = reader.lock.loadControl()
            if let page, page.visibleEnd > reader.position { lostCount += 1 }
            expectTrue(page == nil || !reader.isBehind())
            let writer = try RealmLog.open(
                machine, path: realm.path, options: realm.options
            ) { (_) throws(StoreError) in }.log
            try expectTrue(writer.tryBecomeWriter(refuse))
            try writer.append([LogFixture.body(version + 1, 10)], version: version + 1)
            try writer.sync()
            writer.publish()
            try reader.catchUp { (_) throws(StoreError) in }
            expectEqual(reader.version, version + 1)
        }
        expectTrue(lostCount > 0)
    }

    // MARK: No segment

    // Covers .invalidDatabase
    @Test func missingLogIsNoMissingRealm() throws {
        try make()
        realm.disk.removeFile("log-0-0", in: realm.path)
        for isReadOnly in [true, false] {
            let found = try requireValue(error(isReadOnly: isReadOnly))
            expectEqual(found.code, .invalidDatabase)
            expectTrue(found.message.contains("LOCK records commits up to version 12"), "\(found)")
        }
        try expectEqual(check().damages.map(\.code), [.invalidDatabase])
        realm.disk.removeFile("LOCK", in: realm.path)
        realm.disk.setContents([1, 2, 3], of: "nodes-7", in: realm.path)
        for isReadOnly in [true, false] {
            let found = try requireValue(error(isReadOnly: isReadOnly))
            expectEqual(found.code, .invalidDatabase)
            expectTrue(found.message.contains("nodes-7"), "\(found)")
        }
        let damaged = try check()
        expectEqual(damaged.damages.map(\.path), [realm.path])
        expectEqual(RealmLog.absence(system, path: realm.path).code, .invalidDatabase)
        for call in [EffectKind.openDirectory, .open, .names] {
            for code in [StoreError.Code.ioFailed, .filePermissionDenied] {
                realm.disk.inject(SimFailure(call, code: code))
                expectEqual(RealmLog.absence(system, path: realm.path).code, code, "\(call)")
            }
        }
        realm.disk.removeFile("nodes-7", in: realm.path)
        expectEqual(error(isReadOnly: true)?.code, .fileNotFound)
        expectEqual(codeThrown { _ = try check() }, .fileNotFound)
        expectEqual(RealmLog.absence(system, path: realm.path).code, .fileNotFound)
    }

    /// A reader that has already opened `LOCK` when another process, which was about to remove the
    /// realm, does so. It may have listed the files before.
    @Test(arguments: [false, true])
    func realmThatWasRemovedIsNoMissingLog(hasListed: Bool) throws {
        for isReading in [true, false] {
            try make()
            realm.disk.setContents([1], of: "nodes-1", in: realm.path)
            var isFirst = hasListed
            system.willList = { [realm, system] in
                guard !isFirst else {
                    isFirst = false
                    return
                }
                for name in ["log-0-0", "nodes-1", "LOCK"] {
                    realm.disk.removeFile(name, in: realm.path)
                }
                system.willList = {}
            }
            let code =
                isReading ? error(isReadOnly: true)?.code : codeThrown { _ = try check() }
            expectEqual(code, .fileNotFound)
        }
    }

    /// Another process completes a realm that it creates from a seed, between the listing and the
    /// examination of what was listed.
    @Test(arguments: [true, false])
    func realmThatWasJustCreatedIsNoMissingLog(isReading: Bool) throws {
        try make()
        let segment = try requireValue(realm.disk.contents(of: "log-0-0", in: realm.path))
        for name in ["log-0-0", "LOCK"] { realm.disk.removeFile(name, in: realm.path) }
        var listingCount = 0
        system.willList = { [realm] in
            listingCount += 1
            guard listingCount == 3 else { return }
            for name in ["nodes-1", "unfinished-copy"] {
                realm.disk.setContents([1], of: name, in: realm.path)
            }
        }
        system.willOpen = { [realm] name in
            guard name == "unfinished-copy" else { return }
            realm.disk.setContents(segment, of: "log-0-0", in: realm.path)
            realm.disk.removeFile(name, in: realm.path)
        }
        let code = isReading ? error(isReadOnly: true)?.code : codeThrown { _ = try check() }
        expectEqual(code, .fileNotFound)
    }

    /// The process that removes the realm ends that between the listing and the examination of
    /// what was listed.
    @Test func realmThatWasRemovedIsCreatedAnew() throws {
        try make()
        realm.disk.removeFile("log-0-0", in: realm.path)
        for name in ["nodes-1", "unfinished-removal"] {
            realm.disk.setContents([1], of: name, in: realm.path)
        }
        system.willOpen = { [realm, system] _ in
            for name in ["nodes-1", "LOCK", "unfinished-removal"] {
                realm.disk.removeFile(name, in: realm.path)
            }
            system.willOpen = { _ in }
        }
        let opened = try open(isReadOnly: false)
        expectTrue(opened.report.isNew)
        opened.log.releaseLocks()
    }

    // MARK: Large segments

    /// A file can claim to be larger than any disk. After damage, the rest isn't read to its end.
    @Test func holeAfterDamageIsNotReadToItsEnd() throws {
        try make()
        realm.disk.damage("log-0-0", in: realm.path) { bytes in
            let end = bytes.lastIndex { $0 != 0 } ?? 0
            bytes[end] ^= 1
        }
        system.sizes = ["log-0-0": 1 << 40]
        system.maximumReadByteCount = 256 << 20
        let check = try check()
        expectEqual(check.damages.count, 1)
        expectTrue(check.mayLackEnd)
        expectEqual(check.versions, [1...11])
    }

    /// What a killed process has left, or another one is writing, isn't part of the history.
    @Test func whatIsNotPublishedIsNotReadForHistory() throws {
        try make()
        let opened = try open(isReadOnly: true)
        let end = Int(SegmentHeader.byteCount + opened.log.position)
        realm.disk.damage("log-0-0", in: realm.path) { bytes in
            for offset in end..<end + 60 { bytes[offset] = 7 }
        }
        realm.disk.setContents([1], of: "nodes-1", in: realm.path)
        system.sizes = ["log-0-0": 32 << 20]
        let beginning = try opened.log.history.find(12).beginnings.first
        expectEqual(beginning?.reference?.version, 10)
        expectTrue(system.reads.reduce(0, +) < 1 << 20, "\(system.reads)")
        opened.log.releaseLocks()
    }

    /// A scrub is told about all bytes before it reads more.
    @Test func theRestOfASegmentIsReadInPieces() throws {
        try make()
        system.sizes = ["log-0-0": 32 << 20]
        var counts: [Int] = []
        let check = try check { counts.append($0) }
        expectEqual(check.damages, [])
        expectEqual(UInt64(counts.reduce(0, +)), check.byteCount)
        expectTrue(check.byteCount > 16 << 20)
        expectTrue(counts.allSatisfy { $0 <= 1 << 20 })
        expectTrue(system.reads.allSatisfy { $0 <= 1 << 20 })
    }
}
