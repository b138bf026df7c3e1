import RegnumTestSupport
import Testing

/// Checks the comments that list what a test covers against the pages of `Docs`. Every check first
/// finds the problem in a bad sample.
@Suite struct CoversTests {
    @Test func commentsBelongToTheTestBelowThem() {
        let declarations = TestDeclarations(
            sample: """
                @Suite struct Alpha {
                    // Covers 4.7, O12,
                    // Covers .diskFull
                    @Test(arguments: [
                        1, 2,
                    ])
                    func covered(_ number: Int) {
                        let text = "// Covers 1.1"
                    }

                    func notATest() {}

                    struct Inner {
                        // This covers more.
                        // Covers 2.1
                        @Test func nested() {}
                    }

                    @Test func plain() {}
                }

                extension Beta {
                    @Test @MainActor func other() async throws {}
                }
                """)
        expectEqual(
            declarations.tests.map(\.name),
            [
                "Alpha.covered", "Inner.nested", "Alpha.plain", "Beta.other",
            ])
        expectEqual(
            declarations.tests.map(\.covers), [["4.7", "O12", ".diskFull"], ["2.1"], [], []])
        expectEqual(declarations.problems, [])
        expectTrue(declarations.contains(suite: "Alpha", function: "plain"))
        expectTrue(declarations.contains(suite: "Alpha", function: "nested"))
        expectTrue(declarations.contains(suite: "Beta"))
        expectTrue(!declarations.contains(suite: "Beta", function: "plain"))
        expectTrue(!declarations.contains(suite: "Alpha", function: "notATest"))
    }

    @Test func commentsAreWellFormedAndStandAtTests() throws {
        let bad = TestDeclarations(
            sample: """
                struct Bad {
                    // Covers 1.1

                    @Test func afterABlankLine() {}
                    // Covers 1.2
                    // Says something else.
                    @Test func afterAComment() {}
                    @Test func trailing() {}  // Covers 1.3
                    // Covers 1.4 O6
                    // Covers 1.5, .Code
                    // Covers 1.6,,
                    /// Covers 1.7
                    // covers: O8
                    // Covers
                    @Test func malformed() {}
                }
                // Covers 1.9
                """)
        expectEqual(
            bad.problems.filter { $0.hasSuffix("is not directly above a test") },
            [2, 5, 8, 17].map { "sample.swift:\($0): is not directly above a test" })
        expectTrue(
            bad.problems.filter { $0.contains("is not of the form") }
                == (9...14).map {
                    "sample.swift:\($0): is not of the form \"// Covers 4.7, O12, .diskFull\""
                })
        let real = try TestDeclarations.ofRepository()
        expectTrue(
            real.tests.contains { $0.name == "CoversTests.commentsBelongToTheTestBelowThem" })
        expectTrue(real.tests.count { !$0.covers.isEmpty } >= 400)
        expectEqual(real.problems, [])
    }

    @Test func whatWorksIsCoveredAndWhatIsCoveredIsOnAPage() throws {
        let tests = [
            TestDeclaration(types: ["Alpha"], function: "one", covers: ["1.1", "O2", "1.1"]),
            TestDeclaration(types: ["Alpha"], function: "two", covers: ["1.3", ".b", "9.9"]),
        ]
        let entries: [(String, Coverage)] = [
            ("1.1", .required), ("1.2", .required), ("1.3", .impossible), ("1.4", .impossible),
            ("O2", .required), ("O3", .required), (".b", .possible), (".c", .possible),
        ]
        expectEqual(
            coverageProblems(tests, entries),
            [
                "Alpha.one covers 1.1 twice", "Alpha.two covers 1.3, which is n.a.",
                "Alpha.two covers 9.9, which is not on any page", "no test covers 1.2",
                "no test covers O3",
            ])
        let rows = CompatibilityPage("| 1.1 | works | | x |\n| 1.2 | differs | x | x |")
        expectEqual(rows.entries.map(\.coverage), [.required, .possible])
        let others = CompatibilityPage("| 1.1 | n.a. | x | x |\n| 1.2 | not yet | x | x |")
        expectEqual(others.entries.map(\.coverage), [.impossible, .possible])
        let codes = ErrorPage("| `a` | x | y |\n| `b` | not yet | y |")
        expectEqual(codes.entries.map(\.identifier), [".a", ".b"])
        expectEqual(codes.entries.map(\.coverage), [.required, .possible])
        let pages =
            try CompatibilityPage.ofRepository().entries + ObservationPage.ofRepository().entries
            + ErrorPage.ofRepository().entries
        expectTrue(pages.count { $0.1 == .required } >= 390)
        let problems = coverageProblems(try TestDeclarations.ofRepository().tests, pages)
        expectEqual(problems, [])
    }
}
