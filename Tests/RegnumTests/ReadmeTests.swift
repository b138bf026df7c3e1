import Foundation
import Testing

/// The first example of `README.md` is a program that compiles.
@Suite struct ReadmeTests {
    @Test func exampleCompiles() throws {
        let outcome = try SwiftCompiler.compile(try example(), as: .main)
        #expect(outcome.isAccepted, "\(outcome.output)")
    }

    @Test(arguments: [
        ("tx.add(message)", "tx.insert(message)"),
        ("var room: String", "var room: Strin"),
        ("try await Realm.open", "try Realm.open"),
        ("delta.inserted", "delta.additions"),
        ("message.room = \"general\"", "message.room = 7"),
    ])
    func brokenExampleIsNoticed(text: String, replacement: String) throws {
        let example = try example()
        let broken = example.replacingOccurrences(of: text, with: replacement)
        try #require(broken != example, "the example has no \(text)")
        let place = try #require(example.range(of: text)).lowerBound
        let line = example[..<place].count { $0 == "\n" } + 1
        let outcome = try SwiftCompiler.compile(broken, as: .main)
        #expect(!outcome.isAccepted && outcome.errorLines.contains(line), "\(outcome.output)")
    }

    @Test func exampleIsTheFirstSwiftBlock() throws {
        let text =
            "a\n```sh\nx\n```\n```swift\nlet a = 1\n\nlet b = 2\n```\n```swift\nlet c = 3\n```\n"
        #expect(firstExample(in: text) == "let a = 1\n\nlet b = 2\n")
        #expect(firstExample(in: "no example") == nil)
        #expect(firstExample(in: "```swift\nunfinished") == nil)
    }

    private func example() throws -> String {
        let file = SwiftCompiler.root.appending(path: "README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        return try #require(firstExample(in: text), "README.md has no example in Swift")
    }

    /// The content of the first block that is fenced as Swift.
    private func firstExample(in text: String) -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        lines = lines.drop { $0 != "```swift" }.dropFirst()
        guard let end = lines.firstIndex(of: "```") else { return nil }
        return lines[..<end].map { $0 + "\n" }.joined()
    }
}
