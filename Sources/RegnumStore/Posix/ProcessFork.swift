internal import CRegnum

/// A child that was forked from a process with open realms, and did not call exec.
///
/// It has the descriptors of its parent, and with them its locks, but none of its threads. It must
/// change nothing: not the files, not the shared page, and not the locks, which it would take from
/// its parent.
package enum ProcessFork {
    /// Whether this process is such a child.
    package static var isChild: Bool { cregnum_is_forked() }

    /// What such a child gets.
    package static let error = StoreError(
        .closed,
        "This process was forked from one that uses Regnum, and has none of its threads: it must call "
            + "exec before it uses Regnum, or be started by posix_spawn.")

    /// Throws `closed` in such a child.
    package static func check() throws(StoreError) {
        if isChild { throw error }
    }

    /// Children know what they are from now on.
    static func watch() { cregnum_watch_forks() }
}
