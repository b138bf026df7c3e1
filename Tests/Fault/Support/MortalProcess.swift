import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization

/// One process's view of the machine. It can die at any effect while other processes live on: from
/// then on nothing that it does reaches the disk, the control page or the locks.
///
/// Its locks are dropped with the last reference to its open files, as the kernel does.
final class MortalProcess: FileSystem {
    /// When the process dies.
    struct Fate: Sendable {
        /// The number of remaining effects; `nil` for no limit.
        var effectCount: Int?
        /// The number of bytes written by the write at which it dies.
        var writtenByteCount = 0
        var isDead = false
        /// The effect at which it died.
        var lastEffect: EffectKind?
    }

    private let machine: SimFileSystem
    fileprivate let fate = Mutex(Fate())

    init(_ machine: SimFileSystem) {
        self.machine = machine
    }

    /// Makes it die at the effect after the next `effectCount`; a write is then done in part.
    func die(after effectCount: Int, writtenByteCount: Int = 0) {
        fate.withLock {
            $0.effectCount = effectCount
            $0.writtenByteCount = writtenByteCount
        }
    }

    var isDead: Bool { fate.withLock { $0.isDead } }
    var lastEffect: EffectKind? { fate.withLock { $0.lastEffect } }

    /// The error of every call of a dead process.
    fileprivate static let error = StoreError(.ioFailed, "The process is dead.")

    /// Counts an effect; throws if the process is dead or dies now. `atDeath` is executed when it
    /// dies.
    fileprivate func effect(
        _ kind: EffectKind, atDeath: (Int) -> Void = { _ in }
    ) throws(StoreError) {
        let (isDead, dies, count) = fate.withLock { fate in
            if fate.isDead { return (true, false, 0) }
            guard let left = fate.effectCount else { return (false, false, 0) }
            fate.effectCount = left - 1
            guard left == 0 else { return (false, false, 0) }
            fate.isDead = true
            fate.lastEffect = kind
            return (true, true, fate.writtenByteCount)
        }
        if dies { atDeath(count) }
        if isDead { throw Self.error }
    }

    fileprivate func look() throws(StoreError) {
        if isDead { throw Self.error }
    }

    func openDirectory(_ path: String, _ mode: DirectoryMode) throws(StoreError)
        -> any RealmDirectory
    {
        try effect(.makeDirectory)
        return MortalDirectory(self, try machine.openDirectory(path, mode))
    }

    func networkFileSystem(at path: String) -> String? { nil }
    func removeDirectory(_ path: String) throws(StoreError) -> Bool { false }
    func hasEntry(_ path: String) throws(StoreError) -> Bool { try machine.hasEntry(path) }
    func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool { true }
    func moveDirectory(_ path: String, to target: String) { preconditionFailure("never moved") }
    func bootID() -> Identity128? { machine.bootID() }
    func random() -> UInt64 { machine.random() }
    func monotonicNanoseconds() -> UInt64 { machine.monotonicNanoseconds() }
    func wallClockMicroseconds() -> Int64 { machine.wallClockMicroseconds() }
}

private final class MortalDirectory: RealmDirectory {
    private let process: MortalProcess
    private let directory: any RealmDirectory

    init(_ process: MortalProcess, _ directory: any RealmDirectory) {
        self.process = process
        self.directory = directory
    }

    var path: String { directory.path }
    var identity: FileIdentity { directory.identity }
    var isReadOnly: Bool { directory.isReadOnly }

    func isCurrent() throws(StoreError) -> Bool { try directory.isCurrent() }
    func freeByteCount() -> UInt64? { directory.freeByteCount() }

    func names() throws(StoreError) -> [String] {
        try process.look()
        return try directory.names()
    }

    func open(_ name: String) throws(StoreError) -> any StoreFile {
        try process.look()
        return MortalFile(process, try directory.open(name))
    }

    func create(_ name: String) throws(StoreError) -> any StoreFile {
        try process.effect(.create)
        return MortalFile(process, try directory.create(name))
    }

    func rename(_ name: String, to target: String) throws(StoreError) {
        try process.effect(.rename)
        try directory.rename(name, to: target)
    }

    func renameNew(_ name: String, to target: String) throws(StoreError) {
        try process.effect(.rename)
        try directory.renameNew(name, to: target)
    }

    func moveToParent(_ name: String, as target: String) { preconditionFailure("never moved") }

    func unlink(_ name: String) throws(StoreError) {
        try process.effect(.unlink)
        try directory.unlink(name)
    }

    func sync() throws(StoreError) {
        try process.effect(.syncDirectory)
        try directory.sync()
    }

    func openLock() throws(StoreError) -> any LockFile {
        try process.look()
        return MortalLock(process, try directory.openLock())
    }
}

private final class MortalFile: StoreFile {
    private let process: MortalProcess
    private let file: any StoreFile

    init(_ process: MortalProcess, _ file: any StoreFile) {
        self.process = process
        self.file = file
    }

    var isRemoved: Bool { file.isRemoved }

    func size() throws(StoreError) -> UInt64 {
        try process.look()
        return try file.size()
    }

    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        try process.look()
        return try file.read(at: offset, count: count)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        try process.effect(.write) { count in
            try? file.write(
                UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)]), at: offset)
        }
        try file.write(bytes, at: offset)
    }

    func sync() throws(StoreError) {
        try process.effect(.sync)
        try file.sync()
    }

    func release(from offset: UInt64) {
        if !process.isDead { file.release(from: offset) }
    }

    func map(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? { nil }
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool { true }
}

private final class MortalLock: LockFile {
    private let process: MortalProcess
    private let lock: any LockFile

    init(_ process: MortalProcess, _ lock: any LockFile) {
        self.process = process
        self.lock = lock
    }

    var identity: FileIdentity { lock.identity }
    func isCurrent() throws(StoreError) -> Bool { try lock.isCurrent() }

    func tryLock(_ byte: LockByte, _ kind: LockKind) throws(StoreError) -> Bool {
        try process.look()
        return try lock.tryLock(byte, kind)
    }

    func unlock(_ byte: LockByte) {
        if !process.isDead { lock.unlock(byte) }
    }

    func isLockedElsewhere(_ byte: LockByte) -> Bool { lock.isLockedElsewhere(byte) }
    func loadControlSlot(_ index: Int) -> ControlWords { lock.loadControlSlot(index) }

    func storeControlSlot(_ index: Int, _ words: ControlWords) {
        // A store may be torn: at death half of the words are written.
        let old = lock.loadControlSlot(index)
        do {
            try process.effect(.storeControl) { count in
                guard count > 0 else { return }
                var torn = old
                for word in 0..<8 { torn[word] = words[word] }
                lock.storeControlSlot(index, torn)
            }
            lock.storeControlSlot(index, words)
        } catch {}
    }

    func sync() throws(StoreError) {
        try process.effect(.syncLock)
        try lock.sync()
    }

    func wake() {
        if (try? process.effect(.wake)) != nil { lock.wake() }
    }

    func load(_ word: LockWord) -> UInt32 { lock.load(word) }
    func countGrant() { if !process.isDead { lock.countGrant() } }
    func countFailedSync() { if !process.isDead { lock.countFailedSync() } }
    func signalRelease() { if !process.isDead { lock.signalRelease() } }

    func waitForRelease(observed: UInt32, timeoutNanoseconds: UInt64) {
        lock.waitForRelease(observed: observed, timeoutNanoseconds: timeoutNanoseconds)
    }
}
