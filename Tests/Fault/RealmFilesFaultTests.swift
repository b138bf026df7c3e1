import Glibc
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Creating a realm from a seed and removing one, with a crash or a failure at every step:
/// afterwards there is either a complete realm or none.
@Suite struct RealmFilesFaultTests {
    private let seed = TestSeed(byteCount: 3000)

    /// Checks, twice, that the realm has the seed's content or doesn't exist, and that it accepts
    /// commits.
    private func expectSeedOrNothing(_ machine: SimFileSystem, _ place: String) {
        do {
            let there = try RealmLog.exists(machine, path: TinyStore.path)
            let read = try? TestSeed.open(machine, isReadOnly: true)
            expectTrue((read != nil) == there, "\(place)")
            if let read { expectEqual(read.content, seed.content, "\(place)") }
            for round in 0..<2 {
                let found = try TestSeed.open(machine)
                let isSeeded = found.content == seed.content
                expectTrue(isSeeded || found.content == nil, "\(place)")
                expectTrue(!there || isSeeded, "\(place)")
                expectEqual(found.bodies.count, round, "\(place)")
                expectEqual(found.log.version, UInt64(round) + (isSeeded ? TestSeed.version : 0))
                let names = machine.fileNames(in: TinyStore.path)
                expectTrue(!names.contains { $0.hasPrefix("unfinished") }, "\(place)")
                expectTrue(isSeeded || !names.contains { $0.hasPrefix("nodes") }, "\(place)")
                guard round == 0, try found.log.takeWriter() else { continue }
                try found.log.commit([
                    TestBody.make(version: Int(found.log.version) + 1, payloadByteCount: 10)
                ])
                found.log.releaseWriterLock()
            }
        } catch {
            Issue.record("\(place): \(describe(error))")
        }
    }

    // Covers 5.12
    @Test func seedIsThereAsAWholeOrNotAtAll() throws {
        let disk = SimFileSystem(seed: 8)
        let count = try forEachCrash(of: disk) {
            let found = try TestSeed.open(disk, seed: seed)
            expectTrue(found.report.isNew && found.content == seed.content)
            expectEqual(found.log.version, TestSeed.version)
        } _: {
            expectSeedOrNothing($0, $1)
        }
        expectTrue(count > 300)
        try expectEqual(TestSeed.open(disk, seed: TestSeed(byteCount: 5)).content, seed.content)
    }

    @Test func failureWhileASeedIsCopiedLeavesNothing() throws {
        for kind in [EffectKind.create, .write, .sync, .rename, .unlink, .syncDirectory] {
            var nth = 1
            while true {
                let disk = SimFileSystem(seed: 8)
                disk.inject(SimFailure(kind, nth: nth, code: .diskFull))
                let found = try? TestSeed.open(disk, seed: seed)
                guard disk.firedFailureCount > 0 else { break }
                disk.clearFailures()
                if found == nil {
                    expectSeedOrNothing(disk, "\(kind) \(nth)")
                }
                nth += 1
            }
            expectTrue(nth > 1, "\(kind) was never called")
        }
    }

