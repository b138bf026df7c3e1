/// The store's interface to the system: files, directory entries, locks, the control page, clocks
/// and random numbers. `PosixFileSystem` is the real implementation; tests use a simulated one that
/// tracks unsynced writes and can lose, tear and undo them.
///
/// All methods are synchronous and may block on the disk, except for those of `LockFile` that say
/// otherwise. The store calls blocking methods on its own threads, never on the cooperative pool.
package protocol FileSystem: AnyObject, Sendable {
    /// Opens the realm directory at `path`. If it is to be read only, it may be one in a file
    /// (`ArchiveDirectory`).
    ///
    /// Throws `fileNotFound` (missing, and not to be created), `fileExists` (`.new`, and `path`
    /// exists, even as a dangling link), `filePermissionDenied` (EACCES, EPERM, EROFS),
    /// `fileAccess` (not a directory, parent missing, it can't be created), `invalidDatabase` (a
    /// damaged realm in a file), `ioFailed` (it can't be opened now, for example for lack of
    /// descriptors). Changes nothing on failure.
    func openDirectory(_ path: String, _ mode: DirectoryMode) throws(StoreError)
        -> any RealmDirectory
    /// Returns the name of the file system at `path`, or at its parent directory, if other machines
    /// or programs serve it; `nil` if it is local or unknown.
    func networkFileSystem(at path: String) -> String?
    /// Removes the directory at `path`. Returns false if it isn't empty or cannot be removed (it is
    /// a mount point or a link, or the parent isn't writable). Not synced: after a power loss an
    /// empty directory may reappear.
    func removeDirectory(_ path: String) throws(StoreError) -> Bool
    /// Returns whether `path` exists, including a dangling link.
    ///
    /// Throws `filePermissionDenied` or `fileAccess` if that cannot be determined.
    func hasEntry(_ path: String) throws(StoreError) -> Bool
    /// Returns whether `path` resolves to the directory with that identity, following symbolic
    /// links; true if a component of the path may not be searched, for example after the process
    /// dropped privileges. Needs no disk access while the directory is open.
    ///
    /// Throws `ioFailed` if that can't be determined.
    func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool
    /// Renames a realm directory within its parent directory, durably. Open files stay open.
    ///
    /// Throws `fileExists` if `target` exists; then nothing has changed. After another error it may
    /// have either name.
    func moveDirectory(_ path: String, to target: String) throws(StoreError)
    /// Returns the identifier of the current boot of the machine, or `nil` if the system doesn't
    /// provide one.
    func bootID() -> Identity128?
    /// Returns 64 random bits from the system.
    func random() -> UInt64
    /// Returns the time of a monotonic clock, in nanoseconds.
    func monotonicNanoseconds() -> UInt64
    /// Returns the wall clock time in microseconds since 1970.
    func wallClockMicroseconds() -> Int64
}

/// The mode in which a realm directory is opened.
package enum DirectoryMode: Sendable {
    case existing
    /// A missing directory is created (0700) and its parent synced.
    case creating
    /// The directory must not exist; it is created as with `creating`.
    case new
    /// The directory must belong to this user and `path` may not be a symbolic link, for which
    /// `fileAccess` is thrown.
    case own
    /// Files and `LOCK` are opened for reading. Calling a method that modifies anything is a
    /// programming error.
    case readOnly
}

/// A 128-bit identifier, of a realm or of a boot of the machine.
package struct Identity128: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func random() -> Identity128 {
        Identity128(
            high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }
}

