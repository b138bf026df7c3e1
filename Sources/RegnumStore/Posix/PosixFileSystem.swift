internal import CRegnum
internal import Glibc

/// The file system, clocks and random numbers of this machine.
///
/// Every file is opened relative to the descriptor of its realm's directory, so that a directory
/// renamed while open remains the same realm. Symbolic links are followed on the path to the realm
/// directory (the user may keep it elsewhere), never inside it.
///
/// Keeps nothing but the boot id; all methods can be called concurrently from any thread.
package final class PosixFileSystem: FileSystem {
    /// The shared instance.
    package static let shared = PosixFileSystem()

    /// The boot id, once it was read. A process that lacks descriptors at first can read it later.
    private static let bootIdentity = Guarded<Identity128?>(nil)

    package init() {}

    /// A directory without `LOCK` may have been created by a process that died before it synced the
    /// parent, so with `creating` the parent is synced again.
    package func openDirectory(
        _ path: String, _ mode: DirectoryMode
    ) throws(StoreError) -> any RealmDirectory {
        try checkPath(path)
        if mode == .readOnly, let archive = try openArchive(path) { return archive }
        let mayMake = mode == .creating || mode == .new
        let isMade = mayMake ? try makeMissing(path) : false
        if mode == .new, !isMade { throw .system(EEXIST, "make", path) }
        do {
            let directory =
                mode == .own || mode == .new
                ? try openOwn(path)
                : try PosixDirectory(
                    path: path, descriptor: openExisting(path), isReadOnly: mode == .readOnly)
            try directory.checkOwner()
            if isMade { try directory.restrictToOwner() }
            if mayMake {
                let isNew = isMade ? true : try !directory.contains("LOCK")
                if isNew { try directory.syncParent() }
            }
            return directory
        } catch {
            if isMade { _ = rmdir(path) }
            throw error
        }
    }

    /// Opens a realm in a file; returns `nil` if the path doesn't lead to a regular file.
    private func openArchive(_ path: String) throws(StoreError) -> ArchiveDirectory? {
        var status = stat()
        guard repeated({ stat(path, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = cregnum_openat(AT_FDCWD, path, flags, 0)
        guard descriptor >= 0 else { throw .system(-descriptor, "open", path) }
        let file = PosixFile(path: path, descriptor: descriptor)
        // another one may have its name now
        let result = repeated { fstat(descriptor, &status) }
        guard result == 0 else { throw .system(-result, "examine", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard !PosixPermissions(of: status).isUntrusted else {
            throw StoreError(
                .filePermissionDenied,
                "The file \"\(path)\" belongs to another user and is world-writable, so any user "
                    + "could replace the realm.", path: path)
        }
        let identity = FileIdentity(status)
        let absolutePath = PosixDirectory.absolute(path)
        return try ArchiveDirectory(file, path: path, identity: identity) {
            () throws(StoreError) in
            try PosixFileSystem.shared.leads(absolutePath, to: identity)
        }
    }

    private func openOwn(_ path: String) throws(StoreError) -> PosixDirectory {
        let directory = try PosixDirectory(
            path: path, descriptor: openExisting(path, followsLink: false))
        guard directory.isOwn else {
            throw StoreError(
                .fileAccess, "The directory \"\(path)\" belongs to another user.", path: path)
        }
        return directory
    }

    package func removeDirectory(_ path: String) throws(StoreError) -> Bool {
        try checkPath(path)
        let result = repeated { rmdir(path) }
        switch result {
        case 0: return true
        case -ENOTEMPTY, -EEXIST, -EBUSY, -EACCES, -EPERM, -EROFS, -ENOTDIR, -EINVAL: return false
        default: throw .system(-result, "remove the directory", path, otherwise: .fileAccess)
        }
    }

    package func hasEntry(_ path: String) throws(StoreError) -> Bool {
        try checkPath(path)
        var status = stat()
        let result = repeated { lstat(path, &status) }
        switch result {
        case 0: return true
        case -ENOENT: return false
        default: throw .system(-result, "examine", path, otherwise: .fileAccess)
        }
    }

    package func networkFileSystem(at path: String) -> String? {
        var place = path
        while place.count > 1, place.hasSuffix("/") { place.removeLast() }
        var type = cregnum_filesystem_type(place)
        if type == -Int64(ENOENT) {
            let slash = place.utf8.lastIndex(of: UInt8(ascii: "/"))
            place = slash.map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "."
            type = cregnum_filesystem_type(place)
        }
        return Self.networkFileSystem(type: type)
    }

    /// Maps the type numbers of statfs(2). On these file systems, locks and the shared control page
    /// are unreliable, because other machines don't share them or a program defines their behavior.
    ///
    /// The numbers are those of the kernel's `linux/magic.h` and, for file systems that aren't in
    /// it, of `src/stat.c` in GNU coreutils, which takes them from those projects' sources.
    package static func networkFileSystem(type: Int64) -> String? {
        switch type {
        case 0x6969: "NFS"
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
        case 0x6573_5546: "FUSE"
        case 0x0102_1997: "9P"
        case 0x00C3_6400: "Ceph"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x0BD0_0BD0: "Lustre"
        case 0x7375_7245: "Coda"
        case 0x0116_1970: "GFS2"
        case 0x7461_636F: "OCFS2"
        case 0x4750_4653: "GPFS"
        case 0x1983_0326: "BeeGFS"
        case 0x786F_4256: "VirtualBox"
        case 0xBACB_ACBC: "VMware"
        case 0x7C7C_6673: "Parallels"
        default: nil
        }
    }

    package func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        var status = stat()
        let result = repeated { stat(path, &status) }
        if result == 0 { return FileIdentity(status) == identity }
        guard let leads = Self.leads(afterError: -result) else {
            throw .system(-result, "examine", path)
        }
        return leads
    }

    /// Returns the result of `leads` if stat(2) failed with that number, or `nil` if it says
    /// nothing about the path.
    package static func leads(afterError number: Int32) -> Bool? {
        switch number {
        case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: false
        case EACCES, EPERM: true
        default: nil
        }
    }

    /// On a file system that can't rename without replacement (some of those in user space), at
    /// most an empty directory can be replaced.
    package func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        try checkPath(target)
        let directory = try openOwn(path)
        var result = cregnum_rename_new(AT_FDCWD, path, target)
        if result == -EINVAL || result == -ENOSYS {
            if try hasEntry(target) { throw .system(EEXIST, "make", target) }
            result = repeated { rename(path, target) }
        }
        guard result == 0 else {
            let number = result == -ENOTEMPTY || result == -ENOTDIR ? EEXIST : -result
            throw .system(number, "make", target, otherwise: .fileAccess)
        }
        guard try leads(target, to: directory.identity) else {
            throw StoreError(
                .fileMoved, "The directory \"\(path)\" was replaced during the move.", path: path
            )
        }
        try directory.syncParent()
    }

    private func checkPath(_ path: String) throws(StoreError) {
        try ProcessFork.check()
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(
                .fileAccess, "The path of a realm is empty or contains a zero byte.", path: path)
        }
    }

    /// Returns whether the directory was made by this call.
    private func makeMissing(_ path: String) throws(StoreError) -> Bool {
        let result = repeated { mkdir(path, 0o700) }
        switch result {
        case 0: return true
        case -EEXIST: return false
        case -ENOENT, -ENOTDIR:
            throw StoreError(
                .fileAccess, "Cannot create \"\(path)\": its parent directory does not exist.",
                path: path, errno: -result)
        default: throw .system(-result, "create the directory", path, otherwise: .fileAccess)
        }
    }

    private func openExisting(
        _ path: String, followsLink: Bool = true
    ) throws(StoreError) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
        let result = cregnum_openat(AT_FDCWD, path, flags, 0)
        if result >= 0 { return result }
        var status = stat()
        if result == -ENOTDIR, stat(path, &status) == 0 {
            throw StoreError(
                .fileAccess,
                "\"\(path)\" is a file, but a realm is a directory. A copy of a realm in a file "
                    + "can be opened read-only, or restored.", path: path, errno: ENOTDIR)
        }
        throw .system(-result, "open the directory", path)
    }

    /// Returns the kernel's boot id; `nil` if it is unavailable or malformed.
    package func bootID() -> Identity128? {
        Self.bootIdentity.withLock { known in
            if known == nil { known = Self.readBootID("/proc/sys/kernel/random/boot_id") }
            return known
        }
    }

    /// Returns 64 random bits from the system's generator (getrandom).
    package func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Returns the time of CLOCK_MONOTONIC, which is the same for all processes of one boot.
    package func monotonicNanoseconds() -> UInt64 {
        IOPool.now()
    }

    /// Returns the time of CLOCK_REALTIME.
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
    /// Parses 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12 with an optional newline; `nil`
    /// for anything else.
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
