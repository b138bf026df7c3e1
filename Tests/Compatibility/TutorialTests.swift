import Foundation
import RegnumTestSupport
import Testing

/// `Docs/Tutorial.md` is a program that prints what the page says.
@Suite struct TutorialTests {
    /// The last block of output needs the whole index: `TutorialIndexTests` checks it.
    @Test func theTutorialPrintsWhatItSays() throws {
        let page = try TutorialPage.tutorial()
        let outputs = try SwiftCompiler.output(of: page.program, with: TutorialPage.files)
        expectEqual(outputs, [page.outputs.dropLast().joined()])
    }

    /// The page shows parts of the program used by the graph tests verbatim.
    @Test(arguments: ["Models.swift", "Realm+Load.swift"])
    func theTutorialShowsTheProgramOfTheTests(file: String) throws {
        let path = TutorialPage.folder.appending(path: file)
        let source = try String(contentsOf: path, encoding: .utf8)
        let code = source.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0.isEmpty || $0.hasPrefix("import ") }.joined(separator: "\n")
        try expectTrue(!code.isEmpty && TutorialPage.tutorial().program.contains(code))
    }

    @Test func theTutorialShowsTheQuestionOfTheTests() throws {
        let path = TutorialPage.folder.appending(path: "Dependents.swift")
        let source = try String(contentsOf: path, encoding: .utf8)
        let beginning = "/// Returns the names of all packages that depend on a frozen package"
        let code = source[try requireValue(source.range(of: beginning)).lowerBound...]
        try expectTrue(TutorialPage.tutorial().program.contains(code))
    }

    @Test func blocksAreFound() {
        let page = TutorialPage(
            text: "a\n```swift\nlet a = 1\n```\n```text\nb\nc\n```\n```sh\nd\n```\n```swift\n\n```")
        expectTrue(page.program == "let a = 1\n\n" && page.outputs == ["b\nc\n"])
    }
}