/// The directory of one realm.
package protocol RealmDirectory: AnyObject, Sendable {
    /// The path given by the caller.
    var path: String { get }
    /// The identity of the directory, independent of the path by which it was opened.
    var identity: FileIdentity { get }
    /// Whether the directory was opened as `readOnly`.
    var isReadOnly: Bool { get }
    /// Returns whether the path still resolves to this directory. Needs no disk access.
    ///
    /// Throws as `FileSystem.leads` does.
    func isCurrent() throws(StoreError) -> Bool
    /// Returns the number of bytes that files can still take on the disk; `nil` if unknown. Quotas
    /// aren't considered.
    func freeByteCount() -> UInt64?
    /// Returns the names of all entries, without "." and "..", in no particular order.
    func names() throws(StoreError) -> [String]
    /// Opens an existing file for reading and writing. Throws `fileNotFound` if it doesn't exist,
    /// and `fileAccess` for anything but a regular file with one link (symbolic links aren't
    /// followed).
    func open(_ name: String) throws(StoreError) -> any StoreFile
    /// Creates a file (0600). Throws `fileExists` if it exists.
    func create(_ name: String) throws(StoreError) -> any StoreFile
    /// Renames an entry; an existing `target` is replaced.
    func rename(_ name: String, to target: String) throws(StoreError)
    /// Renames an entry. Throws `fileExists` if `target` exists; then nothing has changed.
    func renameNew(_ name: String, to target: String) throws(StoreError)
    /// Moves a file to the parent directory of this one, as an entry that must not exist, durably.
    ///
    /// Throws `fileExists` if `target` exists. After an error, nothing new is there, and the file
    /// may be gone.
    func moveToParent(_ name: String, as target: String) throws(StoreError)
    /// Removes an entry.
    func unlink(_ name: String) throws(StoreError)
    /// Makes all entries that were created, renamed or removed so far durable.
    func sync() throws(StoreError)
    /// Opens `LOCK`, creating it (0600, two pages of zeros) if it is missing. A read-only directory
    /// throws `fileNotFound` if it is missing or incomplete.
    func openLock() throws(StoreError) -> any LockFile
}

extension RealmDirectory {
    /// Creates or replaces a small file durably and atomically: after a crash it has the old or the
    /// new content.
    ///
    /// Throws `diskFull` and the errors of the file system; the old content then remains.
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

/// A file of a realm, other than `LOCK`. Closed when the last reference is released.
package protocol StoreFile: AnyObject, Sendable {
    /// Whether the file no longer has a name, as far as that is known. It stays readable. Needs no
    /// disk access.
    var isRemoved: Bool { get }
    /// Returns the current size in bytes.
    func size() throws(StoreError) -> UInt64
    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8]
    /// Writes all bytes at `offset`, growing the file if necessary. Throws `diskFull` for
    /// ENOSPC, EDQUOT and EFBIG, `ioFailed` otherwise. After an error any part of the bytes may
    /// have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError)
    /// Frees the disk space of the bytes from `offset` (a multiple of the page size) to the end of
    /// the file, if the file system supports that. The size stays the same; the bytes are undefined
    /// from then on.
    func release(from offset: UInt64)
    /// Syncs the file's data (fdatasync). After an error, the state of all bytes written since the
    /// last successful sync is unknown.
    func sync() throws(StoreError)
    /// Maps `count` bytes from `offset` (a multiple of the page size) for reading. The mapping
    /// lives as long as this object. Mapped bytes beyond the end of the file must not be accessed
    /// until the file has grown. Returns `nil` if files aren't mapped (the simulated disk); then
    /// `read` is used.
    func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer?
    /// Loads mapped bytes into memory, so that reading them right afterwards raises no signal.
    /// Returns false if the system lacks memory for that.
    ///
    /// Throws `invalidDatabase` if the file ends before them, `ioFailed` if the disk cannot read
    /// them.
    ///
    /// - Parameter offset: the offset of the bytes in the file.
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) -> Bool
}

