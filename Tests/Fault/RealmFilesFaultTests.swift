import Glibc
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Creating a realm from a seed and removing one, with a crash or a failure at every step:
/// afterwards there is either a complete realm or none.
@Suite struct RealmFilesFaultTests {
    private let seed = TestSeed(byteCount: 3000)

    /// Calls `check` with every machine that a crash at any effect of `body` may leave behind.
    private func forEachCrash(
        of disk: SimFileSystem, _ body: () throws -> Void,
        _ check: @escaping (SimFileSystem, String) -> Void
    ) rethrows -> Int {
        let machines = Machines()
        // Unowned, because the machine owns the hook.
        disk.onEffect = { [unowned disk] kind, index in
            guard kind != .wake else { return }
            machines.add(disk, "before \(kind) \(index)")
        }
        try body()
        disk.onEffect = nil
        machines.add(disk, "at the end")
        for (machine, place) in machines.all { check(machine, place) }
        return machines.all.count
    }

    /// Guard of the `@unchecked Sendable`: used by one thread only, the one that makes the effects.
    private final class Machines: @unchecked Sendable {
        var all: [(SimFileSystem, String)] = []

        func add(_ disk: SimFileSystem, _ place: String) {
            let images = disk.crashImages(SimCrashOptions(limitUnits: 5, samples: 16))
            let step = max(1, images.count / 40)
            for index in stride(from: 0, to: images.count, by: step) {
                all.append(
                    (images[index].fileSystem, "power cut \(place), \(images[index].summary)"))
            }
            all.append((disk.killImage(), "death \(place)"))
        }
    }

