import Foundation
import RegnumTestSupport

/// One of the documents that describe the models, kept next to the repository.
struct SeedDocument {
    let name: String
    let text: String

    /// The folder of the documents.
    static let folder = Repository.shared.appending(path: "seeds")

    /// Returns the document whose name starts with a number; `nil` if the documents are absent.
    static func read(_ number: String) throws -> SeedDocument? {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard let name = names?.first(where: { $0.hasPrefix(number) }) else {
            print("\(folder.path) is absent: the models are not compared with the documents.")
            return nil
        }
        let file = folder.appending(path: name)
        return SeedDocument(name: name, text: try String(contentsOf: file, encoding: .utf8))
    }

    /// The Swift classes, extensions and functions that the document prints, in order: lines
    /// without indentation, and without empty ones. A declaration whose end was lost ends at the
    /// next empty line.
    var declarations: [[String]] {
        var found: [[String]] = []
        var depth = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if depth == 0 {
                guard line.prefixMatch(of: Self.beginning) != nil, line.hasSuffix("{") else {
                    continue
                }
                found.append([])
            }
            // The web pages lost their empty lines, so one inside a declaration ends it.
            if line.isEmpty, isFlat { depth = 0 }
            guard !line.isEmpty else { continue }
            found[found.count - 1].append(line)
            guard !line.hasPrefix("//") else { continue }
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
        }
        return found
    }

    /// The declarations of individual properties in the text, in order: "`@Persisted var x: Int`".
    var properties: [String] {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.matches(of: #/`(@Persisted[^`]* var [^`]*)`/#).map { String($0.1) }
    }

    /// Whether the document has lost the indentation of its code.
    private var isFlat: Bool { !text.contains("\n    ") && !text.contains("\n   ") }

    private static var beginning: some RegexComponent {
        #/((public|final) )*(class|extension|struct|enum|func) \w+/#
    }
}

/// The sources of these tests.
enum SeedModels {
    /// The lines of all files, without indentation, and without empty ones.
    static func lines() throws -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try [
            "SupportedTypes.swift", "TypeProjection.swift", "ObjectModels.swift",
            "Collections.swift", "Sets.swift", "Maps.swift", "GenericCollections.swift",
            "AnyValues000.swift",
        ]
        .flatMap { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                .split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
    }
}
