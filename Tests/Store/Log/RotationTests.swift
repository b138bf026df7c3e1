import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// New segments: their sizes, the spare one, their contents.
@Suite struct RotationTests {
    @Test func segmentsDoubleUpToTheLimit() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        for _ in 0..<200 { try writer.commit(1000) }
        let sizes = realm.segmentSizes()
        expectEqual(sizes.prefix(5), [8192, 16384, 32768, 65536, 65536])
        try expectEqual(realm.open().versions, Array(1...200))
    }

    @Test func aSegmentIsLargeEnoughForTheBatchThatOpensIt() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(30_000)
        try writer.commit(200_000)
        try writer.commit(10)
        let sizes = realm.segmentSizes()
        expectEqual(sizes.count, 3)
        expectTrue(sizes[1] >= 30_000 && sizes[1] < 36_864 + 4096)
        expectTrue(sizes[2] >= 200_000 && sizes[2] < 212_000)
        expectTrue(sizes.allSatisfy { $0 % 4096 == 0 })
        try expectEqual(realm.open().versions, [1, 2, 3])
    }

    @Test func aBatchIsNeverSplit() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3000)
        let bodies = (2...4).map { LogFixture.body($0, 600) }
        try writer.log.append(bodies, version: 4)
        try writer.log.sync()
        writer.log.publish()
        let first = try requireValue(realm.disk.contents(of: "log-0-0", in: realm.path))
        let used = 4096 + RecordFraming.byteCount(bodyByteCount: 3008)
        expectTrue(first[used...].allSatisfy { $0 == 0 })
        try expectEqual(realm.open().versions, [1, 2, 3, 4])
    }

    @Test func aBatchThatFitsExactlyFillsTheSegment() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(4096 - 40 - 8)
        expectEqual(writer.log.remainingByteCount, 0)
        expectEqual(realm.segmentSizes().count, 1)
        try expectEqual(realm.open().versions, [1])
        try writer.commit(0)
        expectEqual(realm.segmentSizes().count, 2)
        try expectEqual(realm.open().versions, [1, 2])
    }

    @Test func relaxedCommitsAreDurableBeforeANewSegment() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.write(3000)
        writer.log.publish()
        try writer.write(3000)
        expectEqual(realm.segmentSizes().count, 2)
        for image in realm.disk.crashImages() {
            var versions: [UInt64] = []
            _ = try RealmLog.open(image.fileSystem, path: realm.path, options: realm.options) {
                (body) throws(StoreError) in versions.append(LogFixture.version(body))
            }
            expectTrue(versions == [1] || versions == [1, 2])
        }
    }

    // MARK: The spare segment

    @Test func aSpareIsWantedOnceThereWasASecondSegment() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        expectTrue(!writer.log.needsSpareSegment)
        try writer.commit(3500)
        expectTrue(!writer.log.needsSpareSegment)
        try writer.commit(5000)
        expectTrue(writer.log.needsSpareSegment)
    }

    @Test func aSpareBecomesTheNextSegmentWithoutNewSpace() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        try writer.commit(9000)
        writer.log.spareSegment.make()
        expectEqual(realm.disk.contents(of: "spare", in: realm.path)?.count, 32768)
        realm.disk.capacityByteCount = realm.disk.usedByteCount
        try writer.commit(9000)
        expectEqual(realm.segmentSizes(), [8192, 16384, 32768])
        expectTrue(!realm.disk.fileNames(in: realm.path).contains("spare"))
        try expectEqual(realm.open().versions, [1, 2, 3])
    }

    @Test func aSpareThatCannotGetItsNameIsRemoved() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        realm.disk.inject(SimFailure(.rename))
        writer.log.spareSegment.make()
        expectEqual(realm.disk.fileNames(in: realm.path), ["LOCK", "log-0-0"])
    }

    @Test func aSpareThatIsTooSmallIsThrownAway() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        writer.log.spareSegment.make()
        try writer.commit(40_000)
        expectTrue(realm.segmentSizes()[1] > 40_000)
        expectEqual(Set(realm.disk.fileNames(in: realm.path)), ["LOCK", "log-0-0", "log-0-1"])
        try expectEqual(realm.open().versions, [1, 2])
    }

    /// A segment with other bytes after its end, or of another size, would be refused.
    @Test(arguments: [(16384, 0), (16384, 16383), (20_000, nil), (131_072, nil)])
    func aSpareThatIsNoBlankSegmentIsThrownAway(byteCount: Int, nonzero: Int?) throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        if let nonzero { bytes[nonzero] = 1 }
        realm.disk.setContents(bytes, of: "spare", in: realm.path)
        try writer.commit(3500)
        expectEqual(realm.segmentSizes(), [8192, 16384])
        expectEqual(Set(realm.disk.fileNames(in: realm.path)), ["LOCK", "log-0-0", "log-0-1"])
        writer.log.releaseWriterLock()
        try expectEqual(realm.open().versions, [1, 2])
    }

    @Test(arguments: ["symbolic link", "link", "directory", "pipe"])
    func aSpareThatIsNoPlainFileIsNotUsed(kind: String) throws {
        let disk = try TestDisk(.posix)
        func open() throws -> RealmLog {
            try RealmLog.open(
                disk.fileSystem, path: disk.realmPath, options: LogFixture().options
            ) { (_) throws(StoreError) in }.log
        }
        let log = try open()
        let isWriter = try log.tryBecomeWriter { (_) throws(StoreError) in }
        expectTrue(isWriter)
        let spare = "\(disk.realmPath)/spare"
        let target = "\(disk.base)/precious"
        try Data(count: 16384).write(to: URL(filePath: target))
        let files = FileManager.default
        switch kind {
        case "symbolic link":
            try files.createSymbolicLink(atPath: spare, withDestinationPath: target)
        case "link": try files.linkItem(atPath: target, toPath: spare)
        case "directory":
            try files.createDirectory(atPath: spare, withIntermediateDirectories: false)
        default: try #require(mkfifo(spare, 0o600) == 0)
        }
        for version in 1...2 as ClosedRange<UInt64> {
            try log.append([LogFixture.body(version, 3500)], version: version)
            try log.sync()
            log.publish()
        }
        log.releaseLocks()
        expectEqual(files.contents(atPath: target), Data(count: 16384))
        let attributes = try files.attributesOfItem(atPath: "\(disk.realmPath)/log-0-1")
        expectEqual(attributes[.type] as? FileAttributeType, .typeRegular)
        try expectEqual(open().version, 2)
    }

    @Test func thereIsOneSpareAtMost() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        writer.log.spareSegment.make()
        let writes = realm.disk.count(.write)
        writer.log.spareSegment.make()
        expectEqual(realm.disk.count(.write), writes)
    }

    /// A power failure may restore the name of a spare that was already used, with whatever was
    /// written to it.
    @Test func aSpareThatAPowerCutBroughtBackDoesNoHarm() throws {
        let realm = LogFixture()
        let writer = try realm.openWriter()
        try writer.commit(3500)
        writer.log.spareSegment.make()
        realm.disk.inject(SimFailure(.sync))
        expectEqual(codeThrown { try writer.commit(100) }, .outcomeUnknown)
        writer.log.releaseWriterLock()
        let states = CrashStates()
        realm.disk.onEffect = { [unowned disk = realm.disk] kind, _ in
            if kind == .syncDirectory { states.images += disk.crashImages() }
        }
        _ = try realm.open()
        realm.disk.onEffect = nil
        expectTrue(!states.images.isEmpty)
        for image in states.images {
            let disk = image.fileSystem
            let log = try RealmLog.open(disk, path: realm.path, options: realm.options) {
                (_) throws(StoreError) in
            }.log
            let isWriter = try log.tryBecomeWriter { (_) throws(StoreError) in }
            expectTrue(isWriter)
            let version = log.version + 1
            try log.append([LogFixture.body(version, 3900)], version: version)
            try log.sync()
            log.publish()
            var count: UInt64 = 0
            _ = try RealmLog.open(disk.killImage(), path: realm.path, options: realm.options) {
                (_) throws(StoreError) in count += 1
            }
            expectEqual(count, version)
        }
    }

    /// Guard: used by one thread only.
    private final class CrashStates: @unchecked Sendable {
        var images: [SimImage] = []
    }
}
