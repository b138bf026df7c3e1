import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Runs steps on the logs of two processes on one simulated machine, and updates the oracle.
///
/// An unexpected error in a step ends the workload; the caller reports it.
///
/// Guard of the `@unchecked Sendable`: one thread only, which is the one that makes the effects.
final class LogDriver: @unchecked Sendable {
    private(set) var disk: SimFileSystem
    private(set) var expectation = Expectation()
    private(set) var writer: RealmLog?
    /// The other process, if it has the realm open, and what was reported to it.
    private var follower: RealmLog?
    private var delivered: [[UInt8]] = []
    private var numbers: SeededRandom
    /// Called for every effect, also on the machine with which `dieTorn` continues.
    var onEffect: (@Sendable (EffectKind, Int) -> Void)? {
        didSet { disk.onEffect = onEffect }
    }

    init(seed: UInt64) {
        disk = SimFileSystem(seed: seed)
        numbers = SeededRandom(seed)
    }

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// Opens the realm as a newly started process, and takes the writer lock.
    func open() throws {
        let opened = try TinyStore.open(disk)
        try settle(opened.bodies)
        guard try opened.log.takeWriter() else { throw Mismatch(description: "no writer lock") }
        guard opened.log.durableEnd == opened.log.position else {
            throw Mismatch(description: "an opened log is not durable")
        }
        writer = opened.log
    }

    func run(_ step: WorkloadStep) throws {
        switch step {
        case .commit: try commit([small()])
        case .batch: try commit([small(), embedding(second: 1), small(ahead: 2)])
        case .large: try commit([next(payloadByteCount: 2500)])
        case .relaxed: try append([small()], publishes: true)
        case .flush:
            try log.sync()
            expectation.durableCount = expectation.bodies.count
            log.publish()
        case .idle:
            let wasIdle = log.endsIdle
            try log.writeIdle()
            if !wasIdle { expectation.durableCount = expectation.bodies.count }
        case .spare: log.spareSegment.make()
        case .handOver: try handOver()
        case .die:
            writer = nil
            try goOn()
        case .dieUnsynced:
            try append([small(), small(ahead: 1)], publishes: false)
            writer = nil
            try goOn()
        case .dieTorn: try dieTorn()
        case .failSync: try failSync(dropsCaches: false)
        case .failRelaxed:
            try append([small()], publishes: true)
            try failSync(dropsCaches: true)
        }
    }

    // MARK: Commits

    private var log: RealmLog {
        guard let writer else { preconditionFailure("the workload has no writer") }
        return writer
    }

    private func small(ahead: Int = 0) -> [UInt8] {
        next(ahead: ahead, payloadByteCount: numbers.oneOf([0, 5, 52, 120, 333, 460]))
    }

    private func next(ahead: Int = 0, payloadByteCount: Int) -> [UInt8] {
        TestBody.make(
            version: expectation.bodies.count + 1 + ahead, payloadByteCount: payloadByteCount,
            salt: numbers.next())
    }

