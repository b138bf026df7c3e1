/// Every effect of the store on the world goes through these protocols: files, directory entries,
/// locks, the control page, clocks and random numbers. `PosixFileSystem` is the real one; the tests
/// have a simulated twin that records unsynced writes and can lose, tear and undo them.
///
/// All methods are synchronous and may block on the disk, except those of `LockFile` that say
/// otherwise: the store calls the blocking ones on its own threads, never on the cooperative pool.
package protocol FileSystem: AnyObject, Sendable {
    /// Opens the realm directory at `path`; with `create` makes it (0700) and syncs its parent if
    /// it is missing.
    ///
    /// Throws `fileNotFound` (missing, not `create`), `filePermissionDenied` (EACCES, EPERM, EROFS),
    /// `fileAccess` (not a directory, parent missing, anything else). Changes nothing on failure.
    func openDirectory(_ path: String, create: Bool) throws(StoreError) -> any RealmDirectory
    /// Opens the realm directory at `path` so that nothing under it can be changed: files and `LOCK`
    /// are opened for reading, and whatever changes something is a mistake of the caller.
    ///
    /// Throws as `openDirectory` does.
    func openDirectoryForReading(_ path: String) throws(StoreError) -> any RealmDirectory
    /// Makes the directory at `path` (0700), which must not be there, and syncs its parent.
    ///
    /// Throws `fileExists` if there is anything, be it a link that leads nowhere; else as
    /// `openDirectory`.
    func makeDirectory(_ path: String) throws(StoreError) -> any RealmDirectory
    /// Opens a directory that this user has made, which is there.
    ///
    /// Throws `fileAccess` for a symbolic link and for another user's; else as `openDirectory`.
    func openOwnDirectory(_ path: String) throws(StoreError) -> any RealmDirectory
    /// The name of the file system at `path`, or at the directory above it, if other machines or
    /// programs serve it; nil for local ones, and where that cannot be seen.
    func networkFileSystem(at path: String) -> String?
    /// Removes the directory at `path`; false if it is not empty or may not be removed (it is a mount
    /// point, a link, or the parent must not be changed). Not synced: after a power loss an empty
    /// directory may be there again.
    func removeDirectory(_ path: String) throws(StoreError) -> Bool
    /// Whether there is anything at `path`, be it a link that leads nowhere.
    ///
    /// Throws `filePermissionDenied` and `fileAccess` where that cannot be seen.
    func hasEntry(_ path: String) throws(StoreError) -> Bool
    /// Whether `path` leads to the directory of that identity, symbolic links followed; true where
    /// that cannot be seen. Touches no disk as long as the directory is open.
    func leads(_ path: String, to identity: FileIdentity) -> Bool
    /// Gives a realm directory another name in the directory above it, and makes that durable.
    /// Files that are open stay so.
    ///
    /// Throws `fileExists` if there is anything at `target`; then nothing has changed.
    func moveDirectory(_ path: String, to target: String) throws(StoreError)
    /// The identity of this boot of the machine, or nil where the system does not tell it.
    func bootID() -> Identity128?
    /// 64 random bits from the system.
    func random() -> UInt64
    /// A clock that never goes back, in nanoseconds.
    func monotonicNanoseconds() -> UInt64
    /// Wall clock time in microseconds since 1970.
    func wallClockMicroseconds() -> Int64
}

extension FileSystem {
    /// For stand-ins of tests, which do not tell the two apart.
    package func openDirectoryForReading(_ path: String) throws(StoreError) -> any RealmDirectory {
        try openDirectory(path, create: false)
    }

    package func makeDirectory(_ path: String) throws(StoreError) -> any RealmDirectory {
        guard try !hasEntry(path) else {
            throw StoreError(.fileExists, "\"\(path)\" exists already.", path: path)
        }
        return try openDirectory(path, create: true)
    }

    package func openOwnDirectory(_ path: String) throws(StoreError) -> any RealmDirectory {
        try openDirectory(path, create: false)
    }

    package func networkFileSystem(at path: String) -> String? { nil }

    package func removeDirectory(_ path: String) throws(StoreError) -> Bool { false }

