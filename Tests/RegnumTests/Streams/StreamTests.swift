import Testing

/// Random histories: each stream tells what the oracle computes from the definition of change sets.
@Suite struct StreamTests {
    @Test func streamsTellWhatTheDefinitionSays() async throws {
        try await StreamSuite("StreamTests", count: 30).run()
    }
}
