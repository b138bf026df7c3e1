import Foundation
import Testing

/// Holds `Docs/COMPATIBILITY.md` to its own rules. Every check first finds the fault in a page that
/// has one, so that none of them can pass by looking at nothing.
@Suite struct CompatibilityTests {
    @Test func eachIdentifierIsOnThePageOnce() throws {
        let expected = ["1.1", "1.2", "2.1"]
        let bad = CompatibilityPage(
            """
            ## 1. One
            | 1.1 | works | A.b |
            | 1.1 | works | A.b |
            | 2.1 | works | A.b |
            | 1.3 | works |
            """)
        #expect(
            bad.identifierProblems(expected: expected) == [
                "1.1 is there 2 times", "1.2 is missing", "1.3 is on no list",
                "1.3 has 2 cells instead of 3", "2.1 stands under the heading of area 1",
            ])
        #expect(try page().identifierProblems(expected: Checklist.identifiers) == [])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: Checklist.path)))
    func theListOfIdentifiersIsTheChecklist() throws {
        let sample = "- **2.14 `a`**, **2.15 b** see 2.16 and **docs**, **703**\n- **3.1 c**"
        #expect(Checklist.identifiers(in: sample) == ["2.14", "2.15", "3.1"])
        #expect(Checklist.identifiers(in: sample) != Checklist.identifiers)
        let text = try String(contentsOfFile: Checklist.path, encoding: .utf8)
        #expect(Checklist.identifiers(in: text) == Checklist.identifiers)
    }

    @Test func statusesAreOfTheFour() throws {
        let bad = CompatibilityPage("| 1.1 | works | A.b |\n| 1.2 | Works | A.b |\n| 1.3 | | x |")
        #expect(bad.statusProblems() == ["1.2 is \"Works\"", "1.3 is \"\""])
        #expect(try page().statusProblems() == [])
    }

    @Test func everyWorkingRowNamesATestThatExists() throws {
        let source = """
            @Suite struct Alpha {
                @Test(arguments: [
                    1, 2,
                ])
                func proven(_ number: Int) {}

                func notATest() {}
            }

            extension Beta {
                @Test func other() async throws {}
            }
            """
        let tests = TestNames(source: source)
        #expect(tests.names == ["Alpha.proven", "Beta.other"])
        let bad = CompatibilityPage(
            """
            | 1.1 | works | Alpha.proven, `Beta.other` |
            | 1.2 | works | Alpha.notATest |
            | 1.3 | works | Alpha.proven, Beta.proven |
            | 1.4 | works | |
            | 1.5 | not yet | Gamma.later |
            """)
        #expect(
            bad.testProblems(tests) == [
                "1.2 names Alpha.notATest, which is no test",
                "1.3 names Beta.proven, which is no test", "1.4 names no test",
            ])
        let real = try TestNames.ofRepository()
        #expect(real.names.contains("CompatibilityTests.statusesAreOfTheFour"))
        #expect(!real.names.contains("Alpha.proven"))
        #expect(try page().testProblems(real) == [])
    }

    @Test func everyOtherRowHasAReason() throws {
        let bad = CompatibilityPage(
            """
            | 1.1 | differs | |
            | 1.2 | n.a. | - |
            | 1.3 | not yet | candidate: |
            | 1.4 | not yet | The engine |
            | 1.5 | works | |
            """)
        #expect(
            bad.reasonProblems() == [
                "1.1 has no reason", "1.2 has no reason", "1.3 has no reason",
            ])
        #expect(try page().reasonProblems() == [])
    }

    @Test func theCountsAtTheTopAreTrue() throws {
        let bad = CompatibilityPage(
            """
            | works | 2 |
            | differs | 1 |
            | n.a. | 0 |
            | n.a. | 0 |
            | 1.1 | works | A.b |
            | 1.2 | differs | an actor |
            """)
        #expect(
            bad.countProblems() == [
                "works: the page says [2], the rows are 1",
                "n.a.: the page says [0, 0], the rows are 0",
                "not yet: the page says [], the rows are 0",
            ])
        #expect(try page().countProblems() == [])
    }

    @Test func everyErrorCodeIsExplained() throws {
        let source = "enum Code {\n    case one, two\n    case three\n}\nenum Else { case x }"
        let codes = CompatibilityPage.errorCodes(in: source)
        #expect(codes == ["one", "two", "three"])
        let bad = CompatibilityPage("`one`, three\n`two`")
        #expect(bad.codeProblems(codes) == ["three is not explained"])
        let publicSource = "    public static let four = Code(name: \"four\")\n    let five = 5"
        #expect(CompatibilityPage.errorCodes(in: publicSource) == ["four"])
        var real: [String] = []
        for file in ["RegnumStore/StoreError.swift", "Regnum/Realm/RealmErrorCode.swift"] {
            let url = Repository.root.appending(path: "Sources/" + file)
            real += CompatibilityPage.errorCodes(in: try String(contentsOf: url, encoding: .utf8))
        }
        #expect(real.contains("historyTrimmed") && real.contains("deletionDenied"))
        #expect(Set(real).count >= 22 && real.count > Set(real).count)
        #expect(try page().codeProblems(real) == [])
    }

    private func page() throws -> CompatibilityPage {
        let file = Repository.root.appending(path: "Docs/COMPATIBILITY.md")
        return CompatibilityPage(try String(contentsOf: file, encoding: .utf8))
    }
}

