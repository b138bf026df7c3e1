import Foundation
import Glibc
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumTestModels

/// Resumable migrations: finished work isn't repeated, the final result equals that of an
/// uninterrupted migration, and partial work that can't be resumed is discarded.
@Suite struct MigrationResumeTests {
    /// The remaining work of a later process, from each state that a kill could leave.
    private struct Rest {
        var images: [SimFileSystem] = []
    }

    /// Returns the state after an uninterrupted migration, held in memory as usual.
    private func expected(_ disk: SimFileSystem) async throws -> UInt64 {
        try await MigrationDisk.hash(
            MigrationDisk.second(disk.killImage(), resumes: false, MigrationDisk.block()))
    }

    /// Runs a migration and returns the disk as it was before each rename, creation, removal and
    /// sync.
    private func killed(
        _ disk: SimFileSystem, _ block: @escaping MigrationBlock = MigrationDisk.block()
    ) async throws -> [SimFileSystem] {
        let rest = Mutex(Rest())
        disk.onEffect = { [unowned disk] kind, _ in
            guard kind != .wake else { return }
            let image = disk.killImage()
            rest.withLock { $0.images.append(image) }
        }
        defer { disk.onEffect = nil }
        let realm = try await Realm.open(MigrationDisk.second(disk, block))
        await realm.close()
        return rest.withLock { $0.images }
    }

    @Test(arguments: [UInt64(0), 1])
    func killAnywhereGoesOnWhereItWas(seed: UInt64) async throws {
        let disk = try await MigrationDisk.make(seed: seed)
        let old = try await MigrationDisk.hash(MigrationDisk.first(disk.killImage()))
        let new = try await expected(disk)
        let images = try await killed(disk)
        var counts: [Int] = []
        for image in images {
            let before = try await MigrationDisk.oldHash(image.killImage())
            expectTrue(before == nil || before == old)
            let visits = MigrationCounter()
            let after = try await MigrationDisk.hash(
                MigrationDisk.second(image, MigrationDisk.block(visits)))
            expectEqual(after, new)
            expectTrue(!image.fileNames(in: MigrationDisk.path).contains("migration"))
            counts.append(visits.count)
        }
        print("\(images.count) kills; objects visited afterwards: \(counts)")
        // Each batch counts once it is written, and none is done twice.
        expectEqual(counts, counts.sorted(by: >))
        expectEqual(Set(counts), [21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 0])
    }

    @Test func killsOneAfterTheOtherEndInTheSameState() async throws {
        let seed = SeededRandom.seed()
        var generator = SeededRandom(seed)
        var disk = try await MigrationDisk.make(seed: 2)
        let new = try await expected(disk)
        let visits = MigrationCounter()
        var killCount = 0
        while try await MigrationDisk.oldHash(disk.killImage()) != nil {
            let images = try await killed(disk, MigrationDisk.block(MigrationCounter()))
            let place = Int.random(in: 0..<images.count, using: &generator)
            disk = images[place]
            killCount += 1
        }
        let after = try await MigrationDisk.hash(
            MigrationDisk.second(disk, MigrationDisk.block(visits)))
        expectTrue(after == new && visits.count == 0)
        expectTrue(killCount > 0)
    }

    /// Returns a disk whose migration was killed after it had written several batches.
    private func halfDone(seed: UInt64) async throws -> SimFileSystem {
        let disk = try await MigrationDisk.make(seed: seed)
        let images = try await killed(disk)
        let half = images.filter { $0.fileNames(in: MigrationDisk.path).contains("migration") }
        return half[half.count / 3]
    }

    /// Checks that the result of a block doesn't depend on kills.
    private func expectSame(_ seed: UInt64, _ block: @escaping MigrationBlock) async throws {
        let disk = try await MigrationDisk.make(seed: seed)
        let new = try await MigrationDisk.hash(
            MigrationDisk.second(disk.killImage(), resumes: false, block))
        let images = try await killed(disk, block)
        let saved = images.filter { $0.fileNames(in: MigrationDisk.path).contains("migration") }
        expectTrue(saved.count > 10)
        for image in saved {
            try await expectEqual(MigrationDisk.hash(MigrationDisk.second(image, block)), new)
        }
    }

    /// The saved state has what the block sets between calls that were done. Setting it again would
    /// undo what later calls have set, append elements twice, or meet objects that are deleted.
    @Test func whatIsSetBetweenCallsIsNotSetAgain() async throws {
        try await expectSame(11) { migration, version in
            let made = try migration.create("MigFound", value: ["text": "made"])
            made["text"] = "for a while"
            let person = try migration.create("MigPerson", value: ["fullName": "new"])
            person["fullName"] = "set between calls"
            try person.dynamicList("tags").append("first")
            try person.dynamicList("tags").append("second")
            try migration.enumerateObjects(ofType: "MigPet") { _, _ in
                person["fullName"] = "set in a call"
            }
            try MigrationDisk.block()(migration, version)
            try person.dynamicList("tags").remove(at: 1)
            try migration.delete(made)
            try migration.enumerateObjects(ofType: "MigPet") { _, new in new?["name"] = "renamed" }
        }
    }

