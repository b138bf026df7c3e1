import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Forged logs with valid checksums: they are refused, and never trap or cost more than their size.
@Suite struct HostileLogTests {
    private let fixture = LogFixture()
    private let directory = "/sim/a.realm"

    private func openCode() -> StoreError.Code? {
        codeThrown { _ = try fixture.open() }
    }

    /// Makes a closed realm of three commits, and returns the header and the end of its first
    /// segment.
    private func makeRealm() throws -> (header: SegmentHeader, end: Int) {
        let process = try fixture.openWriter()
        for _ in 0..<3 { try process.commit() }
        process.log.releaseLocks()
        let bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: directory))
        let header = try SegmentHeader(decoding: Array(bytes[..<4096]), path: "p")
        return (header, 4096 + Int(process.log.position))
    }

    // Covers 12.16, .invalidDatabase
    @Test(arguments: [UInt64.max, UInt64.max - 1, 1 << 63])
    func segmentNumberAtTheEndOfNumbersIsRefused(number: UInt64) throws {
        var (header, _) = try makeRealm()
        header.number = number
        var bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: directory))
        bytes.replaceSubrange(..<4096, with: header.encoded())
        let realm = try fixture.disk.openDirectory(directory, .existing)
        let file = try realm.create("log-0-\(number)")
        try file.write(bytes)
        try realm.unlink("log-0-0")
        expectEqual(openCode(), .invalidDatabase)
        // Referred to by the control page only.
        let page = try realm.openLock()
        var control = try requireValue(page.loadControl())
        control.segmentNumber = number
        page.storeControl(&control)
        expectEqual(openCode(), .invalidDatabase)
    }

    /// It is the first segment under a later number, so its records are valid.
    // Covers 12.16, .invalidDatabase
    @Test func segmentThatBeginsBeforeItsPredecessorIsRefused() throws {
        let process = try fixture.openWriter()
        for _ in 0..<2 { try process.commit(3000) }
        expectEqual(fixture.segmentSizes().count, 2)
        var bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: directory))
        var header = try SegmentHeader(decoding: Array(bytes[..<4096]), path: "p")
        header.number = 2
        bytes.replaceSubrange(..<4096, with: header.encoded())
        try fixture.disk.openDirectory(directory, .existing).create("log-0-2").write(bytes)
        var replay = try requireValue(process.log.history.find(2).beginnings.first).replay
        _ = try replay.nextCommit(through: 2)
        expectEqual(codeThrown { _ = try replay.nextCommit(through: 2) }, .invalidDatabase)
        process.log.releaseLocks()
        expectEqual(openCode(), .invalidDatabase)
    }

    // Covers 12.16, .invalidDatabase
    @Test func checkpointBeforeTheBeginningOfTheLogIsRefused() throws {
        var (header, _) = try makeRealm()
        header.base = 64
        header.checkpoints.newest = CheckpointReference(
            version: 3, position: 0, sequence: 1, chain: 0, file: 1, offset: 4096, byteCount: 1,
            crc: 0)
        let zeros = [UInt8](repeating: 0, count: 4096)
        fixture.disk.setContents(header.encoded() + zeros, of: "log-0-0", in: directory)
        fixture.disk.removeFile("LOCK", in: directory)
        expectEqual(codeThrown { _ = try fixture.openForReading() }, .invalidDatabase)
        let load: RealmLog.Load = { (_, _) throws(StoreError) in }
        let code = codeThrown {
            _ = try RealmLog.open(
                fixture.disk, path: directory, options: fixture.options, load: load
            ) { (_) throws(StoreError) in }
        }
        expectEqual(code, .invalidDatabase)
    }

    /// Otherwise commits in a segment that can't be read again would be acknowledged.
    // Covers 12.16, .invalidDatabase
    @Test(arguments: [
        (UInt64(Int64.max), 64 as UInt64), (1 as UInt64, UInt64(Int64.max) - 7),
    ])
    func segmentAfterTheEndOfNumbersIsNotBegun(number: UInt64, base: UInt64) throws {
        var (header, _) = try makeRealm()
        (header.number, header.base) = (number, base)
        header.checkpoints.newest = CheckpointReference(
            version: 3, position: base, sequence: header.firstSequence, chain: 0, file: 1,
            offset: 4096, byteCount: 1, crc: 0)
        let realm = try fixture.disk.openDirectory(directory, .existing)
        try realm.create("log-0-\(number)")
            .write(header.encoded() + [UInt8](repeating: 0, count: 4096))
        try realm.unlink("log-0-0")
        let lock = try realm.openLock()
        var page = try requireValue(lock.loadControl())
        (page.segmentNumber, page.durableEnd, page.visibleEnd) = (number, base, base)
        lock.storeControl(&page)
        func open() throws -> LogFixture.Process {
            let load: RealmLog.Load = { (_, _) throws(StoreError) in }
            let (log, report) = try RealmLog.open(
                fixture.disk, path: directory, options: fixture.options, load: load
            ) { (_) throws(StoreError) in }
            return LogFixture.Process(log, report, [])
        }
        let process = try open()
        let isWriter = try process.becomeWriter()
        expectTrue(isWriter)
        try process.commit(3000)
        expectEqual(codeThrown { try process.commit(3000) }, .invalidDatabase)
        try process.commit(10)
        process.log.releaseLocks()
        try expectEqual(open().log.version, 5)
    }

    /// The next bulk commit would name it together with its own, smaller version, which readers
    /// refuse.
    // Covers 12.16, .invalidDatabase
    @Test(arguments: [1, 2] as [UInt64])
    func checkpointOfALaterVersionIsRefused(version: UInt64) throws {
        let process = try fixture.openWriter()
        try process.commit()
        let position = process.log.position
        process.log.releaseLocks()
        var bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: directory))
        let header = try SegmentHeader(decoding: Array(bytes[..<4096]), path: "p")
        let first = bytes[4096...].withUnsafeBytes {
            RecordFraming.decode(
                $0, salt: header.salt, fileOffset: 4096, maximumBodyByteCount: 4 << 20)
        }
        let chain = try requireValue(first).chain
        var named = header
        named.base = position
        named.checkpoints.newest = CheckpointReference(
            version: version, position: position, sequence: header.firstSequence + 1, chain: chain,
            file: 1, offset: 4096, byteCount: 1, crc: 0)
        let record = RecordHeader(
            type: .checkpoint, sequence: header.firstSequence + 1, durableEnd: position,
            previousChain: chain, writerEpoch: 1)
        var frame: [UInt8] = []
        _ = RecordFraming.append(
            record, body: Array(named.encoded()[88..<216]), salt: header.salt,
            fileOffset: 4096 + position, to: &frame)
        let start = 4096 + Int(position)
        bytes.replaceSubrange(start..<start + frame.count, with: frame)
        fixture.disk.damage("log-0-0", in: directory) { $0 = bytes }
        expectEqual(openCode(), version == 1 ? nil : .invalidDatabase)
    }

    @Test func recordOfAnUnknownBodyVersionIsRefused() throws {
        let process = try fixture.openWriter()
        try process.commit()
        let position = process.log.position
        process.log.releaseLocks()
        var bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: directory))
        let header = try SegmentHeader(decoding: Array(bytes[..<4096]), path: "p")
        let first = bytes[4096...].withUnsafeBytes {
            RecordFraming.decode(
                $0, salt: header.salt, fileOffset: 4096, maximumBodyByteCount: 4 << 20)
        }
        var record = RecordHeader(
            type: .commit, sequence: header.firstSequence + 1, durableEnd: position,
            previousChain: try requireValue(first).chain, writerEpoch: 1)
        record.bodyVersion = 2
        var frame: [UInt8] = []
        _ = RecordFraming.append(
            record, body: LogFixture.body(2, 10), salt: header.salt, fileOffset: 4096 + position,
            to: &frame)
        let start = 4096 + Int(position)
        bytes.replaceSubrange(start..<start + frame.count, with: frame)
        fixture.disk.damage("log-0-0", in: directory) { $0 = bytes }
        expectEqual(openCode(), .unsupportedFormat)
    }

    /// Each header claims a body up to the end of the segment, with a wrong checksum.
    @Test func tailOfMadeUpHeadersIsRefusedAtOnce() throws {
        let (header, end) = try makeRealm()
        let byteCount = 2 << 20
        var bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: directory))
        bytes += [UInt8](repeating: 7, count: byteCount - bytes.count)
        for offset in stride(from: end, to: byteCount - 40, by: 40) {
            let head = self.header(
                claiming: byteCount - offset - 40, salt: header.salt, at: UInt64(offset))
            bytes.replaceSubrange(offset..<offset + 40, with: head)
        }
        fixture.disk.damage("log-0-0", in: directory) { $0 = bytes }
        fixture.disk.setBootID(Identity128(high: 5, low: 5))  // otherwise any garbage is refused
        expectEqual(openCode(), .invalidDatabase)
    }

    private func header(claiming byteCount: Int, salt: UInt64, at offset: UInt64) -> [UInt8] {
        var frame: [UInt8] = []
        let record = RecordHeader(
            type: .commit, sequence: 9, durableEnd: 0, previousChain: 1, writerEpoch: 1)
        _ = RecordFraming.append(record, body: [], salt: salt, fileOffset: offset, to: &frame)
        frame.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(byteCount).littleEndian, toByteOffset: 8, as: UInt32.self)
            let checksum = Checksum.crc32c(
                UnsafeRawBufferPointer(rebasing: bytes[4..<40]), salt: salt, offset: offset)
            bytes.storeBytes(of: checksum.littleEndian, as: UInt32.self)
        }
        return frame
    }

    /// Records since a failed sync are framed again in a new segment, which must not get the
    /// nominal size of a file with holes.
    @Test func segmentWithHolesIsNotWrittenOutAsZeros() throws {
        let disk = try TestDisk(.posix)
        func open() throws -> (log: RealmLog, report: RecoveryReport) {
            try RealmLog.open(disk.fileSystem, path: disk.realmPath, options: fixture.options) {
                (_) throws(StoreError) in
            }
        }
        let log = try open().log
        let isWriter = try log.tryBecomeWriter { (_) throws(StoreError) in }
        expectTrue(isWriter)
        try log.append([LogFixture.body(1, 10)], version: 1)
        try log.sync()
        log.publish()
        var page = try requireValue(log.lock.loadControl())
        page.isPoisoned = true
        page.isWriting = true
        log.lock.storeControl(&page)
        log.releaseLocks()
        expectEqual(truncate(disk.realmPath + "/log-0-0", 1 << 40), 0)
        let again = try open()
        expectTrue(again.report.wasPoisoned && again.log.version == 1)
        let size = try disk.makeRealm().open("log-0-1").size()
        expectTrue(size <= fixture.options.maximumSegmentByteCount)
    }
}
