import Foundation
import RegnumTestSupport

/// A page of documentation with a program in it.
struct TutorialPage {
    /// The blocks of Swift, one after the other.
    private(set) var program = ""
    /// The blocks of text, which are what the blocks of Swift print.
    private(set) var outputs: [String] = []

    /// `Docs/Tutorial.md`.
    static func tutorial() throws -> TutorialPage {
        let file = Repository.root.appending(path: "Docs/Tutorial.md")
        return TutorialPage(text: try String(contentsOf: file, encoding: .utf8))
    }

    /// The program whose parts the tutorial shows.
    static let folder = Repository.root.appending(path: "Tests/Programs/Debian")

    /// What the page leaves to the files beside it.
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
