import RegnumTestSupport
import Testing

/// Random transactions on a file realm, against plain Swift: after each of them every view shows
/// exactly what was done.
@Suite struct MutationTests {
    @Test func everyViewShowsWhatWasDone() async throws {
        let seed = SeededRandom.seed()
        let total = Effort.count(gate: 800, soak: 4_000)
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