    /// Returns a body that contains bytes of the log from a multiple of 8, including whole records.
    private func embedding(second ahead: Int) -> [UInt8] {
        let names = disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix("log-") }
        let bytes = names.last.flatMap { disk.contents(of: $0, in: TinyStore.path) } ?? []
        let used = (bytes.lastIndex { $0 != 0 } ?? 0) & ~7
        let start = max(4096, used - 240) & ~7
        let part = start < bytes.count ? bytes[start..<min(start + 256, bytes.count)] : []
        return TestBody.make(
            version: expectation.bodies.count + 1 + ahead, payload: Array(part))
    }

    private func append(_ bodies: [[UInt8]], publishes: Bool) throws {
        expectation.bodies += bodies
        try log.append(bodies, version: UInt64(expectation.bodies.count))
        // A new segment is begun only after a synced one.
        let olderCount = expectation.bodies.count - bodies.count
        if log.durableEnd == log.position - framedByteCount(bodies) {
            expectation.durableCount = max(expectation.durableCount, olderCount)
        }
        if publishes {
            log.publish()
            expectation.visibleCount = expectation.bodies.count
        }
    }

    private func framedByteCount(_ bodies: [[UInt8]]) -> UInt64 {
        bodies.reduce(0) { $0 + UInt64(TinyStore.options.recordByteCount(ofBody: $1.count)) }
    }

    private func commit(_ bodies: [[UInt8]]) throws {
        try append(bodies, publishes: false)
        try log.sync()
        expectation.durableCount = expectation.bodies.count
        log.publish()
        expectation.visibleCount = expectation.bodies.count
    }

    // MARK: Processes that come and go

    private func settle(_ found: [[UInt8]]) throws {
        if let objection = expectation.objection(to: found, afterPowerCut: false) {
            throw Mismatch(description: objection)
        }
        expectation.settle(on: found.count)
    }

    private func handOver() throws {
        log.releaseWriterLock()
        let before = log
        let count = expectation.bodies.count
        if follower == nil {
            let opened = try TinyStore.open(disk)
            follower = opened.log
            delivered = opened.bodies
        }
        writer = nil
        try followerBecomesWriter()
        guard expectation.bodies.count == count else {
            throw Mismatch(description: "lost in a hand-over: \(count - expectation.bodies.count)")
        }
        follower = before
        delivered = expectation.bodies
    }

    private func followerBecomesWriter() throws {
        guard let heir = follower else { preconditionFailure("there is no follower") }
        var bodies = delivered
        let isWriter = try heir.tryBecomeWriter { (body) throws(StoreError) in
            bodies.append(body)
        }
        guard isWriter else { throw Mismatch(description: "a follower got no writer lock") }
        if let objection = expectation.objection(to: bodies, afterPowerCut: false) {
            throw Mismatch(description: "a follower got a different report: \(objection)")
        }
        let durable = heir.durableEnd == heir.position ? bodies.count : expectation.durableCount
        expectation.settle(on: bodies.count)
        expectation.durableCount = durable
        writer = heir
        follower = nil
    }

    /// Continues after the death of the writer's process: the other one takes over, or a new one
    /// opens.
    private func goOn() throws {
        if follower != nil {
            try followerBecomesWriter()
        } else {
            try open()
        }
    }

    private func dieTorn() throws {
        follower = nil
        let bodies = [small(), small(ahead: 1), next(ahead: 2, payloadByteCount: 700)]
        expectation.bodies += bodies
        // When a write fails halfway, the store reacts to the error; the machine is captured before
        // that.
        let machine = disk
        machine.inject(
            SimFailure(
                .write, nth: 1, writtenByteCount: numbers.below(Int(framedByteCount(bodies)))))
        let death = DeathInWrite(machine, before: onEffect)
        do {
            try log.append(bodies, version: UInt64(expectation.bodies.count))
        } catch {}
        writer = nil
        disk = death.machine(machine)
        disk.onEffect = onEffect
        try open()
    }

    private func failSync(dropsCaches: Bool) throws {
        let bodies = [small(), small(ahead: 1)]
        expectation.bodies += bodies
        let failing = log
        if failing.remainingByteCount < framedByteCount(bodies) {
            // The sync to fail isn't that of the new segment.
            expectation.bodies.removeLast(2)
            return try commit(bodies)
        }
        try failing.append(bodies, version: UInt64(expectation.bodies.count))
        disk.inject(SimFailure(.sync, nth: 1, losesDirtyData: true))
        do {
            try failing.sync()
            throw Mismatch(description: "the failed sync was not reported")
        } catch let error as StoreError {
            guard error.code == .outcomeUnknown, failing.isPoisoned else { throw error }
        }
        failing.releaseWriterLock()
        writer = nil
        if dropsCaches {
            // Relaxed commits whose pages the kernel dropped are gone.
            disk.dropCaches()
            expectation.visibleCount = expectation.durableCount
            follower = nil
        }
        try goOn()
    }
}
