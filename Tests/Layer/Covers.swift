import Foundation

/// A function marked `@Test`, and what it covers according to the comments above it.
struct TestDeclaration {
    /// The enclosing types, outermost first.
    var types: [String]
    var function: String
    /// Rows of `COMPATIBILITY.md` (`4.7`), rules of `OBSERVATION.md` (`O12`) and codes of
    /// `ERRORS.md` (`.diskFull`).
    var covers: [String]

    var name: String { (types.suffix(1) + [function]).joined(separator: ".") }
}

/// The tests of Swift files, and the comments `// Covers 4.7, O12, .diskFull` directly above them.
struct TestDeclarations {
    private(set) var tests: [TestDeclaration] = []
    /// Problems in the comments themselves.
    private(set) var problems: [String] = []

    init(_ files: [SourceText]) {
        for file in files { add(file) }
    }

    init(sample: String) {
        self.init([SourceText(path: "sample.swift", text: sample)])
    }

    /// Returns the tests in `Tests` and `Examples`, except those of other packages.
    static func ofRepository() throws -> TestDeclarations { try repository.get() }

    private static let repository = Result {
        let others = [
            "Examples/Server/", "Sources/", "Tests/Benchmarks/",
            "Tests/Compatibility/Confinement/Leaks/", "Tests/Compatibility/Confinement/Twins/",
            "Tests/Traits/",
        ]
        let files = try SourceTree.swiftFiles().filter { file in
            !others.contains { file.path.hasPrefix($0) }
        }
        return TestDeclarations(files)
    }

    func contains(suite: String, function: String? = nil) -> Bool {
        tests.contains { test in
            test.types.contains(suite) && (function == nil || test.function == function)
        }
    }

    /// Adds the tests of a file. A test belongs to the preceding types and extensions with less
    /// indentation.
    private mutating func add(_ file: SourceText) {
        let typeWords: Set<Substring> = ["struct", "class", "enum", "actor", "extension"]
        var types: [(indentation: Int, name: String)] = []
        // The comments above the line, and what the last `@Test` still without a function covers.
        var comments: [(line: Int, covers: [String])] = []
        var marked: [String]?
        for (index, line) in file.code.enumerated() {
            let words = line.split(separator: " ")
            if let covers = parse(file.comments[index], at: "\(file.path):\(index + 1)") {
                comments.append((index + 1, covers))
                if words.isEmpty, index + 1 < file.code.count { continue }
            } else if words.first?.hasPrefix("@Test") == true {
                marked = comments.flatMap(\.covers)
                comments = []
            }
            problems += comments.map { "\(file.path):\($0.line): is not directly above a test" }
            comments = []

            let indentation = line.prefix { $0 == " " }.count
            func name(after word: Int) -> String {
                String(words[word + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            }
            if let word = words.dropLast().firstIndex(of: "func") {
                if let covers = marked {
                    let outer = types.filter { $0.indentation < indentation }.map(\.name)
                    tests.append(
                        TestDeclaration(types: outer, function: name(after: word), covers: covers))
                }
                marked = nil
            } else if let word = words.dropLast().firstIndex(where: typeWords.contains) {
                types.removeAll { $0.indentation >= indentation }
                types.append((indentation, name(after: word)))
            }
        }
    }

    /// Returns the identifiers in a comment that lists what a test covers; `nil` for other
    /// comments.
    private mutating func parse(_ comment: String, at place: String) -> [String]? {
        guard comment.contains("overs") else { return nil }
        let comment = comment.trimmingCharacters(in: .whitespaces)
        guard comment.contains(#/^\/\/+\s*(?i:covers)\b/#) else { return nil }
        let form = #/\/\/ Covers (?:(?:\d+\.\d+|O\d+|\.[a-z]\w*)(?:, |,?$))+/#
        if comment.wholeMatch(of: form) == nil {
            problems.append("\(place): is not of the form \"// Covers 4.7, O12, .diskFull\"")
            return []
        }
        return comment.dropFirst(10).split { $0 == "," || $0 == " " }.map(String.init)
    }
}

/// Whether tests must, may or can't cover an entry of a page.
enum Coverage {
    case required
    case possible
    case impossible
}

/// Returns the problems of coverage: identifiers in comments that are on no page, are repeated, or
/// can't be tested; and entries without a required test.
func coverageProblems(
    _ tests: [TestDeclaration], _ entries: [(identifier: String, coverage: Coverage)]
) -> [String] {
    let pages = Dictionary(entries.map { ($0.identifier, $0.coverage) }) { first, _ in first }
    let wrong = tests.flatMap { test in
        test.covers.enumerated().compactMap { index, identifier -> String? in
            if test.covers[..<index].contains(identifier) {
                return "\(test.name) covers \(identifier) twice"
            }
            guard let coverage = pages[identifier] else {
                return "\(test.name) covers \(identifier), which is not on any page"
            }
            return coverage == .impossible
                ? "\(test.name) covers \(identifier), which is n.a." : nil
        }
    }
    let covered = Set(tests.flatMap(\.covers))
    return wrong
        + entries.filter { $0.coverage == .required && !covered.contains($0.identifier) }
        .map { "no test covers \($0.identifier)" }
}
