import Foundation
import Logging
import Regnum
import RegnumEngine
import RegnumJSON
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// `Realm.recovery` and the log report what opening found and repaired.
@Suite struct RecoveryTests {
    private let folder: RealmFolder
    private let lines = LogLines()

    init() throws { folder = try RealmFolder() }

    /// Makes a closed realm with three rooms.
    private func makeRealm() async throws -> URL {
        try await folder.makeRealm(rooms: ["a", "b", "c"])
        return folder["test.realm"]
    }

    private func open() async throws -> Realm {
        var configuration = folder.configuration()
        configuration.logger = Logger(label: "recovery") { _ in LineHandler(lines: lines) }
        return try await Realm.open(configuration)
    }

    /// Returns the position after the last nonzero byte of the file.
    private func end(of file: URL) throws -> Int {
        let bytes = try Data(contentsOf: file)
        return (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    }

    // Covers 5.87
    @Test func nothingIsToldOfWhatWasClosed() async throws {
        _ = try await makeRealm()
        let realm = try await open()
        expectTrue(realm.recovery.isClean && "\(realm.recovery)" == "nothing to repair")
        await realm.close()
        expectTrue(lines.all.allSatisfy { $0.level == .debug })
        let memory = try await Realm.open(.init(location: .inMemory(identifier: "recovery")))
        expectTrue(memory.recovery.isClean)
        await memory.close()
    }

    @Test func lostLockIsReported() async throws {
        let place = try await makeRealm()
        try FileManager.default.removeItem(at: place.appending(path: "LOCK"))
        let realm = try await open()
        expectTrue(realm.recovery.isLockLost && !realm.recovery.isClean)
        expectEqual(realm.snapshot().objects(Room.self).count, 3)
        expectEqual(lines.texts(.notice), [])
        expectEqual(
            lines.texts(.warning),
            [
                "opened: the content of LOCK was lost, so commits may be missing from the end of "
                    + "the log; 40 bytes that were not known to be on disk were kept"
            ])
        await realm.close()
        let again = try await open()
        expectTrue(again.recovery.isClean)
        await again.close()
    }

    @Test(arguments: [false, true])
    func discardedBytesAreReported(isLockLost: Bool) async throws {
        let place = try await makeRealm()
        if isLockLost {
            try FileManager.default.removeItem(at: place.appending(path: "LOCK"))
        } else {
            try DamagedSource.setOtherBoot(place)
        }
        let log = place.appending(path: "log-0-0")
        let start = try end(of: log)
        let file = try FileHandle(forWritingTo: log)
        try file.seek(toOffset: UInt64(start + 16))
        try file.write(contentsOf: Data(repeating: 9, count: 100))
        let realm = try await open()
        expectTrue(realm.recovery.discardedByteCount >= 100)
        expectEqual(realm.recovery.discardedVersions, [])
        let text = lines.texts(isLockLost ? .warning : .notice)
        expectEqual(text.count, 1)
        let origin = isLockLost ? "after the last valid commit" : "that were never acknowledged"
        expectEqual(text.first?.contains("bytes \(origin) were discarded"), true)
        await realm.close()
    }

    /// A power failure took the first of two commits that weren't synced.
    @Test func discardedCommitsAreAWarning() async throws {
        let place = try await makeRealm()
        let (version, lost) = try appendUnsynced(to: place)
        let log = place.appending(path: "log-0-0")
        let range = try requireValue(Data(contentsOf: log).range(of: lost))
        let file = try FileHandle(forWritingTo: log)
        try file.seek(toOffset: UInt64(range.lowerBound))
        try file.write(contentsOf: Data(count: range.count))
        try DamagedSource.setOtherBoot(place)
        let realm = try await open()
        expectEqual(realm.recovery.discardedVersions, [version + 2])
        let text = lines.texts(.warning)
        expectEqual(text.count, 1)
        expectEqual(text.first?.contains("were discarded (with versions \(version + 2))"), true)
        expectEqual(realm.snapshot().objects(Room.self).count, 3)
        await realm.close()
    }

    /// Appends two commits to a closed realm. Returns its version before, and the first body.
    private func appendUnsynced(to place: URL) throws -> (version: UInt64, first: Data) {
        let log = try RealmLog.open(
            PosixFileSystem.shared, path: place.path, options: StoreOptions()
        ) { (_) throws(StoreError) in }.log
        _ = try log.tryBecomeWriter { (_) throws(StoreError) in }
        let version = log.version
        let bodies = (1...2).map { number -> [UInt8] in
            withUnsafeBytes(of: (version + UInt64(number)).littleEndian) { Array($0) }
                + [UInt8](repeating: UInt8(number), count: 64)
        }
        try log.append(bodies, version: version + 2)
        log.releaseLocks()
        return (version, Data(bodies[0]))
    }

    /// Without `LOCK`, a truncated file isn't mistaken for a shorter log.
    // Covers .invalidDatabase
    @Test(arguments: [1, 100, 4095, 4097, 100_001])
    func segmentThatWasCutShortIsRefused(byteCount: Int) async throws {
        let place = try await makeRealm()
        try FileManager.default.removeItem(at: place.appending(path: "LOCK"))
        let log = place.appending(path: "log-0-0")
        let file = try FileHandle(forWritingTo: log)
        try file.truncate(atOffset: try file.seekToEnd() - UInt64(byteCount))
        let error = await realmError { try await open() }
        expectEqual(error?.code, .invalidDatabase)
        expectEqual(error?.message.contains("truncated"), true)
    }

    @Test(arguments: ["unfinished-copy", "unfinished-removal"], [0, 40])
    func strayMarkIsReported(name: String, byteCount: Int) async throws {
        let place = try await makeRealm()
        try Data(count: byteCount).write(to: place.appending(path: name))
        let realm = try await open()
        expectEqual(realm.snapshot().objects(Room.self).count, 3)
        expectEqual(realm.recovery.strayFiles, [name])
        expectEqual(lines.texts(.warning), ["opened: stray files were removed: \(name)"])
        try expectTrue(!folder.names(in: "test.realm").contains(name))
        await realm.close()
    }

    // Covers .fileAccess
    @Test func networkFileSystemsAreRefusedUnlessAllowed() async throws {
        let disk = SimFileSystem(seed: 3)
        disk.networkName.withLock { $0 = "NFS" }
        var configuration = Realm.Configuration(location: .file(URL(filePath: "/sim/a.realm")))
        configuration.adjust = { $0.fileSystem = disk }
        for readOnly in [false, true] {
            configuration.readOnly = readOnly
            let error = await realmError { try await Realm.open(configuration) }
            expectTrue(error?.code == .fileAccess && error?.path == "/sim/a.realm")
            expectEqual(error?.message.contains("(NFS)"), true)
            expectEqual(error?.message.contains("Configuration.allowsNetworkFileSystem"), true)
        }
        try expectTrue(!disk.hasEntry("/sim/a.realm"), "nothing was created")
        configuration.readOnly = false
        configuration.allowsNetworkFileSystem = true
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.add(Room("a")) }
        await realm.close()
        expectTrue(configuration.description.contains("network file systems allowed"))
    }

