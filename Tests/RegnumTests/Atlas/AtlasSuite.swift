import Foundation
import Regnum
import Synchronization

/// Many sequences on a few tasks; those that fail are told with the seed and what they did.
///
/// `REGNUM_SEED` repeats a run, and `REGNUM_SEQUENCE` runs the sequence of that number alone.
struct AtlasSuite: Sendable {
    let name: String
    let seed: UInt64
    let count: Int
    let only: Int?

    init(_ name: String, count: Int, variable: String? = nil) {
        self.name = name
        seed = SeededRandom.seed(name)
        let environment = ProcessInfo.processInfo.environment
        self.count = variable.flatMap { environment[$0] }.flatMap { Int($0) } ?? count
        only = environment["REGNUM_SEQUENCE"].flatMap { Int($0) }
    }

    /// The numbers of the sequences to run.
    var numbers: Range<Int> { only.map { $0..<$0 + 1 } ?? 0..<count }

    func seed(_ number: Int) -> UInt64 {
        var random = SeededRandom(seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        return random.next()
    }

    /// Every third in memory, and the others on a simulated disk, with one side or two.
    func run() async throws {
        let progress = AtlasProgress(numbers)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    while let number = progress.next() {
                        do {
                            try await run(number)
                        } catch {
                            progress.fail(failure(number, error))
                        }
                    }
                }
            }
        }
        let failures = progress.failures
        if !failures.isEmpty { throw AtlasFailure(failures.joined(separator: "\n\n")) }
    }

    func failure(_ number: Int, _ error: any Error) -> String {
        "\(name): REGNUM_SEED=\(seed) REGNUM_SEQUENCE=\(number): \(error)"
    }

    private func run(_ number: Int) async throws {
        let seed = seed(number)
        let sequence = AtlasSequence(seed: seed)
        let types = sequence.objectTypes
        let sides: any AtlasSides =
            number % 3 == 0
            ? try await AtlasMemorySides(seed: seed, types)
            : try await AtlasSimulatedSides(seed: seed, count: number % 3, types)
        do {
            try await sequence.run(sides)
        } catch {
            await sides.close()
            throw AtlasFailure("\(error)\n\(sequence.history)")
        }
        await sides.close()
    }
}

/// Which sequences were taken, and what failed.
private final class AtlasProgress: Sendable {
    private struct State {
        var next: Int
        var failures: [String] = []
    }

    private let end: Int
    private let state: Mutex<State>

    init(_ numbers: Range<Int>) {
        end = numbers.upperBound
        state = Mutex(State(next: numbers.lowerBound))
    }

    /// The number of the next sequence to run; nil when all are taken, or some failed.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < end, state.failures.count < 4 else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func fail(_ text: String) { state.withLock { $0.failures.append(text) } }

    var failures: [String] { state.withLock { $0.failures } }
}
