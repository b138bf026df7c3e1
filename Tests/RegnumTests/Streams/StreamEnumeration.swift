import Testing

/// As `StreamTests`, with many histories. Optimised builds only.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct StreamEnumeration {
    @Test func streamsTellWhatTheDefinitionSays() async throws {
        try await StreamSuite("StreamEnumeration", count: 19_500).run()
    }
}
