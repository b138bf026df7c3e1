import Foundation

enum Repository {
    /// The folder of `Package.swift`, also where the tests are reached through a symbolic link.
    static var root: URL {
        URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }
}

/// The tests of the repository as `Suite.function`, found in the source text: a function marked
/// `@Test` belongs to the type or extension above it that is indented less. What stands in string
/// literals of several lines is no source.
struct TestNames {
    private(set) var names: Set<String> = []

    init(source: String) {
        add(source)
    }

    /// Reads every Swift file below `Tests` and `Examples`.
    static func ofRepository() throws -> TestNames {
        var tests = TestNames(source: "")
        for folder in ["Tests", "Examples"] {
            let files = FileManager.default.enumerator(
                at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil,
                options: [.skipsHiddenFiles])
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                tests.add(try String(contentsOf: file, encoding: .utf8))
            }
        }
        return tests
    }

    private mutating func add(_ source: String) {
        let typeWords: Set<Substring> = ["struct", "class", "enum", "actor", "extension"]
        var types: [(indentation: Int, name: String)] = []
        var isMarked = false
        var isInText = false
        for line in source.split(separator: "\n") {
            if line.contains("\"\"\"") { isInText.toggle() }
            if isInText { continue }
            let indentation = line.prefix { $0 == " " }.count
            let words = line.split(separator: " ")
            guard let first = words.first, !first.hasPrefix("//") else { continue }
            if first.hasPrefix("@Test") { isMarked = true }
            if let word = words.firstIndex(of: "func"), word + 1 < words.count {
                let name = words[word + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                if isMarked, let type = types.last(where: { $0.indentation < indentation }) {
                    names.insert("\(type.name).\(name)")
                }
                isMarked = false
            } else if let word = words.firstIndex(where: typeWords.contains),
                word + 1 < words.count
            {
                let name = words[word + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                types.removeAll { $0.indentation >= indentation }
                types.append((indentation, String(name)))
            }
        }
    }
}