    /// An export has the permissions of a file of the realm, and their group if it may read them.
    @Test func exportsHaveThePermissionsOfTheRealm() async throws {
        _ = try await makeRealm()
        let realm = try await open()
        let path = folder["test.realm"].path
        if geteuid() == 0 { try #require(chown(path, uid_t.max, 4321) == 0) }
        for (directory, file) in [(0o700, 0o600), (0o770, 0o660)] as [(mode_t, mode_t)] {
            try #require(chmod(path, directory) == 0)
            let url = folder["export \(directory).jsonl"]
            try await realm.snapshot().exportJSON(to: url)
            var status = stat()
            let result = stat(url.path, &status)
            try #require(result == 0)
            expectEqual(status.st_mode & 0o777, file)
            if geteuid() == 0, file == 0o660 { expectEqual(status.st_gid, 4321) }
        }
        await realm.close()
    }

    /// Exports over a file, and returns the permissions and the owner of the new file.
    private func export(
        _ realm: Realm, over mode: mode_t, of owner: uid_t
    ) async throws -> (mode: mode_t, owner: uid_t) {
        let url = folder["export.jsonl"]
        try Data().write(to: url)
        try #require(chmod(url.path, mode) == 0)
        try #require(chown(url.path, owner, gid_t.max) == 0)
        try await realm.snapshot().exportJSON(to: url)
        var status = stat()
        let result = stat(url.path, &status)
        try #require(result == 0)
        return (status.st_mode & 0o777, status.st_uid)
    }

    @Test func exportsKeepThePermissionsOfTheUsersFile() async throws {
        _ = try await makeRealm()
        let realm = try await open()
        for mode in [0o644, 0o666] as [mode_t] {
            let written = try await export(realm, over: mode, of: geteuid())
            expectTrue(written.mode == mode && written.owner == geteuid())
        }
        await realm.close()
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give files away"))
    func exportsOverAStrangersFileAreForTheirUserOnly() async throws {
        _ = try await makeRealm()
        let realm = try await open()
        for mode in [0o666, 0o644, 0o660] as [mode_t] {
            let written = try await export(realm, over: mode, of: 65534)
            expectTrue(written.mode == 0o600 && written.owner == geteuid())
        }
        await realm.close()
    }
}

private final class LogLines: Sendable {
    private let lines = Guarded<[(level: Logger.Level, text: String)]>([])

    var all: [(level: Logger.Level, text: String)] { lines.withLock { $0 } }

    func texts(_ level: Logger.Level) -> [String] { all.filter { $0.level == level }.map(\.text) }

    func add(_ level: Logger.Level, _ text: String) { lines.withLock { $0.append((level, text)) } }
}

private struct LineHandler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add(event.level, "\(event.message)") }
}
