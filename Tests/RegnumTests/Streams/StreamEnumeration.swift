import Testing

/// As `StreamTests`, with many histories. Optimised builds only.
///
/// `REGNUM_STREAM_HISTORIES` and `REGNUM_STREAM_PEER_HISTORIES` say how many, and `REGNUM_TEST_DIRECTORY` where the
/// realms are that two processes share (else in memory, in `/dev/shm`, where there is that).
@Suite(.serialized, .timeLimit(.minutes(40)))
struct StreamEnumeration {
    @Test func streamsTellWhatTheDefinitionSays() async throws {
        try await StreamSuite("StreamEnumeration", count: 19_500).run()
    }

    @Test func streamsTellTheSameOfAnotherProcess() async throws {
        try await StreamSuite(
            "StreamEnumeration with a process", count: 500,
            variable: "REGNUM_STREAM_PEER_HISTORIES"
        ).runWithProcess()
    }
}
