internal import CRegnum
internal import Glibc

/// A file, pipe or device that is read or written sequentially.
///
/// Its methods block. Closed with the last reference.
package final class PosixStream: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The name of the written file until it is complete.
    private let temporary: String?
    private let isFinished = Guarded(false)

    /// Opens a file, pipe or device for reading.
    package init(reading path: String) throws(StoreError) {
        let result = cregnum_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard result >= 0 else { throw .system(-result, "open", path) }
        self.path = path
        descriptor = result
        temporary = nil
    }

    /// Creates a file that is renamed to `path` when it is finished, replacing any existing file.
    /// If `path` is a pipe or a device, it is written directly.
    ///
    /// - Parameter realmPath: the directory of the realm that the content comes from; `nil` for one
    ///   in memory. A new file gets the permissions of a realm file; a replaced one keeps its own.
    package init(replacing path: String, from realmPath: String?) throws(StoreError) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            let result = cregnum_openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0)
            guard result >= 0 else { throw .system(-result, "open", path) }
            self.path = path
            descriptor = result
            temporary = nil
            return
        }
        // A symbolic link is kept, and its target replaced.
        let target = isThere ? Self.resolved(path) : path
        let name = "\(target).\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36)).part"
        let mode = isThere ? status.st_mode & 0o777 : Self.fileMode(realmPath)
        let result = cregnum_openat(
            AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard result >= 0 else { throw .system(-result, "create", path) }
        self.path = target
        descriptor = result
        temporary = name
    }

    private static func fileMode(_ realmPath: String?) -> mode_t {
        var status = stat()
        guard let realmPath, stat(realmPath, &status) == 0 else { return 0o600 }
        return PosixPermissions(directory: status).fileMode
    }

    deinit {
        close(descriptor)
        if let temporary, !isFinished.withLock({ $0 }) { unlink(temporary) }
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Reads the next bytes; empty at the end.
    package func read(atMost count: Int) throws(StoreError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // The call alone initializes the buffer, up to the count that it returns.
            result = repeated { Glibc.read(descriptor, buffer.baseAddress, count) }
            filled = max(result, 0)
        }
        guard result >= 0 else { throw .system(Int32(-result), "read", path) }
        return bytes
    }

    /// Writes all bytes.
    package func write(_ bytes: [UInt8]) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let result = rest.withUnsafeBytes { buffer in
                repeated { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            }
            guard result >= 0 else { throw .system(Int32(-result), "write", path) }
            rest = rest.dropFirst(result)
        }
    }

    /// Syncs the written data and gives the file its name.
    package func finish() throws(StoreError) {
        guard let temporary else { return }
        let synced = repeated { fsync(descriptor) }
        guard synced == 0 else { throw .system(-synced, "sync", path) }
        let renamed = repeated { rename(temporary, path) }
        guard renamed == 0 else { throw .system(-renamed, "rename", path) }
        isFinished.withLock { $0 = true }
    }
}
