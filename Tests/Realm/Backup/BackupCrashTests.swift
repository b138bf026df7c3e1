import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumSimulation

/// A power failure, and the death of all processes, at every effect of a backup on the simulated
/// disk, to a directory or a file: the target has nothing or the complete copy, the realm is
/// unchanged, and the next backup removes leftovers.
@Suite(.timeLimit(.minutes(40)), .disabled(if: Effort.isReduced))
struct BackupCrashTests {
    private static let parent = "/disk"
    private static let original = "/disk/original"
    private static let copy = "/disk/copy"

    private func configuration(
        _ path: String, _ disk: SimFileSystem, readOnly: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [BackupAccount.self])
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.checkpoint.paceNanoseconds = 0
        }
        configuration.readOnly = readOnly
        return configuration
    }

    private func copy(_ realm: Realm, to path: String, asFile: Bool) async throws {
        if asFile {
            try await realm.writeCopy(toFile: URL(filePath: path))
        } else {
            try await realm.backup(to: URL(filePath: path))
        }
    }

    private func hash(
        _ path: String, _ disk: SimFileSystem, readOnly: Bool = false
    ) async throws -> UInt64 {
        let realm = try await Realm.open(configuration(path, disk, readOnly: readOnly))
        let root = realm.core.coordinator.published
        let hash = root.stateHash()
        if let damage = root.damage { throw damage }
        await realm.close()
        return hash
    }

    /// Another backup has just locked the new directory to remove it as a leftover.
    @Test func directoryThatAnotherBackupIsRemovingIsLeft() async throws {
        let disk = SimFileSystem(seed: 1)
        _ = try disk.openDirectory(Self.parent, .creating)
        let realm = try await Realm.open(configuration(Self.original, disk))
        try await realm.write { try $0.add(BackupAccount(value: ["id": 1, "amount": 1])) }
        let remover = Guarded<(path: String, lock: (any LockFile)?)?>(nil)
        disk.onEffect = { [unowned disk] kind, _ in
            let paths = disk.state.withLock { Array($0.directories.keys) }
            guard kind == .create, remover.withLock({ $0 == nil }),
                let path = paths.first(where: { $0.contains("/.unfinished-backup-") })
            else { return }
            remover.withLock { $0 = (path, nil) }  // opening the lock is an effect, too
            let lock = try? disk.openDirectory(path, .existing).openLock()
            #expect((try? lock?.tryLock(.session, .exclusive)) == true)
            remover.withLock { $0 = (path, lock) }
        }
        try await realm.backup(to: URL(filePath: Self.copy))
        disk.onEffect = nil
        let path = try requireValue(remover.withLock { $0?.path })
        expectEqual(disk.fileNames(in: path), ["LOCK"])
        try await expectEqual(hash(Self.copy, disk), realm.core.coordinator.published.stateHash())
        await realm.close()
    }

    /// Otherwise a backup that failed couldn't be repeated.
    @Test(arguments: [false, true])
    func failedSyncOfADirectoryLeavesNothingAtTheTarget(asFile: Bool) async throws {
        let disk = SimFileSystem(seed: 1)
        _ = try disk.openDirectory(Self.parent, .creating)
        let realm = try await Realm.open(configuration(Self.original, disk))
        try await realm.write { try $0.add(BackupAccount(value: ["id": 1, "amount": 1])) }
        var failedAfterMove = false
        for number in 1...100 {
            let target = "\(Self.copy)-\(number)"
            let fired = disk.firedFailureCount
            let isMoved = Guarded(false)
            disk.onEffect = { [unowned disk] kind, _ in
                guard kind == .syncDirectory, disk.firedFailureCount > fired else { return }
                let exists = disk.state.withLock { $0.hasEntry(target) }
                isMoved.withLock { $0 = $0 || exists }
            }
            disk.inject(SimFailure(.syncDirectory, nth: number))
            do {
                try await copy(realm, to: target, asFile: asFile)
            } catch {
                try expectEqual(disk.hasEntry(target), false)
                failedAfterMove = failedAfterMove || isMoved.withLock { $0 }
            }
            if disk.firedFailureCount == fired { break }
        }
        disk.onEffect = nil
        disk.clearFailures()
        expectTrue(failedAfterMove)
        await realm.close()
    }

    @Test(arguments: [false, true])
    func crashLeavesAWholeCopyOrNone(asFile: Bool) async throws {
        let seed = UInt64(SeededRandom.seed())
        let disk = SimFileSystem(seed: seed)
        _ = try disk.openDirectory(Self.parent, .creating)
        let realm = try await Realm.open(configuration(Self.original, disk))
        try await realm.write { tx in
            for id in 0..<300 { try tx.add(BackupAccount(value: ["id": id, "amount": id])) }
        }
        let expected = realm.core.coordinator.published.stateHash()
        let left = Guarded<[(image: SimFileSystem, place: String)]>([])
        let numbers = Guarded(SeededRandom(seed))
        disk.onEffect = { [unowned disk] kind, index in
            guard kind != .wake else { return }
            var found = [(disk.killImage(), "death before \(kind) \(index)")]
            let all = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: seed)
            for _ in 0..<4 {
                let image = all[Int(numbers.withLock { $0.next() } % UInt64(all.count))]
                found.append(
                    (image.fileSystem, "power cut before \(kind) \(index), \(image.summary)"))
            }
            left.withLock { $0 += found }
        }
        try await copy(realm, to: Self.copy, asFile: asFile)
        disk.onEffect = nil
        // Nothing that the copy needs remains unsynced.
        let last = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 16), seed: seed)
        left.withLock { left in
            left += last.prefix(24).map { ($0.fileSystem, "power cut at the end, \($0.summary)") }
        }
        await realm.close()
        var counts = (none: 0, whole: 0)
        for crash in left.withLock({ $0 }) {
            try await expectEqual(hash(Self.original, crash.image), expected, "\(crash.place)")
            if try crash.image.hasEntry(Self.copy) {
                counts.whole += 1
            } else {
                counts.none += 1
                let again = try await Realm.open(configuration(Self.original, crash.image))
                try await copy(again, to: Self.copy, asFile: asFile)
                await again.close()
                // also what was left of the first one
                let paths = crash.image.state.withLock { $0.directories.keys.sorted() }
                expectTrue(!paths.contains { $0.contains("/.") }, "\(crash.place): \(paths)")
            }
            try await expectEqual(
                hash(Self.copy, crash.image, readOnly: asFile), expected, "\(crash.place)")
        }
        print("\(counts.none) states without a copy, \(counts.whole) with one")
        expectTrue(counts.none > 50 && counts.whole > 10)
    }
}