    package func hasEntry(_ path: String) throws(StoreError) -> Bool {
        do {
            _ = try openDirectoryForReading(path)
            return true
        } catch {
            if error.code == .fileNotFound { return false }
            throw error
        }
    }

    package func leads(_ path: String, to identity: FileIdentity) -> Bool { true }

    package func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        throw StoreError(.fileAccess, "\"\(path)\" cannot be moved here.", path: path)
    }
}

/// 128 bits that identify something: a realm, a boot of the machine.
package struct Identity128: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The directory of one realm.
package protocol RealmDirectory: AnyObject, Sendable {
    /// The path that the caller gave.
    var path: String { get }
    /// What identifies the directory, by whatever path it was opened; nil where that is not known.
    var identity: FileIdentity? { get }
    /// Whether it was opened by `openDirectoryForReading`.
    var isReadOnly: Bool { get }
    /// Whether the path still leads to this directory; true where that cannot be seen. Touches no
    /// disk.
    func isCurrent() -> Bool
    /// The names of all entries, without "." and "..", in no order.
    func names() throws(StoreError) -> [String]
    /// Opens an existing file for reading and writing. Throws `fileNotFound` if there is none, and
    /// `fileAccess` for anything that is not a regular file with one link (links are not followed).
    func open(_ name: String) throws(StoreError) -> any StoreFile
    /// Creates a file (0600) that must not exist: `fileExists` otherwise.
    func create(_ name: String) throws(StoreError) -> any StoreFile
    /// Renames an entry; an existing `target` is replaced.
    func rename(_ name: String, to target: String) throws(StoreError)
    /// Renames an entry. Throws `fileExists` if there is anything at `target`; then nothing has
    /// changed.
    func renameNew(_ name: String, to target: String) throws(StoreError)
    /// Removes an entry.
    func unlink(_ name: String) throws(StoreError)
    /// Makes all entries created, renamed and removed so far durable.
    func sync() throws(StoreError)
    /// Opens `LOCK`, creating it (0600, two pages of zeros) if it is missing. For reading only: throws
    /// `fileNotFound` if it is missing or unfinished.
    func openLock() throws(StoreError) -> any LockFile
}

extension RealmDirectory {
    package var identity: FileIdentity? { nil }
    package var isReadOnly: Bool { false }
    package func isCurrent() -> Bool { true }

    package func renameNew(_ name: String, to target: String) throws(StoreError) {
        try rename(name, to: target)
    }

    /// Creates or replaces a small file durably: after a crash its content is the old or the new
    /// one.
    ///
    /// Throws `diskFull` and what the file system throws; the old content then remains.
    ///
    /// - Parameter temporary: the name of the new file until it is complete.
    func replaceFile(
        _ name: String, with bytes: [UInt8], temporary: String
    ) throws(StoreError) {
        do throws(StoreError) {
            let file = try create(temporary)
            try file.write(bytes, at: 0)
            try file.sync()
            try rename(temporary, to: name)
            try sync()
        } catch {
            try? unlink(temporary)
            throw error
        }
    }
}

/// One file of a realm, other than `LOCK`. Closed when the last reference goes.
package protocol StoreFile: AnyObject, Sendable {
    /// The current size in bytes.
    func size() throws(StoreError) -> UInt64
    /// Up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8]
    /// Writes all bytes at `offset` (growing the file if need be) or throws: `diskFull` for ENOSPC
    /// and EDQUOT, `ioFailed` otherwise. After an error any part of the bytes may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError)
    /// fdatasync. After an error nothing is known about the bytes written since the last success.
    func sync() throws(StoreError)
    /// Maps `count` bytes from `offset` (a multiple of the page size) for reading; the mapping stays
    /// as long as this object lives. Bytes of it that lie behind the end of the file must not be
    /// touched; they can be once the file has grown. nil where files are not mapped (the simulated
    /// disk): read copies then.
    func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer?
    /// Brings mapped bytes into memory, so that reading them now raises no signal; false where the
    /// system has no room for that.
    ///
    /// Throws `invalidDatabase` where the file ends before them, `ioFailed` where the disk cannot
    /// read them.
    ///
    /// - Parameter offset: where in the file the bytes are.
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) -> Bool
}

