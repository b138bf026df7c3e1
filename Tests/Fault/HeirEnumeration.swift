import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// One of two processes dies at every effect of its work as the writer, including partial writes.
/// The other one, which had the realm open all along, takes over and continues. Then the power
/// fails.
@Suite(.serialized) struct HeirEnumeration {
    /// An operation of a writer.
    enum Deed: String, CaseIterable, Sendable {
        case commit, batch, large, relaxed, flush, idle, spare
        /// Takes the lock over from a process that died in the middle of a large commit.
        case takeOver
    }

    /// One process of the machine, with what was reported to it.
    private final class Process {
        let mortal: MortalProcess
        let log: RealmLog
        var delivered: [[UInt8]]

        init(_ machine: SimFileSystem) throws(StoreError) {
            mortal = MortalProcess(machine)
            let opened = try TinyStore.open(mortal)
            log = opened.log
            delivered = opened.bodies
        }

        func becomeWriter() throws(StoreError) -> Bool {
            try log.tryBecomeWriter { (body) throws(StoreError) in delivered.append(body) }
        }

        func catchUp() throws(StoreError) {
            try log.catchUp { (body) throws(StoreError) in delivered.append(body) }
        }
    }

    private struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private struct Run {
        let machine: SimFileSystem
        var expectation = Expectation()
        var writer: Process
        var heir: Process
        var stateCount = 0

        init(seed: UInt64) throws {
            machine = SimFileSystem(seed: seed)
            writer = try Process(machine)
            heir = try Process(machine)
            guard try writer.becomeWriter() else { throw Mismatch(description: "no lock") }
        }

        mutating func append(_ payloads: [Int], isDurable: Bool) throws {
            let log = writer.log
            let bodies = payloads.enumerated().map {
                TestBody.make(
                    version: expectation.bodies.count + 1 + $0.offset,
                    payloadByteCount: $0.element)
            }
            expectation.bodies += bodies
            try log.append(bodies, version: UInt64(expectation.bodies.count))
            if isDurable {
                try log.sync()
                expectation.durableCount = expectation.bodies.count
            }
            log.publish()
            // A dead process published nothing.
            if !writer.mortal.isDead { expectation.visibleCount = expectation.bodies.count }
        }

        mutating func perform(_ deed: Deed) throws {
            switch deed {
            case .commit: try append([50], isDurable: true)
            case .batch: try append([10, 600, 333], isDurable: true)
            case .large: try append([2500], isDurable: true)
            case .relaxed: try append([90], isDurable: false)
            case .flush:
                try writer.log.sync()
                expectation.durableCount = expectation.bodies.count
                writer.log.publish()
            case .idle: try writer.log.writeIdle()
            case .spare: writer.log.spareSegment.make()
            case .takeOver:
                // The writer dies in the middle of a large commit, the heir takes over, and a new
                // process is started to inherit from the heir.
                let third = try Process(machine)
                writer.mortal.die(after: 6, writtenByteCount: 1000)
                try? append([2600], isDurable: true)
                writer = heir
                heir = third
                expectation.visibleCount = min(
                    expectation.visibleCount, expectation.bodies.count)
                guard try writer.becomeWriter() else { throw Mismatch(description: "no lock") }
                try agree(writer)
            }
        }

        /// Checks what was reported to the new writer, which is authoritative from now on.
        mutating func agree(_ process: Process) throws {
            if let objection = expectation.objection(to: process.delivered, afterPowerCut: false) {
                throw Mismatch(description: objection)
            }
            let isDurable = process.log.durableEnd == process.log.position
            let durable = isDurable ? process.delivered.count : expectation.durableCount
            expectation.settle(on: process.delivered.count)
            expectation.durableCount = durable
        }

        /// The heir takes over and continues; the power may fail at any time.
        mutating func inherit(_ numbers: inout SeededRandom) throws {
            try losePower(&numbers, "before the heir")
            guard try heir.becomeWriter() else {
                throw Mismatch(description: "the heir did not get the lock")
            }
            try agree(heir)
            try losePower(&numbers, "after the heir's recovery")
            writer = heir
            try append([120], isDurable: true)
            try losePower(&numbers, "after the heir's commit")
            try append([3000], isDurable: true)
            try losePower(&numbers, "after the heir's new segment")
            let last = try TinyStore.open(machine.killImage())
            guard last.bodies == expectation.bodies else {
                throw Mismatch(description: "different content when opened again")
            }
        }

        mutating func losePower(_ numbers: inout SeededRandom, _ place: String) throws {
            let images = machine.crashImages(
                SimCrashOptions(limitUnits: 5, samples: 8), seed: numbers.next())
            for _ in 0..<min(4, images.count) {
                let image = images[numbers.below(images.count)]
                stateCount += 1
                let found: [[UInt8]]
                do {
                    found = try TinyStore.open(image.fileSystem).bodies
                } catch {
                    throw Mismatch(description: "\(place), \(image.summary): \(describe(error))")
                }
                if let objection = expectation.objection(to: found, afterPowerCut: true) {
                    throw Mismatch(description: "\(place), \(image.summary): \(objection)")
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func anHeirGoesOnWhereverTheWriterDied(catchesUp: Bool) {
        let seed = SeededRandom.seed()
        var numbers = SeededRandom(seed)
        var stateCount = 0
        var deaths: Set<EffectKind> = []
        for first in Deed.allCases {
            for second in Deed.allCases where second != .takeOver {
                for writtenByteCount in [0, 24, 400] {
                    var effect = 0
                    while true {
                        let place =
                            "[\(first) \(second)], effect \(effect), \(writtenByteCount) bytes"
                        do {
                            var run = try Run(seed: 5)
                            try run.perform(.commit)
                            try run.perform(first)
                            if catchesUp { try run.heir.catchUp() }
                            run.writer.mortal.die(
                                after: effect, writtenByteCount: writtenByteCount)
                            let dying = run.writer.mortal
                            try? run.perform(second)
                            guard dying.isDead else { break }
                            if let kind = dying.lastEffect { deaths.insert(kind) }
                            // The kernel drops its locks.
                            run.writer = run.heir
                            try run.inherit(&numbers)
                            stateCount += run.stateCount
                        } catch {
                            Issue.record("\(place): \(describe(error))")
                        }
                        effect += 1
                    }
                }
            }
        }
        print("heir enumeration: \(stateCount) states")
        expectTrue(
            deaths.isSuperset(of: [
                .create, .write, .sync, .rename, .syncDirectory, .storeControl, .wake,
            ]))
        expectTrue(stateCount > 5000)
    }
}
