import Glibc
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The history that trimming keeps for readers of the past, and how they read it.
@Suite struct LogHistoryTests {
    private let disk = SimFileSystem(seed: 12)

    /// - Parameter time: The commit time in the body, in microseconds.
    private func commit(
        _ process: CheckpointProcess, _ count: Int = 992, time: UInt64 = 0
    ) throws {
        var body = TestBody.make(
            version: process.content.bodies.count + 1, payloadByteCount: count)
        body.replaceSubrange(8..<16, with: ModelBytes.number(time, 8))
        try process.append([body])
        try process.log.sync()
        process.log.publish()
    }

    private func writer(_ retention: HistoryRetention = .none) throws -> CheckpointProcess {
        let process = try CheckpointProcess(disk, retention: retention)
        try expectTrue(process.becomeWriter())
        return process
    }

    private func files(_ prefix: String) -> [String] {
        disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix(prefix) }
    }

    /// Repeats two commits, of about a KiB by default, a checkpoint in a new file and a small
    /// segment.
    private func run(
        _ process: CheckpointProcess, _ rounds: Int, _ count: Int = 992,
        time: (Int) -> UInt64 = { _ in 0 }
    ) throws {
        for round in 0..<rounds {
            for _ in 0..<2 { try commit(process, count, time: time(round)) }
            try process.checkpoint(isNewFile: true)
            try process.log.beginSegmentAfterCheckpoint()
            try process.trim()
        }
    }

    /// Returns the oldest version from which the log can be read, with all commits after it
    /// unchanged.
    private func oldest(_ process: CheckpointProcess) throws -> Int {
        let bodies = process.content.bodies
        var oldest = bodies.count + 1
        for version in (0...bodies.count).reversed() {
            let beginnings = try process.log.history.find(UInt64(version)).beginnings
            guard let beginning = beginnings.first else { break }
            var replay = beginning.replay
            expectTrue(replay.version <= UInt64(version))
            for body in bodies[Int(replay.version)...] {
                try expectEqual(replay.nextCommit(through: UInt64(bodies.count)), body)
            }
            try expectNil(replay.nextCommit(through: UInt64(bodies.count)))
            oldest = version
        }
        return oldest
    }

    @Test func withoutRetentionOnlyWhatOpeningNeedsStays() throws {
        let process = try writer()
        try run(process, 20)
        try expectEqual(oldest(process), 38)
        expectEqual(files("nodes-").count, 2)
        expectTrue(files("log-").count <= 3)
    }

    /// If processes are replaced one at a time, none of them opens the realm alone.
    @Test func filesThatWereNeverCompletedAreRemovedAnHourLater() throws {
        let process = try writer()
        func leaveFile() throws -> String {
            let before = Set(files("tmp-"))
            disk.inject(SimFailure(.write))
            disk.inject(SimFailure(.unlink))
            process.log.spareSegment.make()
            disk.clearFailures()
            return try requireValue(Set(files("tmp-")).subtracting(before).first)
        }
        let first = try leaveFile()
        disk.setContents([1], of: "tmp-2a", in: TinyStore.path)  // of unknown age
        disk.advanceTime(nanoseconds: 3_600 * 1_000_000_000)
        let second = try leaveFile()
        try run(process, 2)
        expectEqual(Set(files("tmp-")), [first, second, "tmp-2a"])
        disk.advanceTime(nanoseconds: 1_000_000_000)
        try run(process, 1)
        expectEqual(Set(files("tmp-")), [second, "tmp-2a"])
        // The clock was set back.
        disk.setWallClock(microseconds: 0)
        try run(process, 1)
        expectEqual(Set(files("tmp-")), [second, "tmp-2a"])
    }

    @Test func theNewestBytesStay() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: 10_000))
        try run(process, 20)
        // 9 commits, and the checkpoint before them.
        let found = try oldest(process)
        expectTrue((26...31).contains(found))
        expectTrue(files("log-").count <= 8)
        expectTrue(files("nodes-").count <= 8)
        let again = try CheckpointProcess(disk.killImage())
        expectEqual(again.content.bodies, process.content.bodies)
        // A process without retention removes the rest.
        let other = try writerAfter(process, .none)
        try other.trim()
        try expectEqual(oldest(other), 38)
    }

    /// Larger commits don't fit into the segment that begins after a checkpoint, so that it has
    /// none.
    @Test(arguments: [992, 5000])
    func commitsYoungerThanTheAgeStay(_ count: Int) throws {
        let second: UInt64 = 1_000_000
        let retention = HistoryRetention(ageNanoseconds: 5_000_000_000, byteCount: nil)
        let process = try writer(retention)
        try run(process, 20, count) { round in
            disk.setWallClock(microseconds: Int64(UInt64(round) * second))
            return UInt64(round) * second
        }
        // Rounds 14 to 19 are younger.
        let found = try oldest(process)
        expectTrue((24...28).contains(found))
        disk.setWallClock(microseconds: Int64(1000 * second))
        try process.trim()
        try expectEqual(oldest(process), 38)
    }

    /// The clock was ahead for a moment.
    @Test func commitsOfTheFutureDoNotKeepThePast() throws {
        let second: UInt64 = 1_000_000
        let process = try writer(HistoryRetention(ageNanoseconds: 5_000_000_000, byteCount: nil))
        try run(process, 20) { round in
            disk.setWallClock(microseconds: Int64(UInt64(round) * second))
            return (round == 3 ? 1_000_000 : UInt64(round)) * second
        }
        let found = try oldest(process)
        expectTrue((24...28).contains(found))
    }

    /// A computer without a clock of its own begins in 1970 until it has asked for the time. Two
    /// commits are ten seconds apart, so that the last one is the only one within the age.
    @Test func commitsOfTheDistantPastDoNotEndTheHistory() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: 5_000_000_000, byteCount: nil))
        var seconds: UInt64 = 0
        func next() -> UInt64 {
            seconds += 10
            disk.setWallClock(microseconds: Int64(seconds) * 1_000_000)
            return seconds * 1_000_000
        }
        try run(process, 7) { _ in next() }
        try run(process, 1) { _ in 0 }
        // Commit 14, the last one before, stays, and with it the checkpoint before its segment.
        try expectEqual(oldest(process), 12)
    }

    /// The same computer is switched off after each checkpoint, so that the first commit in each
    /// segment is dated back.
    @Test func segmentsThatBeginInTheDistantPastExpireLikeOthers() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: 25_000_000_000, byteCount: nil))
        var count: UInt64 = 0
        try run(process, 20) { _ in
            count += 1
            disk.setWallClock(microseconds: Int64(count) * 10_000_000)
            return count % 2 == 1 ? count : count * 10_000_000
        }
        // Commit 38 is 20 seconds old, and commit 36 is 40 seconds old. Because of commit 37, whose
        // time is unknown, the segment before it stays.
        try expectEqual(oldest(process), 34)
    }

    /// Another process removes a segment while the files are measured.
    @Test func aSegmentThatWasRemovedIsNotMeasured() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try run(process, 4)
        expectTrue(files("log-").count > 2)
        let sizes = try process.log.trimming.measure()
        disk.inject(SimFailure(.open, code: .fileNotFound))
        try expectEqual(process.log.trimming.measure().total, sizes.total)
    }

    @Test func bothLimitsHold() throws {
        let retention = HistoryRetention(ageNanoseconds: 5_000_000_000, byteCount: 0)
        let process = try writer(retention)
        try run(process, 20)
        try expectEqual(oldest(process), 38)
    }

    @Test func everythingStaysWithoutLimits() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try run(process, 20)
        try expectEqual(oldest(process), 0)
        expectEqual(files("nodes-").count, 20)
    }

    /// Opening alone removes the leftovers of a crash, but nothing that is retained.
    @Test func openingAloneKeepsThePast() throws {
        let retention = HistoryRetention(ageNanoseconds: nil, byteCount: 10_000)
        let process = try writer(retention)
        try run(process, 12)
        let found = try oldest(process)
        let image = disk.killImage()
        image.setContents([1], of: "nodes-99", in: TinyStore.path)
        let again = try CheckpointProcess(image, retention: retention)
        try expectEqual(oldest(again), found)
        expectTrue(!image.fileNames(in: TinyStore.path).contains("nodes-99"))
        let last = try CheckpointProcess(image.killImage())
        try expectEqual(oldest(last), 22)
    }

    /// Commits after a damaged header are lost as history, but don't prevent trimming forever.
    @Test func aDamagedSegmentDoesNotEndTrimming() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: 10_000))
        try run(process, 10)
        let middle = files("log-").count / 2
        disk.flipBit(5000, of: files("log-")[middle], in: TinyStore.path)
        try run(process, 10)
        let found = try oldest(process)
        expectTrue((26...31).contains(found))
        expectTrue(files("log-").count <= 8)
    }

    /// It would otherwise keep the log from ever being trimmed.
    @Test func aSegmentThatTheDiskCannotReadDoesNotEndTrimming() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: 10_000))
        try run(process, 10)
        disk.inject(SimFailure(.read, errno: EIO))
        try process.trim()
        expectEqual(disk.firedFailureCount, 1)
        let again = try CheckpointProcess(disk.killImage())
        expectEqual(again.content.bodies, process.content.bodies)
    }

    /// Segments that this user may not read, since another one created them. The first file that is
    /// opened has the retention.
    @Test func aSegmentOfAnotherUserDoesNotEndTrimming() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try run(process, 10)
        let (segments, nodes) = (files("log-"), files("nodes-"))
        for nth in 2...3 {
            disk.inject(SimFailure(.open, nth: nth, code: .filePermissionDenied))
            try process.trim()
        }
        expectEqual(disk.firedFailureCount, 2)
        expectEqual(files("log-"), segments, "others may read it, and it hasn't expired")
        expectEqual(files("nodes-"), nodes)
        for limit in [10_000, 0] as [UInt64] {
            let retention = HistoryRetention(ageNanoseconds: nil, byteCount: limit)
            let other = try CheckpointProcess(SimView(disk), retention: retention)
            disk.inject(SimFailure(.open, nth: 2, code: .filePermissionDenied))
            try other.trim()
            expectEqual(disk.firedFailureCount, limit > 0 ? 3 : 4)
            expectTrue(!files("log-").contains("log-0-0") && files("log-").count < segments.count)
            let again = try CheckpointProcess(disk.killImage(), retention: retention)
            expectEqual(again.content.bodies, process.content.bodies)
        }
        try expectEqual(oldest(process), 18)
    }

    /// What is known without the segment is available.
    // Covers .filePermissionDenied
    @Test func versionsAfterASegmentOfAnotherUserAreFound() throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try run(process, 4)
        try commit(process)
        for version in [9, 8, 1] as [UInt64] {
            // That of the segment before the last but one.
            disk.inject(SimFailure(.open, nth: 3, code: .filePermissionDenied))
            if version > 1 {
                let beginnings = try process.log.history.find(version).beginnings
                expectEqual(beginnings.first?.reference?.version, 8)
            } else {
                let error = #expect(throws: StoreError.self) {
                    try process.log.history.find(version)
                }
                expectEqual(error?.code, .filePermissionDenied)
            }
        }
        expectEqual(disk.firedFailureCount, 3)
    }

    /// A damaged header hides what only the log from there on leads to, and nothing later.
    @Test(arguments: [0, 5])
    func versionsAfterADamagedHeaderAreFound(_ number: Int) throws {
        let process = try writer(HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try run(process, 10)
        disk.flipBit(5000, of: "log-0-\(number)", in: TinyStore.path)
        // The next segment but one has the first checkpoint whose position is after the header.
        let first = 2 * (number + 2)
        for version in first...20 {
            let beginnings = try process.log.history.find(UInt64(version)).beginnings
            var replay = try requireValue(beginnings.first).replay
            for body in process.content.bodies[Int(replay.version)...] {
                try expectEqual(replay.nextCommit(through: 20), body)
            }
        }
        let error = #expect(throws: StoreError.self) {
            try process.log.history.find(UInt64(first - 1))
        }
        expectEqual(error?.code, .invalidDatabase)
    }

    /// A newer checkpoint has replaced the one that the replay began at. That isn't damage.
    @Test func aReplayOfWhichTheNextSegmentWasRemovedIsTooLate() throws {
        let process = try writer()
        try run(process, 2)
        let reference = try requireValue(process.log.newestCheckpoint)
        var replay = process.log.replay(from: reference)
        try replay.read(through: process.log.durableEnd) { (_) throws(StoreError) in }
        try run(process, 4)
        let error = #expect(throws: StoreError.self) {
            try replay.read(through: process.log.durableEnd) { (_) throws(StoreError) in }
        }
        expectEqual(error?.code, .historyTrimmed)
    }

    @Test func raisingTheRetentionKeepsFromThenOn() throws {
        let process = try writer()
        try run(process, 10)
        let heir = try writerAfter(process, HistoryRetention(ageNanoseconds: nil, byteCount: nil))
        try heir.trim()
        try run(heir, 10)
        try expectEqual(oldest(heir), 18)
        expectEqual(files("nodes-").count, 12)
        expectTrue(files("log-").count <= 13)
    }

    /// A visible relaxed commit is lost with a failed sync, and another commit gets its version.
    @Test func whatALaterSegmentCutsOffIsNotRead() throws {
        var process: CheckpointProcess? = try writer()
        for _ in 0..<3 { try commit(try requireValue(process), 60) }
        let log = try requireValue(process).log
        var replay = try requireValue(log.history.find(0).beginnings.first).replay
        let lost = TestBody.make(version: 4, payloadByteCount: 60)
        try log.append([lost], version: 4)
        log.publish()
        try expectTrue(replay.nextCommit(through: 1) != nil)
        try expectTrue(replay.nextCommit(through: 3) != nil)
        try expectTrue(replay.nextCommit(through: 3) != nil)
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try log.sync() }
        log.releaseWriterLock()
        log.releaseLocks()
        process = nil
        disk.dropCaches()
        let heir = try writer()
        expectEqual(heir.content.bodies.count, 3)
        try commit(heir, 70)
        try expectEqual(replay.nextCommit(through: 4), heir.content.bodies[3])
        try expectEqual(oldest(heir), 0)
    }

    private func writerAfter(
        _ process: CheckpointProcess, _ retention: HistoryRetention
    ) throws -> CheckpointProcess {
        process.log.releaseWriterLock()
        return try writer(retention)
    }
}
