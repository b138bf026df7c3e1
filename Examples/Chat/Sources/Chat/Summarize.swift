import ArgumentParser
import ChatKit
import Foundation

/// Prints the summary at the end of `Examples/run chat`.
struct Summarize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares what an import wrote with what tails received.", shouldDisplay: false)

    @ParentCommand var chat: Chat
    @Option(help: "The number of messages in the room before the import.") var before = 0
    @Option(help: "The output of an import --json; once for each import.") var written: [String]
    @Argument(help: "The outputs of tail --json.") var tails: [String]

    func run() async throws {
        let imports = try written.map { try lines(Summary.Commit.self, of: $0) }
        let summary = Summary(
            imports: imports, tails: try tails.map { try lines(Summary.Row.self, of: $0) })
        try StandardOutput.print(summary.text(byteCount: try byteCount(of: try chat.realmURL())))
        guard summary.isComplete(before: before) else {
            throw ChatFailure(
                "The tails did not all receive every message exactly once and in the same order.")
        }
    }

    private func lines<Line: Decodable>(_ type: Line.Type, of path: String) throws -> [Line] {
        do {
            return try Summary.lines(type, in: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ChatFailure("\(path) does not contain the expected JSON lines.")
        }
    }

    /// The disk space used by the files of the directory.
    private func byteCount(of directory: URL) throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return names.reduce(0) { total, name in
            var status = stat()
            guard lstat(directory.appendingPathComponent(name).path, &status) == 0 else {
                return total
            }
            return total + Int(status.st_blocks) * 512
        }
    }
}
