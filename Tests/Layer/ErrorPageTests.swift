import Foundation
import RegnumTestSupport
import Testing

/// Checks `Docs/ERRORS.md` against the error codes in the sources. Every check first finds the
/// problem in a bad sample page.
@Suite struct ErrorPageTests {
    @Test func everyCodeHasOneRowAndEveryRowACode() throws {
        let bad = ErrorPage("| `a` | x | y |\n| `a` | x | y |\n| `c` | x | y | z |\n| `d` | x | |")
        expectEqual(
            bad.codeProblems(["a", "b", "d"]),
            [
                "a has 2 rows", "b has 0 rows", "c is not a code", "c has 4 cells instead of 3",
                "d has an empty cell",
            ])
        let codes = try ErrorPage.codes()
        expectTrue(codes.contains("diskFull") && codes.count >= 20)
        let problems = try ErrorPage.ofRepository().codeProblems(codes)
        expectEqual(problems, [])
    }

    /// Each code is used somewhere in the sources besides its declaration.
    @Test func codesAreThrown() throws {
        let bad = ErrorPage("| `a` | x | y |\n| `b` | x | y |\n| `c` | not yet | y |")
        expectEqual(bad.unthrownCodes(sources: ["throw Failure(.a, 1)", "x.bc"]), ["b"])
        let declarations = ["RealmErrorCode.swift", "StoreError.swift", "Failures.swift"]
        let sources = try SourceTree.sources().map(\.file).filter { file in
            !declarations.contains { file.path.hasSuffix($0) }
        }.map { $0.code.joined(separator: "\n") }
        let unthrown = try ErrorPage.ofRepository().unthrownCodes(sources: sources)
        expectEqual(unthrown, [])
    }

    @Test func codesBelowAreCodesAbove() throws {
        let cases = try SourceTree.text(of: "Sources/RegnumStore/Interface/StoreError.swift")
            .split(separator: "\n").filter { $0.hasPrefix("        case ") }
            .flatMap { $0.dropFirst(13).split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        expectTrue(cases.count >= 20)
        let unknown = Set(cases).subtracting(try ErrorPage.codes())
        expectEqual(unknown, [])
    }
}

/// The table of `ERRORS.md`.
struct ErrorPage {
    struct Row {
        let cells: [String]

        var code: String { cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")) }
        var isThrown: Bool { !cells.contains("not yet") }
    }

    let rows: [Row]

    init(_ text: String) {
        rows = tableRows(text).filter { $0.first?.hasPrefix("`") == true }.map(Row.init)
    }

    static func ofRepository() throws -> ErrorPage {
        ErrorPage(try SourceTree.text(of: "Docs/ERRORS.md"))
    }

    /// Returns the codes that the library declares.
    static func codes() throws -> [String] {
        try SourceTree.text(of: "Sources/Regnum/Errors/RealmErrorCode.swift")
            .matches(of: #/public static let (\w+) /#).map { String($0.1) }
    }

    /// Each code that is thrown requires a test.
    var entries: [(identifier: String, coverage: Coverage)] {
        rows.map { (".\($0.code)", $0.isThrown ? .required : .possible) }
    }

    func codeProblems(_ codes: [String]) -> [String] {
        let found = Dictionary(grouping: rows, by: \.code).mapValues(\.count)
        return codes.filter { found[$0] != 1 }.map { "\($0) has \(found[$0] ?? 0) rows" }
            + found.keys.filter { !codes.contains($0) }.sorted().map { "\($0) is not a code" }
            + rows.filter { $0.cells.count != 3 }
            .map { "\($0.code) has \($0.cells.count) cells instead of 3" }
            + rows.filter { $0.cells.contains("") }.map { "\($0.code) has an empty cell" }
    }

    func unthrownCodes(sources: [String]) -> [String] {
        rows.filter(\.isThrown).map(\.code).filter { code in
            !sources.contains { text in
                [",", ")", " "].contains { text.contains(".\(code)\($0)") }
            }
        }
    }
}
