import Glibc
import RegnumStore

/// A file system that reports which files are opened, and how they are read. Confined to one thread
/// once its directories are open.
final class WatchedFileSystem: FileSystem {
    private let base: any FileSystem
    // Guard of all: set before the check starts, on the thread that runs it.
    nonisolated(unsafe) var willOpen: (String) -> Void = { _ in }
    nonisolated(unsafe) var didOpen: (String) -> Void = { _ in }
    nonisolated(unsafe) var willList: () -> Void = {}
    // Guard: as for the others.
    nonisolated(unsafe) var didList: () -> Void = {}
    /// The bytes of files that the disk can't read. Guard: as for the others.
    nonisolated(unsafe) var unreadable: [(name: String, range: Range<UInt64>)] = []
    /// How often that was tried. Guard: as for the others.
    nonisolated(unsafe) var failureCount = 0
    /// The sizes of files that end with a hole, which isn't in the base. Guard: as for the others.
    nonisolated(unsafe) var sizes: [String: UInt64] = [:]
    /// The numbers of bytes that were read of these files at a time. Guard: as for the others.
    nonisolated(unsafe) var reads: [Int] = []
    /// The number of their bytes after which reading fails. Guard: as for the others.
    nonisolated(unsafe) var maximumReadByteCount = Int.max

    init(_ base: any FileSystem) { self.base = base }

    func openDirectory(
        _ path: String, _ mode: DirectoryMode
    ) throws(StoreError) -> any RealmDirectory {
        WatchedDirectory(self, try base.openDirectory(path, mode))
    }

    func networkFileSystem(at path: String) -> String? { base.networkFileSystem(at: path) }
    func removeDirectory(_ path: String) throws(StoreError) -> Bool {
        try base.removeDirectory(path)
    }
    func hasEntry(_ path: String) throws(StoreError) -> Bool { try base.hasEntry(path) }
    func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        try base.leads(path, to: identity)
    }
    func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        try base.moveDirectory(path, to: target)
    }
    func bootID() -> Identity128? { base.bootID() }
    func random() -> UInt64 { base.random() }
    func monotonicNanoseconds() -> UInt64 { base.monotonicNanoseconds() }
    func wallClockMicroseconds() -> Int64 { base.wallClockMicroseconds() }
}

private final class WatchedDirectory: RealmDirectory {
    private let system: WatchedFileSystem
    private let base: any RealmDirectory

    init(_ system: WatchedFileSystem, _ base: any RealmDirectory) {
        self.system = system
        self.base = base
    }

    var path: String { base.path }
    var identity: FileIdentity { base.identity }
    var isReadOnly: Bool { base.isReadOnly }
    func isCurrent() throws(StoreError) -> Bool { try base.isCurrent() }
    func freeByteCount() -> UInt64? { base.freeByteCount() }
    func names() throws(StoreError) -> [String] {
        system.willList()
        defer { system.didList() }
        return try base.names()
    }
    func open(_ name: String) throws(StoreError) -> any StoreFile {
        system.willOpen(name)
        defer { system.didOpen(name) }
        let file = try base.open(name)
        let ranges = system.unreadable.filter { $0.name == name }.map(\.range)
        let size = system.sizes[name]
        return ranges.isEmpty && size == nil ? file : WatchedFile(system, file, ranges, size)
    }
    func create(_ name: String) throws(StoreError) -> any StoreFile { try base.create(name) }
    func rename(_ name: String, to target: String) throws(StoreError) {
        try base.rename(name, to: target)
    }
    func renameNew(_ name: String, to target: String) throws(StoreError) {
        try base.renameNew(name, to: target)
    }
    func moveToParent(_ name: String, as target: String) throws(StoreError) {
        try base.moveToParent(name, as: target)
    }
    func unlink(_ name: String) throws(StoreError) { try base.unlink(name) }
    func sync() throws(StoreError) { try base.sync() }
    func openLock() throws(StoreError) -> any LockFile {
        if system.unreadable.contains(where: { $0.name == "LOCK" }) { throw WatchedFile.failure }
        return try base.openLock()
    }
}

private final class WatchedFile: StoreFile {
    private let system: WatchedFileSystem
    private let base: any StoreFile
    private let unreadable: [Range<UInt64>]
    private let byteCount: UInt64?

    init(
        _ system: WatchedFileSystem, _ base: any StoreFile, _ unreadable: [Range<UInt64>],
        _ byteCount: UInt64?
    ) {
        self.system = system
        self.base = base
        self.unreadable = unreadable
        self.byteCount = byteCount
    }

    static var failure: StoreError {
        StoreError(.ioFailed, "The disk can't be read.", errno: EIO)
    }

    var isRemoved: Bool { base.isRemoved }
    func size() throws(StoreError) -> UInt64 {
        if let byteCount { return byteCount }
        return try base.size()
    }
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        let range = offset..<offset + UInt64(count)
        if unreadable.contains(where: { range.overlaps($0) }) {
            system.failureCount += 1
            throw Self.failure
        }
        var bytes = try base.read(at: offset, count: count)
        guard let byteCount else { return bytes }
        let end = min(range.upperBound, byteCount)
        let room = end > offset ? Int(end - offset) : 0
        bytes += [UInt8](repeating: 0, count: max(room - bytes.count, 0))
        system.reads.append(bytes.count)
        guard system.reads.reduce(0, +) <= system.maximumReadByteCount else {
            throw StoreError(.ioFailed, "Too much is read.")
        }
        return bytes
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        try base.write(bytes, at: offset)
    }
    func release(from offset: UInt64) { base.release(from: offset) }
    func sync() throws(StoreError) { try base.sync() }
    func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        try base.map(at: offset, count: count)
    }
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) -> Bool {
        try base.populate(bytes, at: offset)
    }
}
