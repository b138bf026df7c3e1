import Foundation
import RegnumTestSupport
import Testing

/// Rules about the text of the repository. Each test first shows that its rule fails on a bad
/// sample.
struct LayerTests {
    @Test func targetsImportOnlyTheLayersBelow() throws {
        let bad = SourceText(
            path: "bad.swift",
            text: """
                // import RegnumEngine
                @testable import Glibc
                internal import struct RegnumEngine.Value
                @_spi(Reflection) package import RegnumWatch
                let text = "import Foundation"
                """)
        expectEqual(importedModules(bad), ["Glibc", "RegnumEngine", "RegnumWatch"])
        expectEqual(
            layerViolations(target: "RegnumStore", bad),
            [
                "bad.swift: RegnumStore may not import RegnumEngine",
                "bad.swift: RegnumStore may not import RegnumWatch",
            ])
        expectEqual(layerViolations(target: "Elsewhere", bad).count, 1)

        let sources = try SourceTree.sources()
        expectTrue(!sources.isEmpty)
        expectEqual(sources.flatMap(layerViolations), [])
    }

    @Test func foldersUseOnlyTheFoldersBelow() throws {
        let low = SourceText(
            path: "Sources/Sample/Low/Low.swift",
            text: """
                // Uses High.
                package struct Low { let text = "High" }
                extension Low { func high() -> [High<Low>] { [] } }
                private struct Hidden { var peak: Peak? }
                extension Top {
                    /// The top's error.
                    struct Failure {}
                }
                extension Top.Failure {
                    enum Code { case base(Base) }
                }
                func fail(_ code: Top.Failure.Code) throws(Top.Failure) {}
                """)
        let middle = SourceText(
            path: "Sources/Sample/Low/Middle.swift", text: "extension Top { var high: High<Top> }")
        let high = SourceText(
            path: "Sources/Sample/High/Inner/High.swift",
            text: """
                package final class High<Element> { struct Nested { var low: Low } }
                extension Low { func raised() {} }
                typealias Peak = High<Int>
                private enum Hidden {}
                open class Base {}
                actor Top {}
                """)
        let other = SourceText(path: "Sources/Sample/Other/Other.swift", text: "")
        let outside = SourceText(path: "Sources/Sample/Outside.swift", text: "")
        expectEqual(
            folderViolations(
                [low, middle, high, other, outside], folders: ["Low", "High"],
                exceptions: ["Sources/Sample/Low/Middle.swift": ["High", "Peak"]]),
            [
                "Sources/Sample/Low/Low.swift: High above it declares Base",
                "Sources/Sample/Low/Low.swift: High above it declares High",
                "Sources/Sample/Low/Low.swift: High above it declares Peak",
                "Sources/Sample/Low/Middle.swift: High above it declares Top",
                "Sources/Sample/Low/Middle.swift: needs no exception for Peak",
                "Sources/Sample/Other/Other.swift: the folder has no row in the table of layers",
                "Sources/Sample/Outside.swift: the folder has no row in the table of layers",
            ])

        let sources = try SourceTree.sources()
        let paths = sources.map(\.file.path)
        expectEqual(folderExceptions.keys.sorted().filter { !paths.contains($0) }, [])
        for (target, folders) in folderLayers {
            let files = sources.filter { $0.target == target }.map(\.file)
            expectTrue(!files.isEmpty)
            expectEqual(
                folderViolations(files, folders: folders, exceptions: folderExceptions), [])
        }
    }

    @Test func nothingIsPublicBelowRegnum() throws {
        let bad = SourceText(
            path: "bad.swift",
            text: """
                public struct Visible {}  // public
                let file = open("public", 0)
                open class Base {}
                """)
        expectEqual(
            publicViolations(target: "RegnumEngine", bad),
            [
                "bad.swift:1: public below Regnum", "bad.swift:3: public below Regnum",
            ])
        expectEqual(publicViolations(target: "Regnum", bad), [])

        let violations = try SourceTree.sources().flatMap(publicViolations)
        expectEqual(violations, [])
    }

