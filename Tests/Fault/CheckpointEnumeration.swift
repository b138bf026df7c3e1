import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// A crash at every effect of workloads that checkpoint: creating and extending nodes files,
/// CHECKPOINT records, segments that refer to them, bulk commits, trimming, and following
/// processes. Opening by checkpoint afterwards yields what the oracle allows, and then the log
/// continues.
@Suite(.serialized) struct CheckpointEnumeration {
    /// Runs `steps` on a new realm and crashes at every effect of the steps from number `first` on.
    ///
    /// - Parameter formerKey: the key that the realm has before those steps, if it is another one.
    private func crash(
        _ steps: [CheckpointStep], from first: Int, seed: UInt64, _ checker: CrashChecker,
        retention: HistoryRetention = .none, formerKey: EncryptionKey? = nil
    ) {
        guard checker.failureCount < 100 else { return }
        let driver = CheckpointDriver(seed: seed, retention: retention)
        let name = steps.map(\.rawValue).joined(separator: " ")
        // Unowned, because the driver owns the hook.
        let hook: @Sendable (EffectKind, Int) -> Void = { [unowned driver] kind, index in
            guard kind != .wake else { return }
            checker.crash(driver.disk, driver.expectation, "in [\(name)] before \(kind) \(index)")
        }
        do {
            try TinyStore.$key.withValue(formerKey ?? TinyStore.key) {
                try driver.open()
                for step in steps[..<(first - 1)] { try driver.run(step) }
            }
            if formerKey != nil { try driver.run(.die) }
            driver.disk.onEffect = hook
            for step in steps[(first - 1)...] { try driver.run(step) }
            driver.disk.onEffect = nil
            checker.crash(driver.disk, driver.expectation, "after [\(name)]")
        } catch {
            driver.disk.onEffect = nil
            checker.report("[\(name)]: \(describe(error))")
        }
    }

    private func checker(_ seed: UInt64) -> CrashChecker {
        let checker = CrashChecker(seed: seed)
        checker.opens = { disk in
            let content = ListContent()
            return try TinyStore.open(disk, content)
        }
        return checker
    }

    private func conclude(_ checker: CrashChecker, _ what: String) {
        print("checkpoint enumeration: \(checker.stateCount) states (\(what))")
        for failure in checker.failures { Issue.record(Comment(rawValue: failure)) }
        expectEqual(checker.failureCount, 0)
    }

    /// Initial states in which each step has work to do: with files, segments and checkpoints.
    private static let beginnings: [[CheckpointStep]] = [
        [],
        [.commit, .checkpoint, .large],
        [.commit, .checkpoint, .large, .large, .checkpointAnew, .commit],
        [.bulk, .segment, .commit, .bulk, .relaxed],
        [.large, .large, .checkpoint, .segment, .large, .checkpointAnew, .segment],
        [.handOver, .commit, .checkpoint, .large, .large, .checkpoint, .large, .checkpointAnew],
        [
            .handOver, .commit, .bulk, .large, .large, .bulk, .large, .large, .checkpointAnew,
            .trim,
        ],
    ]

