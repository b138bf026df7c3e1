internal import Glibc

extension StoreError {
    /// Whether the disk could not read what lies on it: reading it again will not help.
    package var isMediaFailure: Bool { code == .ioFailed && errno == EIO }

    /// The error of a failed system call: the code by the error number, a sentence that names the
    /// path and the reason.
    ///
    /// `action` completes "Cannot ... "; `otherwise` is the code of numbers without a meaning of
    /// their own.
    static func system(
        _ number: Int32, _ action: String, _ path: String, otherwise: Code = .ioFailed
    ) -> StoreError {
        let (code, reason) = meaning(of: number)
        return StoreError(
            code ?? otherwise, "Cannot \(action) \"\(path)\": \(reason).", path: path,
            errno: number)
    }

    private static func meaning(of number: Int32) -> (code: Code?, reason: String) {
        switch number {
        case EACCES: (.filePermissionDenied, "this user has no permission to (EACCES)")
        case EPERM: (.filePermissionDenied, "the system does not permit it (EPERM)")
        case EROFS: (.filePermissionDenied, "the file system is read-only (EROFS)")
        case ENOSPC: (.diskFull, "no space is left on the disk (ENOSPC)")
        case EDQUOT: (.diskFull, "the user's disk quota is used up (EDQUOT)")
        case ENOENT: (.fileNotFound, "it does not exist (ENOENT)")
        case EEXIST: (.fileExists, "it exists already (EEXIST)")
        case ENOTDIR: (.fileAccess, "a part of the path is not a directory (ENOTDIR)")
        case EISDIR: (.fileAccess, "it is a directory (EISDIR)")
        case ELOOP: (.fileAccess, "it is a symbolic link, which is not followed (ELOOP)")
        case ENAMETOOLONG: (.fileAccess, "the name is too long (ENAMETOOLONG)")
        case EIO: (.ioFailed, "the disk failed (EIO)")
        default: (nil, "\(String(cString: strerror(number))) (error \(number))")
        }
    }
}

/// Runs a system call again for as long as a signal interrupts it; returns its result, or the
/// negative error number.
func repeated<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { return Result(-number) }
    }
}
