import Testing

/// Holds `Docs/OBSERVATION.md` to its form: each rule is there once and in order. Every check first
/// finds the fault in a page that has one.
@Suite struct ObservationPageTests {
    @Test func rulesAreNumberedInOrderWithoutGaps() throws {
        let bad = ObservationPage(
            """
            - **O1** One,
              on **two** lines.
            - **O3** Three.
            - **O3** Three again.
            - **O** None.
            - Five.
            """)
        #expect(
            bad.numberProblems() == ["rule 2 is \"O3\"", "rule 4 is \"O\"", "no rule: - Five."])
        let real = try ObservationPage.ofRepository()
        #expect(real.numbers.count >= 38)
        #expect(real.numberProblems() == [])
    }
}

/// The rules of `OBSERVATION.md`: the items of its lists.
struct ObservationPage {
    /// What stands in bold at the beginning of each rule.
    var numbers: [String] = []
    /// Items without a number.
    var others: [String] = []

    init(_ text: String) {
        for item in text.split(separator: "\n") where item.hasPrefix("- ") {
            let parts = item.split(separator: "**", omittingEmptySubsequences: false)
            if parts.count >= 3, parts[0] == "- " {
                numbers.append(String(parts[1]))
            } else {
                others.append(String(item))
            }
        }
    }

    static func ofRepository() throws -> ObservationPage {
        ObservationPage(try SourceTree.text(of: "Docs/OBSERVATION.md"))
    }

    /// Each rule needs a test.
    var entries: [(identifier: String, coverage: Coverage)] {
        numbers.map { ($0, .required) }
    }

    func numberProblems() -> [String] {
        numbers.enumerated().filter { $0.element != "O\($0.offset + 1)" }
            .map { "rule \($0.offset + 1) is \"\($0.element)\"" }
            + others.map { "no rule: \($0)" }
    }
}
