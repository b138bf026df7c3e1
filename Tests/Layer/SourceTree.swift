import Foundation
import RegnumTestSupport

/// The files of the repository. Paths are relative to its root.
enum SourceTree {
    /// All Swift files of the repository, read once for all tests.
    static func swiftFiles() throws -> [SourceText] { try files.get() }

    private static let files = Result {
        try ["Sources", "Tests", "Examples"].flatMap(paths).filter { $0.hasSuffix(".swift") }
            .map { SourceText(path: $0, text: try text(of: $0)) }
    }

    /// Returns the library's files with the target (the folder of `Sources`) to which each belongs.
    static func sources() throws -> [(target: String, file: SourceText)] {
        try swiftFiles().filter { $0.path.hasPrefix("Sources/") }.map { file in
            (String(file.path.split(separator: "/")[1]), file)
        }
    }

    /// Returns the paths of everything below a folder, except hidden files and build folders.
    static func paths(in folder: String) -> [String] {
        let walk = FileManager.default.enumerator(
            atPath: Repository.root.appending(path: folder).path)
        return (walk?.compactMap { $0 as? String } ?? [])
            .filter { path in !path.split(separator: "/").contains { $0.hasPrefix(".") } }
            .map { "\(folder)/\($0)" }.sorted()
    }

    /// Returns the names of the files and folders directly in a folder, or of the folders only.
    static func names(in folder: String, foldersOnly: Bool = false) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil,
            options: [.skipsHiddenFiles]
        ).filter { !foldersOnly || $0.hasDirectoryPath }.map(\.lastPathComponent).sorted()
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }
}

/// Returns the names of the symbolic links below a folder.
func symbolicLinks(below folder: URL) -> [String] {
    let keys: Set<URLResourceKey> = [.isSymbolicLinkKey]
    let walk = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: Array(keys), options: [.skipsHiddenFiles])
    return (walk?.compactMap { $0 as? URL } ?? []).filter { file in
        (try? file.resourceValues(forKeys: keys).isSymbolicLink) == true
    }.map(\.lastPathComponent).sorted()
}

/// Returns the cells of the table rows of a page.
func tableRows(_ text: String) -> [[String]] {
    text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
