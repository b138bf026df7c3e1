import Testing

/// As `AtlasTests`, with many sequences. Optimised builds only.
///
/// `REGNUM_ATLAS_SEQUENCES` and `REGNUM_ATLAS_PEER_SEQUENCES` say how many.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct AtlasEnumeration {
    @Test func everyViewShowsWhatWasDone() async throws {
        try await AtlasSuite(
            "AtlasEnumeration", count: 10_000, variable: "REGNUM_ATLAS_SEQUENCES"
        ).run()
    }

    @Test func twoProcessesShowWhatBothDid() async throws {
        try await AtlasSuite(
            "AtlasEnumeration with a process", count: 500, variable: "REGNUM_ATLAS_PEER_SEQUENCES"
        ).runWithProcess()
    }
}
