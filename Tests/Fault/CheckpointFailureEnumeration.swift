import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The nth call fails, for every n, while a process checkpoints, or the process dies while another
/// one has the realm open. What was reported to the caller is true, and no acknowledged commit is
/// lost.
@Suite(.serialized) struct CheckpointFailureEnumeration {
    /// A workload that reaches every step of a checkpoint, and what was reported to it.
    private struct Workload {
        let disk: SimFileSystem
        var expectation = Expectation()
        var objections: [String] = []
        private var refused: [[UInt8]] = []
        private let fileSystem: any FileSystem
        private(set) var process: CheckpointProcess?

        init(_ disk: SimFileSystem, as fileSystem: (any FileSystem)? = nil) {
            self.disk = disk
            self.fileSystem = fileSystem ?? disk
        }

        mutating func open() -> Bool {
            do {
                let opened = try CheckpointProcess(fileSystem)
                guard try opened.becomeWriter() else { return false }
                process = opened
                return true
            } catch {
                see(error)
                return false
            }
        }

        mutating func run() {
            let steps: [CheckpointStep] = [
                .commit, .checkpoint, .large, .large, .bulk, .segment, .commit, .large,
                .checkpointAnew, .segment, .trim, .commit, .checkpoint, .trim, .bulk, .commit,
            ]
            for step in steps {
                guard let process, !process.log.isPoisoned else { return }
                perform(step, process)
            }
        }

        mutating func goOn() {
            disk.clearFailures()
            guard let process, !process.log.isPoisoned else { return }
            perform(.commit, process)
            if expectation.durableCount != expectation.bodies.count {
                objections.append("the log accepts no commits although the disk works again")
            }
        }

        /// Another process checkpoints in a new file while this one still has the realm open.
        mutating func handOver() {
            guard let process, !process.log.isPoisoned else { return }
            process.log.releaseWriterLock()
            do {
                let heir = try CheckpointProcess(disk)
                if try !heir.becomeWriter() { objections.append("the writer lock wasn't released") }
                try heir.checkpoint(isNewFile: true)
            } catch {
                objections.append("another process can't checkpoint: \(describe(error))")
            }
        }

        mutating func end() { process = nil }

        private mutating func perform(_ step: CheckpointStep, _ process: CheckpointProcess) {
            let count = process.content.bodies.count
            do throws(StoreError) {
                switch step {
                case .checkpoint: try process.checkpoint(isNewFile: false)
                case .checkpointAnew: try process.checkpoint(isNewFile: true)
                case .segment: try process.log.beginSegmentAfterCheckpoint()
                case .trim: try process.trim()
                default:
                    let body = TestBody.make(
                        version: count + 1, payloadByteCount: step == .commit ? 60 : 2000)
                    expectation.bodies.append(body)
                    if step == .bulk {
                        try process.appendBulk(body)
                    } else {
                        try process.append([body])
                    }
                    try process.log.sync()
                    expectation.durableCount = expectation.bodies.count
                    process.log.publish()
                    expectation.visibleCount = expectation.bodies.count
                }
            } catch {
                see(error)
                let isUnsure = error.code == .outcomeUnknown
                if isUnsure != process.log.isPoisoned, error.code != .ioFailed {
                    objections.append("\(step): \(describe(error)), wrongly poisoned")
                }
                guard !isUnsure else { return }
                if expectation.bodies.count > count {
                    refused.append(expectation.bodies.removeLast())
                    if process.content.bodies.count > count { process.content.remove(1) }
                }
            }
        }

        private mutating func see(_ error: any Error) {
            guard let error = error as? StoreError else { return }
            if error.code == .invalidDatabase {
                objections.append("a failing disk was reported as damage: \(error.message)")
            }
        }
    }

    private static let faults = FailureEnumeration.faults.filter {
        $0.writtenByteCount < 1000 && ($0.code == .ioFailed || $0.kind != .read)
    }

