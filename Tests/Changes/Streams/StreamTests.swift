import RealmOracle
import RegnumTestSupport
import Testing

/// Random histories: each stream delivers what the oracle computes from the definition of change
/// sets.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct StreamTests {
    // Covers 4.6, 4.40, O4, O9, O10, O15, O20, O30, O39, O40, O42, O43
    @Test func streamsFollowTheDefinition() async throws {
        let count = Effort.count(gate: 1_000, soak: 19_500)
        try await StreamSuite("StreamTests", count: count).run()
    }
}
