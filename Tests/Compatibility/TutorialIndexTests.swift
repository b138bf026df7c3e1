import Foundation
import RegnumTestSupport
import Testing

/// The last part of `Docs/Tutorial.md`, run with the whole index, in the soak.
@Suite struct TutorialIndexTests {
    @Test(.enabled(if: Effort.isSoak))
    func theTutorialPrintsWhatItSaysOfTheWholeIndex() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "index-\(UUID()).tsv")
        defer { try? FileManager.default.removeItem(at: file) }
        guard try UnpackedIndex.write(to: file, orSkip: "the tutorial's last part is not run")
        else { return }

        let page = try TutorialPage.tutorial()
        let outputs = try SwiftCompiler.output(
            of: page.program, with: TutorialPage.files, arguments: [[file.path]],
            isOptimized: true)
        expectEqual(outputs, [page.outputs.joined()])
    }
}
