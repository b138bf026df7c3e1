import Foundation
import RegnumTestSupport
import Testing

/// `Docs/Guides/Testing.md` is a program that prints what the page says.
@Suite struct TestingPageTests {
    @Test func theProgramPrintsWhatThePageSays() throws {
        let file = Repository.root.appending(path: "Docs/Guides/Testing.md")
        let page = TutorialPage(text: try String(contentsOf: file, encoding: .utf8))
        let outputs = try SwiftCompiler.output(of: page.program)
        expectEqual(outputs, [page.outputs.joined()])
    }
}