/// The rows that the page must have.
private enum Checklist {
    /// Rows of areas 1 to 14. The checklist itself is not part of the repository.
    static let rowCounts = [97, 114, 105, 77, 88, 32, 59, 34, 15, 10, 18, 31, 12, 11]

    /// Where the checklist lies, if it was put beside the repository.
    static var path: String {
        Repository.root.deletingLastPathComponent()
            .appending(path: "shared/acceptance/features.md").path(percentEncoded: false)
    }

    static var identifiers: [String] {
        rowCounts.enumerated().flatMap { index, count in (1...count).map { "\(index + 1).\($0)" } }
    }

    /// The bold identifiers of a text, in its order.
    static func identifiers(in text: String) -> [String] {
        text.split(separator: "**", omittingEmptySubsequences: false).dropFirst().compactMap {
            let head = String($0.prefix { $0.isNumber || $0 == "." })
            return CompatibilityPage.isIdentifier(head) ? head : nil
        }
    }
}

/// The table lines of `COMPATIBILITY.md`, and what is wrong with them.
private struct CompatibilityPage {
    static let statuses = ["works", "differs", "n.a.", "not yet"]

    struct Row {
        var identifier: String
        var status: String
        var remark: String
        var cellCount: Int
        /// The area whose heading stands above the row, nil before the first such heading.
        var heading: String?
    }

    let text: String
    var rows: [Row] = []
    var counts: [String: [Int]] = [:]

    init(_ text: String) {
        self.text = text
        var heading: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") {
                heading = String(line.dropFirst(3).prefix { $0.isNumber })
            }
            guard line.hasPrefix("|") else { continue }
            var cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.last == "" { cells.removeLast() }
            if let first = cells.first, Self.isIdentifier(first) {
                rows.append(
                    Row(
                        identifier: first, status: cells.count > 1 ? cells[1] : "",
                        remark: cells.count > 2 ? cells[2] : "", cellCount: cells.count,
                        heading: heading))
            } else if cells.count == 2, Self.statuses.contains(cells[0]) {
                counts[cells[0], default: []].append(Int(cells[1]) ?? -1)
            }
        }
    }

    static func isIdentifier(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
    }

    /// The names in the lines `case a, b` of the first enumeration called `Code`, and those of the
    /// constants `public static let a = Code(…)`.
    static func errorCodes(in source: String) -> [String] {
        let lines = source.split(separator: "\n")
        let cases = lines.drop { !$0.contains("enum Code") }.dropFirst()
            .map { $0.trimmingCharacters(in: .whitespaces) }.prefix { $0.hasPrefix("case ") }
            .flatMap { $0.dropFirst(5).split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let constants = lines.compactMap { $0.firstMatch(of: #/static let (\w+) = Code\(/#) }
        return cases + constants.map { String($0.1) }
    }

    func identifierProblems(expected: [String]) -> [String] {
        let found = Dictionary(grouping: rows, by: \.identifier)
        var problems = expected.compactMap { identifier in
            switch found[identifier]?.count {
            case 1: String?.none
            case nil: "\(identifier) is missing"
            case let count?: "\(identifier) is there \(count) times"
            }
        }
        let known = Set(expected)
        for row in rows where !known.contains(row.identifier) {
            problems.append("\(row.identifier) is on no list")
        }
        for row in rows where row.cellCount != 3 {
            problems.append("\(row.identifier) has \(row.cellCount) cells instead of 3")
        }
        for row in rows where !row.identifier.hasPrefix("\(row.heading ?? "no").") {
            problems.append(
                "\(row.identifier) stands under the heading of area \(row.heading ?? "none")")
        }
        return problems
    }

    func statusProblems() -> [String] {
        rows.filter { !Self.statuses.contains($0.status) }
            .map { "\($0.identifier) is \"\($0.status)\"" }
    }

    func testProblems(_ tests: TestNames) -> [String] {
        rows.filter { $0.status == "works" }.flatMap { row in
            let names = row.remark.split(separator: ",")
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            if names.isEmpty { return ["\(row.identifier) names no test"] }
            return names.filter { !tests.names.contains($0) }
                .map { "\(row.identifier) names \($0), which is no test" }
        }
    }

    func reasonProblems() -> [String] {
        rows.filter { $0.status != "works" }.filter { row in
            row.remark.hasSuffix(":") || row.remark.count(where: \.isLetter) < 3
        }.map { "\($0.identifier) has no reason" }
    }

    func countProblems() -> [String] {
        Self.statuses.compactMap { status in
            let count = rows.count { $0.status == status }
            let said = counts[status] ?? []
            return said == [count]
                ? nil : "\(status): the page says \(said), the rows are \(count)"
        }
    }

    func codeProblems(_ codes: [String]) -> [String] {
        codes.filter { !text.contains("`\($0)`") }.map { "\($0) is not explained" }
    }
}
