internal import CRegnum
internal import Glibc

/// A file, pipe or device that is read or written sequentially.
///
/// Its methods block: on a pipe or device until the other end is ready, or until `cancel`. Closed
/// with the last reference.
package final class PosixStream: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The name of the written file until it is complete.
    private let temporary: String?
    private let isFinished = Guarded(false)
    private let isCancelled = CancellationFlag()

    /// How long a wait for the other end may take to notice that it was cancelled.
    private static let waitMilliseconds: Int32 = 100

    /// Opens a file, pipe or device for reading. Reading a pipe waits for a writer.
    package init(reading path: String) throws(StoreError) {
        let result = cregnum_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard result >= 0 else { throw .system(-result, "open", path) }
        self.path = path
        descriptor = result
        temporary = nil
    }

    /// Creates a file that is renamed to `path` when it is finished, replacing any existing file.
    /// If `path` is a pipe or a device, it is written directly.
    ///
    /// - Parameter realmPath: The directory of the realm that the content comes from; `nil` for one
    ///   in memory. A new file gets the permissions and the group of a realm file. If it replaces
    ///   a file of this user, it gets the permissions and the group of that file; if it replaces a
    ///   file of another user, only this user can access it.
    /// - Returns: `nil` while nobody has opened the pipe at `path` for reading.
    package init?(replacing path: String, from realmPath: String?) throws(StoreError) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            let result = cregnum_openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC | O_NONBLOCK, 0)
            if result == -ENXIO, status.st_mode & S_IFMT == S_IFIFO { return nil }
            guard result >= 0 else { throw .system(-result, "open", path) }
            self.path = path
            descriptor = result
            temporary = nil
            return
        }
        let target = try Self.resolved(path)
        let name = Self.temporaryName(target)
        let result = cregnum_openat(
            AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard result >= 0 else { throw .system(-result, "create", path) }
        // Fails on file systems without modes.
        _ = PosixPermissions.apply(
            isThere ? Self.permissions(replacing: status) : Self.permissions(realmPath), to: result)
        self.path = target
        descriptor = result
        temporary = name
    }

    /// Returns a path next to `target`. Its last component begins with that of `target`, as far as
    /// the length of names allows.
    private static func temporaryName(_ target: String) -> String {
        let end = ".\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36)).part"
        let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map(target.utf8.index(after:)) ?? target.startIndex
        var name = target[start...]
        if name.utf8.count <= Int(NAME_MAX) {
            while name.utf8.count + end.utf8.count > Int(NAME_MAX) {
                name.unicodeScalars.removeLast()
            }
        }
        return target[..<start] + name + end
    }

    private static func permissions(replacing status: stat) -> (mode: mode_t, group: gid_t?) {
        status.st_uid == geteuid() ? (status.st_mode & 0o777, status.st_gid) : (0o600, nil)
    }

    private static func permissions(_ realmPath: String?) -> (mode: mode_t, group: gid_t?) {
        var status = stat()
        guard let realmPath, stat(realmPath, &status) == 0 else { return (0o600, nil) }
        return PosixPermissions(of: status).ofFiles
    }

    deinit {
        discard()
        close(descriptor)
    }

    /// Removes the written file, unless it is complete.
    package func discard() {
        guard let temporary else { return }
        let wasFinished = isFinished.withLock { isFinished in
            defer { isFinished = true }
            return isFinished
        }
        if !wasFinished { unlink(temporary) }
    }

    /// Returns the path of the file to replace. If `path` is a symbolic link, the link is kept, and
    /// its target replaced.
    ///
    /// Throws an error for a link that leads nowhere, as `/dev/stdout` does if that stream is
    /// closed or its file was removed.
    private static func resolved(_ path: String) throws(StoreError) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let number = errno
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            throw .system(number, "open", path)
        }
        return path
    }

    /// Ends the waits of `read` and `write` for the other end, including later ones.
    package func cancel() { isCancelled.set() }

    /// Waits until the descriptor can be read or written; returns false once the stream is
    /// cancelled. A file is always ready.
    private func isReady(for event: Int32, _ action: String) throws(StoreError) -> Bool {
        while !isCancelled.isSet {
            var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = repeated { poll(&entry, 1, Self.waitMilliseconds) }
            guard count >= 0 else { throw .system(-count, action, path) }
            if count > 0 { return true }
        }
        return false
    }

    /// Returns the next bytes, none at the end; `nil` if the stream was cancelled.
    package func read(atMost count: Int) throws(StoreError) -> [UInt8]? {
        while try isReady(for: POLLIN, "read") {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                // Guard: only the call writes to the buffer, and it returns how many bytes.
                result = repeated { Glibc.read(descriptor, buffer.baseAddress, count) }
                filled = max(result, 0)
            }
            if result >= 0 { return bytes }
            // EAGAIN: another reader of the pipe was faster.
            if result != -Int(EAGAIN) { throw .system(Int32(-result), "read", path) }
        }
        return nil
    }

    /// Writes all bytes; returns false if the stream was cancelled before. Throws `ioFailed` if the
    /// reader of the pipe has closed it.
    package func write(_ bytes: [UInt8]) throws(StoreError) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard try isReady(for: POLLOUT, "write") else { return false }
            let result = rest.withUnsafeBytes { buffer in
                func write() -> Int {
                    repeated { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
                }
                if temporary == nil { return writingToPipe(write) }
                let end = lseek(descriptor, 0, SEEK_CUR) + buffer.count
                return cregnum_may_have_size(UInt64(end)) ? write() : -Int(EFBIG)
            }
            if result == -Int(EAGAIN) { continue }
            guard result >= 0 else { throw .system(Int32(-result), "write", path) }
            rest = rest.dropFirst(result)
        }
        return true
    }

    /// Syncs the written data and gives the file its name, durably.
    package func finish() throws(StoreError) {
        guard let temporary else { return }
        try check(repeated { fsync(descriptor) }, "sync", path)
        try check(repeated { rename(temporary, path) }, "rename", path)
        isFinished.withLock { $0 = true }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
        try PosixDirectory.syncParent(parent ?? ".", of: descriptor, path)
    }
}
