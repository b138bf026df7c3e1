import Foundation

/// The repository that these tests are part of, found from the place of this file.
struct SourceTree {
    let root: URL

    init(file: String = #filePath) throws {
        var url = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        repeat {
            guard url.path != "/" else { throw CocoaError(.fileNoSuchFile) }
            url.deleteLastPathComponent()
        } while !FileManager.default.fileExists(
            atPath: url.appendingPathComponent("Package.swift").path)
        root = url
    }

    /// The entries of the top level.
    func topLevel() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
    }

    /// The paths of all files in `folder`, relative to the root; nothing hidden (build folders),
    /// no fixtures.
    func paths(in folder: String) throws -> [String] {
        let base = root.appendingPathComponent(folder).path
        guard let walk = FileManager.default.enumerator(atPath: base) else { return [] }
        return walk.compactMap { $0 as? String }.filter { path in
            !path.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "Fixtures" }
        }.map { "\(folder)/\($0)" }.sorted()
    }

    func swiftFiles(in folder: String) throws -> [SourceText] {
        try paths(in: folder).filter { $0.hasSuffix(".swift") }.map { path in
            let url = root.appendingPathComponent(path)
            return SourceText(path: path, text: try String(contentsOf: url, encoding: .utf8))
        }
    }

    /// The library's files with the target (the folder of `Sources`) that each belongs to.
    func sources() throws -> [(target: String, file: SourceText)] {
        try swiftFiles(in: "Sources").map { file in
            (String(file.path.split(separator: "/")[1]), file)
        }
    }

    func allSwiftFiles() throws -> [SourceText] {
        try ["Sources", "Tests", "Examples"].flatMap(swiftFiles)
    }
}
