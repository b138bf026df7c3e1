import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

@testable import Regnum

/// A power failure, and the death of all processes, at every effect of a migration on the simulated
/// disk: what remains is either the original or the migrated realm, and migrates to the same state.
@Suite(.timeLimit(.minutes(40))) struct MigrationCrashTests {
    private struct Left: Sendable {
        var image: SimFileSystem
        var place: String
    }

    /// The number of images of a power failure examined for each effect.
    private func imageCount() -> Int { Effort.count(gate: 2, soak: 8) }

    /// Runs a migration, and returns what a crash before each effect leaves behind.
    private func crashed(
        _ disk: SimFileSystem, resumes: Bool, seed: UInt64
    ) async throws -> [Left] {
        let left = Mutex<[Left]>([])
        let imageCount = imageCount()
        let numbers = Mutex(SeededRandom(seed))
        disk.onEffect = { [unowned disk] kind, index in
            guard kind != .wake else { return }
            var found = [Left(image: disk.killImage(), place: "death before \(kind) \(index)")]
            let all = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: seed)
            for _ in 0..<imageCount {
                let number = numbers.withLock { $0.next() }
                let image = all[Int(number % UInt64(all.count))]
                found.append(
                    Left(
                        image: image.fileSystem,
                        place: "power cut before \(kind) \(index), \(image.summary)"))
            }
            left.withLock { $0 += found }
        }
        defer { disk.onEffect = nil }
        let realm = try await Realm.open(
            MigrationDisk.second(disk, resumes: resumes, MigrationDisk.block()))
        await realm.close()
        return left.withLock { $0 }
    }

    /// - Parameter parity: Whether the realm has a checkpoint before.
    @Test(arguments: [false, true], [UInt64(0), 1])
    func crashLeavesOneOfTwoStates(resumes: Bool, parity: UInt64) async throws {
        let seed = SeededRandom.seed() << 1 | parity
        let disk = try await MigrationDisk.make(seed: seed)
        let old = try await MigrationDisk.hash(MigrationDisk.first(disk.killImage()))
        let new = try await MigrationDisk.hash(
            MigrationDisk.second(disk.killImage(), resumes: false, MigrationDisk.block()))
        let left = try await crashed(disk, resumes: resumes, seed: seed)
        var counts = (old: 0, new: 0)
        for crash in left {
            // Writes of an older program don't affect the rest.
            let before = try await MigrationDisk.oldHash(crash.image)
            expectTrue(before == nil || before == old, "\(crash.place)")
            if before == nil { counts.new += 1 } else { counts.old += 1 }
            let after = try await MigrationDisk.hash(
                MigrationDisk.second(crash.image, resumes: resumes, MigrationDisk.block()))
            expectEqual(after, new, "\(crash.place)")
        }
        print("resumes \(resumes): \(left.count) states, \(counts.old) old, \(counts.new) new")
        expectTrue(counts.old > 20 && counts.new > 5)
    }

    @Test func failedCallLeavesTheRealmAsItWas() async throws {
        let first = try await MigrationDisk.make(seed: 9)
        let old = try await MigrationDisk.hash(MigrationDisk.first(first.killImage()))
        let new = try await MigrationDisk.hash(
            MigrationDisk.second(first.killImage(), MigrationDisk.block()))
        var failureCount = 0
        for kind in [EffectKind.write, .sync, .rename, .create, .syncDirectory] {
            for code in [StoreError.Code.ioFailed, .diskFull] {
                var number = 0
                var hasFired = true
                while hasFired {
                    number += 1
                    let disk = first.killImage()
                    disk.inject(SimFailure(kind, nth: number, code: code))
                    let opened = try? await Realm.open(
                        MigrationDisk.second(disk, MigrationDisk.block()))
                    hasFired = disk.firedFailureCount > 0
                    failureCount += opened == nil ? 1 : 0
                    await opened?.close()
                    disk.clearFailures()
                    let rest = disk.killImage()
                    let before = try await MigrationDisk.oldHash(rest.killImage())
                    expectTrue(before == nil || before == old, "\(kind) \(number)")
                    let after = try await MigrationDisk.hash(
                        MigrationDisk.second(rest, MigrationDisk.block()))
                    expectEqual(after, new, "\(kind) \(number)")
                }
            }
        }
        print("\(failureCount) failures")
        expectTrue(failureCount > 20)
    }
}
