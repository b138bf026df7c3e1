import Testing

/// Random transactions on a file realm, against plain Swift: after each one every view shows all that
/// was done and nothing else.
@Suite struct MutationTests {
    @Test(arguments: 0..<4) func everyViewShowsWhatWasDone(round: Int) async throws {
        let seed = SeededRandom.seed() &+ UInt64(round)
        try await MutationRun(seed: seed).run(60)
    }
}