    /// What the block reads between calls may be gone. Then it starts over.
    @Test func whatIsReadBetweenCallsMayBeGone() async throws {
        try await expectSame(12) { migration, version in
            let made = try migration.create("MigFound", value: ["text": "made"])
            _ = made["text"]
            let person = try migration.create("MigPerson", value: ["tags": ["first"]])
            let tags = try person.dynamicList("tags")
            _ = tags[0]
            try migration.enumerateObjects(ofType: "MigPet") { _, new in new?["name"] = "renamed" }
            try tags.remove(at: 0)
            try MigrationDisk.block()(migration, version)
            try migration.delete(made)
            try migration.enumerateObjects(ofType: "MigPet") { _, new in new?["weight"] = 7.0 }
        }
    }

    private func visits(
        _ disk: SimFileSystem, _ change: (inout Realm.Configuration) -> Void = { _ in }
    ) async throws -> Int {
        let visits = MigrationCounter()
        var configuration = MigrationDisk.second(disk, MigrationDisk.block(visits))
        change(&configuration)
        let realm = try await Realm.open(configuration)
        expectEqual(realm.snapshot().objects(MigSecond.MigPerson.self).count, 8)
        await realm.close()
        return visits.count
    }

    @Test func anotherTargetBeginsAnew() async throws {
        let disk = try await halfDone(seed: 3)
        #expect(try await visits(disk.killImage()) < MigrationDisk.visitCount)
        try await expectEqual(
            visits(disk.killImage()) { $0.schemaVersion = 3 }, MigrationDisk.visitCount)
        let renamed = try await visits(disk.killImage()) {
            $0.resumableMigration?.name = "another block"
        }
        expectEqual(renamed, MigrationDisk.visitCount)
        let plain = try await visits(disk.killImage()) { $0.resumableMigration = nil }
        expectEqual(plain, MigrationDisk.visitCount)
        let smaller = try await visits(disk.killImage()) {
            $0.resumableMigration?.memoryByteCount = 1 << 20
        }
        expectTrue(smaller < MigrationDisk.visitCount)
    }

    @Test func realmThatWasWrittenMeanwhileBeginsAnew() async throws {
        let disk = try await halfDone(seed: 4)
        let realm = try await Realm.open(MigrationDisk.first(disk))
        try await realm.write { tx in
            try tx.create(MigFirst.MigLost.self, value: ["text": "late"])
        }
        await realm.close()
        let visits = MigrationCounter()
        let later = try await Realm.open(
            MigrationDisk.second(disk, MigrationDisk.block(visits)))
        expectEqual(visits.count, MigrationDisk.visitCount + 1)
        let found = later.snapshot().objects(MigSecond.MigFound.self)
        expectEqual(found.filter { $0.text == "late" }.count, 1)
        await later.close()
    }

