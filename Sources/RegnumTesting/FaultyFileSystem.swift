internal import Glibc
internal import RegnumStore

/// The faults of a disk.
struct DiskFaults: Sendable {
    /// The fault of one kind of calls.
    struct Fault: Sendable {
        var failure: FaultInjector.Failure?
        var delay = Duration.zero
    }

    var write = Fault()
    var sync = Fault()
}

extension Guarded<DiskFaults> {
    /// Delays the calling thread, until the delay is over or the test has shortened it, and throws
    /// the failure that was set when the call began.
    func occur(
        _ fault: (DiskFaults) -> DiskFaults.Fault, _ path: String
    ) throws(StoreError) {
        let start = ContinuousClock.now
        let (failure, delay) = withLock { (fault($0).failure, fault($0).delay) }
        var left = delay
        while left > .zero {
            usleep(left < .milliseconds(2) ? UInt32(left / .microseconds(1)) : 2_000)
            left = withLock { fault($0).delay } - (.now - start)
        }
        switch failure {
        case .diskFull:
            throw StoreError(
                .diskFull, "Cannot write \"\(path)\": the test's disk is full (ENOSPC).",
                path: path, errno: ENOSPC)
        case .ioError:
            throw StoreError(
                .ioFailed, "Cannot write \"\(path)\": the test's disk has failed (EIO).",
                path: path, errno: EIO)
        case nil: break
        }
    }
}

/// The real file system, with faults.
final class FaultyFileSystem: FileSystem {
    let faults = Guarded(DiskFaults())
    private let base = PosixFileSystem.shared

    func openDirectory(
        _ path: String, _ mode: DirectoryMode
    ) throws(StoreError) -> any RealmDirectory {
        let directory = try base.openDirectory(path, mode)
        // Reading doesn't fail, and a copy in a file must be recognized as one.
        return mode == .readOnly ? directory : FaultyDirectory(directory, faults)
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

private final class FaultyDirectory: RealmDirectory {
    private let base: any RealmDirectory
    private let faults: Guarded<DiskFaults>

    init(_ base: any RealmDirectory, _ faults: Guarded<DiskFaults>) {
        self.base = base
        self.faults = faults
    }

    var path: String { base.path }
    var identity: FileIdentity { base.identity }
    var isReadOnly: Bool { base.isReadOnly }
    func isCurrent() throws(StoreError) -> Bool { try base.isCurrent() }
    func freeByteCount() -> UInt64? { base.freeByteCount() }
    func names() throws(StoreError) -> [String] { try base.names() }
    func open(_ name: String) throws(StoreError) -> any StoreFile {
        FaultyFile(try base.open(name), "\(path)/\(name)", faults)
    }
    func create(_ name: String) throws(StoreError) -> any StoreFile {
        try faults.occur(\.write, "\(path)/\(name)")
        return FaultyFile(try base.create(name), "\(path)/\(name)", faults)
    }
    func rename(_ name: String, to target: String) throws(StoreError) {
        try base.rename(name, to: target)
    }
    func renameNew(_ name: String, to target: String) throws(StoreError) {
        try base.renameNew(name, to: target)
    }
    func moveToParent(_ name: String, as target: String) throws(StoreError) {
        try faults.occur(\.sync, path)
        try base.moveToParent(name, as: target)
    }
    func unlink(_ name: String) throws(StoreError) { try base.unlink(name) }
    func sync() throws(StoreError) {
        try faults.occur(\.sync, path)
        try base.sync()
    }
    func openLock() throws(StoreError) -> any LockFile { try base.openLock() }
}

private final class FaultyFile: StoreFile {
    private let base: any StoreFile
    private let path: String
    private let faults: Guarded<DiskFaults>

    init(_ base: any StoreFile, _ path: String, _ faults: Guarded<DiskFaults>) {
        self.base = base
        self.path = path
        self.faults = faults
    }

    var isRemoved: Bool { base.isRemoved }
    func size() throws(StoreError) -> UInt64 { try base.size() }
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        try base.read(at: offset, count: count)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        try faults.occur(\.write, path)
        try base.write(bytes, at: offset)
    }
    func release(from offset: UInt64) { base.release(from: offset) }
    func sync() throws(StoreError) {
        try faults.occur(\.sync, path)
        try base.sync()
    }
    func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        try base.map(at: offset, count: count)
    }
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) -> Bool {
        try base.populate(bytes, at: offset)
    }
}
