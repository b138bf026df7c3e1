import Glibc
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Nodes files: creating, appending, reading through mappings and private copies.
@Suite struct NodesFileTests {
    private let realmID = Identity128(high: 3, low: 4)

    func nodes(
        _ disk: TestDisk, mapsNodes: Bool = true, change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> NodesDirectory {
        var options = StoreOptions()
        options.mapsNodes = mapsNodes
        options.nodesWindowByteCount = 16384
        options.nodesWriteByteCount = 4096
        change(&options)
        return NodesDirectory(
            disk.fileSystem, try disk.makeRealm(), realmID: realmID, options: options)
    }

    func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var numbers = SeededRandom(seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 24) }
    }

    func append(_ bytes: [UInt8], _ appender: NodesAppender) throws -> UInt64 {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(StoreError) in try appender.append(parts: [buffer]) }
        }
        return try result.get()
    }

    @Test(arguments: DiskKind.allCases, [true, false])
    func extentsComeBackAligned(kind: DiskKind, mapsNodes: Bool) throws {
        let disk = try TestDisk(kind)
        let nodes = try nodes(disk, mapsNodes: mapsNodes)
        var places: [(offset: UInt64, bytes: [UInt8])] = []
        var newest: CheckpointReference?
        for round in 0..<3 {
            let appender = try nodes.appender(after: newest, liveByteCount: 1 << 30)
            for (number, count) in [1, 64, 5000, 16384, 40000, 0, 700, 16000].enumerated() {
                let content = bytes(count, UInt64(round * 100 + number))
                places.append((try append(content, appender), content))
            }
            try appender.sync()
            newest = CheckpointReference(
                version: 0, position: 0, sequence: 1, chain: 0, file: appender.fileNumber,
                offset: 0, byteCount: 0, crc: 0)
            expectEqual(appender.fileNumber, 1)
        }
        // Twice: the second time the file is already mapped or copied.
        let file = try nodes.file(1)
        var addresses: [UInt] = []
        for round in 0..<2 {
            for (number, place) in places.enumerated() where !place.bytes.isEmpty {
                expectEqual(place.offset % 64, 0)
                let found = try file.bytes(at: place.offset, count: place.bytes.count)
                expectEqual(Array(found), place.bytes)
                let address = UInt(bitPattern: found.baseAddress)
                expectEqual(address % 64, 0)
                if round == 0 { addresses.append(address) }
                if place.bytes.count <= 16384 {
                    let end = place.offset + UInt64(place.bytes.count) - 1
                    expectEqual(place.offset / 16384, end / 16384, "extent \(number)")
                }
            }
        }
        try expectTrue(nodes.file(1) === file)
    }

    @Test(arguments: DiskKind.allCases)
    func whatLiesOutsideIsDamage(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let nodes = try nodes(disk)
        let appender = try nodes.appender(after: nil, liveByteCount: 0)
        let offset = try append(bytes(100, 1), appender)
        try appender.sync()
        let file = appender.file
        for (start, count) in [
            (offset, 101), (offset + 128, 1), (UInt64.max - 3, 8), (1 << 40, 64),
        ] {
            let code = codeThrown { _ = try file.bytes(at: start, count: count) }
            expectEqual(code, .invalidDatabase)
        }
        expectEqual(codeThrown { _ = try nodes.file(2) }, .historyTrimmed)
    }

    /// A forged file can refer to the same bytes any number of times, at different offsets.
    // Covers .invalidDatabase
    @Test(arguments: DiskKind.allCases)
    func overlappingExtentsTakeBoundedMemory(kind: DiskKind) throws {
        let content = bytes(20_000, 1)
        for mapsNodes in [false, true] {
            let disk = try TestDisk(kind)
            let nodes = try nodes(disk, mapsNodes: mapsNodes) { $0.nodesWindowByteCount = 1 << 20 }
            let appender = try nodes.appender(after: nil, liveByteCount: 0)
            let offset = try append(content, appender)
            try appender.sync()
            let file = appender.file
            let size = try Int(file.size())
            var readByteCount = 0
            var code: StoreError.Code?
            for start in stride(from: 0, to: 10_000, by: 64) {
                code = codeThrown {
                    let found = try file.bytes(at: offset + UInt64(start), count: 10_000)
                    expectEqual(Array(found), Array(content[start..<start + 10_000]))
                }
                if code != nil { break }
                readByteCount += 10_000
            }
            let isMapped = mapsNodes && kind == .posix
            expectEqual(code, isMapped ? nil : .invalidDatabase)
            // What was read before, or takes no more memory, still is.
            expectTrue(readByteCount > 20_000 && (isMapped || readByteCount <= 4 * size))
            try expectEqual(Array(file.bytes(at: offset, count: 10_000)), Array(content[..<10_000]))
        }
    }

    /// Some file systems have sparse files of almost 2^63 bytes.
    @Test func aHugeFileIsCopiedInParts() throws {
        let file = try NodesFile(
            number: 1, path: "nodes-1", file: HugeFile(), fileKey: nil, abandoned: Guarded([]),
            options: StoreOptions())
        for offset in [4096, HugeFile.byteCount - 100] {
            try expectEqual(
                Array(file.bytes(at: offset, count: 100)), [UInt8](repeating: 0, count: 100))
        }
    }

    @Test func everyFlippedBitOfTheHeaderIsNoticed() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        do { _ = try nodes(disk).appender(after: nil, liveByteCount: 0) }
        for bit in stride(from: 0, to: 4096 * 8, by: 7) {
            simulation.flipBit(bit, of: "nodes-1", in: disk.realmPath)
            let code = codeThrown { _ = try nodes(disk).file(1) }
            expectEqual(code, .invalidDatabase, "bit \(bit)")
            simulation.flipBit(bit, of: "nodes-1", in: disk.realmPath)
        }
        _ = try nodes(disk).file(1)
        let other = NodesDirectory(
            disk.fileSystem, try disk.makeRealm(), realmID: Identity128(high: 9, low: 9),
            options: StoreOptions())
        expectEqual(codeThrown { _ = try other.file(1) }, .invalidDatabase)
    }

    @Test func aNewFileIsBegunWhenTheOldOneIsFullOrFailed() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk) { $0.nodesSlackByteCount = 10_000 }
        let first = try nodes.appender(after: nil, liveByteCount: 0)
        _ = try append(bytes(20_000, 1), first)
        try first.sync()
        var newest = CheckpointReference(
            version: 0, position: 0, sequence: 1, chain: 0, file: 1, offset: 0, byteCount: 0,
            crc: 0)
        try expectEqual(nodes.appender(after: newest, liveByteCount: 20_000).fileNumber, 1)
        let second = try nodes.appender(after: newest, liveByteCount: 5_000)
        expectEqual(second.fileNumber, 2)
        _ = try append(bytes(100, 1), second)
        simulation.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { try second.sync() }, .ioFailed)
        newest.file = 2
        try expectEqual(nodes.appender(after: newest, liveByteCount: 1 << 30).fileNumber, 3)
    }

    /// The process that wrote the file needn't have anything else to do with it.
    @Test func aFailedFileTakesNoMoreAfterItIsReleased() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk)
        func write(after newest: CheckpointReference?) throws -> UInt64 {
            let appender = try nodes.appender(after: newest, liveByteCount: 1 << 30)
            _ = try append(bytes(100, 1), appender)
            try appender.sync()
            return appender.fileNumber
        }
        try expectEqual(write(after: nil), 1)
        let newest = reference(file: 1, end: 4096)
        try expectEqual(write(after: newest), 1)
        simulation.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { _ = try write(after: newest) }, .ioFailed)
        for _ in 0..<2 {
            try expectEqual(write(after: newest), 2)
            nodes.discard(2)
        }
        expectEqual(nodesFiles(simulation, disk), ["nodes-1"])
    }

    /// Each attempt would leave another one.
    @Test(arguments: [(EffectKind.syncDirectory, 1), (.size, 1), (.size, 2)])
    func aFileThatCannotBeBegunIsRemoved(kind: EffectKind, nth: Int) throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk)
        simulation.inject(SimFailure(kind, nth: nth))
        let code = codeThrown { _ = try nodes.appender(after: nil, liveByteCount: 0) }
        expectEqual(code, .ioFailed)
        expectEqual(nodesFiles(simulation, disk), [])
        try expectEqual(nodes.appender(after: nil, liveByteCount: 0).fileNumber, 1)
    }

    private func nodesFiles(_ simulation: SimFileSystem, _ disk: TestDisk) -> [String] {
        simulation.fileNames(in: disk.realmPath).filter { $0.hasPrefix("nodes-") }
    }

    @Test func thePaceStopsAndSpacingIsSynced() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk) { $0.nodesSyncByteCount = 8192 }
        let appender = try nodes.appender(after: nil, liveByteCount: 0) { $0 < 60_000 }
        let syncs = simulation.count(.sync)
        let code = codeThrown {
            for seed in 0..<100 { _ = try append(bytes(4096, UInt64(seed)), appender) }
        }
        expectEqual(code, .closed)
        expectEqual(simulation.count(.sync) - syncs, 7)
    }

    /// A file truncated under a mapping, which would raise SIGBUS.
    // Covers .invalidDatabase
    @Test(arguments: [true, false])
    func fileCutShortWhileItIsOpenThrows(isWindowMapped: Bool) throws {
        let disk = try TestDisk(.posix)
        let nodes = try nodes(disk)
        let appender = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let early = try append(bytes(200, 1), appender)
        let late = try append(bytes(9000, 2), appender)
        let long = try append(bytes(40000, 3), appender)
        try appender.sync()
        let file = try nodes.file(1)
        _ = try file.size()
        if isWindowMapped { _ = try file.bytes(at: early, count: 200) }
        let path = disk.realmPath + "/nodes-1"
        expectEqual(truncate(path, off_t(late)), 0)
        try expectEqual(Array(file.bytes(at: early, count: 200)), bytes(200, 1))
        for (offset, count) in [(late, 9000), (long, 40000)] {
            let error = #expect(throws: StoreError.self) {
                _ = try file.bytes(at: offset, count: count)
            }
            expectEqual(error?.code, .invalidDatabase)
            expectEqual(error?.path, path)
            expectEqual(error?.message.contains("\(offset)"), true)
        }
        // appended bytes would replace bytes that are still mapped
        let newest = reference(file: 1, end: late)
        for (number, newest) in [(UInt64?.none, newest), (1, nil)] {
            let error = #expect(throws: StoreError.self) {
                _ = try nodes.appender(to: number, after: newest, liveByteCount: 1 << 30)
            }
            expectTrue(error?.code == .invalidDatabase && error?.path == path)
        }
        try expectEqual(Array(file.bytes(at: early, count: 200)), bytes(200, 1))
    }

    func reference(file: UInt64, end: UInt64) -> CheckpointReference {
        CheckpointReference(
            version: 1, position: 0, sequence: 1, chain: 0, file: file, offset: 4096,
            byteCount: end - 4096, crc: 0)
    }

    /// Truncated before this process opened it: the newest checkpoint shows where it ended.
    // Covers .invalidDatabase
    @Test func fileThatEndsBeforeItsNewestCheckpointTakesNoMore() throws {
        let disk = try TestDisk(.posix)
        let nodes = try nodes(disk)
        let appender = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let place = try append(bytes(9000, 1), appender)
        try appender.sync()
        let end = place + 9000
        let whole = try self.nodes(disk)
        try expectEqual(
            whole.appender(after: reference(file: 1, end: end), liveByteCount: 1 << 30)
                .fileNumber, 1)
        expectEqual(truncate(disk.realmPath + "/nodes-1", off_t(end - 1)), 0)
        let cut = try self.nodes(disk)
        let error = #expect(throws: StoreError.self) {
            _ = try cut.appender(after: reference(file: 1, end: end), liveByteCount: 1 << 30)
        }
        expectEqual(error?.code, .invalidDatabase)
    }

    /// Two checkpoints in a file that is truncated between them: the second one is damaged, and
    /// nothing is appended after either, however often that is tried, while bytes are mapped.
    // Covers .invalidDatabase
    @Test func fileCutShortBetweenItsCheckpointsTakesNoMore() throws {
        let disk = try TestDisk(.posix)
        let nodes = try nodes(disk)
        var places: [UInt64] = []
        var newest: CheckpointReference?
        for seed in [1, 2] as [UInt64] {
            let appender = try nodes.appender(after: newest, liveByteCount: 1 << 30)
            places.append(try append(bytes(9000, seed), appender))
            try appender.sync()
            newest = reference(file: 1, end: places[places.count - 1] + 9000)
        }
        let older = reference(file: 1, end: places[0] + 9000)
        let file = try nodes.file(1)
        for (place, seed) in zip(places, [1, 2] as [UInt64]) {
            try expectEqual(Array(file.bytes(at: place, count: 9000)), bytes(9000, seed))
        }
        let size = off_t(places[0] + 9000)
        expectEqual(truncate(disk.realmPath + "/nodes-1", size), 0)
        for _ in 0..<2 {
            for reference in [newest, older] {
                let error = #expect(throws: StoreError.self) {
                    _ = try nodes.appender(after: reference, liveByteCount: 1 << 30)
                }
                expectEqual(error?.code, .invalidDatabase)
            }
            let error = #expect(throws: StoreError.self) {
                _ = try file.bytes(at: places[1], count: 9000)
            }
            expectEqual(error?.code, .invalidDatabase)
            try expectEqual(Array(file.bytes(at: places[0], count: 9000)), bytes(9000, 1))
        }
        var status = stat()
        expectEqual(stat(disk.realmPath + "/nodes-1", &status), 0)
        expectEqual(status.st_size, size)
    }

    /// The bytes are read into private memory instead.
    @Test func whatCannotBeMappedIsRead() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk)
        let appender = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let content = bytes(5000, 4)
        let offset = try append(content, appender)
        try appender.sync()
        simulation.inject(SimFailure(.map, code: .ioFailed, errno: ENOMEM, times: .forever))
        try expectEqual(Array(nodes.file(1).bytes(at: offset, count: 5000)), content)
        expectTrue(simulation.firedFailureCount > 0)
    }

    /// A read error of the disk is reported with its location.
    // Covers .ioFailed
    @Test func whatCannotBeReadThrows() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk)
        let appender = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let offset = try append(bytes(5000, 4), appender)
        try appender.sync()
        let file = try nodes.file(1)
        simulation.inject(SimFailure(.read, code: .ioFailed, errno: EIO))
        let error = #expect(throws: StoreError.self) {
            _ = try file.bytes(at: offset, count: 5000)
        }
        expectTrue(error?.code == .ioFailed && error?.isMediaFailure == true)
        try expectEqual(Array(file.bytes(at: offset, count: 5000)), bytes(5000, 4))
    }
}

/// A hole that can't be mapped.
private final class HugeFile: StoreFile {
    static let byteCount = UInt64(Int64.max)

    var isRemoved: Bool { false }
    func size() -> UInt64 { HugeFile.byteCount }
    func read(at offset: UInt64, count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {}
    func release(from offset: UInt64) {}
    func sync() {}
    func map(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? { nil }
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool { false }
}
