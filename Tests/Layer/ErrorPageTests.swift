import Foundation
import Testing

/// Holds `Docs/ERRORS.md` to the codes in the source: each has one row with tests that exist. Every check first
/// finds the fault in a page that has one.
@Suite struct ErrorPageTests {
    @Test func everyCodeHasOneRowAndEveryRowACode() throws {
        let bad = ErrorPage("| `a` | x | y | z |\n| `a` | x | y | z |\n| `c` | x | y |")
        #expect(
            bad.codeProblems(["a", "b"]) == ["a has 2 rows", "b has 0 rows", "c is no code"])
        let codes = try ErrorPage.codes()
        #expect(codes.contains("diskFull") && codes.count >= 20)
        #expect(try page().codeProblems(codes) == [])
    }

    @Test func everyRowNamesTestsThatExist() throws {
        let tests = TestNames(source: "@Suite struct Alpha {\n    @Test func proven() {}\n}")
        let bad = ErrorPage(
            """
            | `a` | x | y | `Alpha.proven` |
            | `b` | x | y | `Alpha.proven`, `Alpha.other` |
            | `c` | x | y | |
            | `d` | not yet | | |
            """)
        #expect(
            bad.testProblems(tests) == ["b names Alpha.other, which is no test", "c names no test"])
        #expect(try page().testProblems(try TestNames.ofRepository()) == [])
    }

    /// Each code is named somewhere in the source besides its declaration.
    @Test func codesAreThrown() throws {
        let declarations = ["RealmErrorCode.swift", "StoreError.swift", "Failures.swift"]
        let sources = try SourceTree().swiftFiles(in: "Sources").filter { file in
            !declarations.contains { file.path.hasSuffix($0) }
        }.map { $0.code.joined(separator: "\n") }
        for row in try page().rows {
            let isThrown = sources.contains { text in
                [".\(row.code),", ".\(row.code))", ".\(row.code) "].contains {
                    text.contains($0)
                }
            }
            if row.cells[1] != "not yet" { #expect(isThrown, "\(row.code)") }
        }
    }

    @Test func codesBelowAreCodesAbove() throws {
        let file = Repository.root.appending(path: "Sources/RegnumStore/StoreError.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let cases = text.split(separator: "\n").filter { $0.hasPrefix("        case ") }
            .flatMap { $0.dropFirst(13).split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(cases.count >= 20)
        #expect(Set(cases).subtracting(try ErrorPage.codes()) == [])
    }

    private func page() throws -> ErrorPage {
        let file = Repository.root.appending(path: "Docs/ERRORS.md")
        return ErrorPage(try String(contentsOf: file, encoding: .utf8))
    }
}

/// The table of `ERRORS.md`.
private struct ErrorPage {
    struct Row {
        let cells: [String]

        var code: String { cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")) }

        /// What stands between backticks in the last cell.
        var tests: [String] {
            let parts = cells[cells.count - 1].split(
                separator: "`", omittingEmptySubsequences: false)
            return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    let rows: [Row]

    init(_ text: String) {
        rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            Row(
                cells: line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                    .dropLast().map { $0.trimmingCharacters(in: .whitespaces) })
        }
    }

    /// The codes that the library declares.
    static func codes() throws -> [String] {
        let file = Repository.root.appending(path: "Sources/Regnum/Realm/RealmErrorCode.swift")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap {
            guard let range = $0.range(of: "public static let ") else { return nil }
            return String($0[range.upperBound...].prefix { $0 != " " })
        }
    }

    func codeProblems(_ codes: [String]) -> [String] {
        let found = Dictionary(grouping: rows, by: \.code).mapValues(\.count)
        return codes.filter { found[$0] != 1 }.map { "\($0) has \(found[$0] ?? 0) rows" }
            + found.keys.filter { !codes.contains($0) }.sorted().map { "\($0) is no code" }
    }

    func testProblems(_ tests: TestNames) -> [String] {
        rows.filter { $0.cells[1] != "not yet" }.flatMap { row in
            if row.tests.isEmpty { return ["\(row.code) names no test"] }
            return row.tests.filter { !tests.names.contains($0) }
                .map { "\(row.code) names \($0), which is no test" }
        }
    }
}
