import Foundation
import RegnumTestSupport
import Testing

/// Checks `Docs/COMPATIBILITY.md` against its own rules. Every check first finds the problem in a
/// bad sample page, so that none of them can pass vacuously.
@Suite struct CompatibilityPageTests {
    @Test func eachIdentifierIsOnThePageOnce() throws {
        let bad = CompatibilityPage("| 1.1 | works |\n| 1.1 | works |\n| 2.1 | works |\n| 1.3 | |")
        expectEqual(
            bad.identifierProblems(expected: ["1.1", "1.2", "2.1"]),
            [
                "1.1 appears 2 times", "1.2 appears 0 times", "1.3 is not expected",
            ])
        let page = try CompatibilityPage.ofRepository()
        expectEqual(page.identifierProblems(expected: Checklist.identifiers), [])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: Checklist.path)))
    func theListOfIdentifiersIsTheChecklist() throws {
        let sample = "- **2.14 `a`**, **2.15 b** see 2.16 and **docs**, **703**\n- **3.1 c**"
        expectEqual(Checklist.identifiers(in: sample), ["2.14", "2.15", "3.1"])
        let text = try String(contentsOfFile: Checklist.path, encoding: .utf8)
        expectEqual(Checklist.identifiers(in: text), Checklist.identifiers)
    }

    @Test func rowsAreComplete() throws {
        let long = String(repeating: "word ", count: 20)
        let bad = CompatibilityPage(
            """
            ## 1. One
            | 1.1 | differs | | two words |
            | 1.2 | n.a. | - | two words |
            | 1.3 | not yet | in part: | two words |
            | 1.4 | not yet | The engine | one |
            | 1.5 | works | It works | two words |
            | 1.6 | works | |
            | 1.7 | works | | \(long) |
            | 1.8 | works | | \(long)x |
            | 1.9 | Works | A reason | two words |
            | 2.1 | works | | two words |
            """)
        expectEqual(
            bad.rowProblems(),
            [
                "1.1 has no reason", "1.2 has no reason", "1.3 has no reason",
                "1.4 lacks a description", "1.5 works and has a reason",
                "1.6 has 3 cells instead of 4", "1.6 lacks a description",
                "1.8 has a description of 101 characters", "1.9 has the status \"Works\"",
                "2.1 is under the heading \"1. One\"",
            ])
        let problems = try CompatibilityPage.ofRepository().rowProblems()
        expectEqual(problems, [])
    }

    @Test func theCountsAtTheTopAreTrue() throws {
        let bad = CompatibilityPage(
            """
            | area | works | differs | not yet | n.a. |
            | 1. One | 1 | 0 | 0 | 1 |
            | 2. Two | 2 | 0 | 0 | 0 |
            | 3. Three | 0 | 0 | 0 | |
            | 4. Four | 0 | 0 | 0 | 0 |
            | all | 2 | 0 | 0 | 1 |
            | all | 2 | 0 | 0 | 1 |
            ## 1. One
            | 1.1 | works | | x |
            | 1.2 | not yet | x | x |
            ## 2. Two
            | 2.1 | works | | x |
            ## 3. Three
            ## More
            """)
        expectEqual(
            bad.countProblems(),
            [
                "the columns are not area, works, differs, n.a., not yet",
                "2. Two: the page says [[2, 0, 0, 0]], the rows are [1, 0, 0, 0]",
                "3. Three: the page says [], the rows are [0, 0, 0, 0]",
                "all: the page says [[2, 0, 0, 1], [2, 0, 0, 1]], the rows are [2, 0, 0, 1]",
                "4. Four is not an area",
            ])
        let problems = try CompatibilityPage.ofRepository().countProblems()
        expectEqual(problems, [])
    }

    @Test func everyErrorCodeIsExplained() throws {
        let bad = CompatibilityPage("`one`, three\n`two`")
        expectEqual(bad.codeProblems(["one", "two", "three"]), ["three is not explained"])
        let problems = try CompatibilityPage.ofRepository().codeProblems(try ErrorPage.codes())
        expectEqual(problems, [])
    }
}

/// The expected rows of the page.
private enum Checklist {
    /// The number of rows in areas 1 to 14. The checklist itself isn't part of the repository.
    static let rowCounts = [97, 114, 105, 77, 88, 32, 59, 34, 15, 10, 18, 31, 12, 11]

    /// The path of the checklist, if it was placed next to the repository.
    static let path = Repository.shared.appending(path: "acceptance/features.md").path

