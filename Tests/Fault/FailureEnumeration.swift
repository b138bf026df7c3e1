import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The nth call fails, for every n. What was reported to the caller is true, and no acknowledged
/// commit is lost.
@Suite struct FailureEnumeration {
    /// A way in which one kind of call fails.
    struct Fault: Sendable, CustomStringConvertible {
        var kind: EffectKind
        var code = StoreError.Code.ioFailed
        var times = SimFailure.Times.once
        var writtenByteCount = 0
        var losesDirtyData = false

        var description: String {
            "\(kind) \(code) \(times) \(writtenByteCount) \(losesDirtyData ? "lossy" : "")"
        }

        func failure(_ nth: Int) -> SimFailure {
            SimFailure(
                kind, nth: nth, code: code, times: times, writtenByteCount: writtenByteCount,
                losesDirtyData: losesDirtyData)
        }
    }

    static let faults: [Fault] = {
        var faults: [Fault] = []
        for times in [SimFailure.Times.once, .forever] {
            for code in [StoreError.Code.ioFailed, .diskFull] {
                for kind in [
                    EffectKind.makeDirectory, .create, .rename, .unlink, .syncDirectory, .names,
                    .open, .openDirectory, .size, .read, .lock,
                ] {
                    faults.append(Fault(kind: kind, code: code, times: times))
                }
                for count in [0, 3, 45, 600, 1 << 20] {
                    faults.append(
                        Fault(kind: .write, code: code, times: times, writtenByteCount: count))
                }
                for loses in [false, true] {
                    faults.append(
                        Fault(kind: .sync, code: code, times: times, losesDirtyData: loses))
                }
            }
        }
        return faults
    }()

    /// The event that follows the fault.
    enum Aftermath: CaseIterable {
        case processDies, cachesDrop, powerCut
    }

    // Covers 12.11
    @Test(arguments: faults)
    func everyFailingCallIsSurvived(fault: Fault) throws {
        var nth = 1
        while true {
            let disk = SimFileSystem(seed: UInt64(nth))
            var workload = FaultWorkload(disk)
            disk.inject(fault.failure(nth))
            workload.run()
            let hasFired = disk.firedFailureCount > 0
            workload.goOn()
            workload.end()
            expectTrue(workload.objections.isEmpty, "\(fault), call \(nth)")
            expectEqual(disk.openHandleCount, 0, "\(fault), call \(nth): a file was left open")
            for aftermath in Aftermath.allCases {
                checkAfter(aftermath, workload, "\(fault), call \(nth), \(aftermath)")
            }
            guard hasFired else { break }
            nth += 1
        }
        // A kind that fails forever ends the workload earlier, but never at once.
        expectTrue(nth > 1, "no call of the kind was made")
    }

    private func checkAfter(_ aftermath: Aftermath, _ workload: FaultWorkload, _ place: String) {
        switch aftermath {
        case .processDies:
            let machine = workload.disk.killImage()
            check(machine, workload, afterPowerCut: false, place)
        case .cachesDrop:
            let machine = workload.disk.killImage()
            machine.dropCaches()
            check(machine, workload, afterPowerCut: true, place)
        case .powerCut:
            let images = workload.disk.crashImages(
                SimCrashOptions(limitUnits: 4, samples: 4), seed: 7)
            var numbers = SeededRandom(UInt64(images.count))
            for _ in 0..<min(6, images.count) {
                let image = images[numbers.below(images.count)]
                check(
                    image.fileSystem, workload, afterPowerCut: true, "\(place), \(image.summary)")
            }
        }
    }

    private func check(
        _ machine: SimFileSystem, _ workload: FaultWorkload, afterPowerCut: Bool, _ place: String
    ) {
        do {
            let opened = try TinyStore.open(machine)
            let objection = workload.expectation.objection(
                to: opened.bodies, afterPowerCut: afterPowerCut)
            expectNil(objection, "\(place)")
            expectTrue(
                !opened.bodies.contains { workload.refused.contains($0) },
                "\(place): a refused commit exists")
            try expectTrue(opened.log.takeWriter(), "\(place)")
            let body = TestBody.make(version: opened.bodies.count + 1, payloadByteCount: 50)
            try opened.log.commit([body])
            let names = machine.fileNames(in: TinyStore.path)
            expectTrue(!names.contains { $0.hasPrefix("tmp-") }, "\(place): \(names)")
            let again = try TinyStore.open(machine.killImage())
            expectEqual(again.bodies, opened.bodies + [body], "\(place)")
        } catch {
            Issue.record("\(place): \(describe(error))")
        }
    }
}
