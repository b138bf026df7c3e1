import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// A realm whose files are moved, removed or replaced while it is open acknowledges nothing more,
/// and opening the path opens the realm that is there now.
@Suite struct MovedRealmTests {
    /// An accident that happens to the files of an open realm.
    enum Mishap: String, CaseIterable {
        case lockRemoved, lockRenamed, lockReplaced
        case directoryRemoved, directoryRenamed, directoryReplaced, linkSwitched
    }

    private let folder: RealmFolder
    private let manager = FileManager.default

    init() throws { folder = try RealmFolder() }

    /// Opens a realm, through a symbolic link if that is what will be switched.
    private func open(_ mishap: Mishap) async throws -> Realm {
        guard mishap == .linkSwitched else { return try await Realm.open(folder.configuration()) }
        for name in ["a", "b"] {
            try manager.createDirectory(at: folder[name], withIntermediateDirectories: false)
        }
        try manager.createSymbolicLink(
            at: folder["test.realm"], withDestinationURL: folder["a"])
        return try await Realm.open(folder.configuration())
    }

    private func happen(_ mishap: Mishap) throws {
        let realm = folder["test.realm"]
        let lock = realm.appending(path: "LOCK")
        switch mishap {
        case .lockRemoved: try manager.removeItem(at: lock)
        case .lockRenamed: try manager.moveItem(at: lock, to: realm.appending(path: "LOCK.old"))
        case .lockReplaced:
            try manager.copyItem(at: lock, to: folder["copy"])
            try #require(rename(folder["copy"].path, lock.path) == 0)
        case .directoryRemoved: try manager.removeItem(at: realm)
        case .directoryRenamed: try manager.moveItem(at: realm, to: folder["moved"])
        case .directoryReplaced:
            try manager.copyItem(at: realm, to: folder["copy"])
            try manager.moveItem(at: realm, to: folder["moved"])
            try manager.moveItem(at: folder["copy"], to: realm)
        case .linkSwitched:
            try manager.removeItem(at: realm)
            try manager.createSymbolicLink(at: realm, withDestinationURL: folder["b"])
        }
    }