extension StoreFile {
    package func populate(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(StoreError) -> Bool { true }

    package func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        nil
    }
}

/// The bytes of `LOCK` that are locked, each for its own purpose (Docs/FORMAT.md).
package struct LockByte: RawRepresentable, Hashable, Sendable, CaseIterable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Shared while the realm is open; exclusive to reset the control page.
    package static let session = LockByte(rawValue: 0)
    /// Exclusive while committing.
    package static let writer = LockByte(rawValue: 1)
    /// Exclusive while nodes files are written: by one process at a time, for a checkpoint or for a
    /// commit that is one.
    package static let checkpoint = LockByte(rawValue: 2)
    /// Shared while waiting for `writer`.
    package static let waiters = LockByte(rawValue: 3)
    /// Shared while watching for commits.
    package static let watchers = LockByte(rawValue: 4)

    /// Those that every realm has.
    package static let allCases: [LockByte] = [.session, .writer, .checkpoint, .waiters, .watchers]

    /// Exclusive while objects of the class are delivered: far behind the end of the file, a byte for
    /// each name.
    package static func drain(className: String) -> LockByte {
        LockByte(rawValue: 1 << 48 | className.fnv1a & (1 << 48 - 1))
    }
}

/// How a byte of `LOCK` is locked.
package enum LockKind: Sendable { case shared, exclusive }

/// `LOCK`: locks between processes, the control page, the wake counter. The locks are dropped when
/// the last reference goes, and by the kernel when the process dies.
///
/// One that was opened for reading takes shared locks and loads; the rest is a mistake of the caller.
package protocol LockFile: AnyObject, Sendable {
    /// Device and inode: equal for two opens of the same `LOCK`.
    var identity: FileIdentity { get }
    /// Whether the name `LOCK` in the directory still leads to this file.
    func isCurrent() throws(StoreError) -> Bool
    /// Takes the lock or returns false at once. Taking a held lock with another kind converts it.
    func tryLock(_ byte: LockByte, _ kind: LockKind) throws(StoreError) -> Bool
    /// Gives the lock back. Not held: no effect.
    func unlock(_ byte: LockByte)
    /// Whether somebody else holds a lock on `byte` that conflicts with an exclusive one.
    func isLockedElsewhere(_ byte: LockByte) -> Bool

    /// Reads one of the two slots of the control page, word by word; a concurrent store may tear
    /// it, which its checksum (word 15) shows. Never blocks.
    func loadControlSlot(_ index: Int) -> ControlWords
    /// Stores a slot. Only the holder of `writer` (or of `session` exclusively) calls it. Never
    /// blocks.
    func storeControlSlot(_ index: Int, _ words: ControlWords)
    /// Writes the wake counter with a `write` (a store through a mapping raises no event), so that
    /// other processes that watch `LOCK` are woken. Never waits for the disk.
    func wake()

    /// How often `writer` was granted to anybody since the control page was made. Never blocks.
    func grantCount() -> UInt32
    /// Counts a grant and notes this process as the holder; the new holder of `writer` calls it.
    /// Never blocks.
    func countGrant()
    /// The process that counted the last grant; 0 if that is not known. Never blocks.
    func lastHolder() -> UInt32
    /// How often a sync of the log failed in a process that did not hold `writer`. Never blocks.
    func failedSyncCount() -> UInt32
    /// Counts such a failure; any process may call it. Never blocks.
    func countFailedSync()
    /// The word that every release of `writer` changes. Never blocks.
    func releaseWord() -> UInt32
    /// Changes the release word and wakes one waiter. Never blocks.
    func signalRelease()
    /// Waits until the release word differs from `observed`, or the time is up.
    func waitForRelease(observed: UInt32, timeoutNanoseconds: UInt64)
}

/// 16 words of 64 bits, one slot of the control page.
package typealias ControlWords = SIMD16<UInt64>

/// What identifies a file on this machine.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
