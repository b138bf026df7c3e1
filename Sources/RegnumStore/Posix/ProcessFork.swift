internal import CRegnum

/// Detection of child processes that were forked from one with open realms and didn't call exec.
///
/// Such a child shares its parent's descriptors, except for those of `LOCK`, whose locks it would
/// keep after its parent has ended, and has none of its threads. It must not change anything:
/// neither the files nor the shared page.
package enum ProcessFork {
    /// Whether this process is such a child.
    package static var isChild: Bool { cregnum_is_forked() }

    /// The error thrown in such a child.
    package static let error = StoreError(
        .closed,
        "This process was forked from one that uses Regnum, whose threads don't exist in it. Call "
            + "exec before using Regnum, or start the process with posix_spawn.")

    /// Throws `closed` in such a child.
    package static func check() throws(StoreError) {
        if isChild { throw error }
    }

    /// Starts to track forks, so that children detect that they are one.
    static func watch() { cregnum_watch_forks() }
}
