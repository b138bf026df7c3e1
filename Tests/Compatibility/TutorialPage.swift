import Foundation
import RegnumTestSupport

/// A page of documentation that contains a program.
struct TutorialPage {
    /// The Swift blocks, concatenated.
    private(set) var program = ""
    /// The text blocks, which contain the output of the Swift blocks.
    private(set) var outputs: [String] = []

    /// `Docs/Tutorial.md`.
    static func tutorial() throws -> TutorialPage {
        let file = Repository.root.appending(path: "Docs/Tutorial.md")
        return TutorialPage(text: try String(contentsOf: file, encoding: .utf8))
    }

    /// The program of which the tutorial shows parts.
    static let folder = Repository.root.appending(path: "Tests/Programs/Debian")

    /// The files of the program that the page doesn't show.
    static let files = [folder.appending(path: "PackageIndex.swift")]

    init(text: String) {
        var fence: Substring?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```" {
                fence = nil
            } else if line.hasPrefix("```") {
                fence = line.dropFirst(3)
                if fence == "text" { outputs.append("") }
            } else if fence == "swift" {
                program += line + "\n"
            } else if fence == "text" {
                outputs[outputs.count - 1] += line + "\n"
            }
        }
    }
}
