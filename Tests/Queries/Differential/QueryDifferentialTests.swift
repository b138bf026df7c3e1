import RegnumTestSupport
import Testing

/// Random data and queries through the whole public layer, against plain Swift that shares nothing
/// with the library: confined with and without uncommitted changes, frozen, live, with and without
/// index; order, slices, positions and aggregates.
@Suite struct QueryDifferentialTests {
    // Covers 3.6, 10.1
    @Test func randomQueriesAgreeWithPlainSwift() async throws {
        try await runWorlds(Effort.count(gate: 40, soak: 400), planCount: 50)
    }

    @Test func randomQueriesOfManyRowsAgreeWithPlainSwift() async throws {
        try await runWorlds(Effort.count(gate: 1, soak: 4), planCount: 20, nodeCount: 1_500)
    }
}

/// Each world has its own seed, so that one that failed can be reproduced as the first one.
private func runWorlds(
    _ worldCount: Int, planCount: Int, nodeCount: Int? = nil, function: String = #function
) async throws {
    let seed = SeededRandom.seed(function)
    for number in 0..<UInt64(worldCount) {
        let count = nodeCount ?? [1, 5, 12, 24, 60][Int((seed &+ number) % 5)]
        do {
            var run = try await WorldRun(seed: seed &+ number, nodeCount: count)
            try await run.run(planCount)
        } catch {
            Issue.record("REGNUM_SEED=\(seed &+ number): \(error)")
            return
        }
    }
}
