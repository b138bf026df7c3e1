import Foundation
import RegnumStore

/// Many random runs, each determined by a seed and its number.
///
/// `REGNUM_SEED` repeats all of them, `REGNUM_RUN` only the one with that number.
package struct NumberedRuns: Sendable {
    package let name: String
    package let seed: UInt64
    package let numbers: Range<Int>
    /// Whether `REGNUM_RUN` selects a single run.
    package let isOne: Bool

    package init(_ name: String, count: Int) {
        self.name = name
        seed = SeededRandom.seed(name)
        let one = ProcessInfo.processInfo.environment["REGNUM_RUN"].flatMap { Int($0) }
        isOne = one != nil
        numbers = one.map { $0..<$0 + 1 } ?? 0..<count
    }

    /// Returns the seed of one run.
    package func seed(_ number: Int) -> UInt64 { SeededRandom.seed(seed, ofRun: number) }

    /// Returns the failure of a run, with the variables that reproduce it.
    package func failure(_ number: Int, _ error: any Error) -> RunFailure {
        RunFailure("\(name): REGNUM_SEED=\(seed) REGNUM_RUN=\(number): \(error)")
    }

    /// Executes all runs on a few tasks. After a failure no further runs are started; all failures
    /// are reported.
    ///
    /// - Parameter tasksPerCore: More than one where runs wait for other runs.
    package func run(
        tasksPerCore: Int = 1, _ run: @escaping @Sendable (Int, UInt64) async throws -> Void
    ) async throws {
        let progress = Progress(numbers)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasksPerCore * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    while let number = progress.next() {
                        do {
                            try await run(number, seed(number))
                        } catch {
                            progress.fail(number, failure(number, error), error is RunStall)
                        }
                    }
                }
            }
        }
        let failures = progress.failures
        if !failures.isEmpty { throw RunFailure(failures.joined(separator: "\n\n")) }
    }

    /// Executes all runs one after the other, half here and half in a peer process, on realms that
    /// both have open.
    package func run(
        sharedWith peer: PeerProcess,
        half: (PeerAssignment, @escaping @Sendable (Int) async throws -> Void) async throws -> Void
    ) async throws {
        defer { peer.kill() }
        let directory = try PeerProcess.makeDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        for number in numbers {
            let assignment = PeerAssignment(
                seed: seed(number), path: directory.appending(path: "\(number).realm").path)
            do {
                try await peer.share(assignment) { try await half(assignment, $0) }
            } catch {
                throw failure(number, error)
            }
            try FileManager.default.removeItem(atPath: assignment.path)
        }
        print("\(name): process \(peer.processID) was the peer of \(numbers.count) runs")
    }

    /// Tracks which runs were started and which failed.
    private final class Progress: Sendable {
        private struct State {
            var next: Int
            var failures: [(number: Int, text: String)] = []
            var hasStalled = false
        }

        private let end: Int
        private let state: Guarded<State>

        init(_ numbers: Range<Int>) {
            end = numbers.upperBound
            state = Guarded(State(next: numbers.lowerBound))
        }

        /// Returns the number of the next run. `nil` once all were started, some failed, or one
        /// stalled: others would stall too, and each stall takes long to detect.
        func next() -> Int? {
            state.withLock { state in
                guard state.next < end, state.failures.count < 4, !state.hasStalled else {
                    return nil
                }
                defer { state.next += 1 }
                return state.next
            }
        }

        func fail(_ number: Int, _ failure: RunFailure, _ isStall: Bool) {
            state.withLock { state in
                state.failures.append((number, failure.description))
                if isStall { state.hasStalled = true }
            }
        }

        var failures: [String] {
            state.withLock { $0.failures }.sorted { $0.number < $1.number }.map(\.text)
        }
    }
}

/// Runs that failed, with what reproduces them.
package struct RunFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
