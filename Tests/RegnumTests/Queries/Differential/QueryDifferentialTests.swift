import FoundationEssentials
import Testing

/// Random data and queries of the whole public layer, against plain Swift that shares nothing with
/// the library: confined with and without changes that are not committed, frozen, live, with and
/// without index, in order.
@Suite struct QueryDifferentialTests {
    @Test func randomQueriesAgreeWithPlainSwift() async throws {
        try await runWorlds(6, planCount: 10)
    }
}

/// The same, 20,000 times.
@Suite struct QueryDifferentialEnumeration {
    @Test func randomQueriesAgreeWithPlainSwift() async throws {
        try await runWorlds(400, planCount: 50)
    }

    @Test func randomQueriesOfManyRowsAgreeWithPlainSwift() async throws {
        try await runWorlds(4, planCount: 20, nodeCount: 1_500)
    }
}

private func runWorlds(
    _ worldCount: Int, planCount: Int, nodeCount: Int? = nil, function: String = #function
) async throws {
    let seed = SeededRandom.seed(function)
    for number in 0..<UInt64(worldCount) {
        let count = nodeCount ?? [1, 5, 12, 24, 60][Int(number % 5)]
        var run = try await WorldRun(seed: seed &+ number, nodeCount: count)
        do {
            try await run.run(planCount)
        } catch {
            Issue.record("REGNUM_SEED=\(seed), world \(number): \(error)")
            return
        }
    }
}
