import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Calls fail, and processes die in the middle of a write, while a realm is recovered: the next
/// opening still finds everything.
@Suite struct RecoveryFailureEnumeration {
    /// The state left by a crash, which is to be recovered.
    enum Remains: String, CaseIterable, Sendable {
        /// Published but not synced.
        case relaxed
        /// Written completely but not synced.
        case unsynced
        /// The first record of a batch and a part of the second.
        case torn
        /// A part of a header.
        case tornHeader
        /// A failed sync, with the data still in the page cache.
        case poisoned
        /// A failed sync, with the data dropped.
        case poisonedAndDropped
        /// A power failure that kept some of a batch.
        case powerCut
        /// A named segment that was never published.
        case newSegment
    }

    /// Returns the machine and its expected content. The same arguments give the same machine.
    private static func make(_ remains: Remains) throws -> (SimFileSystem, Expectation) {
        let disk = SimFileSystem(seed: 11)
        let opened = try TinyStore.open(disk)
        let log = opened.log
        _ = try log.takeWriter()
        var expectation = Expectation()
        for version in 1...2 {
            expectation.bodies.append(TestBody.make(version: version, payloadByteCount: 150))
            try log.commit([expectation.bodies[version - 1]])
        }
        expectation.settle(on: 2)
        let batch = (3...5).map { TestBody.make(version: $0, payloadByteCount: 700) }
        expectation.bodies += batch
        let first = RecordFraming.byteCount(bodyByteCount: batch[0].count)
        switch remains {
        case .relaxed:
            try log.commitRelaxed(batch)
            expectation.visibleCount = 5
        case .unsynced: try log.append(batch, version: 5)
        case .torn:
            return (try writing(batch, stoppingAfter: first + 400, disk, log), expectation)
        case .tornHeader:
            return (try writing(batch, stoppingAfter: first + 24, disk, log), expectation)
        case .poisoned, .poisonedAndDropped:
            disk.inject(SimFailure(.sync, losesDirtyData: true))
            try? log.commit(batch)
            if remains == .poisonedAndDropped { disk.dropCaches() }
        case .powerCut:
            try log.append(batch, version: 5)
            let images = disk.crashImages(seed: 5)
            return (images[images.count / 2].fileSystem, expectation)
        case .newSegment:
            let large = TestBody.make(version: 3, payloadByteCount: 5000)
            let image = Held()
            disk.onEffect = { [unowned disk] kind, _ in
                if kind == .syncDirectory { image.machine = disk.killImage() }
            }
            expectation.bodies = Array(expectation.bodies[..<2])
            try log.append([large], version: 3)
            disk.onEffect = nil
            return (try requireValue(image.machine), expectation)
        }
        return (disk.killImage(), expectation)
    }

    /// Returns the machine after the death of all processes in the middle of a write.
    private static func writing(
        _ bodies: [[UInt8]], stoppingAfter byteCount: Int, _ disk: SimFileSystem, _ log: RealmLog
    ) throws -> SimFileSystem {
        disk.inject(SimFailure(.write, writtenByteCount: byteCount))
        let death = DeathInWrite(disk)
        try? log.append(bodies, version: 0)
        return death.machine(disk)
    }

    /// Guard: used by one thread only.
    private final class Held: @unchecked Sendable {
        var machine: SimFileSystem?
    }

    private func check(
        _ machine: SimFileSystem, _ expectation: Expectation, afterPowerCut: Bool, _ place: String
    ) {
        do {
            let opened = try TinyStore.open(machine)
            let objection = expectation.objection(
                to: opened.bodies, afterPowerCut: afterPowerCut)
            expectNil(objection, "\(place)")
            try expectDurable(opened.bodies, machine, place)
            try expectTrue(opened.log.takeWriter())
            let body = TestBody.make(version: opened.bodies.count + 1, payloadByteCount: 50)
            try opened.log.commit([body])
            try expectEqual(
                TinyStore.open(machine.killImage()).bodies, opened.bodies + [body], "\(place)")
        } catch {
            Issue.record("\(place): \(describe(error))")
        }
    }

    /// Checks that the commits delivered by an opening survive a power failure.
    private func expectDurable(
        _ bodies: [[UInt8]], _ machine: SimFileSystem, _ place: String
    ) throws {
        let images = machine.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: 2)
        for index in stride(from: 0, to: images.count, by: max(1, images.count / 4)) {
            let found = try TinyStore.open(images[index].fileSystem).bodies
            expectEqual(found, bodies, "\(place), then \(images[index].summary)")
        }
    }

    @Test(arguments: Remains.allCases)
    func recoveryIsDoneAgainAfterAFailingCall(remains: Remains) throws {
        let hasLost = remains == .poisonedAndDropped || remains == .powerCut
        for fault in FailureEnumeration.faults where fault.writtenByteCount % 8 == 0 {
            var nth = 1
            while true {
                let (disk, expectation) = try Self.make(remains)
                disk.inject(fault.failure(nth))
                do {
                    _ = try TinyStore.open(disk)
                } catch {
                    expectTrue(error.code != .invalidDatabase, "\(describe(error))")
                }
                guard disk.firedFailureCount > 0 else { break }
                disk.clearFailures()
                let place = "\(remains), \(fault), call \(nth)"
                let images = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: 1)
                for index in stride(from: 0, to: images.count, by: max(1, images.count / 5)) {
                    check(
                        images[index].fileSystem, expectation, afterPowerCut: true,
                        "\(place), \(images[index].summary)")
                }
                check(
                    disk.killImage(), expectation, afterPowerCut: hasLost || fault.losesDirtyData,
                    place)
                if fault.losesDirtyData {
                    let machine = disk.killImage()
                    machine.dropCaches()
                    check(machine, expectation, afterPowerCut: true, "\(place), caches dropped")
                }
                nth += 1
            }
        }
    }

    /// A write to the page cache that is interrupted by a signal has written whole pages: in terms
    /// of the log it stops anywhere, but never inside a word.
    @Test(arguments: Remains.allCases)
    func aRecoveryThatDiesInTheMiddleOfAWriteIsDoneAgain(remains: Remains) throws {
        let hasLost = remains == .poisonedAndDropped || remains == .powerCut
        for byteCount in stride(from: 0, through: 1600, by: 8) {
            var nth = 1
            while true {
                let (disk, expectation) = try Self.make(remains)
                disk.inject(SimFailure(.write, nth: nth, writtenByteCount: byteCount))
                let death = DeathInWrite(disk)
                _ = try? TinyStore.open(disk)
                let machine = death.machine(disk)
                guard disk.firedFailureCount > 0 else { break }
                check(
                    machine, expectation, afterPowerCut: hasLost,
                    "\(remains), write \(nth) stopped after \(byteCount)")
                nth += 1
            }
        }
    }
}
