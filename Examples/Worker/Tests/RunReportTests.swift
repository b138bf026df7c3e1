import Testing

@testable import worker

struct RunReportTests {
    /// Returns the problems of a job "x" with three attempts, of which worker 1 was killed.
    private func problems(_ log: String..., state: JobRow.State = .done) throws -> [String] {
        let row = JobRow(id: "x", name: "x", state: state, attempts: 3)
        let runs = try Run.runs(in: log.joined(separator: "\n"))
        return Report(rows: [row], runs: runs, killed: [1], expected: 1).problems
    }

    @Test func killsAndFailuresExplainRepetitions() throws {
        #expect(try problems("began x 1 2", "ended x 1 2") == [])
        #expect(try problems("began x 1 1", "began x 2 2", "ended x 2 2") == [])
        // killed after the end was committed, but before it was logged
        #expect(try problems("began x 1 1") == [])
        #expect(
            try problems(
                "began x 1 2", "failed x 1 2", "began x 2 2", "began x 3 3", "lost x 2 2",
                "ended x 3 3") == [])
        #expect(try problems("began x 1 2", "failed x 1 2", state: .dead) == [])
    }

    @Test func otherRepetitionsAreProblems() throws {
        #expect(
            try problems("began x 1 2", "began x 2 3", "ended x 2 3")
                == ["x ran 2 times, and only 0 runs were cut off or failed."])
        #expect(
            try problems("began x 1 1", "ended x 1 1", "began x 2 2", "ended x 2 2")
                == ["x ran again although it was done."])
        let four = (1...4).flatMap { ["began x \($0) 2", "failed x \($0) 2"] }
        #expect(
            try problems(four.joined(separator: "\n"), state: .dead)
                == ["x ran 4 times in 3 attempts."])
    }

    @Test func lostJobsAreProblems() throws {
        #expect(try problems() == ["x never ran."])
        #expect(try problems("began x 1 2", state: .running) == ["Unfinished jobs: 1."])
        #expect(
            try problems("began x 1 2", "ended x 1 2", "began y 1 2", "ended y 1 2")
                == ["Jobs that ran, but are missing: 1."])
        let none = Report(rows: [], runs: [], killed: [], expected: 2).problems
        #expect(none == ["There are no jobs.", "Jobs added: 2, but the realm has 0."])
    }

    @Test func malformedLogsAreRefused() {
        for log in ["began x 1", "began x one 1", "began x 1 1 1", "started x 1 1", "ended x 1 1"] {
            #expect(throws: Failure.self) { try Run.runs(in: log) }
        }
    }
}
