import RegnumTestSupport
import Testing

/// Checks that the files and functions that `Docs/ARCHITECTURE.md` names exist.
@Suite struct ArchitecturePageTests {
    @Test func filesAndFunctionsOnThePageExist() throws {
        let sample = [
            "A.swift": "func first() {}", "B+C.swift": "private static func look<T>(",
        ]
        let page = """
            1. `first` (`A.swift`, `Gone.swift`) and `A*.swift`
            | a? | `A.swift` | `first`, called by `x` |
            | b? | `B+C.swift` | `look`; then `x` in `A.swift` |
            | c? | `A.swift` | `second` |
            """
        try expectEqual(
            Self.problems(of: page, sources: sample),
            [
                "There is no Gone.swift.", "There is no second in A.swift.",
            ])
        // Files in different folders may have the same name.
        let paths = ["Sources", "Tests"].flatMap(SourceTree.paths).filter { $0.hasSuffix(".swift") }
        let sources = try Dictionary(
            paths.map { path in
                (String(path.split(separator: "/").last ?? ""), try SourceTree.text(of: path))
            }, uniquingKeysWith: +)
        let text = try SourceTree.text(of: "Docs/ARCHITECTURE.md")
        try expectEqual(Self.problems(of: text, sources: sources), [])
    }

    /// - Parameter sources: The texts of the files, by name.
    private static func problems(of page: String, sources: [String: String]) throws -> [String] {
        var problems = page.matches(of: /`([\w+]+\.swift)`/).map { String($0.1) }
            .filter { sources[$0] == nil }.map { "There is no \($0)." }
        for row in page.matches(of: /\| `([^`|]+\.swift)` \| `(\w+)`/) {
            guard let text = sources[String(row.1)] else { continue }
            if try text.firstMatch(of: Regex("(func|var) \(row.2)\\b")) == nil {
                problems.append("There is no \(row.2) in \(row.1).")
            }
        }
        return problems
    }
}
