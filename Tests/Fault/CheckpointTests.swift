import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Checkpoints as the processes of a realm see them: opening, trimming, following, damage.
@Suite struct CheckpointTests {
    private let disk = SimFileSystem(seed: 11)

    private func body(_ process: CheckpointProcess, _ count: Int = 60) -> [UInt8] {
        TestBody.make(version: process.content.bodies.count + 1, payloadByteCount: count)
    }

    private func commit(_ process: CheckpointProcess, _ count: Int = 60) throws {
        try process.append([body(process, count)])
        try process.log.sync()
        process.log.publish()
    }

    private func bulk(_ process: CheckpointProcess) throws {
        try process.appendBulk(body(process, 900))
        try process.log.sync()
        process.log.publish()
    }

    private func writer() throws -> CheckpointProcess {
        let process = try CheckpointProcess(disk)
        try expectTrue(process.becomeWriter())
        return process
    }

    private var names: [String] {
        disk.fileNames(in: TinyStore.path).filter { $0 != "LOCK" }
    }

    /// Eight commits, a checkpoint, four commits, a checkpoint, two commits.
    private func twoCheckpoints() throws -> CheckpointProcess {
        let process = try writer()
        for _ in 0..<8 { try commit(process, 600) }
        try process.checkpoint(isNewFile: false)
        for _ in 0..<4 { try commit(process, 900) }
        try process.checkpoint(isNewFile: true)
        for _ in 0..<2 { try commit(process) }
        return process
    }

    @Test func openingReadsOnlyWhatIsBehindTheCheckpoint() throws {
        let process = try twoCheckpoints()
        let newest = try requireValue(process.log.newestCheckpoint)
        expectTrue(newest.version == 12 && process.log.olderCheckpoint?.version == 8)
        for image in [disk.killImage(), disk.crashImages()[0].fileSystem] {
            let again = try CheckpointProcess(image)
            expectEqual(again.content.bodies, process.content.bodies)
            expectTrue(again.report.commitCount == 2 && again.report.version == 14)
            expectEqual(again.report.checkpoint, newest)
            expectTrue(again.report.damagedCheckpoints.isEmpty)
            expectEqual(again.log.newestCheckpoint, newest)
            expectEqual(again.log.olderCheckpoint, process.log.olderCheckpoint)
        }
    }

    @Test func aSmallSegmentBehindTheCheckpointNamesIt() throws {
        let process = try twoCheckpoints()
        let kept = [process.log.newestCheckpoint, process.log.olderCheckpoint]
        try process.log.beginSegmentAfterCheckpoint()
        let last = try requireValue(names.last { $0.hasPrefix("log-") })
        expectEqual(disk.contents(of: last, in: TinyStore.path)?.count, 8192)
        try commit(process)
        let reads = disk.count(.read)
        let again = try CheckpointProcess(disk.killImage())
        expectEqual([again.log.newestCheckpoint, again.log.olderCheckpoint], kept)
        expectEqual(again.content.bodies, process.content.bodies)
        expectEqual(disk.count(.read), reads)
    }

    @Test func trimmingLeavesWhatTheOlderCheckpointNeeds() throws {
        let process = try twoCheckpoints()
        expectTrue(names.contains("log-0-0"))
        try process.trim()
        let older = try requireValue(process.log.olderCheckpoint)
        let left = names.filter { $0.hasPrefix("log-") }
        expectTrue(!left.contains("log-0-0"))
        expectEqual(names.filter { $0.hasPrefix("nodes-") }, ["nodes-1", "nodes-2"])
        expectTrue(!disk.hasUnsyncedChanges)
        // Without its newest image the realm opens from the older one.
        disk.damage("nodes-2", in: TinyStore.path) { $0 = Array($0.dropLast($0.count - 4096)) }
        let again = try CheckpointProcess(disk.killImage())
        expectEqual(again.report.checkpoint, older)
        expectEqual(again.report.damagedCheckpoints, [process.log.newestCheckpoint])
        expectEqual(again.content.bodies, process.content.bodies)
        // The next checkpoint keeps the valid one, and goes into a file of its own.
        try expectTrue(again.becomeWriter())
        try again.checkpoint(isNewFile: true)
        expectEqual(again.log.olderCheckpoint, older)
        try again.trim()
    }

