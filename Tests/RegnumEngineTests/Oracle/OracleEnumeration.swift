import Testing

/// Issue 3 asks for 10,000 sequences; optimised builds only.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct OracleEnumeration {
    @Test func sequencesOfTransactionsAgreeWithTheOracle() async throws {
        let suite = OracleSuite("OracleEnumeration.transactions", count: 2_000) { number in
            number % 50 == 49 ? .bulk : (number % 20 == 19 ? .long : .short)
        } _: { _ in
            RootTarget()
        }
        try await suite.run()
    }

    @Test func sequencesOfTwoCoordinatorsAgreeWithTheOracle() async throws {
        let suite = OracleSuite("OracleEnumeration.coordinators", count: 9_500) { number in
            number % 200 == 199 ? .bulk : (number % 50 == 49 ? .long : .short)
        } _: {
            try await CoordinatorTarget(seed: $0)
        }
        try await suite.run()
    }
}
