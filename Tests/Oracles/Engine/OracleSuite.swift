import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Many sequences on a few tasks. The first that fails is shrunk and reported.
///
/// `REGNUM_SEED` repeats all of them, `REGNUM_RUN` only the one with that number, whose steps are
/// printed as they run (useful for one that traps).
struct OracleSuite: Sendable {
    let name: String
    let seed: UInt64
    let count: Int
    /// Makes the target of one sequence.
    let makeTarget: @Sendable (UInt64) async throws -> any OracleTarget
    /// Returns the size of the sequence with that number.
    let size: @Sendable (Int) -> OracleSequence.Size

    init(
        _ name: String, count: Int, size: @escaping @Sendable (Int) -> OracleSequence.Size,
        _ makeTarget: @escaping @Sendable (UInt64) async throws -> any OracleTarget
    ) {
        self.name = name
        self.count = count
        seed = SeededRandom.seed(name)
        self.makeTarget = makeTarget
        self.size = size
    }

    /// Returns the sequence with that number, which is the same in any process.
    func sequence(_ number: Int) -> OracleSequence {
        let seed = SeededRandom.seed(seed, ofRun: number)
        return OracleSequence(seed: seed, size: size(number))
    }

    /// Runs all sequences. Throws the shrunk steps of the first that fails.
    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        if let only = environment["REGNUM_RUN"].flatMap({ Int($0) }) {
            let log = OracleLog(isKept: false, isPrinted: true)
            return try await run(sequence(only), log)
        }
        let progress = OracleProgress(count: count)
        let workerCount = 3 * ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<workerCount {
                group.addTask {
                    while let number = progress.next() {
                        let sequence = sequence(number)
                        if await failure(sequence, OracleLog(isKept: false)) != nil {
                            progress.fail(number)
                        }
                    }
                }
            }
        }
        if let number = progress.failed { try await explain(number) }
    }

    private func run(_ sequence: OracleSequence, _ log: OracleLog) async throws {
        try await run(sequence, try await makeTarget(sequence.seed), log)
    }

    private func run<Target: OracleTarget>(
        _ sequence: OracleSequence, _ target: Target, _ log: OracleLog
    ) async throws {
        do {
            try await OracleRun(target, log).run(sequence)
        } catch {
            await target.close()
            throw error
        }
        await target.close()
    }

    private func failure(_ sequence: OracleSequence, _ log: OracleLog) async -> String? {
        do {
            try await run(sequence, log)
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Shrinking

    private func explain(_ number: Int) async throws {
        let whole = sequence(number)
        let shrunk = await shrink(whole)
        let log = OracleLog(isKept: true)
        let text = await failure(shrunk, log) ?? "the shrunk sequence passed when run again"
        throw OracleFailure(
            """
            \(name): REGNUM_SEED=\(seed), sequence \(number) fails; shrunk from \
            \(whole.steps.count) to \(shrunk.steps.count) steps:
            \(log.lines.map { "    " + $0.prefix(600) }.joined(separator: "\n"))
            \(text.prefix(4_000))
            """)
    }

    /// Removes steps, in runs of halving length, as long as the remaining ones still fail.
    private func shrink(_ whole: OracleSequence) async -> OracleSequence {
        var best = whole
        var attemptsLeft = 800
        var length = max(best.steps.count / 2, 1)
        while attemptsLeft > 0 {
            var isShorter = false
            var start = 0
            while start < best.steps.count, attemptsLeft > 0 {
                var candidate = best
                candidate.steps.removeSubrange(
                    start..<min(start + length, candidate.steps.count))
                attemptsLeft -= 1
                if await failure(candidate, OracleLog(isKept: false)) != nil {
                    best = candidate
                    isShorter = true
                } else {
                    start += length
                }
            }
            if length == 1, !isShorter { break }
            length = max(length / 2, 1)
        }
        await shrinkRows(&best, &attemptsLeft)
        return best
    }

    /// Reduces the number of rows that bulk steps touch.
    private func shrinkRows(_ best: inout OracleSequence, _ attemptsLeft: inout Int) async {
        for index in best.steps.indices {
            var low = 0
            var high = 4_096
            guard best.steps[index].kind.isOnMany else { continue }
            while low < high, attemptsLeft > 0 {
                let middle = (low + high) / 2
                var candidate = best
                candidate.steps[index].maximumRowCount = middle
                attemptsLeft -= 1
                if await failure(candidate, OracleLog(isKept: false)) != nil {
                    best = candidate
                    high = middle
                } else {
                    low = middle + 1
                }
            }
        }
    }
}

/// Tracks which sequences were started, and the lowest that failed.
private final class OracleProgress: Sendable {
    private let state: Guarded<(next: Int, failed: Int?)>
    private let count: Int

    init(count: Int) {
        self.count = count
        state = Guarded((0, nil))
    }

    /// Returns the number of the next sequence to run; `nil` once all were started or one failed.
    func next() -> Int? {
        state.withLock { state in
            guard state.failed == nil, state.next < count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    func fail(_ number: Int) {
        state.withLock { $0.failed = min($0.failed ?? number, number) }
    }

    var failed: Int? { state.withLock { $0.failed } }
}
