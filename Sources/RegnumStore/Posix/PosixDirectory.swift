internal import CRegnum
internal import Glibc

/// A realm directory, held open by a descriptor relative to which all its files are opened.
///
/// Has no mutable state except for the descriptor, which is closed with the last reference, and its
/// position, which has a lock.
package final class PosixDirectory: RealmDirectory {
    package let path: String
    package let isReadOnly: Bool
    package let identity: FileIdentity
    /// The absolute path, because the process may change its current directory.
    private let absolutePath: String
    private let permissions: PosixPermissions
    private let descriptor: Int32
    /// Guards the position of `descriptor`.
    private let position = Guarded(())

    /// Takes ownership of `descriptor`, even if it throws.
    init(path: String, descriptor: Int32, isReadOnly: Bool = false) throws(StoreError) {
        self.path = path
        self.descriptor = descriptor
        self.isReadOnly = isReadOnly
        var status = stat()
        let result = repeated { fstat(descriptor, &status) }
        guard result == 0 else {
            close(descriptor)
            throw .system(-result, "examine", path)
        }
        identity = FileIdentity(status)
        permissions = PosixPermissions(of: status)
        absolutePath = Self.absolute(path)
    }

    static func absolute(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        guard !isAbsolute, let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    package func isCurrent() throws(StoreError) -> Bool {
        try PosixFileSystem.shared.leads(absolutePath, to: identity)
    }

    package func freeByteCount() -> UInt64? {
        var status = statvfs()
        guard repeated({ fstatvfs(descriptor, &status) }) == 0 else { return nil }
        let (byteCount, isOver) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isOver ? nil : byteCount
    }

    deinit { close(descriptor) }

    /// Returns the names of all entries. Bytes that aren't UTF-8 are replaced; such an entry can't
    /// be opened.
    package func names() throws(StoreError) -> [String] {
        let second = cregnum_openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        if second >= 0 { return try names(in: second) }
        guard second == -EACCES else { throw .system(-second, "list", path) }
        // The process has given up the permission since it opened the directory.
        return try position.withLock { (_) throws(StoreError) in
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            guard copy >= 0 else { throw .system(errno, "list", path) }
            return try names(in: copy)
        }
    }

    /// Takes ownership of `other`, an open file description of the directory.
    private func names(in other: Int32) throws(StoreError) -> [String] {
        guard let stream = fdopendir(other) else {
            let number = errno
            close(other)
            throw .system(number, "list", path)
        }
        defer { closedir(stream) }
        rewinddir(stream)
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .system(errno, "list", path) }
                return names
            }
            // The entry is valid until the next `readdir` on this stream, which isn't shared.
            let bytes = UnsafeRawPointer(entry).advanced(by: nameOffset)
            let name = String(cString: bytes.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
    }

    package func open(_ name: String) throws(StoreError) -> any StoreFile {
        let file = try openRegular(name)
        return PosixFile(path: pathOf(name), descriptor: file)
    }

    package func create(_ name: String) throws(StoreError) -> any StoreFile {
        try checkWritable()
        let result = createEmpty(name)
        guard result >= 0 else { throw .system(-result, "create", pathOf(name)) }
        return PosixFile(path: pathOf(name), descriptor: result)
    }

    package func rename(_ name: String, to target: String) throws(StoreError) {
        try checkWritable()
        checkName(name)
        checkName(target)
        try check(
            repeated { renameat(descriptor, name, descriptor, target) }, "rename", pathOf(name))
    }

    /// Replaces an existing entry on file systems that don't support a rename without replacement.
    package func renameNew(_ name: String, to target: String) throws(StoreError) {
        try checkWritable()
        checkName(name)
        checkName(target)
        let result = cregnum_rename_new(descriptor, name, target)
        if result == -EINVAL || result == -ENOSYS { return try rename(name, to: target) }
        try check(result, "rename", pathOf(name))
    }

    package func moveToParent(_ name: String, as target: String) throws(StoreError) {
        try checkWritable()
        checkName(name)
        checkName(target)
        let entry = "../" + target
        var result = cregnum_rename_new(descriptor, name, entry)
        if result == -EINVAL || result == -ENOSYS {
            // without a check and a rename in one step, a link does both
            result = repeated { linkat(descriptor, name, descriptor, entry, 0) }
            if result == 0 { try? unlink(name) }
        }
        try check(result, "make", path)
        do throws(StoreError) {
            try syncParent()
        } catch {
            _ = unlinkat(descriptor, entry, 0)
            throw error
        }
    }

    package func unlink(_ name: String) throws(StoreError) {
        try checkWritable()
        checkName(name)
        try check(repeated { unlinkat(descriptor, name, 0) }, "remove", pathOf(name))
    }

    package func sync() throws(StoreError) {
        try check(repeated { fsync(descriptor) }, "sync the directory", path)
    }

    /// Opens `LOCK`. If it is missing or incomplete, it is extended to two pages without touching
    /// bytes that another process may have written concurrently. The content isn't checked here,
    /// and the file never shrinks.
    package func openLock() throws(StoreError) -> any LockFile {
        if isReadOnly {
            return try PosixLockFile(
                directory: self, descriptor: openRegular("LOCK"), isReadOnly: true)
        }
        for attempt in 0... {
            do {
                return try PosixLockFile(directory: self, descriptor: openRegular("LOCK"))
            } catch  where error.code == .fileNotFound && attempt < 8 {
                let result = createEmpty("LOCK")
                if result == -EEXIST { continue }
                guard result >= 0 else { throw .system(-result, "create", pathOf("LOCK")) }
                return try PosixLockFile(directory: self, descriptor: result)
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    /// Returns whether an entry of any kind has this name.
    func contains(_ name: String) throws(StoreError) -> Bool {
        try ifFound(status(of: name)) != nil
    }

    /// Returns the status of the entry, without following links. Throws `fileNotFound`.
    func status(of name: String) throws(StoreError) -> stat {
        checkName(name)
        var status = stat()
        try check(
            repeated { fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }, "examine",
            pathOf(name))
        return status
    }

    /// Sets the permissions to 0700, regardless of the umask.
    func restrictToOwner() throws(StoreError) {
        try check(repeated { fchmod(descriptor, 0o700) }, "set the permissions of", path)
    }

    /// Makes this directory's entry in its parent directory durable.
    func syncParent() throws(StoreError) {
        try Self.syncParent("..", relativeTo: descriptor, of: descriptor, path)
    }

    /// Makes the entry of a file or directory in its parent directory durable.
    ///
    /// - Parameters:
    ///   - parent: the path of the parent directory.
    ///   - base: the descriptor of the directory to which that path is relative.
    ///   - descriptor: the descriptor of the file or directory, and `path` its path.
    static func syncParent(
        _ parent: String, relativeTo base: Int32 = AT_FDCWD, of descriptor: Int32, _ path: String
    ) throws(StoreError) {
        let parent = cregnum_openat(base, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        var result = parent
        if parent >= 0 {
            result = repeated { fsync(parent) }
            close(parent)
        }
        // The parent may not be read by this user, or is on a read-only file system that can't sync
        // directories: then the whole file system of this directory is synced.
        if result == -EACCES || result == -EINVAL || result == -EROFS {
            result = cregnum_sync_file_system(descriptor)
        }
        try check(result, "sync the parent directory of", path)
    }

    func pathOf(_ name: String) -> String { "\(path)/\(name)" }

    /// Opens a regular file. O_NONBLOCK prevents a named pipe or device in its place from blocking
    /// the caller; it has no effect on regular files. Read-only files may have several links,
    /// because copies of whole trees are often made that way.
    func openRegular(_ name: String) throws(StoreError) -> Int32 {
        checkName(name)
        let access = isReadOnly ? O_RDONLY : O_RDWR
        let flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = cregnum_openat(descriptor, name, flags, 0)
        guard file >= 0 else {
            if file == -ENXIO { throw notRegular(name, "it is not a regular file") }
            throw .system(-file, "open", pathOf(name))
        }
        var status = stat()
        let result = repeated { fstat(file, &status) }
        let mayOpen = Self.mayOpen(linkCount: UInt64(status.st_nlink), isReadOnly: isReadOnly)
        guard result == 0, status.st_mode & S_IFMT == S_IFREG, mayOpen == true else {
            close(file)
            if result < 0 { throw .system(-result, "examine", pathOf(name)) }
            if status.st_mode & S_IFMT != S_IFREG {
                throw notRegular(name, "it is not a regular file")
            }
            guard mayOpen != nil else { throw .system(ENOENT, "open", pathOf(name)) }
            throw notRegular(
                name, "it has \(status.st_nlink) hard links, but a realm's file may have only one")
        }
        guard permissions.mayHave(status) else {
            close(file)
            throw notRegular(
                name, "it belongs to another user, and the directory is world-writable")
        }
        return file
    }

    /// Returns whether a file with that many links may be one of the realm's; `nil` if it was
    /// removed after it was opened.
    package static func mayOpen(linkCount: UInt64, isReadOnly: Bool) -> Bool? {
        if isReadOnly { return true }
        return linkCount == 0 ? nil : linkCount == 1
    }

    private func notRegular(_ name: String, _ reason: String) -> StoreError {
        StoreError(
            .fileAccess, "Cannot open \"\(pathOf(name))\": \(reason).", path: pathOf(name))
    }

    /// Whether the directory belongs to this user.
    var isOwn: Bool { permissions.isOwn }

    /// Throws `filePermissionDenied` for a directory that an untrusted user may have planted.
    func checkOwner() throws(StoreError) {
        guard !permissions.isUntrusted else {
            throw StoreError(
                .filePermissionDenied,
                "The directory \"\(path)\" belongs to another user and is world-writable, so any "
                    + "user could replace the realm.", path: path)
        }
    }

    /// Creates an empty file and returns its descriptor, or the negative error number without
    /// leaving an entry.
    private func createEmpty(_ name: String) -> Int32 {
        checkName(name)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = cregnum_openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { return file }
        // They may have changed since the directory was opened.
        var status = stat()
        let isKnown = repeated { fstat(descriptor, &status) } == 0
        let result = (isKnown ? PosixPermissions(of: status) : permissions).apply(to: file)
        guard result < 0 else { return file }
        close(file)
        _ = unlinkat(descriptor, name, 0)
        return result
    }

    private func checkWritable() throws(StoreError) {
        try ProcessFork.check()
        precondition(!isReadOnly, "change in a directory that was opened for reading")
    }

    /// Names come from the store, never from a file, so one that leaves the directory is a
    /// programming error.
    private func checkName(_ name: String) {
        precondition(
            !name.isEmpty && !name.utf8.contains { $0 == 0x2F || $0 == 0 },
            "a file name in a realm directory must be a single path component")
    }
}

extension FileIdentity {
    init(_ status: stat) {
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