    /// Checks, twice, that the realm has the seed's content or doesn't exist, and that it accepts
    /// commits.
    private func expectSeedOrNothing(_ machine: SimFileSystem, _ place: String) {
        do {
            let there = try RealmLog.exists(machine, path: TinyStore.path)
            let read = try? TestSeed.open(machine, isReadOnly: true)
            #expect((read != nil) == there, "\(place)")
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
                found.log.resignWriter()
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
        #expect(count > 300)
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
            #expect(nth > 1, "\(kind) was never called")
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
            other.leave()
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
        #expect(try log.takeWriter())
        let bodies = (1...6).map { TestBody.make(version: $0, payloadByteCount: 2500) }
        for body in bodies { try log.commit([body]) }
        try log.writeIdle()
        log.leave()
        if hasStrayMark {
            let directory = try disk.openDirectory(TinyStore.path, create: false)
            try UnfinishedMark(.copy, log.realmID).write(disk, directory)
        }
        #expect(disk.fileNames(in: TinyStore.path).count > 3)
        let count = try forEachCrash(of: disk) {
            let isRemoved = try RealmLog.remove(disk, path: TinyStore.path)
            #expect(isRemoved)
        } _: { machine, place in
            do {
                let there = try RealmLog.exists(machine, path: TinyStore.path)
                let read = try? TestSeed.open(machine, isReadOnly: true)
                #expect((read != nil) == there, "\(place)")
                read?.log.leave()
                let found = try TinyStore.open(machine)
                #expect(found.bodies == (there ? bodies : []), "\(place)")
                expectTrue(there || found.report.isNew, "\(place)")
                found.log.leave()
                let isRemoved = try RealmLog.remove(machine, path: TinyStore.path)
                #expect(isRemoved, "\(place)")
                expectEqual(machine.fileNames(in: TinyStore.path), [], "\(place)")
            } catch {
                Issue.record("\(place): \(describe(error))")
            }
        }
        #expect(count > 100)
        expectEqual(disk.fileNames(in: TinyStore.path), [])
        #expect(try !RealmLog.remove(disk, path: TinyStore.path))
    }

    /// Once `LOCK` is gone, the mark may be that of a process that is creating a realm.
    @Test func markOfACopyIsRemovedBeforeLock() throws {
        let disk = SimFileSystem(seed: 20)
        let directory = try disk.openDirectory(TinyStore.path, create: true)
        try UnfinishedMark(.copy, TestSeed.realmID).write(disk, directory)
        let states = Guarded<[[String]]>([])
        disk.onEffect = { [unowned disk] _, _ in
            let names = disk.fileNames(in: TinyStore.path)
            states.withLock { $0.append(names) }
        }
        #expect(try RealmLog.remove(disk, path: TinyStore.path))
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
            if isReadOnly { found.log.leave() }
            let error = #expect(throws: StoreError.self) {
                try RealmLog.remove(disk, path: TinyStore.path)
            }
            expectEqual(error?.code, .alreadyOpen)
            #expect(try RealmLog.exists(disk, path: TinyStore.path))
            reading?.log.leave()
            found.log.leave()
        }
        #expect(try RealmLog.remove(disk, path: TinyStore.path))
    }

    /// A full disk is a typical reason to remove something.
    @Test func fullDiskDoesNotKeepARealmFromBeingRemoved() throws {
        let disk = SimFileSystem(seed: 11)
        try TestSeed.open(disk, seed: seed).log.leave()
        disk.inject(SimFailure(.create, nth: 1, code: .diskFull, times: .forever))
        #expect(try RealmLog.remove(disk, path: TinyStore.path))
        expectEqual(disk.fileNames(in: TinyStore.path), [])
    }

    /// Without a mark, a realm that lacks the end of its log could be opened at an older version.
    @Test func segmentsAreRemovedDurablyOneAfterTheOther() throws {
        let disk = SimFileSystem(seed: 17)
        let log = try TinyStore.open(disk).log
        #expect(try log.takeWriter())
        for version in 1...6 {
            try log.commit([TestBody.make(version: version, payloadByteCount: 2500)])
        }
        log.leave()
        @Sendable func segmentCount(_ disk: SimFileSystem) -> Int {
            disk.fileNames(in: TinyStore.path).count { $0.hasPrefix("log-") }
        }
        let count = segmentCount(disk)
        #expect(count > 2)
        disk.inject(SimFailure(.create, nth: 1, code: .diskFull, times: .forever))
        let syncedCounts = Guarded<Set<Int>>([])
        disk.onEffect = { [unowned disk] kind, _ in
            guard kind == .syncDirectory else { return }
            let count = segmentCount(disk)
            syncedCounts.withLock { _ = $0.insert(count) }
        }
        #expect(try RealmLog.remove(disk, path: TinyStore.path))
        disk.onEffect = nil
        expectEqual(syncedCounts.withLock { $0 }, Set(0..<count))
    }

    /// A file that marks the realm as unfinished is ignored where there is a complete realm.
    @Test(arguments: UnfinishedMark.Kind.allCases, [0, 1, 40, 5000, -1])
    func strayMarkLeavesTheRealmAlone(kind: UnfinishedMark.Kind, byteCount: Int) throws {
        let disk = SimFileSystem(seed: 12)
        let log = try TinyStore.open(disk).log
        #expect(try log.takeWriter())
        let bodies = (1...6).map { TestBody.make(version: $0, payloadByteCount: 2500) }
        for body in bodies { try log.commit([body]) }
        let realmID = log.realmID
        log.leave()
        let directory = try disk.openDirectory(TinyStore.path, create: false)
        if byteCount < 0 {  // a valid mark, but the realm is complete
            try UnfinishedMark(kind, realmID, firstSegment: 0).write(disk, directory)
        } else {
            let file = try directory.create(kind.rawValue)
            try [UInt8](repeating: 7, count: byteCount).withUnsafeBytes { bytes in
                try file.write(bytes, at: 0)
            }
        }
        #expect(try RealmLog.exists(disk, path: TinyStore.path))
        let read = try TestSeed.open(disk, isReadOnly: true)
        expectEqual(read.bodies, bodies)
        read.log.leave()
        let found = try TinyStore.open(disk)
        expectTrue(found.bodies == bodies && found.report.strayFiles == [kind.rawValue])
        #expect(!disk.fileNames(in: TinyStore.path).contains(kind.rawValue))
        found.log.leave()
        try expectEqual(TinyStore.open(disk).report.strayFiles, [])
    }

    /// A mark of an interrupted removal that can't be read for now doesn't mean that the log was
    /// lost.
    // Covers .ioFailed
    @Test func markThatCannotBeReadNowIsNotMissing() throws {
        var nth = 1
        while true {
            let disk = SimFileSystem(seed: 16)
            let log = try TinyStore.open(disk).log
            #expect(try log.takeWriter())
            for version in 1...6 {
                try log.commit([TestBody.make(version: version, payloadByteCount: 2500)])
            }
            log.leave()
            disk.inject(SimFailure(.unlink, nth: 2))
            #expect(throws: StoreError.self) { try RealmLog.remove(disk, path: TinyStore.path) }
            disk.inject(SimFailure(.open, nth: nth, errno: EMFILE))
            var code: StoreError.Code?
            do throws(StoreError) {
                try TinyStore.open(disk).log.leave()
            } catch {
                code = error.code
            }
            guard disk.firedFailureCount == 2 else { break }
            expectTrue(code == nil || code == .ioFailed, "open \(nth)")
            try expectEqual(TinyStore.open(disk).bodies, [])
            nth += 1
        }
        #expect(nth > 2)
    }

    /// A stray mark left in place would remove the realm once its first segment has been trimmed.
    @Test func strayMarkThatCannotBeRemovedIsAnError() throws {
        let disk = SimFileSystem(seed: 15)
        let log = try TinyStore.open(disk).log
        let realmID = log.realmID
        log.leave()
        let directory = try disk.openDirectory(TinyStore.path, create: false)
        try UnfinishedMark(.removal, realmID, firstSegment: 0).write(disk, directory)
        disk.inject(SimFailure(.unlink, code: .filePermissionDenied))
        let error = #expect(throws: StoreError.self) { try TinyStore.open(disk) }
        expectEqual(error?.code, .filePermissionDenied)
        let names = try TinyStore.open(disk).report.strayFiles
        expectEqual(names, [UnfinishedMark.Kind.removal.rawValue])
    }

    /// Makes a realm with three checkpoints, whose history can be trimmed.
    private func makeTrimmable(_ disk: SimFileSystem) throws -> [[UInt8]] {
        let process = try CheckpointProcess(
            disk, retention: HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        #expect(try process.becomeWriter())
        for version in 1...6 {
            try process.append([TestBody.make(version: version, payloadByteCount: 992)])
            try process.log.sync()
            process.log.publish()
            guard version % 2 == 0 else { continue }
            try process.checkpoint(isNewFile: true)
            try process.log.beginSegmentAfterCheckpoint()
        }
        process.log.leave()
        return process.content.bodies
    }

    /// A removal fails at its first segment, and the realm is used again. Opening it trims the
    /// segment that the mark names.
    @Test func interruptedRemovalDoesNotGoOnAfterTrimming() throws {
        let disk = SimFileSystem(seed: 18)
        let bodies = try makeTrimmable(disk)
        disk.inject(SimFailure(.unlink))
        #expect(throws: StoreError.self) { try RealmLog.remove(disk, path: TinyStore.path) }
        let names = disk.fileNames(in: TinyStore.path)
        expectTrue(names.contains("log-0-0") && names.contains("unfinished-removal"))
        let count = try forEachCrash(of: disk) {
            let found = try CheckpointProcess(disk)
            expectEqual(found.report.strayFiles, ["unfinished-removal"])
            expectEqual(found.content.bodies, bodies)
            found.log.leave()
        } _: { machine, place in
            do {
                try expectEqual(CheckpointProcess(machine).content.bodies, bodies, "\(place)")
            } catch {
                Issue.record("\(place): \(describe(error))")
            }
        }
        #expect(count > 10)
        #expect(!disk.fileNames(in: TinyStore.path).contains("log-0-0"))
    }

    @Test func nothingIsTrimmedWhileThereIsAMarkOfARemoval() throws {
        let disk = SimFileSystem(seed: 19)
        let bodies = try makeTrimmable(disk)
        let process = try CheckpointProcess(
            disk, retention: HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        let other = try CheckpointProcess(disk)
        let directory = try disk.openDirectory(TinyStore.path, create: false)
        try UnfinishedMark(.removal, process.log.realmID, firstSegment: 0).write(disk, directory)
        try other.trim()
        try expectEqual(CheckpointProcess(disk.killImage()).content.bodies, bodies)
        try directory.unlink("unfinished-removal")
        try other.trim()
        #expect(!disk.fileNames(in: TinyStore.path).contains("log-0-0"))
        try expectEqual(CheckpointProcess(disk.killImage()).content.bodies, bodies)
    }

    /// A mark of another realm, or an invalid one, doesn't turn a realm that lost its log into an
    /// empty one.
    @Test(arguments: UnfinishedMark.Kind.allCases)
    func strayMarkDoesNotMakeALostLogANewRealm(kind: UnfinishedMark.Kind) throws {
        let disk = SimFileSystem(seed: 13)
        let log = try TinyStore.open(disk).log
        #expect(try log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 10)])
        log.leave()
        disk.removeFile("log-0-0", in: TinyStore.path)
        let directory = try disk.openDirectory(TinyStore.path, create: false)
        let other = Identity128(high: 1, low: 2)
        try UnfinishedMark(kind, other, firstSegment: 0).write(disk, directory)
        let error = #expect(throws: StoreError.self) { try TinyStore.open(disk) }
        expectEqual(error?.code, .invalidDatabase)
        expectEqual(error?.sentence.contains("The log of"), true)
    }

    @Test func marksAreReadAsTheyWereWritten() throws {
        let disk = SimFileSystem(seed: 14)
        let directory = try disk.openDirectory(TinyStore.path, create: true)
        for kind in UnfinishedMark.Kind.allCases {
            for first in [nil, 0, 7] as [UInt64?] {
                let mark = UnfinishedMark(kind, Identity128(high: 3, low: 4), firstSegment: first)
                try mark.write(disk, directory)
                try expectEqual(UnfinishedMark(kind, in: directory), mark)
                let bytes = mark.encoded()
                for position in bytes.indices {
                    var damaged = bytes
                    damaged[position] ^= 1
                    expectNil(UnfinishedMark(damaged, kind))
                }
                for other in UnfinishedMark.Kind.allCases where other != kind {
                    expectNil(UnfinishedMark(bytes, other))
                }
            }
        }
    }
}
