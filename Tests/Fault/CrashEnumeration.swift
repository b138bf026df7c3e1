import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// A crash at every effect of the log's workloads on the simulated disk: power failures that keep
/// any part of the unsynced data, and the death of processes; a second crash at every effect of the
/// recovery; then the log continues.
@Suite(.serialized) struct CrashEnumeration {
    /// Runs `steps` on a new realm and crashes at every effect of the steps from number `first` on;
    /// 0 is the opening itself.
    private func crash(
        _ steps: [WorkloadStep], from first: Int, seed: UInt64, _ checker: CrashChecker
    ) {
        guard checker.failureCount < 100 else { return }
        let driver = LogDriver(seed: seed)
        let name = steps.map(\.rawValue).joined(separator: " ")
        // Unowned, because the driver owns the hook.
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
        expectEqual(checker.failureCount, 0)
    }

    @Test func shortWorkloadsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = CrashChecker(seed: seed)
        let steps = WorkloadStep.allCases
        if !Effort.isSoak {
            checker.effort = CrashChecker.Effort(
                images: 12, nestedImages: 1, nestedShare: 0.25, laterImages: 1)
        }
        crash([], from: 0, seed: seed, checker)
        for first in steps { crash([first], from: 1, seed: seed, checker) }
        checker.effort =
            Effort.isSoak
            ? CrashChecker.Effort(images: 3, nestedImages: 1, laterImages: 1)
            : CrashChecker.Effort(images: 1, nestedImages: 1, nestedShare: 0.02, laterImages: 1)
        for first in steps {
            for second in steps { crash([first, second], from: 2, seed: seed, checker) }
        }
        conclude(checker, "workloads of up to two steps")
        expectTrue(checker.stateCount > (Effort.isSoak ? 50_000 : 10_000))
    }

    /// Every image that the simulation makes of a crash: all subsets of up to 8 unsynced sectors
    /// and directory entries, each with every older control page. The gate runs single steps, the
    /// soak pairs of steps.
    @Test func shortWorkloadsSurviveEveryImageOfEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: nil, nestedImages: 1, nestedShare: 0.005, laterImages: 1)
        let steps = WorkloadStep.allCases
        crash([], from: 0, seed: seed, checker)
        for first in steps {
            crash([first], from: 1, seed: seed, checker)
            guard Effort.isSoak else { continue }
            for second in steps { crash([first, second], from: 2, seed: seed, checker) }
        }
        conclude(checker, "all images of short workloads")
        expectTrue(checker.stateCount > (Effort.isSoak ? 50_000 : 1_000))
    }

    @Test(.enabled(if: Effort.isSoak)) func workloadsOfThreeStepsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
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
        expectTrue(checker.stateCount > 50_000)
    }

    /// Torn tails, adopted records and those that are framed again are handled as if they weren't
    /// encrypted.
    @Test func encryptedLogsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: 4, nestedImages: 1, nestedShare: 0.1, laterImages: 1)
        let limit = Effort.count(gate: 2_000, soak: 40_000)
        var numbers = SeededRandom(seed)
        TinyStore.$key.withValue(.fake()) {
            crash([], from: 0, seed: seed, checker)
            for first in WorkloadStep.allCases { crash([first], from: 1, seed: seed, checker) }
            repeat {
                let steps = (0..<30).map { _ in numbers.oneOf(WorkloadStep.allCases) }
                crash(steps, from: 0, seed: numbers.next(), checker)
            } while checker.stateCount < limit && checker.failureCount == 0
        }
        conclude(checker, "encrypted logs")
        expectTrue(checker.stateCount > 1_000)
    }

    @Test func longRandomWorkloadsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: 2, nestedImages: 1, nestedShare: 0.02, laterImages: 1)
        let limit = Effort.count(gate: 20_000, soak: 100_000)
        var numbers = SeededRandom(seed)
        repeat {
            let steps = (0..<30).map { _ in numbers.oneOf(WorkloadStep.allCases) }
            crash(steps, from: 0, seed: numbers.next(), checker)
        } while checker.stateCount < limit && checker.failureCount == 0
        conclude(checker, "long random workloads")
    }
}
