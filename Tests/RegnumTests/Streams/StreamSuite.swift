import Foundation
import Regnum
import Synchronization

/// Many histories on a few tasks; the first that fails is told with its seed.
///
/// `REGNUM_SEED` repeats a run, `REGNUM_STREAM_HISTORIES` says how many histories, and `REGNUM_STREAM_HISTORY` runs
/// the one of that number alone.
struct StreamSuite: Sendable {
    let name: String
    let seed: UInt64
    let count: Int
    let only: Int?

    init(_ name: String, count: Int) {
        self.name = name
        seed = SeededRandom.seed(name)
        let environment = ProcessInfo.processInfo.environment
        self.count = environment["REGNUM_STREAM_HISTORIES"].flatMap { Int($0) } ?? count
        only = environment["REGNUM_STREAM_HISTORY"].flatMap { Int($0) }
    }

    func seed(_ number: Int) -> UInt64 {
        var random = SeededRandom(seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        return random.next()
    }

    /// Runs all histories, every third in memory and the others on two simulated sides.
    func run() async throws {
        if let only { return try await run(only) }
        let progress = StreamProgress(count)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    while let number = progress.next() {
                        do {
                            try await run(number)
                        } catch {
                            progress.fail(number, error)
                        }
                    }
                }
            }
        }
        let failures = progress.failures
        if failures.isEmpty { return }
        let lines = failures.map { "REGNUM_STREAM_HISTORY=\($0.number): \($0.text)" }
        throw StreamFailure("\(name): REGNUM_SEED=\(seed) \(lines.joined(separator: "\n"))")
    }

    private func run(_ number: Int) async throws {
        try await StreamWatchdog.run { try await run(number, $0) }
    }

    private func run(_ number: Int, _ pulse: StreamPulse) async throws {
        let seed = seed(number)
        let sides: any StreamSides =
            number % 3 == 0
            ? try await MemorySides(seed: seed) : try await SimulatedSides(seed: seed)
        do {
            try await StreamHistory(
                seed: seed, sides: sides, pulse: pulse, isTraced: only != nil
            ).run()
        } catch {
            await sides.close()
            throw error
        }
    }
}

/// Which histories were taken, and which failed.
private final class StreamProgress: Sendable {
    private struct State {
        var next = 0
        var failures: [(number: Int, text: String)] = []
        var hasStalled = false
    }

    private let state = Mutex(State())
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// The number of the next history to run; nil when all are taken, some failed or one waited for ever:
    /// others would, and it takes long to find out.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < count, state.failures.count < 6, !state.hasStalled
            else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func fail(_ number: Int, _ error: any Error) {
        state.withLock { state in
            state.failures.append((number, "\(error)"))
            if error is StreamStall { state.hasStalled = true }
        }
    }

    var failures: [(number: Int, text: String)] {
        state.withLock { $0.failures }.sorted { $0.number < $1.number }
    }
}