    static var identifiers: [String] {
        rowCounts.enumerated().flatMap { index, count in (1...count).map { "\(index + 1).\($0)" } }
    }

    /// Returns the bold identifiers of a text, in order.
    static func identifiers(in text: String) -> [String] {
        text.matches(of: #/\*\*(\d+\.\d+)\b/#).map { String($0.1) }
    }
}

/// The table rows of `COMPATIBILITY.md`, and the problems in them.
struct CompatibilityPage {
    static let statuses = ["works", "differs", "n.a.", "not yet"]

    struct Row {
        /// The heading above the row: `1. Object models`.
        var area: String
        var cells: [String]

        var identifier: String { cells[0] }
        var status: String { cell(1) }
        var reason: String { cell(2) }
        var about: String { cell(3) }

        private func cell(_ index: Int) -> String { index < cells.count ? cells[index] : "" }
    }

    let text: String
    var areas: [String] = []
    var rows: [Row] = []
    var counts: [(area: String, numbers: [Int])] = []

    init(_ text: String) {
        self.text = text
        for line in text.split(separator: "\n") {
            if line.contains(#/^## \d+\. /#) { areas.append(String(line.dropFirst(3))) }
            guard let cells = tableRows(String(line)).first, let first = cells.first else {
                continue
            }
            let numbers = cells.dropFirst().compactMap { Int($0) }
            if first.wholeMatch(of: #/\d+\.\d+/#) != nil {
                rows.append(Row(area: areas.last ?? "", cells: cells))
            } else if numbers.count == Self.statuses.count {
                counts.append((first, numbers))
            }
        }
    }

    static func ofRepository() throws -> CompatibilityPage {
        CompatibilityPage(try SourceTree.text(of: "Docs/COMPATIBILITY.md"))
    }

    /// A row that works requires a test; one that isn't applicable can't have one.
    var entries: [(identifier: String, coverage: Coverage)] {
        rows.map { row in
            switch row.status {
            case "works": (row.identifier, .required)
            case "n.a.": (row.identifier, .impossible)
            default: (row.identifier, .possible)
            }
        }
    }

    func identifierProblems(expected: [String]) -> [String] {
        let found = Dictionary(grouping: rows, by: \.identifier).mapValues(\.count)
        return expected.filter { found[$0] != 1 }.map { "\($0) appears \(found[$0] ?? 0) times" }
            + Set(found.keys).subtracting(expected).sorted().map { "\($0) is not expected" }
    }

    func rowProblems() -> [String] {
        rows.flatMap { row in
            var problems: [String] = []
            if row.identifier.prefix(while: \.isNumber) != row.area.prefix(while: \.isNumber) {
                problems.append("is under the heading \"\(row.area)\"")
            }
            if row.cells.count != 4 {
                problems.append("has \(row.cells.count) cells instead of 4")
            }
            if !Self.statuses.contains(row.status) {
                problems.append("has the status \"\(row.status)\"")
            }
            if row.status == "works" {
                if !row.reason.isEmpty { problems.append("works and has a reason") }
            } else if row.reason.hasSuffix(":") || row.reason.count(where: \.isLetter) < 3 {
                problems.append("has no reason")
            }
            if row.about.split(separator: " ").count < 2 {
                problems.append("lacks a description")
            } else if row.about.count > 100 {
                problems.append("has a description of \(row.about.count) characters")
            }
            return problems.map { "\(row.identifier) \($0)" }
        }
    }

    func countProblems() -> [String] {
        let columns = ["area"] + Self.statuses
        let hasColumns = text.contains("| \(columns.joined(separator: " | ")) |\n")
        let names = areas + ["all"]
        let wrong = names.compactMap { name in
            let rows = rows.filter { name == "all" || $0.area == name }
            let actual = Self.statuses.map { status in rows.count { $0.status == status } }
            let said = counts.filter { $0.area == name }.map(\.numbers)
            return said == [actual]
                ? nil : "\(name): the page says \(said), the rows are \(actual)"
        }
        return (hasColumns ? [] : ["the columns are not \(columns.joined(separator: ", "))"])
            + wrong
            + counts.filter { !names.contains($0.area) }.map { "\($0.area) is not an area" }
    }

    func codeProblems(_ codes: [String]) -> [String] {
        codes.filter { !text.contains("`\($0)`") }.map { "\($0) is not explained" }
    }
}
