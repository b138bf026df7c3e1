import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization

/// Opens what a crash left behind, compares it with the oracle, crashes again, and continues.
///
/// Guard of the `@unchecked Sendable`: each checker is used by one thread only; it is passed to
/// `onEffect`, which runs on the thread that makes the effect.
final class CrashChecker: @unchecked Sendable {
    /// The numbers of images that are checked for each crash.
    struct Effort {
        /// Images of a power failure in the workload; `nil` for all.
        var images: Int? = 40
        /// Images of a power failure at each effect of a recovery.
        var nestedImages = 2
        /// The share of the recoveries that have a second crash.
        var nestedShare = 1.0
        /// Images of a power failure just after a recovery, and around the commit that follows it.
        var laterImages = 2
    }

    var effort = Effort()
    /// Opens a machine, by checkpoint or from the beginning of the log.
    var opens: (SimFileSystem) throws -> TinyStore.Opened = { try TinyStore.open($0) }
    private(set) var stateCount = 0
    /// One failure of each kind; those that differ only in numbers count as one.
    private(set) var failures: [String] = []
    private(set) var failureCount = 0
    private var kinds: Set<String> = []
    private var numbers: SeededRandom
    private var imageOptions = SimCrashOptions()
    private var laterOptions = SimCrashOptions(limitUnits: 4, samples: 4)

    init(seed: UInt64) {
        numbers = SeededRandom(seed)
    }

    func report(_ what: String) {
        failureCount += 1
        let parts = what.filter { !$0.isNumber }.split(separator: ";").last?.split(separator: ",")
        let kind = "\(parts?.first ?? "") \(parts?.last ?? "")"
        if failures.count < 12, kinds.insert(kind).inserted { failures.append(what) }
    }

    /// Simulates a power failure or the death of all processes at this moment.
    func crash(
        _ disk: SimFileSystem, _ expectation: Expectation,
        _ place: @autoclosure @escaping @Sendable () -> String
    ) {
        let images = disk.crashImages(imageOptions, seed: numbers.next())
        for index in sample(images, effort.images) {
            let image = images[index]
            check(image.fileSystem, expectation, isPowerCut: true, depth: 2) {
                "power cut \(place()), \(image.summary)"
            }
        }
        check(disk.killImage(), expectation, isPowerCut: false, depth: 2) { "death \(place())" }
    }

    private func sample(_ images: SimCrashImages, _ count: Int?) -> [Int] {
        guard let count, images.count > count else { return Array(images.indices) }
        // The first and the last image are those with nothing and everything kept.
        var chosen: Set<Int> = []
        while chosen.count < count { chosen.insert(numbers.below(images.count)) }
        return chosen.sorted()
    }

    /// Opens the machine; with `depth` 2 it also crashes at every effect of that.
    private func check(
        _ disk: SimFileSystem, _ expectation: Expectation, isPowerCut: Bool, depth: Int,
        _ place: @escaping @Sendable () -> String
    ) {
        stateCount += 1
        var expected = expectation
        if isPowerCut { expected.visibleCount = expected.durableCount }
        do {
            if depth > 1, numbers.chance(effort.nestedShare) {
                watchRecovery(disk, expected, place)
            }
            let opened = try opens(disk)
            disk.onEffect = nil
            if let objection = expected.objection(to: opened.bodies, afterPowerCut: isPowerCut) {
                return report("\(place()): \(objection)")
            }
            guard opened.log.durableEnd == opened.log.position,
                opened.log.version == UInt64(opened.bodies.count),
                opened.report.commitCount == UInt64(opened.bodies.count - opened.startCount)
            else { return report("\(place()): the log reports a different end than it delivered") }
            guard isLastSegmentSynced(disk) else {
                return report("\(place()): a power loss could change the opened log")
            }
            expected.settle(on: opened.bodies.count)
            try goOn(disk, opened, expected, depth: depth, place)
        } catch {
            disk.onEffect = nil
            report("\(place()): \(describe(error))")
        }
    }

    private func isLastSegmentSynced(_ disk: SimFileSystem) -> Bool {
        let segments = disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix("log-") }
        // segment 10 is after segment 9
        guard let last = segments.max(by: { ($0.count, $0) < ($1.count, $1) }) else { return false }
        return disk.contents(of: last, in: TinyStore.path)
            == disk.durableContents(of: last, in: TinyStore.path)
    }

    /// Makes the second crash, at every effect of the next recovery.
    private func watchRecovery(
        _ disk: SimFileSystem, _ expected: Expectation, _ place: @escaping @Sendable () -> String
    ) {
        // Unowned, because the machine owns the hook.
        disk.onEffect = { [unowned self, unowned disk] kind, index in
            guard kind != .wake else { return }
            let images = disk.crashImages(laterOptions, seed: numbers.next())
            for choice in sample(images, effort.nestedImages) {
                let image = images[choice]
                check(image.fileSystem, expected, isPowerCut: true, depth: 1) {
                    "\(place()); power cut in the recovery before \(kind) \(index), "
                        + image.summary
                }
            }
            check(disk.killImage(), expected, isPowerCut: false, depth: 1) {
                "\(place()); death in the recovery before \(kind) \(index)"
            }
        }
    }

    /// Checks that delivered commits are durable, makes one more commit, and checks that all are
    /// found next time.
    private func goOn(
        _ disk: SimFileSystem, _ opened: TinyStore.Opened, _ expectation: Expectation, depth: Int,
        _ place: @escaping @Sendable () -> String
    ) throws {
        var expected = expectation
        later(disk, expected, depth) { "\(place()); then a power cut after the recovery" }
        guard try opened.log.takeWriter() else { return report("\(place()): no writer lock") }
        let body = TestBody.make(
            version: expected.bodies.count + 1, payloadByteCount: 40 + numbers.below(600),
            salt: numbers.next())
        expected.bodies.append(body)
        try opened.log.append([body], version: UInt64(expected.bodies.count))
        later(disk, expected, depth) { "\(place()); then a power cut in the next commit" }
        try opened.log.sync()
        expected.settle(on: expected.bodies.count)
        opened.log.publish()
        later(disk, expected, depth) { "\(place()); then a power cut after the next commit" }
        stateCount += 1
        let again = try opens(disk.killImage())
        if let objection = expected.objection(to: again.bodies, afterPowerCut: false) {
            report("\(place()); opened again: \(objection)")
        }
    }

    private func later(
        _ disk: SimFileSystem, _ expected: Expectation, _ depth: Int,
        _ place: @escaping @Sendable () -> String
    ) {
        guard depth > 0 else { return }
        let images = disk.crashImages(laterOptions, seed: numbers.next())
        for index in sample(images, effort.laterImages) {
            let image = images[index]
            check(image.fileSystem, expected, isPowerCut: true, depth: 0) {
                "\(place()), \(image.summary)"
            }
        }
    }
}

/// Returns the code and the message of a store error; any other error as it is.
func describe(_ error: any Error) -> String {
    guard let error = error as? StoreError else { return "\(error)" }
    return "\(error.code): \(error.message)"
}