    @Test func foldersHoldOnlyWhatBelongsThere() throws {
        expectEqual(
            placeViolations(["Sources", "notes.txt"], in: "", allowed: allowedTopLevel),
            ["/notes.txt: does not belong there"])
        expectEqual(
            placeViolations(["Store", "Misc", "faults"], in: "Tests", allowed: allowedTestFolders),
            ["Tests/Misc: does not belong there"])

        let names = try SourceTree.names(in: "")
        expectTrue(names.contains("Package.swift"))
        expectEqual(placeViolations(names, in: "", allowed: allowedTopLevel), [])
        let folders = try SourceTree.names(in: "Tests", foldersOnly: true)
        expectTrue(folders.contains("Layer"))
        expectEqual(placeViolations(folders, in: "Tests", allowed: allowedTestFolders), [])
    }

    @Test func noFileOfTheTestsIsASymbolicLink() throws {
        let sample = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: sample) }
        let folder = sample.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (link, target) in [("fileLink", "/bin/sh"), ("folderLink", "."), ("dead", "none")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: link).path, withDestinationPath: target)
        }
        expectEqual(symbolicLinks(below: sample), ["dead", "fileLink", "folderLink"])
        expectEqual(symbolicLinks(below: Repository.root.appending(path: "Tests")), [])
    }

    @Test func pagesNameNoTests() throws {
        let bad = "`AlphaTests.one` and BetaTests/two in `AlphaTests.swift`, `Tests.x`, AlphaTests."
        expectEqual(
            testNameViolations(page: "BAD.md", text: bad),
            [
                "BAD.md: names the test AlphaTests.one", "BAD.md: names the test BetaTests/two",
            ])

        let pages = SourceTree.paths(in: "Docs").filter { path in
            path.hasSuffix(".md") && !path.hasPrefix("Docs/Decisions/")
                && path != "Docs/TESTING.md"
        }
        expectTrue(pages.contains("Docs/OBSERVATION.md"))
        let violations = try pages.flatMap { page in
            testNameViolations(page: page, text: try SourceTree.text(of: page))
        }
        expectEqual(violations, [])
    }

    @Test func promisesToTheCompilerNameTheirGuard() throws {
        let bad = SourceText(
            path: "bad.swift",
            text: """
                // Guard: the lock of `state`.
                nonisolated(unsafe) var good = 0
                final class Good: @unchecked Sendable {}  // Guard: `lock`.
                // Too far away to count: the guard



                struct Bad: @unchecked Sendable { let reason = "guard" }
                // Trust me.
                nonisolated(unsafe) var bad = 0
                """)
        expectEqual(
            guardViolations(bad),
            [
                "bad.swift:8: no comment names the guard",
                "bad.swift:10: no comment names the guard",
            ])

        let violations = try SourceTree.swiftFiles().flatMap(guardViolations)
        expectEqual(violations, [])
    }

    @Test func locksAreVisibleToTheThreadSanitizer() throws {
        let text = "let count = Mutex(0)  // not Guarded"
        let use = "use Guarded, whose lock the thread sanitizer sees"
        expectEqual(
            mutexViolations(SourceText(path: "Tests/Watch/Bad.swift", text: text)),
            ["Tests/Watch/Bad.swift:1: \(use)"])
        expectEqual(
            mutexViolations(SourceText(path: "Examples/Chat/Good.swift", text: text)), [])

        let violations = try SourceTree.swiftFiles().flatMap(mutexViolations)
        expectEqual(violations, [])
    }

    @Test func libraryTrapsWithAMessageInReleaseBuildsToo() throws {
        let bad = SourceText(
            path: "bad.swift",
            text: """
                /// - Precondition: `count >= 0`, or precondition(_:) traps.
                precondition(count >= 0, "The count is negative.")
                guard count >= 0 else { fatalError("The count is negative.") }
                preconditionFailure("There is always a first element.")
                """)
        expectEqual(preconditionViolations(target: "Regnum", bad).count, 1)
        expectEqual(preconditionViolations(target: "RegnumEngine", bad), [])

        let violations = try SourceTree.sources().flatMap(preconditionViolations)
        expectEqual(violations, [])
    }

    @Test func argumentsOfMacrosContainNoClosures() throws {
        let bad = SourceText(
            path: "bad.swift",
            text: """
                #expect(throws: Failure.self) { try fail("(") }
                #expect(isEmpty && (count == 0), "{")
                #expect(
                    all { $0 == (1) })
                let one = try #require(find() ?? list.first { $0 == 1 })
                """)
        let advice = "keep closures out of a macro's arguments"
        expectEqual(macroViolations(bad), ["bad.swift:3: \(advice)", "bad.swift:5: \(advice)"])

        let violations = try SourceTree.swiftFiles().flatMap(macroViolations)
        expectEqual(violations, [])
    }

    @Test func filesAreNotTooLong() throws {
        func file(lineCount: Int) -> SourceText {
            SourceText(path: "bad.swift", text: String(repeating: "\n", count: lineCount))
        }
        expectEqual(lengthViolations(file(lineCount: 400)), [])
        expectEqual(lengthViolations(file(lineCount: 401)), ["bad.swift: 401 lines, more than 400"])

        let violations = try SourceTree.swiftFiles().flatMap(lengthViolations)
        expectEqual(violations, [])
    }

    @Test func namesSaySomething() throws {
        expectEqual(nameViolations(path: "Sources/Regnum/StringUtils.swift").count, 1)
        expectEqual(nameViolations(path: "Sources/Regnum/Helpers/Lock.swift").count, 1)
        expectEqual(nameViolations(path: "Sources/Regnum/LockManager.swift").count, 1)
        expectEqual(nameViolations(path: "Sources/Regnum/Lock.swift"), [])

        let paths = ["Sources", "Tests", "Examples"].flatMap(SourceTree.paths)
        expectTrue(!paths.isEmpty)
        expectEqual(paths.flatMap(nameViolations), [])
    }

    /// `Tests/run NAME` and the planted faults refer to a suite by its name alone.
    @Test func suiteNamesAreUnique() throws {
        func repeated(_ files: [SourceText]) -> [String] {
            let names = files.flatMap(\.code).compactMap { line -> Substring? in
                guard line.hasSuffix(" {") || line.hasSuffix("}"), !line.hasPrefix(" ") else {
                    return nil
                }
                let words = line.split(separator: " ")
                return words.first { $0.hasSuffix("Tests") && !line.hasPrefix("extension") }
            }
            return Dictionary(grouping: names) { String($0) }
                .filter { $0.value.count > 1 }.keys.sorted()
        }
        let bad = SourceText(
            path: "bad.swift", text: "struct ATests {}\n@Suite struct BTests {}\nstruct ATests {}")
        expectEqual(repeated([bad]), ["ATests"])
        let files = try SourceTree.swiftFiles().filter { !$0.path.hasPrefix("Tests/Benchmarks/") }
        expectEqual(repeated(files), [])
    }

    @Test func scannerTellsCodeFromCommentsAndStrings() {
        let file = SourceText(
            path: "sample.swift",
            text: """
                let a = "x // y \\" z" // one
                /* two /* three */ four */ let b = #"say "five" \\#n"#
                let c = \"\"\"
                    public "six" // seven
                    \"\"\"
                let d = 1 // eight
                """)
        let code = file.code.joined()
        let comments = file.comments.joined()
        for word in ["let a", "let b", "let c", "let d = 1"] { expectTrue(code.contains(word)) }
        for word in ["one", "two", "three", "four", "eight"] {
            expectTrue(comments.contains(word) && !code.contains(word))
        }
        for word in ["y", "z", "five", "public", "six", "seven"] {
            expectTrue(!comments.contains(word) && !code.contains(word))
        }
        expectEqual(file.lineCount, 6)
    }
}
