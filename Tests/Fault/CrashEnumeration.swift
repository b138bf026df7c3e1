import RegnumSimulation
import RegnumStore
import Testing

/// A crash at every effect of the log's workloads, on the simulated disk: power cuts that keep any
/// part of what was not synced, and the death of processes; a second crash at every effect of the
/// recovery; then the log goes on.
///
/// `REGNUM_CRASH_STATES` (100,000 if not set) is how many images the random workloads make at least;
/// the short ones are done in any case.
@Suite(.serialized) struct CrashEnumeration {
    /// Runs `steps` on a new realm and crashes at every effect of those from number `first` on;
    /// 0 is the opening itself.
    private func crash(
        _ steps: [WorkloadStep], from first: Int, seed: UInt64, _ checker: CrashChecker
    ) {
        guard checker.failureCount < 100 else { return }
        let driver = LogDriver(seed: seed)
        let name = steps.map(\.rawValue).joined(separator: " ")
        // Not owned: the driver owns the hook.
        let hook: @Sendable (EffectKind, Int) -> Void = { [unowned driver] kind, index in
            guard kind != .wake else { return }
            checker.crash(driver.disk, driver.expectation, "in [\(name)] before \(kind) \(index)")
        }
        do {
            if first == 0 { driver.onEffect = hook }
            try driver.open()
            for (number, step) in steps.enumerated() {
                if number + 1 == first { driver.onEffect = hook }
                try driver.run(step)
            }
            driver.onEffect = nil
            checker.crash(driver.disk, driver.expectation, "after [\(name)]")
        } catch {
            checker.report("[\(name)]: \(describe(error))")
        }
    }

    private func conclude(_ checker: CrashChecker, _ what: String) {
        print("crash enumeration: \(checker.stateCount) states (\(what))")
        for failure in checker.failures { Issue.record(Comment(rawValue: failure)) }
        #expect(checker.failureCount == 0)
    }

    @Test func shortWorkloadsSurviveEveryCrash() {
        let seed = faultSeed()
        let checker = CrashChecker(seed: seed)
        let steps = WorkloadStep.allCases
        crash([], from: 0, seed: seed, checker)
        for first in steps { crash([first], from: 1, seed: seed, checker) }
        checker.effort = CrashChecker.Effort(images: 3, nestedImages: 1, laterImages: 1)
        for first in steps {
            for second in steps { crash([first, second], from: 2, seed: seed, checker) }
        }
        conclude(checker, "workloads of up to two steps")
        #expect(checker.stateCount > 50_000)
    }

    /// Every image that the simulation makes of a crash: all subsets of up to 8 unsynced sectors and
    /// directory entries, each with every older control page.
    @Test func shortWorkloadsSurviveEveryImageOfEveryCrash() {
        let seed = faultSeed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: nil, nestedImages: 1, nestedShare: 0.005, laterImages: 1)
        let steps = WorkloadStep.allCases
        crash([], from: 0, seed: seed, checker)
        for first in steps {
            crash([first], from: 1, seed: seed, checker)
            for second in steps { crash([first, second], from: 2, seed: seed, checker) }
        }
        conclude(checker, "all images of workloads of up to two steps")
        #expect(checker.stateCount > 50_000)
    }

    @Test func workloadsOfThreeStepsSurviveEveryCrash() {
        let seed = faultSeed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: 1, nestedImages: 1, nestedShare: 0.2, laterImages: 1)
        let steps = WorkloadStep.allCases
        for first in steps {
            for second in steps {
                for third in steps {
                    crash([first, second, third], from: 3, seed: seed, checker)
                }
            }
        }
        conclude(checker, "workloads of three steps")
        #expect(checker.stateCount > 50_000)
    }

    @Test func longRandomWorkloadsSurviveEveryCrash() {
        let seed = faultSeed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: 2, nestedImages: 1, nestedShare: 0.02, laterImages: 1)
        let limit = environmentNumber("REGNUM_CRASH_STATES", or: 100_000)
        var numbers = SplitMix64(seed: seed)
        repeat {
            let steps = (0..<30).map { _ in numbers.oneOf(WorkloadStep.allCases) }
            crash(steps, from: 0, seed: numbers.next(), checker)
        } while checker.stateCount < limit && checker.failureCount == 0
        conclude(checker, "long random workloads")
    }
}
