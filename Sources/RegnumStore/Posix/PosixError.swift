internal import Glibc

extension StoreError {
    /// Whether the disk failed to read the data. Reading it again won't help.
    package var isMediaFailure: Bool { code == .ioFailed && errno == EIO }

    /// Whether the file can't grow, however much space the disk has. Another file may have space.
    package var isFileTooLarge: Bool { errno == EFBIG }

    /// Returns the error of a failed system call: a code derived from the error number, and a
    /// message with the path and the reason.
    ///
    /// `action` completes "Cannot ... "; `otherwise` is the code for error numbers without a
    /// specific one.
    static func system(
        _ number: Int32, _ action: String, _ path: String, otherwise: Code = .ioFailed
    ) -> StoreError {
        var (code, reason) = meaning(of: number)
        if number == ENOENT, action.hasPrefix("create") {
            reason = "its parent directory does not exist (ENOENT)"
        }
        return StoreError(
            code ?? otherwise, "Cannot \(action) \"\(path)\": \(reason).", path: path,
            errno: number)
    }

    private static func meaning(of number: Int32) -> (code: Code?, reason: String) {
        switch number {
        case EACCES: (.filePermissionDenied, "permission denied (EACCES)")
        case EPERM: (.filePermissionDenied, "operation not permitted (EPERM)")
        case EROFS: (.filePermissionDenied, "the file system is read-only (EROFS)")
        case ENOSPC: (.diskFull, "no space is left on the disk (ENOSPC)")
        case EFBIG: (.diskFull, "the file would exceed a limit on file sizes (EFBIG)")
        case EDQUOT: (.diskFull, "the user's disk quota is used up (EDQUOT)")
        case ENOENT: (.fileNotFound, "it does not exist (ENOENT)")
        case EEXIST: (.fileExists, "it already exists (EEXIST)")
        case ENOTDIR: (.fileAccess, "a component of the path is not a directory (ENOTDIR)")
        case EISDIR: (.fileAccess, "it is a directory (EISDIR)")
        case ELOOP: (.fileAccess, "it is a symbolic link, which is not followed (ELOOP)")
        case ENAMETOOLONG: (.fileAccess, "the name is too long (ENAMETOOLONG)")
        case EIO: (.ioFailed, "input/output error (EIO)")
        default: (nil, "\(String(cString: strerror(number))) (error \(number))")
        }
    }
}

/// Returns the result of `body`, or `nil` if it throws `fileNotFound`.
package func ifFound<Result>(
    _ body: @autoclosure () throws(StoreError) -> Result
) throws(StoreError) -> Result? {
    do {
        return try body()
    } catch {
        if error.code == .fileNotFound { return nil }
        throw error
    }
}

/// Throws the error of a system call that returned a negative error number.
func check(_ result: Int32, _ action: String, _ path: String) throws(StoreError) {
    if result != 0 { throw .system(-result, action, path) }
}

/// Repeats a system call while it is interrupted by signals. Returns its result, or the negative
/// error number.
func repeated<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { return Result(-number) }
    }
}
