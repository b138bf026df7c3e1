import RealmOracle
import RegnumTestSupport
import Testing

/// Random runs on on-disk realms that a second process has open too: both write, and both compare
/// what they see with plain Swift after each transaction.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct RealmPeerTests {
    // Covers O3, O33
    @Test func streamsFollowTheDefinition() async throws {
        let count = Effort.count(gate: 40, soak: 500)
        try await StreamSuite("RealmPeerTests, streams", count: count).runWithProcess()
    }

    @Test func everyViewShowsWhatBothDid() async throws {
        let count = Effort.count(gate: 40, soak: 500)
        try await AtlasSuite("RealmPeerTests, atlas", count: count).runWithProcess()
    }
}
