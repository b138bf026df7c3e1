import Foundation
import Testing

/// Some thousands of the transactions of ``MutationTests``.
@Suite struct MutationEnumeration {
    @Test func everyViewShowsWhatWasDone() async throws {
        let seed = SeededRandom.seed()
        let given = ProcessInfo.processInfo.environment["REGNUM_MUTATIONS"]
        let total = given.flatMap { Int($0) } ?? 4_000
        var done = 0
        var counts: [String: Int] = [:]
        while done < total {
            let run = try MutationRun(seed: seed &+ UInt64(done))
            try await run.run(min(200, total - done))
            counts.merge(run.counts, uniquingKeysWith: +)
            done += 200
        }
        print("mutations:", counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    }
}
