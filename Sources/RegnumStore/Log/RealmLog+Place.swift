/// Whether the realm is still where it was opened.
///
/// Whoever opens the path after the directory or `LOCK` was replaced has locks of its own: two
/// processes would then write the same log. So the names are compared with what is open whenever
/// the writer lock was taken, before a segment is made, and before a batch is acknowledged.
extension RealmLog {
    /// Whether the path leads to the directory that was opened, and the name `LOCK` in it to the
    /// file that has the locks. What cannot be seen counts as unchanged.
    ///
    /// Two system calls that touch no disk: the kernel keeps the names of what is open.
    package var isInPlace: Bool { directory.isCurrent() && hasLock }

    /// Whether the path leads to the realm's directory; true where that cannot be seen.
    package func isDirectory(_ path: String) -> Bool {
        guard let identity = directory.identity else { return true }
        return fileSystem.leads(path, to: identity)
    }

    /// Throws `fileMoved` if the realm is no longer where it was opened.
    package func checkPlace() throws(StoreError) {
        guard isInPlace else { throw movedError }
    }

    /// Throws `fileMoved` if others would lock another `LOCK` than this one. One system call.
    ///
    /// After a sync this makes an acknowledgement true: whoever opens another `LOCK` does so after
    /// the batch was on disk, and reads it.
    package func checkLock() throws(StoreError) {
        guard hasLock else { throw movedError }
    }

    /// Whether the name `LOCK` leads to the file that has the locks, whole. Where it isn't asked
    /// first, looking at the control page of a file that was cut short ends the process.
    package var hasLock: Bool { (try? lock.isCurrent()) ?? true }

    /// Whether the control page tells nothing new. Only if `hasLock`.
    var isPageCurrent: Bool {
        guard let page = lock.loadControl(), page.realmID == realmID else { return false }
        return page.visibleEnd == position && page.segmentNumber == segment.header.number
            && !page.isWriting && !page.isPoisoned
            && page.mendedSyncCount == lock.failedSyncCount()
    }

    private var movedError: StoreError {
        StoreError(
            .fileMoved,
            "The realm at \(path) was moved or removed while open. Close it, and open it where it is "
                + "now.", path: path)
    }
}
