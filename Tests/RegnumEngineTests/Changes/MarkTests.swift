import RegnumEngine
import RegnumStore
import Testing

/// Which rows count as modified in a step.
@Suite struct MarkTests {
    @Test func marksFollowTheDefinition() throws {
        var generator = SeededGenerator("MarkTests.marksFollowTheDefinition")
        var markCount = 0
        for _ in 0..<12 {
            var history = try MarkHistory(commitCount: 10, &generator)
            for _ in 0..<5 { try history.checkStep(&generator) }
            markCount += history.markCount
        }
        #expect(markCount > 1_000)
    }
}

/// The same, at length.
@Suite struct MarkEnumeration {
    @Test func marksFollowTheDefinition() throws {
        var generator = SeededGenerator("MarkEnumeration.marksFollowTheDefinition")
        for _ in 0..<400 {
            var history = try MarkHistory(commitCount: 16, &generator)
            for _ in 0..<12 { try history.checkStep(&generator) }
        }
    }
}
