import RegnumTestSupport
import Testing

/// Checks the form of `Docs/OBSERVATION.md`: each rule appears once and in order. Every check first
/// finds the problem in a bad sample page.
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
        expectEqual(
            bad.numberProblems(), ["rule 2 is \"O3\"", "rule 4 is \"O\"", "not a rule: - Five."])
        let real = try ObservationPage.ofRepository()
        expectTrue(real.numbers.count >= 38)
        expectEqual(real.numberProblems(), [])
    }
}

/// The rules of `OBSERVATION.md`, which are the items of its lists.
struct ObservationPage {
    /// The bold text at the beginning of each rule.
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

    /// Each rule requires a test.
    var entries: [(identifier: String, coverage: Coverage)] {
        numbers.map { ($0, .required) }
    }

    func numberProblems() -> [String] {
        numbers.enumerated().filter { $0.element != "O\($0.offset + 1)" }
            .map { "rule \($0.offset + 1) is \"\($0.element)\"" }
            + others.map { "not a rule: \($0)" }
    }
}
