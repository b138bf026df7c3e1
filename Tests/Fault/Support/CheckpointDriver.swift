import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A step of a workload of `CheckpointDriver`.
enum CheckpointStep: String, CaseIterable, Sendable {
    /// One small durable commit.
    case commit
    /// A commit of which two don't fit into the first segment.
    case large
    /// A commit that is published but not synced.
    case relaxed
    case idle
    /// A checkpoint in the same file as the previous one.
    case checkpoint
    /// A checkpoint in a new file.
    case checkpointAnew
    /// A commit that is a checkpoint.
    case bulk
    /// A relaxed commit, and a bulk commit whose sync fails; the process closes the realm.
    case failBulk
    /// A checkpoint in a new file with two images, after which everything before it is removed. If
    /// the realm has a former key, everything gets the newest one.
    case compact
    /// A small segment after the checkpoint.
    case segment
    case trim
    /// The writer hands the lock over to another process.
    case handOver
    /// All processes die.
    case die
    /// Writing the image fails halfway.
    case failImage
}

/// One process that has the realm open, with its content.
final class CheckpointProcess {
    let content = ListContent()
    let log: RealmLog
    let report: RecoveryReport

    init(
        _ disk: any FileSystem, retention: HistoryRetention = .none
    ) throws(StoreError) {
        var options = TinyStore.checkpointOptions
        options.retention = retention
        (log, report) = try RealmLog.open(
            disk, path: TinyStore.path, options: options, load: content.load, content.deliver)
    }

    func becomeWriter() throws(StoreError) -> Bool {
        try log.tryBecomeWriter(load: content.load, content.deliver)
    }

    func catchUp() throws(StoreError) {
        try log.catchUp(load: content.load, content.deliver)
    }

    /// Appends and remembers the content; nothing is remembered if it throws.
    func append(_ bodies: [[UInt8]]) throws(StoreError) {
        try log.append(bodies, version: UInt64(content.bodies.count + bodies.count))
        content.append(bodies)
    }

    func checkpoint(isNewFile: Bool) throws(StoreError) {
        guard try log.tryLockCheckpoint() else { throw StoreError(.busy, "no checkpoint lock") }
        defer { log.unlockCheckpoint() }
        if log.durableEnd < log.position { try log.sync() }
        guard let point = log.checkpointPoint else { throw StoreError(.ioFailed, "no point") }
        var reference = try content.write(
            content.bodies, after: log.newestCheckpoint, isNewFile: isNewFile)
        (reference.position, reference.sequence) = (point.position, point.sequence)
        (reference.chain, reference.version) = (point.chain, point.version)
        try log.appendCheckpoint(reference)
    }

    func compact() throws(StoreError) {
        try log.beginSegmentWithNewestKey()
        guard try log.tryLockCheckpoint() else { throw StoreError(.busy, "no checkpoint lock") }
        defer { log.unlockCheckpoint() }
        if log.durableEnd < log.position { try log.sync() }
        guard let point = log.checkpointPoint else { throw StoreError(.ioFailed, "no point") }
        func write(
            after newest: CheckpointReference?, isNewFile: Bool
        ) throws(StoreError) -> CheckpointReference {
            var reference = try content.write(
                content.bodies, after: newest, isNewFile: isNewFile)
            (reference.position, reference.sequence) = (point.position, point.sequence)
            (reference.chain, reference.version) = (point.chain, point.version)
            return reference
        }
        let copy = try write(after: log.newestCheckpoint, isNewFile: true)
        let reference = try write(after: copy, isNewFile: false)
        try log.beginSegment(forRecordOf: reference)
        try log.appendCheckpoint(reference, copy: copy)
        try log.beginSegmentAfterCheckpoint(isCompaction: true)
        var trimming = log.trimming
        trimming.removesFormerKeys = true
        try trimming.run()
    }

    /// Appends a commit whose body is only in the image.
    func appendBulk(_ body: [UInt8]) throws(StoreError) {
        let reference = try content.write(
            content.bodies + [body], after: log.newestCheckpoint, isNewFile: false)
        content.append([body])
        let version = content.bodies.count
        do throws(StoreError) {
            _ = try log.appendBulk(
                ListContent.bulkBody(version: version, reference), version: UInt64(version),
                reference: reference)
        } catch {
            content.remove(1)
            throw error
        }
    }

    func trim() throws(StoreError) {
        guard try log.tryLockCheckpoint() else { throw StoreError(.busy, "no checkpoint lock") }
        defer { log.unlockCheckpoint() }
        try log.trimming.run()
    }
}

