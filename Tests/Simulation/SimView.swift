package import RegnumStore

/// A second process's view of a simulated disk: a separate object, so that it gets a coordinator of
/// its own.
package final class SimView: FileSystem {
    package let disk: SimFileSystem

    package init(_ disk: SimFileSystem) { self.disk = disk }

    package func openDirectory(
        _ path: String, create: Bool
    ) throws(StoreError) -> any RealmDirectory {
        try disk.openDirectory(path, create: create)
    }
    package func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        try disk.leads(path, to: identity)
    }
    package func bootID() -> Identity128? { disk.bootID() }
    package func random() -> UInt64 { disk.random() }
    package func monotonicNanoseconds() -> UInt64 { disk.monotonicNanoseconds() }
    package func wallClockMicroseconds() -> Int64 { disk.wallClockMicroseconds() }
}