    @Test func everyStepSurvivesEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = checker(seed)
        checker.effort = CrashChecker.Effort(images: 6, nestedImages: 1, nestedShare: 0.2)
        for beginning in Self.beginnings {
            for step in CheckpointStep.allCases {
                crash(beginning + [step], from: beginning.count + 1, seed: seed, checker)
            }
        }
        conclude(checker, "single steps")
        expectTrue(checker.stateCount > 20_000)
    }

    @Test(.enabled(if: Effort.isSoak)) func twoStepsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = checker(seed)
        checker.effort = CrashChecker.Effort(
            images: 1, nestedImages: 1, nestedShare: 0.05, laterImages: 1)
        for beginning in Self.beginnings.suffix(4) {
            for first in CheckpointStep.allCases {
                for second in CheckpointStep.allCases {
                    let steps = beginning + [first, second]
                    crash(steps, from: steps.count, seed: seed, checker)
                }
            }
        }
        conclude(checker, "two steps")
        expectTrue(checker.stateCount > 20_000)
    }

    @Test func encryptedRealmsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = checker(seed)
        checker.effort = CrashChecker.Effort(
            images: 2, nestedImages: 1, nestedShare: 0.05, laterImages: 1)
        TinyStore.$key.withValue(.fake()) {
            for beginning in Self.beginnings.suffix(3) {
                for step in CheckpointStep.allCases {
                    crash(beginning + [step], from: beginning.count + 1, seed: seed, checker)
                }
            }
        }
        conclude(checker, "encrypted realms")
        expectTrue(checker.stateCount > 500)
    }

    /// Until the compaction is recorded, both keys are needed. With one of them, the realm has the
    /// right content or is refused.
    // Covers .wrongKey
    @Test func realmsThatGetAnotherKeySurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = checker(seed)
        checker.effort = CrashChecker.Effort(
            images: 2, nestedImages: 1, nestedShare: 0.02, laterImages: 1)
        checker.opens = { disk in
            let (former, newest) = (disk.killImage(), disk.killImage())
            let opened = try TinyStore.open(disk, ListContent())
            for (image, key) in [(former, EncryptionKey.fake(1)), (newest, .fake(2))] {
                try TinyStore.$key.withValue(key) {
                    do throws(StoreError) {
                        let bodies = try TinyStore.open(image, ListContent()).bodies
                        guard bodies == opened.bodies else {
                            throw StoreError(.invalidDatabase, "one key reads other content")
                        }
                    } catch {
                        if error.code != .wrongKey { throw error }
                    }
                }
            }
            return opened
        }
        TinyStore.$key.withValue(.fake(2, former: [1])) {
            for beginning in Self.beginnings.suffix(3) {
                for steps in Self.keyChanges {
                    crash(
                        beginning + steps, from: beginning.count + 1, seed: seed, checker,
                        formerKey: .fake(1))
                }
            }
        }
        conclude(checker, "realms that get another key")
        expectTrue(checker.stateCount > 500)
    }

    private static let keyChanges: [[CheckpointStep]] = [
        [.compact], [.relaxed, .compact, .commit], [.commit, .checkpoint, .handOver, .compact],
        [.failBulk, .compact, .large], [.compact, .die, .compact],
    ]

    @Test func longRandomWorkloadsSurviveEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = checker(seed)
        checker.effort = CrashChecker.Effort(
            images: 2, nestedImages: 1, nestedShare: 0.02, laterImages: 1)
        let limit = Effort.count(gate: 2_500, soak: 40_000)
        var numbers = SeededRandom(seed)
        repeat {
            let steps = (0..<30).map { _ in numbers.oneOf(CheckpointStep.allCases) }
            crash(steps, from: 1, seed: numbers.next(), checker)
        } while checker.stateCount < limit && checker.failureCount == 0
        conclude(checker, "long random workloads")
    }

    /// History kept for readers of the past never prevents a realm from opening, and is read
    /// unchanged.
    @Test func keptHistorySurvivesEveryCrash() {
        let seed = SeededRandom.seed()
        let checker = CrashChecker(seed: seed)
        checker.effort = CrashChecker.Effort(
            images: 2, nestedImages: 1, nestedShare: 0.02, laterImages: 1)
        let limit = Effort.count(gate: 1_200, soak: 20_000)
        var numbers = SeededRandom(seed)
        repeat {
            let retention = HistoryRetention(
                ageNanoseconds: nil, byteCount: UInt64(numbers.oneOf([1, 5000, 20_000])))
            checker.opens = { disk in
                var options = TinyStore.checkpointOptions
                options.retention = retention
                let opened = try TinyStore.open(disk, ListContent(), options: options)
                try opened.checkHistory()
                return opened
            }
            let steps = (0..<30).map { _ in numbers.oneOf(CheckpointStep.allCases) }
            crash(steps, from: 1, seed: numbers.next(), checker, retention: retention)
        } while checker.stateCount < limit && checker.failureCount == 0
        conclude(checker, "kept history")
    }
}

extension TinyStore.Opened {
    /// Reads on from several past versions, as far as they are available; the commits must be those
    /// that were delivered.
    fileprivate func checkHistory() throws {
        let newest = log.version
        for version in Set([0, newest / 2, newest - min(newest, 3), newest]) {
            for beginning in try log.history.find(version).beginnings {
                var replay = beginning.replay
                var number = Int(beginning.reference?.version ?? 0)
                while let body = try replay.nextCommit(through: newest) {
                    number += 1
                    guard body == bodies[number - 1] || body.count == 48 else {
                        throw StoreError(.invalidDatabase, "commit \(number) reads as different")
                    }
                }
                guard number == Int(newest) else {
                    throw StoreError(.invalidDatabase, "history ends at \(number), not \(newest)")
                }
            }
        }
    }
}
