import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Another process removes a realm between two steps.
@Suite struct CoordinatorRemovalTests {
    /// This process has found the realm, and so hasn't read the seed.
    @Test func realmThatIsRemovedWhileBeingOpenedHasTheContentOfTheSeed() async throws {
        let disk = SimFileSystem(seed: 8)
        for (path, number) in [("/sim/seed.realm", 1), ("/sim/a.realm", 2)] {
            let coordinator = try await openPeer(path, disk)
            try await insert(number, into: coordinator)
            await coordinator.close()
        }
        let opened = try await openPeer("/sim/a.realm", RemovingView(disk, "/sim/a.realm")) {
            options in
            options.seedPath = "/sim/seed.realm"
        }
        expectEqual(opened.published.version, 1)
        expectEqual(numbers(opened.published), [1])
        await opened.close()
    }

    /// This process has found the backup that it updates.
    @Test func backupThatIsRemovedIsNotCreatedByAnUpdate() async throws {
        let disk = SimFileSystem(seed: 9)
        let target = "/sim/backup.realm"
        let backup = try await openPeer(target, disk)
        try await insert(1, into: backup)
        await backup.close()
        let original = try await openPeer("/sim/a.realm", RemovingView(disk, target))
        try await insert(2, into: original)
        let update = CopyExtension(of: original, at: target) { true }
        await expectEqual(storeErrorCode { _ = try await update.make() }, .fileNotFound)
        try expectTrue(!disk.hasEntry(target))  // nor a directory, so that a new backup can be made
        await original.close()
    }

    /// The error isn't `fileMoved`, which would be that of the original.
    @Test func backupThatIsReplacedIsNotUpdated() async throws {
        let disk = SimFileSystem(seed: 10)
        let target = "/sim/backup.realm"
        let backup = try await openPeer(target, disk)
        try await insert(1, into: backup)
        await backup.close()
        let view = RemovingView(disk, target) { _ = try? disk.openDirectory(target, .new) }
        let original = try await openPeer("/sim/a.realm", view)
        try await insert(2, into: original)
        let update = CopyExtension(of: original, at: target) { true }
        await expectEqual(storeErrorCode { _ = try await update.make() }, .fileNotFound)
        let directory = try disk.openDirectory(target, .readOnly)
        try expectEqual(directory.names(), [])
        await original.close()
    }
}

/// A file system on which another process removes a realm before it is opened for writing.
private final class RemovingView: FileSystem {
    private let disk: SimFileSystem
    private let path: String
    private let didRemove: @Sendable () -> Void
    private let isRemovalDue = Guarded(true)

    init(_ disk: SimFileSystem, _ path: String, didRemove: @escaping @Sendable () -> Void = {}) {
        self.disk = disk
        self.path = path
        self.didRemove = didRemove
    }

    func openDirectory(
        _ path: String, _ mode: DirectoryMode
    ) throws(StoreError) -> any RealmDirectory {
        if mode != .readOnly, path == self.path {
            let isDue = isRemovalDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            if isDue {
                _ = try RealmLog.remove(disk, path: path)
                didRemove()
            }
        }
        return try disk.openDirectory(path, mode)
    }
    func networkFileSystem(at path: String) -> String? { disk.networkFileSystem(at: path) }
    func removeDirectory(_ path: String) throws(StoreError) -> Bool {
        try disk.removeDirectory(path)
    }
    func hasEntry(_ path: String) throws(StoreError) -> Bool { try disk.hasEntry(path) }
    func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        try disk.leads(path, to: identity)
    }
    func moveDirectory(_ path: String, to target: String) throws(StoreError) {
        try disk.moveDirectory(path, to: target)
    }
    func bootID() -> Identity128? { disk.bootID() }
    func random() -> UInt64 { disk.random() }
    func monotonicNanoseconds() -> UInt64 { disk.monotonicNanoseconds() }
    func wallClockMicroseconds() -> Int64 { disk.wallClockMicroseconds() }
}