    @Test func damageBeginsAnew() async throws {
        let disk = try await halfDone(seed: 5)
        let marked = disk.killImage()
        let size = try requireValue(marked.contents(of: "migration", in: MigrationDisk.path)).count
        for bit in [5, 8 * 30, 8 * size / 2, 8 * size - 1] {
            let image = disk.killImage()
            image.flipBit(bit, of: "migration", in: MigrationDisk.path)
            try await expectEqual(visits(image), MigrationDisk.visitCount)
        }
        // The location of the directory image of the state saved last.
        let mark = try requireValue(marked.contents(of: "migration", in: MigrationDisk.path))
        func word(_ offset: Int) -> Int {
            mark[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (file, start, count) = ("nodes-\(word(32))", word(64), word(72))
        let directory = disk.killImage()
        directory.flipBit(8 * (start + count / 2), of: file, in: MigrationDisk.path)
        try await expectEqual(visits(directory), MigrationDisk.visitCount)
        // The leaves: those of the state, and those that no state refers to any more.
        let first = try await MigrationDisk.make(seed: 5)
        let new = try await expected(first)
        let oldCount = first.contents(of: file, in: MigrationDisk.path)?.count ?? 4_096
        for part in 0..<40 {
            let image = disk.killImage()
            let place = oldCount + (start - oldCount) * part / 40
            image.flipBit(8 * place + part % 8, of: file, in: MigrationDisk.path)
            let after = try await MigrationDisk.hash(
                MigrationDisk.second(image, MigrationDisk.block()))
            expectEqual(after, new, "byte \(place)")
        }
        disk.damage(file, in: MigrationDisk.path) { bytes in
            for place in stride(from: oldCount, to: start, by: 40) { bytes[place] ^= 1 }
        }
        try await expectEqual(visits(disk), MigrationDisk.visitCount)
    }

    /// A call that fails once, for want of memory or descriptors, stops the migration but takes
    /// nothing of its progress.
    @Test(arguments: [EffectKind.open, .names, .size, .read, .create, .write, .rename])
    func failuresThatMayPassKeepTheProgress(kind: EffectKind) async throws {
        let disk = try await halfDone(seed: 9)
        let rest = try await visits(disk.killImage())
        expectTrue(rest < MigrationDisk.visitCount)
        var failureCount = 0
        for nth in 1... {
            let image = disk.killImage()
            image.inject(SimFailure(kind, nth: nth, code: .ioFailed, errno: ENOMEM))
            let first = MigrationCounter()
            let error = await realmError {
                let realm = try await Realm.open(
                    MigrationDisk.second(image, MigrationDisk.block(first)))
                await realm.close()
            }
            if image.firedFailureCount == 0 { break }
            if error != nil {
                failureCount += 1
                expectTrue(image.fileNames(in: MigrationDisk.path).contains("migration"))
            }
            image.clearFailures()
            // What fails is repeated: a batch of two.
            let later = try await visits(image)
            expectTrue(first.count + later <= rest + 2, "call \(nth): \(first.count), \(later)")
        }
        expectTrue(failureCount > 0)
    }

    /// The mark may be that of a process with the new `LOCK`.
    // Covers .fileMoved
    @Test func migrationWhoseLockIsReplacedLeavesTheMark() async throws {
        let disk = try await halfDone(seed: 10)
        let error = await realmError {
            let realm = try await Realm.open(
                MigrationDisk.second(disk) { migration, version in
                    disk.removeFile("LOCK", in: MigrationDisk.path)
                    try MigrationDisk.block()(migration, version)
                })
            await realm.close()
        }
        expectEqual(error?.code, .fileMoved)
        expectTrue(disk.fileNames(in: MigrationDisk.path).contains("migration"))
        #expect(try await visits(disk) < MigrationDisk.visitCount)
    }

    @Test func otherCallsBeginAnew() async throws {
        let disk = try await halfDone(seed: 6)
        let visits = MigrationCounter()
        let realm = try await Realm.open(
            MigrationDisk.second(disk) { migration, version in
                try migration.create("MigFound", value: ["text": "other"])
                try MigrationDisk.block(visits)(migration, version)
            })
        expectEqual(visits.count, MigrationDisk.visitCount)
        let found = realm.snapshot().objects(MigSecond.MigFound.self)
        expectEqual(found.filter { $0.text == "other" }.count, 1)
        expectEqual(found.filter { $0.text == "made before" }.count, 1)
        await realm.close()
    }

    @Test func errorUndoesAllAndCancellationDoesNot() async throws {
        for isCancelled in [false, true] {
            let disk = try await MigrationDisk.make(seed: 7)
            let old = try await MigrationDisk.hash(MigrationDisk.first(disk.killImage()))
            let new = try await expected(disk)
            let first = MigrationCounter()
            let block = MigrationDisk.second(disk) { migration, version in
                try migration.renameProperty(onType: "MigPerson", from: "nickname", to: "alias")
                let made = try migration.create("MigFound", value: ["text": "made"])
                made["text"] = "made before"
                try migration.enumerateObjects(ofType: "MigPerson") { old, new in
                    first.add()
                    guard let old, let new, let position = migration.position else { return }
                    if position == 6 {
                        if isCancelled { throw CancellationError() }
                        throw MigrationFailure.wanted
                    }
                    new["fullName"] = "\(position) \(old["first"] as? String ?? "")"
                    new["age"] = "\(old["age"] as? Int ?? -1)"
                    if position % 4 == 3 { return try migration.delete(new) }
                    try new.dynamicList("tags").append("c\(position)")
                    try migration.create("MigFound", value: ["text": old["last"]])
                }
            }
            await #expect(throws: (any Error).self) { try await Realm.open(block) }
            expectEqual(first.count, 7)
            expectEqual(disk.fileNames(in: MigrationDisk.path).contains("migration"), isCancelled)
            try await expectEqual(MigrationDisk.hash(MigrationDisk.first(disk)), old)
            let visits = MigrationCounter()
            let after = try await MigrationDisk.hash(
                MigrationDisk.second(disk, MigrationDisk.block(visits)))
            expectEqual(after, new)
            expectEqual(visits.count, MigrationDisk.visitCount - (isCancelled ? 6 : 0))
        }
    }

    @Test func processOfTheOlderProgramFollowsTheCommit() async throws {
        let disk = try await MigrationDisk.make(seed: 8)
        let peer = try await Realm.open(MigrationDisk.first(SimView(disk)))
        let follower = peer.core.coordinator
        let visits = MigrationCounter()
        let realm = try await Realm.open(
            MigrationDisk.second(disk, MigrationDisk.block(visits)))
        let root = realm.core.coordinator.published
        expectEqual(visits.count, MigrationDisk.visitCount)
        follower.hint()
        try await follower.waitUntil(version: root.version)
        expectEqual(follower.published.stateHash(), root.stateHash())
        let error = await realmError { try await peer.write { _ in } }
        expectEqual(error?.code, .schemaMismatch)
        await peer.close()
        // The realm accepts further writes.
        try await realm.write { tx in _ = try tx.create(MigSecond.MigFound.self) }
        await realm.close()
        let again = try await Realm.open(
            MigrationDisk.second(disk.killImage(), MigrationDisk.block(visits)))
        expectEqual(again.snapshot().objects(MigSecond.MigFound.self).count, 11)
        await again.close()
    }
}
