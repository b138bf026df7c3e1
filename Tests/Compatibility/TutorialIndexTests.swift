import Foundation
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The last part of `Docs/Tutorial.md`, run with the whole index, in the soak.
@Suite struct TutorialIndexTests {
    private static let index = Repository.shared
        .appending(path: "data/debian-packages.tsv.gz")

    @Test(.enabled(if: Effort.isSoak))
    func theTutorialPrintsWhatItSaysOfTheWholeIndex() throws {
        guard FileManager.default.fileExists(atPath: Self.index.path) else {
            print("\(Self.index.path) is absent: the tutorial's last part is not run.")
            return
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "index-\(UUID()).tsv")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let unpacker = Process()
        unpacker.executableURL = URL(filePath: "/usr/bin/env")
        unpacker.arguments = ["gzip", "-dc", Self.index.path]
        unpacker.standardOutput = try FileHandle(forWritingTo: file)
        try unpacker.run()
        unpacker.waitUntilExit()
        try #require(unpacker.terminationStatus == 0, "gzip failed for \(Self.index.path)")

        let page = try TutorialPage.tutorial()
        let outputs = try SwiftCompiler.output(
            of: page.program, with: TutorialPage.files, arguments: [[file.path]],
            isOptimized: true)
        expectEqual(outputs, [page.outputs.joined()])
    }
}