/// Runs steps on the checkpointing processes of one simulated machine, and updates the oracle.
///
/// Guard of the `@unchecked Sendable`: one thread only, which is the one that makes the effects.
final class CheckpointDriver: @unchecked Sendable {
    let disk: SimFileSystem
    private let retention: HistoryRetention
    private(set) var expectation = Expectation()
    private(set) var writer: CheckpointProcess?
    private var follower: CheckpointProcess?
    private var numbers: SeededRandom

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    init(seed: UInt64, retention: HistoryRetention = .none) {
        self.retention = retention
        disk = SimFileSystem(seed: seed)
        numbers = SeededRandom(seed)
    }

    private var process: CheckpointProcess {
        guard let writer else { preconditionFailure("the workload has no writer") }
        return writer
    }

    func open() throws {
        let opened = try CheckpointProcess(disk, retention: retention)
        try agree(opened)
        guard try opened.becomeWriter() else { throw Mismatch(description: "no writer lock") }
        expectation.settle(on: opened.content.bodies.count)
        writer = opened
    }

    func run(_ step: CheckpointStep) throws {
        switch step {
        case .commit: try commit([next(numbers.oneOf([0, 52, 333]))])
        case .large: try commit([next(2500)])
        case .relaxed:
            try append([next(60)])
            process.log.publish()
            expectation.visibleCount = expectation.bodies.count
        case .idle:
            try process.log.writeIdle()
            if process.log.durableEnd == process.log.position { settleDurable() }
        case .checkpoint, .checkpointAnew:
            try process.checkpoint(isNewFile: step == .checkpointAnew)
            settleDurable()
        case .bulk:
            let body = next(700)
            expectation.bodies.append(body)
            try process.appendBulk(body)
            try process.log.sync()
            expectation.durableCount = expectation.bodies.count
            process.log.publish()
            settleDurable()
        case .failBulk: try failBulk()
        case .compact:
            try process.compact()
            settleDurable()
        case .segment: try process.log.beginSegmentAfterCheckpoint()
        case .trim: try process.trim()
        case .handOver: try handOver()
        case .die:
            writer = nil
            follower = nil
            try open()
        case .failImage:
            disk.inject(SimFailure(.write, nth: 1, writtenByteCount: 70))
            do {
                try process.checkpoint(isNewFile: numbers.chance(0.5))
                throw Mismatch(description: "the failed image was not reported")
            } catch is StoreError {}
            // not for a later step, where the checkpoint was refused before it wrote anything
            disk.clearFailures()
            guard !process.log.isPoisoned else { throw Mismatch(description: "poisoned") }
            if process.log.durableEnd == process.log.position { settleDurable() }
        }
    }

    private func next(_ payloadByteCount: Int) -> [UInt8] {
        TestBody.make(
            version: expectation.bodies.count + 1, payloadByteCount: payloadByteCount,
            salt: numbers.next())
    }

    private func append(_ bodies: [[UInt8]]) throws {
        let count = expectation.bodies.count
        expectation.bodies += bodies
        let before = process.log.position
        try process.append(bodies)
        // A new segment is begun only after a synced one.
        if process.log.durableEnd >= before { expectation.durableCount = count }
    }

    private func commit(_ bodies: [[UInt8]]) throws {
        try append(bodies)
        try process.log.sync()
        expectation.durableCount = expectation.bodies.count
        process.log.publish()
        settleDurable()
    }

    private func settleDurable() {
        expectation.durableCount = expectation.bodies.count
        expectation.visibleCount = expectation.bodies.count
    }

    private func failBulk() throws {
        try run(.relaxed)
        let body = next(300)
        expectation.bodies.append(body)
        try process.appendBulk(body)
        let losing = numbers.chance(0.5)
        disk.inject(SimFailure(.sync, nth: 1, losesDirtyData: losing))
        do {
            try process.log.sync()
            throw Mismatch(description: "the failed sync was not reported")
        } catch is StoreError {}
        process.log.releaseWriterLock()
        writer = nil
        if losing {
            disk.dropCaches()
            expectation.visibleCount = expectation.durableCount
            follower = nil
        }
        if let heir = follower {
            follower = nil
            try take(heir)
        } else {
            try open()
        }
    }

    private func handOver() throws {
        process.log.releaseWriterLock()
        let before = process
        writer = nil
        let heir = try follower ?? CheckpointProcess(disk, retention: retention)
        try take(heir)
        guard heir.content.bodies == before.content.bodies else {
            throw Mismatch(description: "a hand-over changed the content")
        }
        follower = before
    }

    private func take(_ heir: CheckpointProcess) throws {
        guard try heir.becomeWriter() else { throw Mismatch(description: "no writer lock") }
        try agree(heir)
        let isDurable = heir.log.durableEnd == heir.log.position
        let durable = isDurable ? heir.content.bodies.count : expectation.durableCount
        expectation.settle(on: heir.content.bodies.count)
        expectation.durableCount = durable
        writer = heir
    }

    private func agree(_ process: CheckpointProcess) throws {
        let found = process.content.bodies
        if let objection = expectation.objection(to: found, afterPowerCut: false) {
            throw Mismatch(description: objection)
        }
    }
}