    /// Processes with the new `LOCK` may be appending to the same file. Only the first one that
    /// opens the realm knows that `LOCK` was lost.
    // Covers .fileMoved
    @Test func nothingMoreIsAppendedOnceLockWasReplaced() throws {
        let process = try twoCheckpoints()
        let appender = try process.log.nodes.appender(
            after: process.log.newestCheckpoint, liveByteCount: 1 << 20)
        disk.removeFile("LOCK", in: TinyStore.path)
        try CheckpointProcess(disk).log.releaseLocks()
        let other = try CheckpointProcess(disk)
        try expectTrue(other.becomeWriter())
        try commit(other)
        try other.checkpoint(isNewFile: false)
        expectEqual(other.log.newestCheckpoint?.file, appender.fileNumber)
        let late = [UInt8](repeating: 7, count: 3000)
        let result = late.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in
                _ = try appender.append(parts: [bytes])
                try appender.sync()
            }
        }
        let error = #expect(throws: StoreError.self) { try result.get() }
        expectEqual(error?.code, .fileMoved)
        let again = try CheckpointProcess(disk.killImage())
        expectEqual(again.report.damagedCheckpoints, [])
        expectEqual(again.content.bodies, other.content.bodies)
    }

    @Test func aRealmThatWasTrimmedIsNotReadWithoutCheckpoints() throws {
        let process = try twoCheckpoints()
        try process.trim()
        let code = #expect(throws: StoreError.self) {
            try TinyStore.open(disk.killImage())
        }
        expectEqual(code?.code, .invalidDatabase)
    }

    @Test func aFollowerThatWasTrimmedAwayBeginsAnew() throws {
        let process = try writer()
        try commit(process)
        let follower = try CheckpointProcess(disk)
        let without = try CheckpointProcess(disk)
        for _ in 0..<8 { try commit(process, 2000) }
        try process.checkpoint(isNewFile: false)
        for _ in 0..<8 { try commit(process, 2000) }
        try process.checkpoint(isNewFile: true)
        try process.trim()
        try commit(process)
        let error = #expect(throws: StoreError.self) {
            try without.log.catchUp { (_) throws(StoreError) in }
        }
        expectEqual(error?.code, .historyTrimmed)
        try follower.catchUp()
        expectEqual(follower.content.bodies, process.content.bodies)
        expectEqual(follower.content.starts, [nil, 17])
        process.log.releaseWriterLock()
        try expectTrue(without.becomeWriter())
        expectEqual(without.content.bodies, process.content.bodies)
        try commit(without)
        try follower.catchUp()
        expectEqual(follower.content.bodies, without.content.bodies)
    }

    /// The segments still exist, and a bulk commit refers to a nodes file that doesn't.
    @Test func aFollowerThatLacksANodesFileBeginsAnew() throws {
        let process = try writer()
        try commit(process)
        let follower = try CheckpointProcess(disk)
        try bulk(process)
        try process.checkpoint(isNewFile: true)
        try process.checkpoint(isNewFile: true)
        try process.trim()
        try commit(process)
        expectEqual(names, ["log-0-0", "nodes-2", "nodes-3"])
        try follower.catchUp()
        expectEqual(follower.content.bodies, process.content.bodies)
        expectEqual(follower.content.starts, [nil, 2])
        let again = try CheckpointProcess(disk.killImage())
        expectEqual(again.content.bodies, process.content.bodies)
        // Neither checkpoint exists, and the log's bulk commit needs one that is gone.
        let machine = disk.killImage()
        for name in ["nodes-2", "nodes-3"] { machine.damage(name, in: TinyStore.path) { $0 = [] } }
        let error = #expect(throws: StoreError.self) { try CheckpointProcess(machine) }
        expectEqual(error?.code, .invalidDatabase)
    }

    @Test func aFollowerIsToldOfCheckpoints() throws {
        let process = try writer()
        let follower = try CheckpointProcess(disk)
        try commit(process)
        try process.checkpoint(isNewFile: false)
        try bulk(process)
        try follower.catchUp()
        expectEqual(follower.content.bodies, process.content.bodies)
        expectEqual(follower.log.newestCheckpoint, process.log.newestCheckpoint)
        expectEqual(follower.log.olderCheckpoint, process.log.olderCheckpoint)
        expectEqual(follower.log.newestCheckpoint?.position, process.log.position)
    }

    @Test func aReplayReadsBesideTheOwner() throws {
        let process = try twoCheckpoints()
        for reference in [process.log.newestCheckpoint, process.log.olderCheckpoint] {
            let reference = try requireValue(reference)
            var replay = process.log.replay(from: reference)
            var read: [[UInt8]] = []
            try replay.read(through: process.log.durableEnd) { (body) throws(StoreError) in
                read.append(body)
            }
            for _ in 0..<3 { try commit(process, 1500) }
            try replay.read(through: process.log.durableEnd) { (body) throws(StoreError) in
                read.append(body)
            }
            expectEqual(read, Array(process.content.bodies[Int(reference.version)...]))
            expectEqual(replay.position, process.log.position)
            expectEqual(replay.version, process.log.version)
        }
        var late = process.log.replay(from: try requireValue(process.log.olderCheckpoint))
        try process.checkpoint(isNewFile: false)
        for _ in 0..<3 { try commit(process, 1500) }
        try process.checkpoint(isNewFile: false)
        try process.trim()
        let error = #expect(throws: StoreError.self) {
            try late.read(through: process.log.durableEnd) { (_) throws(StoreError) in }
        }
        expectEqual(error?.code, .historyTrimmed)
    }

    @Test func reframedCheckpointsGoOnAtTheirNewPlace() throws {
        let process = try writer()
        try commit(process)
        try process.checkpoint(isNewFile: false)
        try process.appendBulk(body(process, 300))
        disk.inject(SimFailure(.sync))
        #expect(throws: StoreError.self) { try process.log.sync() }
        process.log.releaseWriterLock()
        let again = try writer()
        expectTrue(again.report.wasPoisoned && again.content.bodies.count == 2)
        let reference = try requireValue(again.log.newestCheckpoint)
        expectEqual(reference.version, 2)
        try commit(again)
        let last = try CheckpointProcess(disk.killImage())
        expectTrue(last.report.checkpoint == reference && last.report.commitCount == 1)
        expectEqual(last.content.bodies, again.content.bodies)
    }

    // MARK: Damage

    /// The newest CHECKPOINT record is after the damage, in the same segment.
    @Test func damageBeforeTheCheckpointIsPassedOverAndReported() throws {
        let process = try writer()
        for _ in 0..<3 { try commit(process, 100) }
        let start = 4096 + Int(process.log.position)
        try commit(process, 100)
        try process.checkpoint(isNewFile: false)
        try commit(process, 100)
        try process.log.writeIdle()
        for afterBoot in [false, true] {
            let machine = disk.killImage()
            if afterBoot { machine.setBootID(Identity128(high: 1, low: 2)) }
            machine.flipBit(start * 8 + 400, of: "log-0-0", in: TinyStore.path)
            let again = try CheckpointProcess(machine)
            expectEqual(again.content.bodies, process.content.bodies)
            expectEqual(again.report.damagedPosition, UInt64(start - 4096))
            expectEqual(again.report.commitCount, 1)
            // Without checkpoints, opening is refused.
            #expect(throws: StoreError.self) { try TinyStore.open(machine.killImage()) }
            try expectTrue(again.becomeWriter())
            try commit(again)
            try expectEqual(CheckpointProcess(machine.killImage()).content.bodies.count, 6)
        }
    }

    /// Four commits, a checkpoint and a commit, all in one segment. Returns the position of the
    /// last commit before the checkpoint.
    private func checkpointInTheFirstSegment() throws -> (CheckpointProcess, damaged: UInt64) {
        let process = try writer()
        for _ in 0..<3 { try commit(process, 100) }
        let position = process.log.position
        try commit(process, 100)
        try process.checkpoint(isNewFile: false)
        try commit(process, 100)
        return (process, position)
    }

    private func damage(at position: UInt64) {
        disk.flipBit((4096 + Int(position)) * 8 + 400, of: "log-0-0", in: TinyStore.path)
    }

    /// The records that are framed again after a failed sync don't include the damaged one.
    @Test(arguments: [false, true])
    func damageBeforeTheCheckpointDoesNotPreventRepair(ofCheckpoint: Bool) throws {
        let (process, damaged) = try checkpointInTheFirstSegment()
        if ofCheckpoint {
            disk.inject(SimFailure(.sync, nth: 2))  // the first is of the nodes file
            #expect(throws: StoreError.self) { try process.checkpoint(isNewFile: false) }
        } else {
            try process.append([body(process)])
            disk.inject(SimFailure(.sync))
            #expect(throws: StoreError.self) { try process.log.sync() }
        }
        expectTrue(process.log.isPoisoned)
        process.log.releaseWriterLock()
        damage(at: damaged)
        let again = try writer()
        expectTrue(again.report.wasPoisoned && again.report.damagedPosition == damaged)
        expectEqual(again.content.bodies, process.content.bodies)
        try commit(again)
        let last = try CheckpointProcess(disk.killImage())
        expectNil(last.report.damagedPosition, "the last segment is a new one")
        expectEqual(last.report.checkpoint?.version, ofCheckpoint ? 5 : 4)
        expectEqual(last.content.bodies, again.content.bodies)
    }

    @Test func damageBeforeTheCheckpointDoesNotPreventRevival() throws {
        let (first, damaged) = try checkpointInTheFirstSegment()
        first.log.releaseLocks()
        damage(at: damaged)
        let process = try writer()
        expectEqual(process.report.damagedPosition, damaged)
        try process.append([body(process)])
        disk.inject(SimFailure(.sync))
        #expect(throws: StoreError.self) { try process.log.sync() }
        process.content.remove(1)
        process.log.releaseWriterLock()
        process.log.revive()
        try expectTrue(process.becomeWriter())
        try commit(process)
        expectEqual(process.content.bodies.count, 7)
        try expectEqual(
            CheckpointProcess(disk.killImage()).content.bodies, process.content.bodies)
    }

    /// Another process compacts the realm while it is opened, which removes the file of the
    /// checkpoints that were the newest ones before. Without a compaction before, the log that is
    /// open reaches back to the beginning.
    @Test(arguments: [false, true])
    func checkpointsThatAreRemovedDuringOpeningAreNotDamaged(isCompacted: Bool) throws {
        let process = try writer()
        for _ in 0..<2 { try commit(process, 0) }
        if isCompacted {
            try process.compact()
        } else {
            try process.checkpoint(isNewFile: true)
        }
        let content = ListContent()
        var isFirst = true
        let (log, report) = try RealmLog.open(
            disk, path: TinyStore.path, options: TinyStore.checkpointOptions,
            load: { (reference, nodes) throws(StoreError) in
                if isFirst { try process.compact() }
                isFirst = false
                try content.load(reference, nodes)
            }, content.deliver)
        expectTrue(report.followedWriter)
        expectEqual(report.damagedCheckpoints, [])
        expectEqual(content.bodies, process.content.bodies)
        expectEqual(log.newestCheckpoint, process.log.newestCheckpoint)
    }

    @Test func damageBehindTheCheckpointIsRefused() throws {
        let process = try twoCheckpoints()
        try process.log.writeIdle()
        let last = try requireValue(names.last { $0.hasPrefix("log-") })
        let end = try requireValue(
            disk.contents(of: last, in: TinyStore.path)?.lastIndex { $0 != 0 })
        disk.flipBit((end - 100) * 8, of: last, in: TinyStore.path)
        let error = #expect(throws: StoreError.self) { try CheckpointProcess(disk.killImage()) }
        expectEqual(error?.code, .invalidDatabase)
    }

    @Test func everyFlippedBitOfTheNewestImageIsHealedByTheOlderOne() throws {
        let process = try twoCheckpoints()
        let trimmed = disk.killImage()
        try CheckpointProcess(trimmed).trim()
        let reference = try requireValue(process.log.newestCheckpoint)
        let range = Int(reference.offset)..<Int(reference.offset + reference.byteCount)
        for machine in [disk.killImage(), trimmed] {
            for bit in stride(from: range.lowerBound * 8, to: range.upperBound * 8, by: 5) {
                machine.flipBit(bit, of: "nodes-2", in: TinyStore.path)
                let again = try CheckpointProcess(machine.killImage())
                expectEqual(again.content.bodies, process.content.bodies)
                expectEqual(again.report.damagedCheckpoints, [reference])
                machine.flipBit(bit, of: "nodes-2", in: TinyStore.path)
            }
        }
        // With both gone, the log is used as long as it reaches back to the beginning.
        for machine in [disk.killImage(), trimmed] {
            for name in ["nodes-1", "nodes-2"] {
                machine.damage(name, in: TinyStore.path) { $0 = [] }
            }
            if machine === trimmed {
                #expect(throws: StoreError.self) { try CheckpointProcess(machine) }
            } else {
                let again = try CheckpointProcess(machine)
                expectEqual(again.content.bodies, process.content.bodies)
                expectNil(again.report.checkpoint)
                expectEqual(again.report.damagedCheckpoints.count, 2)
            }
        }
    }
}
