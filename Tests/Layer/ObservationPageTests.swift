import Foundation
import Testing

/// Holds `Docs/OBSERVATION.md` to its form: each rule is there once, in order, with the tests that
/// hold it behind it. Every check first finds the fault in a page that has one.
@Suite struct ObservationPageTests {
    @Test func rulesAreNumberedInOrderWithoutGaps() throws {
        let bad = ObservationPage(
            """
            - **O1** One. Tests: `A.b`.
            - **O3** Three. Tests: `A.b`.
            - **O3** Three again. Tests: `A.b`.
            - **O** None. Tests: `A.b`.
            - Five. Tests: `A.b`.
            """)
        #expect(
            bad.numberProblems() == [
                "rule 2 is \"O3\"", "rule 4 is \"O\"", "no rule: - Five. Tests: `A.b`.",
            ])
        let real = try page()
        #expect(real.rules.count >= 38)
        #expect(real.numberProblems() == [])
    }

    @Test func everyRuleNamesTestsThatExist() throws {
        let tests = TestNames(
            source: """
                @Suite struct Alpha {
                    @Test func proven() {}

                    func notATest() {}
                }
                """)
        let bad = ObservationPage(
            """
            - **O1** With `code` in its text. Tests: `Alpha.proven`.
            - **O2** One. Tests: `Alpha.notATest`, `Alpha.proven`.
            - **O3** Named too early: `Alpha.proven`.
            - **O4** None. Tests: none.
            - **O5** Two lines.
              Tests: `Alpha.proven`.
            - **O6** Without a sign. Tests: Alpha.proven.
            - **O7** Doubled. Tests: `Alpha.proven`, `Alpha.proven`.
            """)
        #expect(
            bad.testProblems(tests) == [
                "O2 names Alpha.notATest, which is no test", "O3 names no test",
                "O4 names no test", "O6 names no test", "O7 names Alpha.proven 2 times",
            ])
        let real = try TestNames.ofRepository()
        #expect(real.names.contains("ObservationPageTests.everyRuleNamesTestsThatExist"))
        #expect(try page().testProblems(real) == [])
    }

    private func page() throws -> ObservationPage {
        let file = Repository.root.appending(path: "Docs/OBSERVATION.md")
        return ObservationPage(try String(contentsOf: file, encoding: .utf8))
    }
}

/// The rules of `OBSERVATION.md`: the items of its lists, with the lines that continue them.
private struct ObservationPage {
    struct Rule {
        var text: String
        /// What stands in bold at its beginning.
        var number: String

        /// What stands between backticks behind the last "Tests:".
        var tests: [String] {
            guard let mark = text.range(of: "Tests: ", options: .backwards) else { return [] }
            let parts = text[mark.upperBound...]
                .split(separator: "`", omittingEmptySubsequences: false)
            return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    var rules: [Rule] = []
    /// Items without a number.
    var others: [String] = []

    init(_ text: String) {
        var items: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("- ") {
                items.append(String(line))
            } else if line.hasPrefix("  "), !items.isEmpty {
                items[items.count - 1] += line
            }
        }
        for item in items {
            let parts = item.split(separator: "**", omittingEmptySubsequences: false)
            if parts.count >= 3, parts[0] == "- " {
                rules.append(Rule(text: item, number: String(parts[1])))
            } else {
                others.append(item)
            }
        }
    }

    func numberProblems() -> [String] {
        rules.enumerated().filter { $0.element.number != "O\($0.offset + 1)" }
            .map { "rule \($0.offset + 1) is \"\($0.element.number)\"" }
            + others.map { "no rule: \($0)" }
    }

    func testProblems(_ tests: TestNames) -> [String] {
        rules.flatMap { rule in
            if rule.tests.isEmpty { return ["\(rule.number) names no test"] }
            let counts = Dictionary(grouping: rule.tests) { $0 }.mapValues(\.count)
            return counts.keys.sorted().compactMap { name in
                if !tests.names.contains(name) {
                    return "\(rule.number) names \(name), which is no test"
                }
                let count = counts[name] ?? 0
                return count == 1 ? nil : "\(rule.number) names \(name) \(count) times"
            }
        }
    }
}
