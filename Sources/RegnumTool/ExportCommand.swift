import ArgumentParser
import Foundation
import Regnum

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes the content of a realm as JSON lines.",
        discussion: """
            The newest committed state when the command starts is written: the schema, then one object a \
            line. Programs can go on writing meanwhile.
            """)

    @Argument(help: "The directory of the realm.")
    var path: String

    @Option(
        name: .customLong("class"),
        help: "A class whose objects are written; may be given several times. Without it: all.")
    var classes: [String] = []

    @Option(
        name: .shortAndLong,
        help: "The file to write, replaced when all is written. Without it: the standard output.")
    var output: String?

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path)
            let classes = classes.isEmpty ? nil : classes
            if let output {
                try await realm.snapshot().exportJSON(
                    classes: classes, to: URL(filePath: output))
            } else {
                let output = OutputStream.standard
                try await realm.snapshot().exportJSON(classes: classes) { try output.write($0) }
            }
            await realm.close()
        }
    }
}