/// The bytes of `LOCK` that are locked, each for one purpose (`Docs/FORMAT.md`).
package struct LockByte: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Shared while the realm is open; exclusive to reset the control page.
    package static let session = LockByte(rawValue: 0)
    /// Exclusive while committing.
    package static let writer = LockByte(rawValue: 1)
    /// Exclusive while nodes files are written, for a checkpoint or a bulk commit: by one process
    /// at a time.
    package static let checkpoint = LockByte(rawValue: 2)
    /// Shared while waiting for `writer`.
    package static let waiters = LockByte(rawValue: 3)
    /// Shared while watching for commits.
    package static let watchers = LockByte(rawValue: 4)

    /// Returns the byte of a nodes file, far beyond the end of `LOCK`. The process that has created
    /// the file locks it exclusively until it creates another one.
    package static func nodesFile(_ number: UInt64) -> LockByte {
        LockByte(rawValue: 1 << 49 | number & (1 << 48 - 1))
    }

    /// Returns the byte that is locked exclusively while objects of the class are drained. It is
    /// derived from the class name, at an offset far beyond the end of the file.
    package static func drain(className: String) -> LockByte {
        LockByte(rawValue: 1 << 48 | className.fnv1a & (1 << 48 - 1))
    }
}

/// The mode of a lock on a byte of `LOCK`.
package enum LockKind: Sendable { case shared, exclusive }

/// The `LOCK` file: locks between processes, the control page and the wake counter. The locks are
/// released when the last reference goes away, and by the kernel when the process dies.
///
/// If opened for reading, it supports shared locks and loads only; anything else is a programming
/// error.
package protocol LockFile: AnyObject, Sendable {
    /// Device and inode, which are equal for any two opens of the same `LOCK`.
    var identity: FileIdentity { get }
    /// Returns whether `LOCK` in the directory is still this file.
    func isCurrent() throws(StoreError) -> Bool
    /// Acquires the lock, or returns false immediately. Locking a held byte with another kind
    /// converts the lock.
    func tryLock(_ byte: LockByte, _ kind: LockKind) throws(StoreError) -> Bool
    /// Releases the lock. Has no effect if it isn't held.
    func unlock(_ byte: LockByte)
    /// Returns whether another process holds a lock on `byte` that conflicts with an exclusive one.
    func isLockedElsewhere(_ byte: LockByte) -> Bool

    /// Loads one of the two slots of the control page, word by word. A concurrent store may tear
    /// it, which its checksum (word 15) detects. Never blocks.
    func loadControlSlot(_ index: Int) -> ControlWords
    /// Stores a slot. Only the holder of `writer` (or of `session` exclusively) may call it. Never
    /// blocks.
    func storeControlSlot(_ index: Int, _ words: ControlWords)
    /// Makes the control page that was stored last durable. Waits for the disk.
    func sync() throws(StoreError)
    /// Wakes other processes that watch `LOCK` by writing the wake counter. Uses `write`, because a
    /// store through a mapping raises no file event. Never waits for the disk.
    func wake()

    /// Returns a word of the control page. Never blocks.
    func load(_ word: LockWord) -> UInt32
    /// Counts a grant and records this process as the holder. Called by the new holder of `writer`.
    /// Never blocks.
    func countGrant()
    /// Counts a failed sync. Any process may call it. Never blocks.
    func countFailedSync()
    /// Changes the release word and wakes one waiter. Never blocks.
    func signalRelease()
    /// Waits until the release word differs from `observed`, or until the timeout.
    func waitForRelease(observed: UInt32, timeoutNanoseconds: UInt64)
}

/// The words of the control page after its slots, each in its own cache line. The raw values are
/// their offsets in `LOCK`.
package enum LockWord: Int, Sendable {
    /// The number of times `writer` was granted since the control page was created.
    case grantCount = 1024
    /// Changes on every release of `writer`.
    case release = 1088
    /// The process that counted the last grant; 0 if unknown.
    case lastHolder = 1152
    /// The number of failed log syncs in processes that didn't hold `writer`.
    case failedSyncCount = 1216
}

/// One slot of the control page: 16 words of 64 bits.
package typealias ControlWords = SIMD16<UInt64>

/// The identity of a file on this machine.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