    /// Another process has removed the unfinished copy and created its own realm since.
    @Test(arguments: [false, true])
    func seedWhoseLockWasRemovedHarmsNoOtherRealm(isSeeded: Bool) throws {
        let disk = SimFileSystem(seed: 8)
        let seed = seed
        let slow = RealmLog.Seed(realmID: TestSeed.realmID) { (nodes) throws(StoreError) in
            let reference = try seed.seed.write(nodes)
            disk.removeFile("LOCK", in: TinyStore.path)
            let other = try TestSeed.open(SimView(disk), seed: isSeeded ? seed : nil).log
            _ = try other.takeWriter()
            try other.commit([
                TestBody.make(version: Int(other.version) + 1, payloadByteCount: 100)
            ])
            other.releaseLocks()
            return reference
        }
        let error = #expect(throws: StoreError.self) {
            try RealmLog.open(
                disk, path: TinyStore.path, options: TinyStore.options, seed: slow,
                load: { _, _ in }, { _ in })
        }
        expectEqual(error?.code, .fileMoved)
        let found = try TestSeed.open(disk)
        expectEqual(found.bodies.count, 1)
        expectEqual(found.content, isSeeded ? seed.content : nil)
    }

    /// Without the checkpoint nothing shows what was there before, but it is never treated as an
    /// empty realm.
    @Test func damagedSeedIsRefused() throws {
        let disk = SimFileSystem(seed: 8)
        _ = try TestSeed.open(disk, seed: seed)
        disk.damage("nodes-1", in: TinyStore.path) { $0[5000] ^= 1 }
        for isReadOnly in [false, true] {
            let error = #expect(throws: StoreError.self) {
                try TestSeed.open(disk, isReadOnly: isReadOnly)
            }
            expectEqual(error?.code, .invalidDatabase)
        }
        disk.removeFile("nodes-1", in: TinyStore.path)
        let error = #expect(throws: StoreError.self) { try TestSeed.open(disk) }
        expectEqual(error?.code, .invalidDatabase)
    }

    @Test(arguments: [false, true])
    func removedRealmIsGoneAsAWholeOrNotAtAll(hasStrayMark: Bool) throws {
        let disk = SimFileSystem(seed: 9)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        let bodies = (1...6).map { TestBody.make(version: $0, payloadByteCount: 2500) }
        for body in bodies { try log.commit([body]) }
        try log.writeIdle()
        log.releaseLocks()
        if hasStrayMark {
            let directory = try disk.openDirectory(TinyStore.path, .existing)
            try UnfinishedMark(.copy, log.realmID).write(disk, directory)
        }
        expectTrue(disk.fileNames(in: TinyStore.path).count > 3)
        let count = try forEachCrash(of: disk) {
            let isRemoved = try RealmLog.remove(disk, path: TinyStore.path)
            expectTrue(isRemoved)
        } _: { machine, place in
            do {
                let there = try RealmLog.exists(machine, path: TinyStore.path)
                let read = try? TestSeed.open(machine, isReadOnly: true)
                expectTrue((read != nil) == there, "\(place)")
                read?.log.releaseLocks()
                let found = try TinyStore.open(machine)
                expectTrue(found.bodies == (there ? bodies : []), "\(place)")
                expectTrue(there || found.report.isNew, "\(place)")
                found.log.releaseLocks()
                let isRemoved = try RealmLog.remove(machine, path: TinyStore.path)
                expectTrue(isRemoved, "\(place)")
                expectEqual(machine.fileNames(in: TinyStore.path), [], "\(place)")
            } catch {
                Issue.record("\(place): \(describe(error))")
            }
        }
        expectTrue(count > 100)
        expectEqual(disk.fileNames(in: TinyStore.path), [])
        try expectTrue(!RealmLog.remove(disk, path: TinyStore.path))
    }

    /// Only `LOCK` tells which realm it was.
    // Covers .invalidDatabase
    @Test func removalOfADamagedRealmIsCompletedAfterAnyCrash() throws {
        let disk = SimFileSystem(seed: 23)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 100)])
        log.releaseLocks()
        disk.damage("log-0-0", in: TinyStore.path) { $0[24] ^= 1 }
        var newCount = 0
        let count = try forEachCrash(of: disk) {
            try expectTrue(RealmLog.remove(disk, path: TinyStore.path))
        } _: { machine, place in
            let isThere = machine.fileNames(in: TinyStore.path).contains("log-0-0")
            do throws(StoreError) {
                let found = try TinyStore.open(machine)
                expectTrue(!isThere && found.report.isNew, "\(place)")
                found.log.releaseLocks()
                newCount += 1
            } catch {
                expectTrue(isThere && error.code == .invalidDatabase, "\(place): \(error)")
            }
        }
        expectTrue(newCount > 0 && newCount < count)
    }

    /// What a crash leaves of a backup that is being removed is still marked as one. Otherwise the
    /// next backup would leave it, however large it is.
    @Test func backupCanBeRemovedAfterAnyCrash() throws {
        let disk = SimFileSystem(seed: 21)
        try TestSeed.open(disk, seed: seed).log.releaseLocks()
        let directory = try disk.openDirectory(TinyStore.path, .existing)
        _ = try directory.create(RealmLog.backupMarkName)
        try directory.sync()
        let count = try forEachCrash(of: disk) {
            try RealmLog.removeBackup(disk, path: TinyStore.path)
        } _: { machine, place in
            do {
                if try machine.hasEntry(TinyStore.path) {
                    try RealmLog.removeBackup(machine, path: TinyStore.path)
                }
                try expectEqual(machine.hasEntry(TinyStore.path), false, "\(place)")
            } catch {
                Issue.record("\(place): \(describe(error))")
            }
        }
        expectTrue(count > 30)
    }

    /// Once `LOCK` is gone, the mark may be that of a process that is creating a realm.
    @Test func markOfACopyIsRemovedBeforeLock() throws {
        let disk = SimFileSystem(seed: 20)
        let directory = try disk.openDirectory(TinyStore.path, .creating)
        try UnfinishedMark(.copy, TestSeed.realmID).write(disk, directory)
        let states = Guarded<[[String]]>([])
        disk.onEffect = { [unowned disk] _, _ in
            let names = disk.fileNames(in: TinyStore.path)
            states.withLock { $0.append(names) }
        }
        try expectTrue(RealmLog.remove(disk, path: TinyStore.path))
        disk.onEffect = nil
        let rest = states.withLock { $0 }.drop { !$0.contains("LOCK") }
        let late = rest.drop { $0.contains("LOCK") }
        expectTrue(!late.isEmpty && !late.contains { $0.contains("unfinished-copy") })
    }

    @Test func openRealmIsNotRemoved() throws {
        let disk = SimFileSystem(seed: 10)
        for isReadOnly in [false, true] {
            let found = try TestSeed.open(disk)
            let reading = isReadOnly ? try TestSeed.open(disk, isReadOnly: true) : nil
            if isReadOnly { found.log.releaseLocks() }
            let error = #expect(throws: StoreError.self) {
                try RealmLog.remove(disk, path: TinyStore.path)
            }
            expectEqual(error?.code, .alreadyOpen)
            try expectTrue(RealmLog.exists(disk, path: TinyStore.path))
            reading?.log.releaseLocks()
            found.log.releaseLocks()
        }
        try expectTrue(RealmLog.remove(disk, path: TinyStore.path))
    }

    /// A full disk is a typical reason to remove something.
    @Test func fullDiskDoesNotKeepARealmFromBeingRemoved() throws {
        let disk = SimFileSystem(seed: 11)
        try TestSeed.open(disk, seed: seed).log.releaseLocks()
        disk.inject(SimFailure(.create, nth: 1, code: .diskFull, times: .forever))
        try expectTrue(RealmLog.remove(disk, path: TinyStore.path))
        expectEqual(disk.fileNames(in: TinyStore.path), [])
    }

    /// Without a mark, a realm that lacks the end of its log could be opened at an older version.
    @Test func segmentsAreRemovedDurablyOneAfterTheOther() throws {
        let disk = SimFileSystem(seed: 17)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        for version in 1...6 {
            try log.commit([TestBody.make(version: version, payloadByteCount: 2500)])
        }
        log.releaseLocks()
        @Sendable func segmentCount(_ disk: SimFileSystem) -> Int {
            disk.fileNames(in: TinyStore.path).count { $0.hasPrefix("log-") }
        }
        let count = segmentCount(disk)
        expectTrue(count > 2)
        disk.inject(SimFailure(.create, nth: 1, code: .diskFull, times: .forever))
        let syncedCounts = Guarded<Set<Int>>([])
        disk.onEffect = { [unowned disk] kind, _ in
            guard kind == .syncDirectory else { return }
            let count = segmentCount(disk)
            syncedCounts.withLock { _ = $0.insert(count) }
        }
        try expectTrue(RealmLog.remove(disk, path: TinyStore.path))
        disk.onEffect = nil
        expectEqual(syncedCounts.withLock { $0 }, Set(0..<count))
    }
}
