import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Realms in one file: the headers of the archive, and what is read through them.
@Suite struct ArchiveTests {
    @Test(
        arguments: [0, 1, 511, 512, 513, 1 << 33 - 1, 1 << 33, 1 << 33 + 1, 1 << 63 - 1]
            as [UInt64])
    func headersHaveEachSize(byteCount: UInt64) throws {
        for name in ["a", String(repeating: "n", count: 100)] {
            let header = TarHeader(name: name, fileByteCount: byteCount, seconds: 1_700_000_000)
            let bytes = header.encoded()
            expectEqual(bytes.count, 512)
            expectEqual(TarHeader(bytes), header)
            expectEqual((byteCount % 512 + header.paddingByteCount) % 512, 0)
        }
    }

    /// The sum in a header finds every changed bit, except between zeros and spaces behind it.
    @Test func changedHeadersAreRefused() {
        let header = TarHeader(name: "log-0-1", fileByteCount: 262_144, seconds: 1_700_000_000)
        let bytes = header.encoded()
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let found = TarHeader(changed)
            expectTrue(found == nil || found == header, "bit \(bit)")
        }
        expectNil(TarHeader([UInt8](repeating: 0, count: 512)))
        expectNil(TarHeader(Array(bytes.dropLast())))
    }

    private struct Packed {
        let disk: TestDisk
        let path: String
        /// The content by name, of what is in the archive.
        let files: [String: [UInt8]]

        init(_ kind: DiskKind, sizes: [Int] = [0, 1, 4_096, 70_001, 512, 9_999]) throws {
            disk = try TestDisk(kind)
            let realm = try disk.makeRealm()
            var random = SeededRandom(1)
            var files: [String: [UInt8]] = [:]
            for (index, size) in sizes.enumerated() {
                let name = index % 2 == 0 ? "nodes-\(index + 1)" : "log-0-\(index)"
                files[name] = random.bytes(size)
                try realm.create(name).write(files[name]!)
            }
            for name in ["LOCK", "spare", "retention", "tmp-1-2"] {
                try realm.create(name).write([1, 2, 3])
            }
            let name = try RealmLog.pack(
                realm, disk.fileSystem, StoreOptions(), shouldContinue: { true })
            path = "\(disk.realmPath)/\(name)"
            self.files = files
        }

        func open() throws -> any RealmDirectory {
            try disk.fileSystem.openDirectory(path, .readOnly)
        }
    }

    @Test(arguments: DiskKind.allCases)
    func filesOfTheRealmAreInTheArchive(kind: DiskKind) throws {
        let packed = try Packed(kind)
        let archive = try packed.open()
        try expectEqual(Set(archive.names()), Set(packed.files.keys))
        expectTrue(archive.isReadOnly)
        try expectTrue(archive.isCurrent())
        expectNil(archive.freeByteCount())
        expectEqual(codeThrown { _ = try archive.openLock() }, .fileNotFound)
        expectEqual(codeThrown { _ = try archive.open("nodes-99") }, .fileNotFound)
        for (name, bytes) in packed.files {
            let file = try archive.open(name)
            try expectEqual(file.size(), UInt64(bytes.count))
            try expectEqual(file.read(at: 0, count: bytes.count + 5_000), bytes, "\(name)")
            try expectEqual(file.read(at: UInt64(bytes.count), count: 10), [])
            try expectEqual(file.read(at: .max, count: 10), [])
            let middle = bytes.count / 2
            try expectEqual(
                file.read(at: UInt64(middle), count: .max), Array(bytes[middle...]), "\(name)")
            expectTrue(!file.isRemoved)
        }
    }

    @Test func filesAreMapped() throws {
        let packed = try Packed(.posix)
        let archive = try packed.open()
        for (name, bytes) in packed.files where !bytes.isEmpty {
            let file = try archive.open(name)
            for offset in stride(from: 0, to: bytes.count, by: 4_096) {
                let count = bytes.count - offset
                let mapped = try requireValue(file.map(at: UInt64(offset), count: count))
                try expectTrue(file.populate(mapped, at: UInt64(offset)))
                expectEqual(Array(mapped), Array(bytes[offset...]), "\(name) from \(offset)")
            }
            // A mapping may be longer than the file, but nothing beyond its end is read.
            let mapped = try requireValue(file.map(at: 0, count: bytes.count + 1))
            expectEqual(codeThrown { _ = try file.populate(mapped, at: 0) }, .invalidDatabase)
            expectEqual(codeThrown { _ = try file.populate(mapped, at: .max) }, .invalidDatabase)
        }
    }

    @Test(arguments: DiskKind.allCases)
    func cancelledArchiveIsRemoved(kind: DiskKind) throws {
        let packed = try Packed(kind)
        let realm = try packed.disk.fileSystem.openDirectory(packed.disk.realmPath, .existing)
        let before = try Set(realm.names())
        for number in [0, 1, 5] {
            let calls = Guarded(0)
            let code = codeThrown {
                _ = try RealmLog.pack(realm, packed.disk.fileSystem, StoreOptions()) {
                    calls.withLock { calls in
                        calls += 1
                        return calls <= number
                    }
                }
            }
            expectEqual(code, .closed)
            try expectEqual(Set(realm.names()), before)
        }
    }

    /// An archive that was cut is refused, wherever that was.
    @Test func cutArchiveIsRefused() throws {
        let packed = try Packed(.posix, sizes: [3_000, 600])
        let whole = try Data(contentsOf: URL(filePath: packed.path))
        expectEqual(whole.count, 512 + 3_072 + 512 + 1_024 + 1_024)
        for count in 0..<whole.count - 512 {
            try whole.prefix(count).write(to: URL(filePath: packed.path))
            let code = codeThrown { _ = try packed.open() }
            expectEqual(code, count < 512 ? .fileAccess : .invalidDatabase, "\(count) bytes")
        }
    }

    @Test func archivesOfOthersAreRefused() throws {
        let disk = try TestDisk(.posix)
        let path = "\(disk.base)/a.tar"
        func code(_ parts: [[UInt8]]) throws -> StoreError.Code? {
            try Data(parts.joined()).write(to: URL(filePath: path))
            return codeThrown { _ = try disk.fileSystem.openDirectory(path, .readOnly) }
        }
        let block = [UInt8](repeating: 0, count: 512)
        let one = TarHeader(name: "log-0-1", fileByteCount: 512).encoded()
        try expectEqual(code([one, block, block]), nil)
        try expectEqual(code([one, block, one, block, block]), .invalidDatabase)
        try expectEqual(code([block, block]), .fileAccess)
        try expectEqual(code([Array("text".utf8)]), .fileAccess)
        for byteCount: UInt64 in [513, 1 << 40, 1 << 63 - 1] {
            let large = TarHeader(name: "log-0-1", fileByteCount: byteCount).encoded()
            try expectEqual(code([large, block]), .invalidDatabase)
        }
        var many = (0..<1_000).map { TarHeader(name: "log-0-\($0)", fileByteCount: 0).encoded() }
        try expectEqual(code(many + [block]), nil)
        many.append(TarHeader(name: "more", fileByteCount: 0).encoded())
        try expectEqual(code(many + [block]), .invalidDatabase)
    }

    /// Zeros where a header was are damage: otherwise, the realm would lack the files from there
    /// on, such as those with its newest commits.
    @Test(arguments: DiskKind.allCases)
    func zerosBeforeOtherBytesAreNotTheEnd(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        let path = "\(disk.realmPath)/a.tar"
        let file = try realm.create("a.tar")
        func names(_ parts: [[UInt8]]) throws -> [String] {
            try file.write(Array(parts.joined()))
            return try disk.fileSystem.openDirectory(path, .readOnly).names().sorted()
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        let content = [UInt8](repeating: 7, count: 512)
        let files = ["nodes-1", "log-0-1", "log-0-2"].map {
            [TarHeader(name: $0, fileByteCount: 512).encoded(), content]
        }
        let all = files.flatMap(\.self)
        try expectEqual(names(all + [zeros(512)]), ["log-0-1", "log-0-2", "nodes-1"])
        for lost in [2, 4] {
            var damaged = all
            damaged[lost] = zeros(512)
            let code = codeThrown { _ = try names(damaged + [zeros(512)]) }
            expectEqual(code, .invalidDatabase, "\(lost)")
        }
        // the next header, and what follows it
        let code = codeThrown {
            _ = try names(all[..<4] + [zeros(4_096), content, zeros(1_024)])
        }
        expectEqual(code, .invalidDatabase)
        try expectEqual(names(all + [zeros(10_240)]).count, 3)
        try expectEqual(names(all + [zeros(1 << 20)]).count, 3)
        expectEqual(codeThrown { _ = try names(all + [zeros(1 << 20 + 1)]) }, .invalidDatabase)
    }

    /// The file is being written, for example by a download.
    @Test func archiveThatGrowsWhileItIsOpenedIsRefused() throws {
        let block = [UInt8](repeating: 0, count: 512)
        let parts = ["log-0-1", "nodes-1"].map {
            TarHeader(name: $0, fileByteCount: 512).encoded() + block
        }
        let content = Array(parts.joined()) + block + block
        for byteCount in stride(from: 0, through: content.count, by: 256) {
            let file = GrowingFile(content, firstByteCount: UInt64(byteCount))
            let code = codeThrown {
                _ = try ArchiveDirectory(
                    file, path: "a.tar", identity: FileIdentity(device: 1, inode: 1)
                ) { true }
            }
            expectEqual(code, byteCount < 2_048 ? .invalidDatabase : nil, "\(byteCount) bytes")
        }
    }

    @Test(arguments: DiskKind.allCases)
    func fileBecomesAnEntryOfTheParent(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let parent = try disk.fileSystem.openDirectory("\(disk.base)/a.realm", .creating)
        let realm = try disk.fileSystem.openDirectory("\(disk.base)/a.realm/b", .creating)
        try realm.create("file").write([1, 2, 3])
        try realm.create("other").write([4])
        try realm.moveToParent("file", as: "copy")
        try expectEqual(parent.open("copy").read(at: 0, count: 9), [1, 2, 3])
        try expectEqual(realm.names(), ["other"])
        expectEqual(codeThrown { try realm.moveToParent("other", as: "copy") }, .fileExists)
        expectEqual(codeThrown { try realm.moveToParent("missing", as: "x") }, .fileNotFound)
        try expectEqual(parent.open("copy").read(at: 0, count: 9), [1, 2, 3])
        try expectEqual(realm.names(), ["other"])
    }
}

/// A file that has more bytes by the time it is read than when its size was determined.
private final class GrowingFile: StoreFile {
    private let content: [UInt8]
    private let firstByteCount: UInt64

    init(_ content: [UInt8], firstByteCount: UInt64) {
        self.content = content
        self.firstByteCount = firstByteCount
    }

    var isRemoved: Bool { false }
    func size() -> UInt64 { firstByteCount }
    func read(at offset: UInt64, count: Int) -> [UInt8] {
        Array(content.dropFirst(Int(clamping: offset)).prefix(count))
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {}
    func release(from offset: UInt64) {}
    func sync() {}
    func map(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? { nil }
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool { true }
}
