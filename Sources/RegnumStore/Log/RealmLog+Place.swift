internal import Glibc

/// Detection of realms that were moved or replaced while open.
///
/// A process that opens the path after the directory or `LOCK` was replaced gets different locks,
/// and two processes could write the same log. Therefore the names are compared with the open files
/// after the writer lock is acquired, before a segment is created, and before a batch is
/// acknowledged.
extension RealmLog {
    /// Whether the path still resolves to the opened directory, and `LOCK` in it to the file with
    /// the locks. False if they can't be examined; `checkPlace` throws the reason.
    ///
    /// Two system calls without disk access: the kernel caches the names of open files.
    package var isInPlace: Bool { ((try? directory.isCurrent()) ?? false) && hasLock }

    /// Returns whether the path is known to resolve to the realm's directory.
    package func isDirectory(_ path: String) -> Bool {
        (try? fileSystem.leads(path, to: directory.identity)) ?? false
    }

    /// Throws `fileMoved` if the realm is no longer where it was opened, and an I/O error if the
    /// path or `LOCK` can't be examined.
    package func checkPlace() throws(StoreError) {
        guard try directory.isCurrent() else { throw movedError }
        try checkLock()
    }

    /// Throws `fileMoved` if other processes would lock a different `LOCK`, and an I/O error if it
    /// can't be examined. One system call.
    package func checkLock() throws(StoreError) {
        guard try isLockCurrent() else { throw movedError }
    }

    /// Checks the place after a batch was written, which makes its acknowledgement safe: a process
    /// that opens a different `LOCK` does so after the batch was on disk, and reads it.
    ///
    /// Throws `fileMoved` if the realm was moved, and `outcomeUnknown` if that can't be determined,
    /// which poisons the instance like a failed sync.
    ///
    /// - Parameter path: whether to check the directory's path as well.
    package func confirmPlace(path: Bool) throws(StoreError) {
        do throws(StoreError) {
            if path { try checkPlace() } else { try checkLock() }
        } catch {
            throw error.code == .fileMoved ? error : poison(error, .outcomeUnknown)
        }
    }

    /// Whether the name `LOCK` is known to refer to the file with the locks, and that file isn't
    /// truncated. Must be checked before the control page is read: accessing a truncated file's
    /// page raises SIGBUS.
    package var hasLock: Bool { (try? isLockCurrent()) ?? false }

    /// Returns true if the directory can't be searched: the process dropped its privileges after it
    /// opened the realm.
    private func isLockCurrent() throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try lock.isCurrent()
        } catch {
            guard error.errno == EACCES || error.errno == EPERM else { throw error }
            return true
        }
    }

    /// Whether the control page shows nothing that this process hasn't read. Requires `hasLock`.
    var isPageCurrent: Bool {
        guard let page = lock.loadControl(), page.realmID == realmID else { return false }
        return page.visibleEnd == position && page.segmentNumber == segment.header.number
            && !page.isWriting && !isRepairDue(page)
    }

    private var movedError: StoreError {
        StoreError(
            .fileMoved,
            "The realm at \(path) was moved or removed while open. Close it and open it at its "
                + "new path.", path: path)
    }
}