    // Covers .fileMoved
    @Test(arguments: Mishap.allCases)
    func nothingMoreIsAcknowledgedAndStreamsEnd(mishap: Mishap) async throws {
        let realm = try await open(mishap)
        try await realm.write { tx in try tx.add(Room("before")) }
        var stream = realm.objects(Room.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try happen(mishap)
        let error = await realmError {
            try await realm.write { tx in try tx.add(Room("after")) }
        }
        expectEqual(error?.code, .fileMoved)
        expectEqual(error?.path, folder["test.realm"].path)
        expectEqual(error?.message.contains("was moved or removed while open"), true)
        var ended: Realm.Error?
        do { while try await stream.next() != nil {} } catch { ended = error }
        expectEqual(ended?.code, .fileMoved)
        let again = await realmError { try await realm.write { _ in } }
        expectEqual(again?.code, .fileMoved)
        await realm.close()
    }

    /// Without a write, a stream detects it by itself.
    // Covers .fileMoved
    @Test(arguments: [Mishap.directoryRemoved, .directoryRenamed, .linkSwitched])
    func idleStreamEnds(mishap: Mishap) async throws {
        let realm = try await open(mishap)
        try await realm.write { tx in try tx.add(Room("before")) }
        var stream = realm.objects(Room.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try happen(mishap)
        var ended: Realm.Error?
        do { while try await stream.next() != nil {} } catch { ended = error }
        expectEqual(ended?.code, .fileMoved)
        await realm.close()
    }

    /// Reading the control page of a truncated `LOCK` would kill the process.
    // Covers .fileMoved
    @Test(arguments: [0, 4_000])
    func lockThatWasCutShortEndsTheRealm(byteCount: UInt64) async throws {
        var configuration = folder.configuration()
        configuration.adjust = { $0.store.idleDelayNanoseconds = 3_600_000_000_000 }
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.add(Room("before")) }
        // A separate file system object stands for another process.
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let other = try await Realm.open(configuration)
        var stream = other.objects(Room.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        // until the idle writer lock is released
        while realm.core.coordinator.state.withLock({ $0.isGateOpen || $0.isLogLeased }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await Task.sleep(for: .milliseconds(100))
        let lock = folder["test.realm"].appending(path: "LOCK")
        try FileHandle(forWritingTo: lock).truncate(atOffset: byteCount)
        for realm in [realm, other] {
            let error = await realmError {
                try await realm.write { tx in try tx.add(Room("after")) }
            }
            expectEqual(error?.code, .fileMoved)
        }
        var ended: Realm.Error?
        do { while try await stream.next() != nil {} } catch { ended = error }
        expectEqual(ended?.code, .fileMoved)
        await realm.close()
        await other.close()
        let later = try await Realm.open(folder.configuration())
        expectEqual(later.snapshot().objects(Room.self).map(\.name), ["before"])
        await later.close()
    }

    @Test(arguments: Mishap.allCases)
    func openingThePathGivesWhatIsThereNow(mishap: Mishap) async throws {
        let old = try await open(mishap)
        try await old.write { tx in try tx.add(Room("before")) }
        try happen(mishap)
        let new = try await Realm.open(folder.configuration())
        expectTrue(new !== old)
        #expect(try await Realm.open(folder.configuration()) === new)
        let gone = [Mishap.directoryRemoved, .directoryRenamed, .linkSwitched]
        let keeps = !gone.contains(mishap)
        expectTrue(new.snapshot().objects(Room.self).map(\.name) == (keeps ? ["before"] : []))
        try await new.write { tx in try tx.add(Room("new")) }
        let error = await realmError { try await old.write { _ in } }
        expectEqual(error?.code, .fileMoved)
        await old.close()
        await new.close()
        let later = try await Realm.open(folder.configuration())
        expectTrue(
            later.snapshot().objects(Room.self).map(\.name).sorted()
                == (keeps ? ["before", "new"] : ["new"]))
        await later.close()
    }

    /// A realm whose directory was only renamed can be deleted and opened at its new path.
    @Test func movedRealmIsOpenedAtItsNewPlace() async throws {
        let old = try await Realm.open(folder.configuration())
        try await old.write { tx in try tx.add(Room("before")) }
        try happen(.directoryRenamed)
        let moved = try await Realm.open(folder.configuration("moved"))
        expectTrue(moved !== old)
        try await moved.write { tx in try tx.add(Room("after")) }
        expectEqual(moved.snapshot().objects(Room.self).count, 2)
        #expect(try await !Realm.fileExists(for: folder.configuration()))
        await old.close()
        await moved.close()
        #expect(try await Realm.deleteFiles(for: folder.configuration("moved")))
    }

    /// `LOCK` is removed while one process commits continuously and another one opens the realm:
    /// everything acknowledged to either of them exists in the end.
    @Test(arguments: [Realm.Durability.full, .relaxed(within: .milliseconds(5))])
    func nothingAcknowledgedIsLostWhenLockIsRemoved(durability: Realm.Durability) async throws {
        for _ in 0..<Effort.count(gate: 3, soak: 100) {
            let folder = try RealmFolder()
            var configuration = folder.configuration()
            configuration.durability = durability
            let first = try await Realm.open(configuration)
            try await first.write { tx in try tx.add(Room("first -1")) }
            let commits = Task { await Self.acknowledged(first, "first") }
            try await Task.sleep(for: .milliseconds(5))
            try manager.removeItem(at: folder["test.realm"].appending(path: "LOCK"))
            // A separate file system object stands for another process.
            configuration.adjust = { $0.fileSystem = PosixFileSystem() }
            let second = try await Realm.open(configuration)
            var expected: Set<String> = ["first -1"]
            for number in 0..<20 {
                try await second.write { tx in try tx.add(Room("second \(number)")) }
                expected.insert("second \(number)")
            }
            expected.formUnion(await commits.value)
            await first.close()
            await second.close()
            let last = try await Realm.open(folder.configuration())
            let found = Set(last.snapshot().objects(Room.self).map(\.name))
            expectEqual(expected.subtracting(found), [])
            await last.close()
        }
    }

    /// Commits until the realm refuses, and returns the names that were acknowledged.
    private static func acknowledged(_ realm: Realm, _ name: String) async -> Set<String> {
        var names: Set<String> = []
        for number in 0..<1_000_000 {
            let error = await realmError {
                try await realm.write { tx in try tx.add(Room("\(name) \(number)")) }
            }
            guard let error else {
                names.insert("\(name) \(number)")
                continue
            }
            expectEqual(error.code, .fileMoved)
            break
        }
        return names
    }
}
