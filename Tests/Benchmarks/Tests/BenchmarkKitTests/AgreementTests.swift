import BenchmarkKit
import Testing

@Suite struct AgreementTests {
    @Test func equalAnswersPass() throws {
        let agreement = Agreement()
        try agreement.check("4a", 42, by: .regnum)
        try agreement.check("4a", 42, by: .lmdb)
        try agreement.check("4b", 7, by: .lmdb)
        try agreement.check("4a", 42, by: .regnum)
    }

    @Test func anotherAnswerIsAnErrorThatNamesBoth() throws {
        let agreement = Agreement()
        try agreement.check("4a", 42, by: .sqlite)
        let error = #expect(throws: Agreement.Disagreement.self) {
            try agreement.check("4a", 43, by: .regnum)
        }
        #expect(error?.description == "4a: sqlite answered 42, regnum 43.")
    }
}
