package import RegnumStore

/// A second process's view of a simulated disk: a separate object, so that it gets a coordinator of
/// its own.
package final class SimView: FileSystem {
    package let disk: SimFileSystem

    package init(_ disk: SimFileSystem) { self.disk = disk }

    package func openDirectory(
        _ path: String, _ mode: DirectoryMode
    ) throws(StoreError) -> any RealmDirectory {
        try disk.openDirectory(path, mode)
    }
    package func networkFileSystem(at path: String) -> String? { disk.networkFileSystem(at: path) }
    package func removeDirectory(_ path: String) throws(StoreError) -> Bool {
        try disk.removeDirectory(path)
    }
    package func hasEntry(_ path: String) throws(StoreError) -> Bool { try disk.hasEntry(path) }
    package func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        try disk.leads(path, to: identity)
    }
    package func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        try disk.moveDirectory(path, to: target)
    }
    package func bootID() -> Identity128? { disk.bootID() }
    package func random() -> UInt64 { disk.random() }
    package func monotonicNanoseconds() -> UInt64 { disk.monotonicNanoseconds() }
    package func wallClockMicroseconds() -> Int64 { disk.wallClockMicroseconds() }
}
