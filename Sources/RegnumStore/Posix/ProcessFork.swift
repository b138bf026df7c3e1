internal import CRegnum

/// Detection of child processes that were forked from one with open realms and didn't call exec.
///
/// Such a child shares its parent's descriptors, and with them its locks, but has none of its
/// threads. It must not change anything: not the files, not the shared page, and not the locks,
/// which it would release for its parent.
package enum ProcessFork {
    /// Whether this process is such a child.
    package static var isChild: Bool { cregnum_is_forked() }

    /// The error thrown in such a child.
    package static let error = StoreError(
        .closed,
        "This process was forked from one that uses Regnum and lacks its threads. Call exec before "
            + "using Regnum, or start it with posix_spawn.")

    /// Throws `closed` in such a child.
    package static func check() throws(StoreError) {
        if isChild { throw error }
    }

    /// Starts to track forks, so that children detect that they are one.
    static func watch() { cregnum_watch_forks() }
}
