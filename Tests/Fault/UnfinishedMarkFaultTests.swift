import Glibc
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Files that mark a realm as unfinished: after an interrupted removal, and where they don't
/// belong.
@Suite struct UnfinishedMarkFaultTests {
    /// A file that marks the realm as unfinished is ignored where there is a complete realm.
    @Test(arguments: UnfinishedMark.Kind.allCases, [0, 1, 40, 5000, -1])
    func strayMarkLeavesTheRealmAlone(kind: UnfinishedMark.Kind, byteCount: Int) throws {
        let disk = SimFileSystem(seed: 12)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        let bodies = (1...6).map { TestBody.make(version: $0, payloadByteCount: 2500) }
        for body in bodies { try log.commit([body]) }
        let realmID = log.realmID
        log.releaseLocks()
        let directory = try disk.openDirectory(TinyStore.path, .existing)
        if byteCount < 0 {  // a valid mark, but the realm is complete
            try UnfinishedMark(kind, realmID, firstSegment: 0).write(disk, directory)
        } else {
            let file = try directory.create(kind.rawValue)
            try [UInt8](repeating: 7, count: byteCount).withUnsafeBytes { bytes in
                try file.write(bytes, at: 0)
            }
        }
        try expectTrue(RealmLog.exists(disk, path: TinyStore.path))
        let read = try TestSeed.open(disk, isReadOnly: true)
        expectEqual(read.bodies, bodies)
        read.log.releaseLocks()
        let found = try TinyStore.open(disk)
        expectTrue(found.bodies == bodies && found.report.strayFiles == [kind.rawValue])
        expectTrue(!disk.fileNames(in: TinyStore.path).contains(kind.rawValue))
        found.log.releaseLocks()
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
            try expectTrue(log.takeWriter())
            for version in 1...6 {
                try log.commit([TestBody.make(version: version, payloadByteCount: 2500)])
            }
            log.releaseLocks()
            disk.inject(SimFailure(.unlink, nth: 2))
            #expect(throws: StoreError.self) { try RealmLog.remove(disk, path: TinyStore.path) }
            disk.inject(SimFailure(.open, nth: nth, errno: EMFILE))
            var code: StoreError.Code?
            do throws(StoreError) {
                try TinyStore.open(disk).log.releaseLocks()
            } catch {
                code = error.code
            }
            guard disk.firedFailureCount == 2 else { break }
            expectTrue(code == nil || code == .ioFailed, "open \(nth)")
            try expectEqual(TinyStore.open(disk).bodies, [])
            nth += 1
        }
        expectTrue(nth > 2)
    }

    /// A stray mark left in place would remove the realm once its first segment has been trimmed.
    @Test func strayMarkThatCannotBeRemovedIsAnError() throws {
        let disk = SimFileSystem(seed: 15)
        let log = try TinyStore.open(disk).log
        let realmID = log.realmID
        log.releaseLocks()
        let directory = try disk.openDirectory(TinyStore.path, .existing)
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
        try expectTrue(process.becomeWriter())
        for version in 1...6 {
            try process.append([TestBody.make(version: version, payloadByteCount: 992)])
            try process.log.sync()
            process.log.publish()
            guard version % 2 == 0 else { continue }
            try process.checkpoint(isNewFile: true)
            try process.log.beginSegmentAfterCheckpoint()
        }
        process.log.releaseLocks()
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
            found.log.releaseLocks()
        } _: { machine, place in
            do {
                try expectEqual(CheckpointProcess(machine).content.bodies, bodies, "\(place)")
            } catch {
                Issue.record("\(place): \(describe(error))")
            }
        }
        expectTrue(count > 10)
        expectTrue(!disk.fileNames(in: TinyStore.path).contains("log-0-0"))
    }

    @Test func nothingIsTrimmedWhileThereIsAMarkOfARemoval() throws {
        let disk = SimFileSystem(seed: 19)
        let bodies = try makeTrimmable(disk)
        let process = try CheckpointProcess(
            disk, retention: HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        let other = try CheckpointProcess(disk)
        let directory = try disk.openDirectory(TinyStore.path, .existing)
        try UnfinishedMark(.removal, process.log.realmID, firstSegment: 0).write(disk, directory)
        try other.trim()
        try expectEqual(CheckpointProcess(disk.killImage()).content.bodies, bodies)
        try directory.unlink("unfinished-removal")
        try other.trim()
        expectTrue(!disk.fileNames(in: TinyStore.path).contains("log-0-0"))
        try expectEqual(CheckpointProcess(disk.killImage()).content.bodies, bodies)
    }

    /// A mark of another realm, or an invalid one, doesn't turn a realm that lost its log into an
    /// empty one.
    @Test(arguments: UnfinishedMark.Kind.allCases)
    func strayMarkDoesNotMakeALostLogANewRealm(kind: UnfinishedMark.Kind) throws {
        let disk = SimFileSystem(seed: 13)
        let log = try TinyStore.open(disk).log
        try expectTrue(log.takeWriter())
        try log.commit([TestBody.make(version: 1, payloadByteCount: 10)])
        log.releaseLocks()
        disk.removeFile("log-0-0", in: TinyStore.path)
        let directory = try disk.openDirectory(TinyStore.path, .existing)
        let other = Identity128(high: 1, low: 2)
        try UnfinishedMark(kind, other, firstSegment: 0).write(disk, directory)
        let error = #expect(throws: StoreError.self) { try TinyStore.open(disk) }
        expectEqual(error?.code, .invalidDatabase)
        expectEqual(error?.message.contains("The log of"), true)
    }

    @Test func marksAreReadAsTheyWereWritten() throws {
        let disk = SimFileSystem(seed: 14)
        let directory = try disk.openDirectory(TinyStore.path, .creating)
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
