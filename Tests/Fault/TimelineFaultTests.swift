import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// The first commit to a copy, with a crash or failure at every step: no commit of a copy is ever
/// on the timeline of the original.
@Suite struct TimelineFaultTests {
    private let seed = TestSeed(byteCount: 2000)
    private let first = TestSeed.version + 1

    private func timeline(_ log: RealmLog, _ version: UInt64) -> Identity128 {
        log.timelines.withLock { $0.id(at: version) }
    }

    private func commit(_ log: RealmLog) throws(StoreError) {
        try log.commit([TestBody.make(version: Int(log.version) + 1, payloadByteCount: 10)])
    }

    /// Checks that the versions of the copy have the right timelines, and commits to it, twice.
    private func check(_ machine: SimFileSystem, _ known: Identity128?, _ place: String) {
        do {
            var known = known
            for _ in 0..<2 {
                let log = try TestSeed.open(machine).log
                if log.version == TestSeed.version { known = nil }
                expectEqual(timeline(log, TestSeed.version), TestSeed.realmID, "\(place)")
                let found = timeline(log, log.version)
                expectEqual(
                    found == TestSeed.realmID, log.version == TestSeed.version, "\(place)")
                if let known { expectEqual(timeline(log, first), known, "\(place)") }
                guard try log.takeWriter() else { continue }
                try commit(log)
                expectTrue(timeline(log, log.version) != TestSeed.realmID, "\(place)")
                if log.version > first { expectEqual(timeline(log, log.version), found) }
                log.releaseWriterLock()
            }
        } catch {
            Issue.record("\(place): \(describe(error))")
        }
    }

    @Test func commitsToACopyAreOnATimelineOfTheirOwn() throws {
        let disk = SimFileSystem(seed: 21)
        _ = try TestSeed.open(disk, seed: seed)
        var known: Identity128?
        let count = try forEachCrash(of: disk) {
            let log = try TestSeed.open(disk).log
            try expectEqual(log.takeWriter(), true)
            for _ in 0..<3 { try commit(log) }
            known = timeline(log, log.version)
            log.releaseWriterLock()
        } _: {
            check($0, known, $1)
        }
        expectTrue(count > 100 && known != nil && known != TestSeed.realmID)
    }

    @Test func failureOfTheFirstCommitToACopy() throws {
        var firedCount = 0
        for kind in [EffectKind.create, .write, .sync, .rename, .syncDirectory] {
            for code in [StoreError.Code.diskFull, .ioFailed] {
                var nth = 1
                while true {
                    let disk = SimFileSystem(seed: 22)
                    _ = try TestSeed.open(disk, seed: seed)
                    let log = try TestSeed.open(disk).log
                    try expectEqual(log.takeWriter(), true)
                    disk.inject(SimFailure(kind, nth: nth, code: code))
                    var known: Identity128?
                    if (try? commit(log)) != nil { known = timeline(log, log.version) }
                    let hasFired = disk.firedFailureCount > 0
                    disk.clearFailures()
                    log.releaseLocks()
                    check(disk, known, "\(kind) \(nth) \(code)")
                    guard hasFired else { break }
                    firedCount += 1
                    nth += 1
                }
            }
        }
        expectTrue(firedCount > 10, "\(firedCount)")
    }

    @Test func otherProcessesFollowIntoTheTimeline() throws {
        let disk = SimFileSystem(seed: 23)
        let writer = try TestSeed.open(disk, seed: seed).log
        let other = try TestSeed.open(disk).log
        try expectEqual(writer.takeWriter(), true)
        try commit(writer)
        try other.catchUp { (_) throws(StoreError) in }
        expectEqual(other.version, first)
        expectEqual(timeline(other, first), timeline(writer, first))
        expectEqual(timeline(other, TestSeed.version), TestSeed.realmID)
        expectTrue(timeline(other, first) != TestSeed.realmID)
        try writer.writeIdle()
        writer.releaseWriterLock()
        // Only the first commit begins one, whoever makes it.
        try expectEqual(other.takeWriter(), true)
        try commit(other)
        expectEqual(timeline(other, first + 1), timeline(writer, first))
        let names = disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix("log-") }
        expectEqual(names.sorted(), ["log-0-1", "log-0-2"])
        other.releaseWriterLock()
    }

    /// A process hands commits on while it is still reading.
    @Test func commitsAreDeliveredAfterTheirTimelineIsKnown() throws {
        let disk = SimFileSystem(seed: 26)
        let writer = try TestSeed.open(disk, seed: seed).log
        let other = try TestSeed.open(disk).log
        try expectEqual(writer.takeWriter(), true)
        for _ in 0..<100 { try commit(writer) }
        let own = timeline(writer, first)
        expectTrue(own != TestSeed.realmID)
        var versions: [UInt64] = []
        try other.catchUp { (body) throws(StoreError) in
            let version = UInt64(TestBody.version(of: body))
            versions.append(version)
            expectEqual(timeline(other, version), own)
        }
        expectEqual(versions, Array(first..<first + 100))
        writer.releaseWriterLock()
    }

    @Test func laterSegmentsHaveTheTimelines() throws {
        let disk = SimFileSystem(seed: 25)
        let log = try TestSeed.open(disk, seed: seed).log
        try expectEqual(log.takeWriter(), true)
        for version in Int(first)...Int(first) + 8 {
            try log.commit([TestBody.make(version: version, payloadByteCount: 3000)])
        }
        let own = timeline(log, first)
        expectTrue(own != TestSeed.realmID && log.segment.header.number > 3)
        log.releaseLocks()
        let again = try TestSeed.open(disk).log
        expectEqual(timeline(again, again.version), own)
        expectEqual(timeline(again, TestSeed.version), TestSeed.realmID)
    }

    @Test func openingACopyDoesNotBeginATimeline() throws {
        let disk = SimFileSystem(seed: 24)
        for round in 0..<3 {
            let log = try TestSeed.open(disk, seed: round == 0 ? seed : nil).log
            try expectEqual(log.takeWriter(), true)
            try log.writeIdle()
            expectTrue(log.segment.header.isCopy)
            expectEqual(timeline(log, log.version + 1), TestSeed.realmID)
            log.releaseLocks()
        }
        expectEqual(disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix("log-") }.count, 1)
    }
}
