package import RegnumStore
import RegnumTestSupport
internal import Synchronization

/// The simulated counterpart of `PosixFileSystem`: files in memory that track what is guaranteed to
/// be on disk.
///
/// For every file it keeps the durable bytes and the unsynced versions of each sector, for every
/// directory the durable entries and the unsynced operations, and for `LOCK` older states of the
/// control page, which is rarely synced. From these `crashImages` makes the disks that a power
/// failure could leave behind, and `killImage` what the death of all processes leaves. Syncing a
/// file makes its bytes and its size durable, but not its name; syncing a directory makes its
/// entries durable, but not the bytes of their files.
///
/// Time, randomness and boot id are deterministic: they depend only on the seed and the calls made.
/// The parent of a realm directory must be "/", a relative path of one component, a directory at
/// the root ("/sim"), or a directory made here; any other parent doesn't exist.
///
/// Isolation: one lock around the whole state, taken once by every call; `onEffect` runs outside of
/// it, so it may take images. Concurrent calls are serialized.
package final class SimFileSystem: FileSystem {
    private static let lastDevice = Atomic<UInt64>(1 << 40)

    let state: Guarded<SimState>
    /// Different for each instance, so that no two simulated machines share a realm.
    let device: UInt64
    /// The result of `networkFileSystem(at:)`.
    package let networkName = Guarded<String?>(nil)
    /// What `LockFile.isCurrent()` throws.
    package let lockFailure = Guarded<StoreError?>(nil)
    /// What `leads` and `RealmDirectory.isCurrent()` throw.
    package let placeFailure = Guarded<StoreError?>(nil)

    /// Creates an empty disk. `sectorByteCount` is the unit that the disk writes at once, or tears.
    package convenience init(
        sectorByteCount: Int = 512, seed: UInt64 = 0, capacityByteCount: UInt64? = nil
    ) {
        precondition(sectorByteCount >= 8, "a sector has at least 8 bytes")
        var state = SimState(sectorByteCount: sectorByteCount, seed: seed)
        state.capacityByteCount = capacityByteCount
        self.init(state)
    }

    init(_ state: SimState) {
        self.state = Guarded(state)
        device = Self.lastDevice.wrappingAdd(1, ordering: .relaxed).newValue
    }

    package func openDirectory(
        _ path: String, _ mode: DirectoryMode
    ) throws(StoreError) -> any RealmDirectory {
        let path = Self.normalized(path)
        if mode == .new, try hasEntry(path) {
            throw StoreError(.fileExists, "\"\(path)\" already exists.", path: path)
        }
        let create = mode == .creating || mode == .new
        try check(.openDirectory, path)
        if mode == .readOnly, let inode = state.withLock({ $0.file(path) }) {
            return try SimDirectory.openArchive(inode, path, in: self)
        }
        let (exists, hasLock) = try state.withLock { state throws(StoreError) in
            guard !path.isEmpty, !state.plainFiles.contains(path), state.file(path) == nil else {
                throw StoreError(
                    .fileAccess, "\"\(path)\" is a file, but a realm is a directory.", path: path)
            }
            let directory = state.directories[path]
            return (directory != nil, directory?.entries["LOCK"] != nil)
        }
        guard exists || create else {
            throw StoreError(
                .fileNotFound, "Cannot open the directory \"\(path)\": it does not exist.",
                path: path)
        }
        var isMade = false
        if !exists {
            try check(.makeDirectory, path)
            isMade = try state.withLock { state throws(StoreError) in
                try state.makeDirectory(path)
            }
        }
        if create && (isMade || !hasLock) {
            do throws(StoreError) {
                try check(.syncDirectory, path)
            } catch {
                if isMade { _ = state.withLock { $0.removeIfEmpty(path) } }
                throw error
            }
            state.withLock { $0.directories[path]?.isDurable = true }
        }
        return SimDirectory(fileSystem: self, path: path, isReadOnly: mode == .readOnly)
    }

    /// The removal is on disk at once.
    package func removeDirectory(_ path: String) throws(StoreError) -> Bool {
        let path = Self.normalized(path)
        try check(.unlink, path)
        return try state.withLock { state throws(StoreError) in
            try state.checkWritable("remove", path)
            guard state.directories[path] != nil else {
                throw StoreError(.fileNotFound, "\"\(path)\" does not exist.", path: path)
            }
            return state.removeIfEmpty(path)
        }
    }

    package func hasEntry(_ path: String) throws(StoreError) -> Bool {
        let path = Self.normalized(path)
        try check(.openDirectory, path)
        return state.withLock { $0.hasEntry(path) }
    }

    package func networkFileSystem(at path: String) -> String? { networkName.withLock { $0 } }

    package func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        if let failure = placeFailure.withLock({ $0 }) { throw failure }
        return self.identity(Self.normalized(path)) == identity
    }

    func identity(_ path: String) -> FileIdentity? {
        state.withLock { state in
            // apart from the inodes of files
            let directory = state.directories[path].map { UInt64($0.order) + 1 << 32 }
            let inode = directory ?? state.file(path).map { UInt64($0) }
            return inode.map { FileIdentity(device: device, inode: $0) }
        }
    }

    /// The new name is on disk at once, even if the sync then fails; unsynced changes in the
    /// directory stay unsynced.
    package func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        let (path, target) = (Self.normalized(path), Self.normalized(target))
        try check(.rename, target)
        try state.withLock { state throws(StoreError) in
            try state.checkWritable("make", target)
            guard !state.hasEntry(target) else {
                throw StoreError(.fileExists, "\"\(target)\" already exists.", path: target)
            }
            guard let directory = state.directories.removeValue(forKey: path) else {
                throw StoreError(.fileNotFound, "\"\(path)\" does not exist.", path: path)
            }
            state.directories[target] = directory
        }
        try check(.syncDirectory, target)
    }

    package func bootID() -> Identity128? { state.withLock { $0.bootID } }

    package func random() -> UInt64 { state.withLock { $0.generator.next() } }

    /// Returns the simulated time; each call advances it by `tickNanoseconds`.
    package func monotonicNanoseconds() -> UInt64 {
        state.withLock { state in
            state.monotonicNanoseconds += state.tickNanoseconds
            return state.monotonicNanoseconds
        }
    }

    package func wallClockMicroseconds() -> Int64 { state.withLock { $0.wallClockMicroseconds } }

    /// Counts a call, reports it to `onEffect` before it happens, and returns the failure planned
    /// for it.
    func begin(_ kind: EffectKind) -> SimFailure? {
        let (failure, hook, index) = state.withLock { state in
            let failure = state.count(kind)
            state.counts[kind, default: 0] += 1
            if kind.isEffect { state.effectCount += 1 }
            return (failure, kind.isEffect ? state.onEffect : nil, state.effectCount - 1)
        }
        hook?(kind, index)
        return failure
    }

    /// Calls `begin` and throws the planned failure.
    func check(_ kind: EffectKind, _ path: String) throws(StoreError) {
        if let failure = begin(kind) { throw failure.error(kind, path) }
    }

    static func normalized(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }
}

extension SimState {
    /// - Returns: `false` if another thread has made it concurrently.
    mutating func makeDirectory(_ path: String) throws(StoreError) -> Bool {
        guard directories[path] == nil else { return false }
        try checkWritable("create", path)
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        let isAtRoot = parent.lastIndex(of: "/").map { $0 == parent.startIndex } ?? parent.isEmpty
        guard isAtRoot || directories[parent] != nil else {
            throw StoreError(
                .fileAccess, "Cannot create \"\(path)\": its parent directory does not exist.",
                path: path)
        }
        directories[path] = SimDirectoryState(order: newNumber())
        return true
    }

    /// - Returns: Whether the directory was empty and has been removed.
    mutating func removeIfEmpty(_ path: String) -> Bool {
        guard let directory = directories[path], directory.entries.isEmpty else { return false }
        directories[path] = nil
        return true
    }
}
