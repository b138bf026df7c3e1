import Foundation
import RegnumTestSupport
import Testing

/// The first example of `README.md` is a program that works, also when it is run again.
@Suite struct ReadmeTests {
    @Test func exampleWorks() throws {
        let outputs = try SwiftCompiler.output(of: try example(), arguments: [[], []])
        let said = try requireValue(readme().firstMatch(of: #/It prints `([^`]*)`/#)).1
        expectEqual(outputs, ["\(said)\n", "\(said)\n"])
    }

    @Test func exampleIsShort() throws {
        let lines = try example().split(separator: "\n")
        expectTrue(lines.count <= 16, "\(lines.count) lines")
    }

    @Test(arguments: [
        ("tx.add(rex", "tx.insert(rex"),
        ("var age: Int", "var age: Integer"),
        ("try await Realm.open", "try Realm.open"),
        ("$0.friends.age > 4", "$0.friends.age > \"4\""),
        ("dog.friends.map", "dog.enemies.map"),
    ])
    func brokenExampleIsNoticed(text: String, replacement: String) throws {
        let example = try example()
        let broken = example.replacingOccurrences(of: text, with: replacement)
        try #require(broken != example, "the example has no \(text)")
        let place = try requireValue(example.range(of: text)).lowerBound
        let line = example[..<place].count { $0 == "\n" } + 1
        let outcome = try SwiftCompiler.compile(broken, as: .main)
        expectTrue(!outcome.isAccepted && outcome.errorLines.contains(line), "\(outcome.output)")
    }

    @Test func exampleIsTheFirstSwiftBlock() throws {
        let text =
            "a\n```sh\nx\n```\n```swift\nlet a = 1\n\nlet b = 2\n```\n```swift\nlet c = 3\n```\n"
        expectEqual(firstExample(in: text), "let a = 1\n\nlet b = 2\n")
        expectNil(firstExample(in: "no example"))
        expectNil(firstExample(in: "```swift\nunfinished"))
    }

    private func example() throws -> String {
        try #require(firstExample(in: try readme()), "README.md has no example in Swift")
    }

    private func readme() throws -> String {
        let file = Repository.root.appending(path: "README.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the content of the first fenced Swift block.
    private func firstExample(in text: String) -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        lines = lines.drop { $0 != "```swift" }.dropFirst()
        guard let end = lines.firstIndex(of: "```") else { return nil }
        return lines[..<end].map { $0 + "\n" }.joined()
    }
}