    @Test(arguments: faults)
    func everyFailingCallIsSurvived(fault: FailureEnumeration.Fault) throws {
        var nth = 1
        while true {
            let disk = SimFileSystem(seed: UInt64(nth))
            var workload = Workload(disk)
            disk.inject(fault.failure(nth))
            if workload.open() { workload.run() }
            let hasFired = disk.firedFailureCount > 0
            workload.goOn()
            let place = "\(fault), call \(nth)"
            check(disk.killImage(), workload.expectation, afterPowerCut: false, place)
            let dropped = disk.killImage()
            dropped.dropCaches()
            check(dropped, workload.expectation, afterPowerCut: true, "\(place), caches dropped")
            let images = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: 7)
            var numbers = SeededRandom(UInt64(nth))
            for _ in 0..<min(3, images.count) {
                let image = images[numbers.below(images.count)]
                check(
                    image.fileSystem, workload.expectation, afterPowerCut: true,
                    "\(place), \(image.summary)")
            }
            workload.handOver()
            workload.end()
            expectTrue(workload.objections.isEmpty, "\(place): \(workload.objections)")
            expectEqual(disk.openHandleCount, 0, "\(place): a file was left open")
            guard hasFired else { break }
            nth += 1
        }
    }

    private func check(
        _ machine: SimFileSystem, _ expectation: Expectation, afterPowerCut: Bool,
        _ place: String
    ) {
        do {
            let opened = try CheckpointProcess(machine)
            let found = opened.content.bodies
            let objection = expectation.objection(to: found, afterPowerCut: afterPowerCut)
            expectNil(objection, "\(place)")
            try expectTrue(opened.becomeWriter(), "\(place)")
            try opened.append([TestBody.make(version: found.count + 1, payloadByteCount: 9)])
            try opened.log.sync()
            opened.log.publish()
            try opened.checkpoint(isNewFile: false)
            try opened.trim()
            let names = machine.fileNames(in: TinyStore.path)
            expectTrue(!names.contains { $0.hasPrefix("tmp-") }, "\(place): \(names)")
            let again = try CheckpointProcess(machine.killImage())
            expectEqual(again.content.bodies, opened.content.bodies, "\(place)")
            expectTrue(again.report.checkpoint != nil, "\(place)")
        } catch {
            Issue.record("\(place): \(describe(error))")
        }
    }

    /// The writer dies at every effect of the workload. A process that has had the realm open since
    /// its beginning, or caught up in between, takes over; then another power failure follows.
    @Test(arguments: [0, 24, 400])
    func anHeirGoesOnWhereverTheCheckpointerDied(writtenByteCount: Int) throws {
        var effect = 0
        var deaths: Set<EffectKind> = []
        while true {
            let place = "effect \(effect), \(writtenByteCount) bytes"
            let machine = SimFileSystem(seed: 5)
            let mortal = MortalProcess(machine)
            var workload = Workload(machine, as: mortal)
            let isOpen = workload.open()
            expectTrue(isOpen)
            let heir = try CheckpointProcess(machine)
            mortal.die(after: effect, writtenByteCount: writtenByteCount)
            workload.run()
            guard mortal.isDead else { break }
            if let kind = mortal.lastEffect { deaths.insert(kind) }
            workload.end()
            do {
                // Commits that failed in the dead process may exist: it was interrupted.
                try expectTrue(heir.becomeWriter(), "\(place)")
                let found = heir.content.bodies
                let allowed =
                    workload.expectation.durableCount...workload.expectation.durableCount + 1
                expectTrue(allowed.contains(found.count), "\(place): \(found.count) of \(allowed)")
                for (index, body) in found.enumerated() {
                    expectEqual(TestBody.version(of: body), index + 1, "\(place)")
                }
                try heir.append([TestBody.make(version: found.count + 1, payloadByteCount: 9)])
                try heir.log.sync()
                heir.log.publish()
                try heir.checkpoint(isNewFile: effect % 2 == 0)
                try heir.log.beginSegmentAfterCheckpoint()
                try heir.trim()
                let images = machine.crashImages(
                    SimCrashOptions(limitUnits: 4, samples: 4), seed: UInt64(effect))
                for image in [machine.killImage(), images[0].fileSystem, images.last!.fileSystem] {
                    let again = try CheckpointProcess(image)
                    expectEqual(again.content.bodies, heir.content.bodies, "\(place)")
                }
            } catch {
                Issue.record("\(place): \(describe(error))")
            }
            effect += 1
        }
        expectTrue(effect > 50)
        expectTrue(
            deaths.isSuperset(of: [
                .create, .write, .sync, .rename, .unlink, .syncDirectory, .storeControl,
            ]))
    }
}
