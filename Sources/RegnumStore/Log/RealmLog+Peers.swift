/// Peers that use another version of the library, with another layout of `LOCK`.
extension RealmLog {
    /// How long to wait for a process that may be rebuilding the control page.
    private static let patienceNanoseconds: UInt64 = 250_000_000

    /// Returns true after releasing the session lock and waiting a moment if another process uses
    /// `LOCK` with an unknown layout; false if it can be used, or rebuilt because no process has it
    /// open.
    ///
    /// Throws `incompatiblePeer` if that process keeps the realm open. Nothing is written.
    ///
    /// - Parameter start: when opening started.
    static func waitForForeignPeer(
        _ fileSystem: any FileSystem, _ lock: any LockFile, _ path: String, since start: UInt64
    ) throws(StoreError) -> Bool {
        guard lock.hasForeignLayout, lock.isLockedElsewhere(.session) else { return false }
        // A process of this version finds the same and leaves, or holds the writer lock and
        // finishes.
        lock.unlock(.session)
        if fileSystem.monotonicNanoseconds() - start >= patienceNanoseconds {
            throw incompatiblePeer(path)
        }
        lock.waitForRelease(observed: lock.load(.release), timeoutNanoseconds: 10_000_000)
        return true
    }

    /// Throws `incompatiblePeer` if another process uses `LOCK` with an unknown layout.
    static func checkForeignPeer(_ lock: any LockFile, _ path: String) throws(StoreError) {
        if lock.hasForeignLayout, lock.isLockedElsewhere(.session) {
            throw incompatiblePeer(path)
        }
    }

    private static func incompatiblePeer(_ path: String) -> StoreError {
        StoreError(
            .incompatiblePeer,
            "Another process has \(path) open with a version of Regnum whose LOCK layout differs "
                + "from this version's (\(ControlPage.layout)). Use the same version in all "
                + "processes, or stop the others first.", path: path + "/LOCK")
    }
}

extension LockFile {
    /// Whether the control page has the layout of another version of the library: no slot has this
    /// layout, and every nonempty slot has another one.
    var hasForeignLayout: Bool {
        let magics = (0...1).map { loadControlSlot($0)[0] }.filter { $0 != 0 }
        return !magics.isEmpty && magics.allSatisfy(ControlPage.isForeign) && loadControl() == nil
    }
}
