internal import CLibuv

/// Why there is no watch to be had. The caller says so once in its log and relies on a timer.
package struct WatchError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: String, Sendable {
        /// The system's limit of inotify instances or watches, of descriptors, memory or threads.
        case limit
        /// There is no such directory.
        case notFound
        /// The directory may not be read.
        case permissionDenied
        /// The path names something that is not a directory.
        case notADirectory
        /// A network file system: writes of other machines raise no event.
        case networkFileSystem
        /// The loop was stopped while the watch was being set up.
        case stopped
        /// Anything else; `errnoName` says what.
        case other
    }

    package let reason: Reason
    /// The name of the system's error, for example "ENOSPC"; nil where the system reported none.
    package let errnoName: String?
    /// The directory that was to be watched; nil when the loop itself could not be started.
    package let path: String?

    init(reason: Reason, errnoName: String? = nil, path: String? = nil) {
        self.reason = reason
        self.errnoName = errnoName
        self.path = path
    }

    /// From a status of libuv, which is a negated errno on Linux.
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

    /// One sentence for a log.
    package var description: String {
        let subject = path.map { "cannot watch \($0)" } ?? "cannot start the watch loop"
        let cause =
            switch reason {
            case .limit: "a limit of the system is reached"
            case .notFound: "there is no such directory"
            case .permissionDenied: "permission is denied"
            case .notADirectory: "it is not a directory"
            case .networkFileSystem:
                "it is on a network file system, where other machines' writes raise no event"
            case .stopped: "the watch loop was stopped"
            case .other: "the system refused"
            }
        return "\(subject): \(cause)" + (errnoName.map { " (\($0))" } ?? "")
    }
}
