internal import CLibuv

/// The reason why a watch can't be established. The caller logs it once and relies on a timer.
package struct WatchError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: String, Sendable {
        /// A system limit on inotify instances or watches, descriptors, memory or threads was
        /// reached.
        case limit
        /// The directory doesn't exist.
        case notFound
        /// The directory isn't readable.
        case permissionDenied
        /// The path isn't a directory.
        case notADirectory
        /// A network file system, on which writes by other machines raise no event.
        case networkFileSystem
        /// The loop was stopped while the watch was being set up.
        case stopped
        /// Any other error; see `errnoName`.
        case other
    }

    package let reason: Reason
    /// The name of the system's error, for example "ENOSPC"; `nil` if there is none.
    package let errnoName: String?
    /// The directory to watch; `nil` if the loop itself couldn't be started.
    package let path: String?

    init(reason: Reason, errnoName: String? = nil, path: String? = nil) {
        self.reason = reason
        self.errnoName = errnoName
        self.path = path
    }

    /// Creates an error from a libuv status, which is a negated errno on Linux.
    init(status: CInt, path: String? = nil) {
        let reason: Reason =
            switch status {
            case UV_ENOSPC.rawValue, UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue,
                UV_EAGAIN.rawValue:
                .limit
            case UV_ENOENT.rawValue: .notFound
            case UV_EACCES.rawValue, UV_EPERM.rawValue: .permissionDenied
            case UV_ENOTDIR.rawValue: .notADirectory
            default: .other
            }
        self.init(
            reason: reason, errnoName: uv_err_name(status).map { String(cString: $0) }, path: path)
    }

    /// A message for a log.
    package var description: String {
        let subject = path.map { "cannot watch \($0)" } ?? "cannot start the watch loop"
        let cause =
            switch reason {
            case .limit: "a system limit was reached"
            case .notFound: "there is no such directory"
            case .permissionDenied: "permission denied"
            case .notADirectory: "it is not a directory"
            case .networkFileSystem:
                "it is on a network file system, where other machines' writes trigger no events"
            case .stopped: "the watch loop was stopped"
            case .other: "the system call failed"
            }
        return "\(subject): \(cause)" + (errnoName.map { " (\($0))" } ?? "")
    }
}
