internal import CRegnum
internal import Glibc

/// The file system, the clocks and the random numbers of this machine.
///
/// Every file is reached through the descriptor of its realm's directory, so that a directory that
/// is renamed meanwhile stays the same realm. Symbolic links are followed on the way to the realm
/// directory (the user may keep it elsewhere), never inside it.
///
/// Has no mutable state; all methods may be called from any thread at the same time.
package final class PosixFileSystem: FileSystem {
    /// The one that everybody uses: the type has no state.
    package static let shared = PosixFileSystem()

    private static let bootIdentity = readBootID("/proc/sys/kernel/random/boot_id")

    package init() {}

    /// Opens the realm directory at `path`; see `FileSystem.openDirectory`.
    ///
    /// A directory without `LOCK` may be one whose maker died before it synced the parent: with
    /// `create` the parent is synced again.
    package func openDirectory(
        _ path: String, create: Bool
    ) throws(StoreError) -> any RealmDirectory {
        try checkPath(path)
        let made = create ? try makeDirectory(path) : false
        do {
            let directory = PosixDirectory(path: path, descriptor: try openExisting(path))
            if made { try directory.restrictToOwner() }
            if create {
                let isNew = made ? true : try !directory.contains("LOCK")
                if isNew { try directory.syncParent() }
            }
            return directory
        } catch {
            if made { _ = rmdir(path) }
            throw error
        }
    }

    /// Opens the realm directory at `path` for reading; see `FileSystem.openDirectoryForReading`.
    package func openDirectoryForReading(_ path: String) throws(StoreError) -> any RealmDirectory {
        try checkPath(path)
        return PosixDirectory(path: path, descriptor: try openExisting(path), isReadOnly: true)
    }

    /// Removes the directory if it is empty; see `FileSystem.removeDirectory`.
    package func removeDirectory(_ path: String) throws(StoreError) -> Bool {
        try checkPath(path)
        let result = repeated { rmdir(path) }
        switch result {
        case 0: return true
        case -ENOTEMPTY, -EEXIST, -EBUSY, -EACCES, -EPERM, -EROFS, -ENOTDIR, -EINVAL: return false
        default: throw .system(-result, "remove the directory", path, otherwise: .fileAccess)
        }
    }

    /// Whether there is anything at `path`; see `FileSystem.hasEntry`.
    package func hasEntry(_ path: String) throws(StoreError) -> Bool {
        try checkPath(path)
        var status = stat()
        let result = repeated { lstat(path, &status) }
        switch result {
        case 0: return true
        case -ENOENT: return false
        default: throw .system(-result, "look at", path, otherwise: .fileAccess)
        }
    }

    /// Renames the directory; see `FileSystem.moveDirectory`. A file system that cannot refuse to
    /// replace an entry (some of those in user space) still refuses all but an empty directory.
    package func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        try checkPath(target)
        let directory = PosixDirectory(path: path, descriptor: try openExisting(path))
        var result = cregnum_rename_new(path, target)
        if result == -EINVAL || result == -ENOSYS {
            if try hasEntry(target) { throw .system(EEXIST, "make", target) }
            result = repeated { rename(path, target) }
        }
        guard result == 0 else {
            let number = result == -ENOTEMPTY || result == -ENOTDIR ? EEXIST : -result
            throw .system(number, "make", target, otherwise: .fileAccess)
        }
        try directory.syncParent()
    }

    private func checkPath(_ path: String) throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(
                .fileAccess, "The path of a realm is empty or contains a zero byte.", path: path)
        }
    }

    /// Returns whether the directory was made by this call.
    private func makeDirectory(_ path: String) throws(StoreError) -> Bool {
        let result = repeated { mkdir(path, 0o700) }
        switch result {
        case 0: return true
        case -EEXIST: return false
        case -ENOENT, -ENOTDIR:
            throw StoreError(
                .fileAccess, "Cannot create \"\(path)\": the directory above it does not exist.",
                path: path, errno: -result)
        default: throw .system(-result, "create the directory", path, otherwise: .fileAccess)
        }
    }

    private func openExisting(_ path: String) throws(StoreError) -> Int32 {
        let result = cregnum_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        if result >= 0 { return result }
        var status = stat()
        if result == -ENOTDIR, stat(path, &status) == 0 {
            throw StoreError(
                .fileAccess, "\"\(path)\" is a file, and a realm is a directory.", path: path,
                errno: ENOTDIR)
        }
        throw .system(-result, "open the directory", path, otherwise: .fileAccess)
    }

    /// The boot id of the kernel; nil where there is none or it is malformed.
    package func bootID() -> Identity128? { Self.bootIdentity }

    /// 64 bits of getrandom.
    package func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// CLOCK_MONOTONIC: the same clock for all processes of one boot.
    package func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// CLOCK_REALTIME.
    package func wallClockMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private static func readBootID(_ path: String) -> Identity128? {
        let descriptor = cregnum_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = repeated { Glibc.read(descriptor, &bytes, bytes.count) }
        guard count > 0 else { return nil }
        return Identity128(bootID: bytes[..<count])
    }
}

extension Identity128 {
    /// Parses 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12 and an optional newline; nil for
    /// anything else.
    package init?(bootID text: some Sequence<UInt8>) {
        var digits: [UInt64] = []
        for (position, byte) in text.enumerated() {
            switch (position, byte) {
            case (8, 0x2D), (13, 0x2D), (18, 0x2D), (23, 0x2D), (36, 0x0A): continue
            case (8, _), (13, _), (18, _), (23, _), (36..., _): return nil
            case (_, 0x30...0x39): digits.append(UInt64(byte - 0x30))
            case (_, 0x61...0x66): digits.append(UInt64(byte - 0x61 + 10))
            default: return nil
            }
        }
        guard digits.count == 32 else { return nil }
        self.init(
            high: digits[..<16].reduce(0) { $0 << 4 | $1 },
            low: digits[16...].reduce(0) { $0 << 4 | $1 })
    }
}
