internal import CRegnum
internal import Glibc
internal import Synchronization

/// `LOCK` of a realm directory: locks of an open file description, and its mapped first page.
///
/// Unsafe memory: `mapped` is a mapping of the first 4,096 bytes, created in `init`, unmapped in
/// `deinit`, and accessed only through the atomic functions of `CRegnum`. Once `LOCK` was found to
/// be truncated, where accessing it would raise SIGBUS, `zeros` are used in its place.
package final class PosixLockFile: LockFile {
    /// The offsets in `LOCK`: see also `LockWord`.
    private enum Layout {
        static let slotByteCount = 128
        static let wakeCounter: off_t = 4096
        static let pageByteCount = 4096
        static let fileByteCount: UInt64 = 8192
    }

    package let identity: FileIdentity

    private let directory: PosixDirectory
    private let descriptor: Int32
    private let isReadOnly: Bool
    // Guard of both: the pointer never changes, and its target is accessed only atomically.
    private nonisolated(unsafe) let mapped: UnsafeMutableRawPointer
    private nonisolated(unsafe) let zeros: UnsafeMutableRawPointer
    /// The value of the next `wake`. Processes needn't agree on it, since only the write itself
    /// matters.
    private let wakeCounter: Atomic<UInt64>
    /// Whether `LOCK` was found to be truncated.
    private let isCutShort = Atomic(false)

    /// Takes ownership of `descriptor`, even if it throws.
    init(
        directory: PosixDirectory, descriptor: Int32, isReadOnly: Bool = false
    ) throws(StoreError) {
        let path = directory.pathOf("LOCK")
        ProcessFork.watch()
        var status = stat()
        var result = repeated { fstat(descriptor, &status) }
        if result == 0, UInt64(status.st_size) < Layout.fileByteCount {
            result = isReadOnly ? -ENOENT : cregnum_extend(descriptor, Layout.fileByteCount)
        }
        guard result == 0 else {
            close(descriptor)
            throw .system(-result, "prepare", path)
        }
        let protection = isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE
        let other = Self.reopened(in: directory, FileIdentity(status))
        defer { if let other { close(other) } }
        guard
            let page = mmap(
                nil, Layout.pageByteCount, protection, MAP_SHARED, other ?? descriptor, 0),
            page != MAP_FAILED
        else {
            let number = errno
            close(descriptor)
            throw StoreError(
                .ioFailed,
                "Cannot map \"\(path)\" into memory: \(String(cString: strerror(number))).",
                path: path, errno: number)
        }
        // Detects a disk that can't read the page or has no space for it here, instead of by a
        // signal.
        let failure = cregnum_populate(page, Layout.pageByteCount, !isReadOnly)
        guard failure == 0 || failure == -EINVAL else {
            munmap(page, Layout.pageByteCount)
            defer { close(descriptor) }
            throw Self.unreadable(descriptor, path, -failure)
        }
        self.directory = directory
        self.descriptor = descriptor
        self.isReadOnly = isReadOnly
        let zeros = UnsafeMutableRawPointer.allocate(
            byteCount: Layout.pageByteCount, alignment: Layout.slotByteCount)
        zeros.initializeMemory(as: UInt8.self, repeating: 0, count: Layout.pageByteCount)
        mapped = page
        self.zeros = zeros
        identity = FileIdentity(status)
        wakeCounter = Atomic(0)
        cregnum_note_lock_file(descriptor)
    }

    /// Returns another file description of `LOCK`, or `nil` if it can't be opened or was replaced.
    ///
    /// The mapping belongs to this one, because a mapping keeps its file description, and with it
    /// the locks: a forked child that has closed the descriptor would keep them.
    private static func reopened(
        in directory: PosixDirectory, _ identity: FileIdentity
    ) -> Int32? {
        guard let descriptor = try? directory.openRegular("LOCK") else { return nil }
        var status = stat()
        if repeated({ fstat(descriptor, &status) }) == 0, FileIdentity(status) == identity {
            return descriptor
        }
        close(descriptor)
        return nil
    }

    /// Returns the reason for which the first page can't be loaded. A read tells a disk that can't
    /// read it from other reasons.
    private static func unreadable(
        _ descriptor: Int32, _ path: String, _ number: Int32
    ) -> StoreError {
        var byte: UInt8 = 0
        if repeated({ pread(descriptor, &byte, 1, 0) }) == -Int(EIO) {
            return .system(EIO, "read", path)
        }
        return StoreError(
            .ioFailed,
            "Cannot read \"\(path)\": an input/output error occurred, the disk has no space for "
                + "its first page, or the file was truncated.", path: path, errno: number)
    }

    deinit {
        cregnum_forget_lock_file(descriptor)
        // Closing doesn't release the locks while a child that will call exec shares the file
        // description.
        if !ProcessFork.isChild { cregnum_unlock_all(descriptor) }
        munmap(mapped, Layout.pageByteCount)
        zeros.deallocate()
        close(descriptor)
    }

    private var page: UnsafeMutableRawPointer {
        isCutShort.load(ordering: .relaxed) ? zeros : mapped
    }

    package func isCurrent() throws(StoreError) -> Bool {
        guard let status = try ifFound(directory.status(of: "LOCK")),
            FileIdentity(status) == identity
        else { return false }
        if status.st_size < Layout.pageByteCount { isCutShort.store(true, ordering: .relaxed) }
        return !isCutShort.load(ordering: .relaxed)
    }

    package func tryLock(_ byte: LockByte, _ kind: LockKind) throws(StoreError) -> Bool {
        try ProcessFork.check()
        let result = cregnum_lock(descriptor, byte.rawValue, kind == .exclusive)
        guard result >= 0 else { throw .system(-result, "lock", directory.pathOf("LOCK")) }
        return result == 1
    }

    package func unlock(_ byte: LockByte) {
        if !ProcessFork.isChild { _ = cregnum_unlock(descriptor, byte.rawValue) }
    }

    package func isLockedElsewhere(_ byte: LockByte) -> Bool {
        cregnum_is_locked_elsewhere(descriptor, byte.rawValue) == 1
    }

    package func loadControlSlot(_ index: Int) -> ControlWords {
        var words = ControlWords()
        withUnsafeMutableBytes(of: &words) { buffer in
            cregnum_load_words(
                slot(index), buffer.baseAddress!.assumingMemoryBound(to: UInt64.self), 16)
        }
        return words
    }

    package func storeControlSlot(_ index: Int, _ words: ControlWords) {
        guard mayWrite else { return }
        withUnsafeBytes(of: words) { buffer in
            cregnum_store_words(
                slot(index), buffer.baseAddress!.assumingMemoryBound(to: UInt64.self), 16)
        }
    }

    /// Also writes what was stored through the mapping.
    package func sync() throws(StoreError) {
        try ProcessFork.check()
        try check(repeated { fdatasync(descriptor) }, "sync", directory.pathOf("LOCK"))
    }

    /// Writes the wake counter. A failure isn't reported, since watchers also check the control
    /// page periodically.
    package func wake() {
        guard mayWrite, cregnum_may_have_size(Layout.fileByteCount) else { return }
        let value = wakeCounter.wrappingAdd(1, ordering: .relaxed).newValue
        withUnsafeBytes(of: value.littleEndian) { bytes in
            _ = repeated {
                pwrite(descriptor, bytes.baseAddress, bytes.count, Layout.wakeCounter)
            }
        }
    }

    package func load(_ word: LockWord) -> UInt32 { cregnum_load32(at(word)) }

    private func at(_ word: LockWord) -> UnsafeMutableRawPointer { page + word.rawValue }

    package func countGrant() {
        guard mayWrite else { return }
        _ = cregnum_add32(at(.grantCount), 1)
        cregnum_store64(at(.lastHolder), UInt64(getpid()))
    }

    package func countFailedSync() {
        guard mayWrite else { return }
        _ = cregnum_add32(at(.failedSyncCount), 1)
    }

    package func signalRelease() {
        guard mayWrite else { return }
        _ = cregnum_add32(at(.release), 1)
        cregnum_futex_wake(at(.release), 1)
    }

    package func waitForRelease(observed: UInt32, timeoutNanoseconds: UInt64) {
        _ = cregnum_futex_wait(at(.release), observed, timeoutNanoseconds)
    }

    /// False in a forked child.
    private var mayWrite: Bool {
        precondition(!isReadOnly, "write to a LOCK that was opened for reading")
        return !ProcessFork.isChild
    }

    private func slot(_ index: Int) -> UnsafeMutableRawPointer {
        precondition(index == 0 || index == 1, "the control page has two slots")
        return page + index * Layout.slotByteCount
    }
}
