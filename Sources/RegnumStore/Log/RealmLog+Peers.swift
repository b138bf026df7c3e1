/// Peers of another version of the library, whose `LOCK` has another layout.
extension RealmLog {
    /// How long somebody who is just making the control page anew is waited for.
    private static let patienceNanoseconds: UInt64 = 250_000_000

    /// Gives the session lock back, waits a moment and returns true where another process has `LOCK` in a
    /// layout that this version does not know; false where it can be used, or made anew since nobody has it.
    ///
    /// Throws `incompatiblePeer` if that process stays. Nothing is written.
    ///
    /// - Parameter start: when the opening began.
    static func leaveForeignPeer(
        _ fileSystem: any FileSystem, _ lock: any LockFile, _ path: String, since start: UInt64
    ) throws(StoreError) -> Bool {
        guard lock.hasForeignLayout, lock.isLockedElsewhere(.session) else { return false }
        // of this version, it has found the same and will go, or has the writer lock and will be done
        lock.unlock(.session)
        if fileSystem.monotonicNanoseconds() - start >= patienceNanoseconds {
            throw incompatiblePeer(path)
        }
        lock.waitForRelease(observed: lock.releaseWord(), timeoutNanoseconds: 10_000_000)
        return true
    }

    /// Throws `incompatiblePeer` if another process has `LOCK` in a layout that this version does not know.
    static func checkForeignPeer(_ lock: any LockFile, _ path: String) throws(StoreError) {
        if lock.hasForeignLayout, lock.isLockedElsewhere(.session) {
            throw incompatiblePeer(path)
        }
    }

    private static func incompatiblePeer(_ path: String) -> StoreError {
        StoreError(
            .incompatiblePeer,
            "Another process has \(path) open with a version of Regnum whose LOCK has another "
                + "layout than this one's (\(ControlPage.layout)). Use the same version in all "
                + "processes, or end the others first.", path: path + "/LOCK")
    }
}

extension LockFile {
    /// Whether the control page is that of a version of the library with another layout: no slot is one of
    /// this layout, and those that hold something say another one.
    var hasForeignLayout: Bool {
        let magics = (0...1).map { loadControlSlot($0)[0] }.filter { $0 != 0 }
        return !magics.isEmpty && magics.allSatisfy(ControlPage.isForeign) && loadControl() == nil
    }
}
