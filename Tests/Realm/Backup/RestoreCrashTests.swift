import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumSimulation

/// A power failure, and the death of all processes, at every effect of a restore and of the update
/// of a backup on the simulated disk: the target has the whole state or nothing, and a backup one
/// of the versions up to the newest.
@Suite(.timeLimit(.minutes(40)), .disabled(if: Effort.isReduced))
struct RestoreCrashTests {
    private static let parent = "/disk"
    private static let original = "/disk/original"
    private static let copy = "/disk/copy"

    private struct Crash: Sendable {
        let disk: SimFileSystem
        let place: String
    }

    private func configuration(_ path: String, _ disk: SimFileSystem) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [BackupAccount.self])
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.store.firstSegmentByteCount = 8192
            options.checkpoint.isOn = false
            options.checkpoint.paceNanoseconds = 0
        }
        return configuration
    }

    private func open(_ path: String, _ disk: SimFileSystem) async throws -> Realm {
        try await Realm.open(configuration(path, disk))
    }

    /// Returns the version of a realm and the hash of its content.
    private func state(
        _ path: String, _ disk: SimFileSystem
    ) async throws -> (version: UInt64, hash: UInt64) {
        let realm = try await open(path, disk)
        let root = realm.core.coordinator.published
        try root.checkIntegrity { false }
        let state = (root.version, root.stateHash())
        await realm.close()
        return state
    }

    /// Makes commits. Returns the hash of each version from then on.
    private func write(_ realm: Realm, _ ids: Range<Int>) async throws -> [UInt64: UInt64] {
        var hashes: [UInt64: UInt64] = [:]
        func note() {
            let root = realm.core.coordinator.published
            hashes[root.version] = root.stateHash()
        }
        note()
        for id in ids {
            try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": id])) }
            note()
        }
        return hashes
    }

    /// Returns what a crash at each effect of `body`, and after it, leaves.
    private func crashes(
        of disk: SimFileSystem, _ seed: UInt64, _ body: () async throws -> Void
    ) async throws -> [Crash] {
        let left = Guarded<[Crash]>([])
        let numbers = Guarded(SeededRandom(seed))
        disk.onEffect = { [unowned disk] kind, index in
            guard kind != .wake else { return }
            var found = [Crash(disk: disk.killImage(), place: "death before \(kind) \(index)")]
            let all = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: seed)
            for _ in 0..<3 {
                let image = all[Int(numbers.withLock { $0.next() } % UInt64(all.count))]
                let place = "power cut before \(kind) \(index), \(image.summary)"
                found.append(Crash(disk: image.fileSystem, place: place))
            }
            left.withLock { $0 += found }
        }
        try await body()
        disk.onEffect = nil
        // Nothing that is needed remains unsynced.
        let last = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 16), seed: seed)
        return left.withLock { $0 }
            + last.prefix(24).map {
                Crash(disk: $0.fileSystem, place: "power cut at the end, \($0.summary)")
            }
    }

    @Test func restoreLeavesTheWholeStateOrNothing() async throws {
        let seed = UInt64(SeededRandom.seed())
        let disk = SimFileSystem(seed: seed)
        _ = try disk.openDirectory(Self.parent, .creating)
        let realm = try await open(Self.original, disk)
        let hashes = try await write(realm, 0..<20)
        await realm.close()
        let version = hashes.keys.sorted()[8]
        let all = try await crashes(of: disk, seed) {
            try await restore(version, disk)
        }
        var counts = (none: 0, whole: 0)
        for crash in all {
            if try crash.disk.hasEntry(Self.copy) {
                counts.whole += 1
            } else {
                counts.none += 1
                try await restore(version, crash.disk)
            }
            let found = try await state(Self.copy, crash.disk)
            expectTrue(
                found.version == version && found.hash == hashes[version], "\(crash.place)")
        }
        print("\(counts.none) states without the restored realm, \(counts.whole) with it")
        expectTrue(counts.none > 50 && counts.whole > 10)
    }

    private func restore(_ version: UInt64, _ disk: SimFileSystem) async throws {
        var restore = RealmRestore(
            of: Self.original, at: .version(version), to: Self.copy, fileSystem: disk
        ) { true }
        restore.options.store.firstSegmentByteCount = 8192
        try await expectEqual(restore.make(), version)
    }

    @Test func updateLeavesABackupOfAVersionInBetween() async throws {
        let seed = UInt64(SeededRandom.seed())
        let disk = SimFileSystem(seed: seed)
        _ = try disk.openDirectory(Self.parent, .creating)
        let realm = try await open(Self.original, disk)
        _ = try await write(realm, 0..<5)
        let first = try await realm.backup(to: URL(filePath: Self.copy))
        let hashes = try await write(realm, 5..<60)
        let newest = realm.snapshot().version
        let all = try await crashes(of: disk, seed) {
            try await realm.updateBackup(at: URL(filePath: Self.copy))
        }
        await realm.close()
        var versions: Set<UInt64> = []
        for crash in all {
            let found = try await state(Self.copy, crash.disk)
            expectEqual(found.hash, hashes[found.version], "\(crash.place)")
            expectTrue(
                found.version >= first
                    && (found.version == newest || !crash.place.contains("at the end")),
                "\(crash.place)")
            versions.insert(found.version)
            // It is still a backup, and can be continued.
            let original = try await open(Self.original, crash.disk)
            try await expectEqual(
                original.updateBackup(at: URL(filePath: Self.copy)), newest, "\(crash.place)")
            await original.close()
            try await expectEqual(
                state(Self.copy, crash.disk).hash, hashes[newest], "\(crash.place)")
        }
        print("\(all.count) states with backups of versions \(versions.sorted())")
        expectTrue(versions.isSuperset(of: [first, newest]))
    }
}
