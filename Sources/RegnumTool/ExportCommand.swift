import ArgumentParser
import Foundation
import Regnum
import RegnumJSON

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes the content of a realm as JSON lines.",
        discussion: """
            Writes the version that is newest when the command starts: first the schema, then one \
            object per line. Other programs can keep writing to the realm.
            """)

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Option(
        name: .customLong("class"),
        help: "A class to export; can be repeated. By default, all classes.")
    var classes: [String] = []

    @Option(
        name: .shortAndLong,
        help: "The output file, replaced only once it is complete. By default, standard output.",
        transform: url)
    var output: URL?

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path, keyOption)
            let classes = classes.isEmpty ? nil : classes
            if let output {
                _ = try await interruptible {
                    try await realm.snapshot().exportJSON(classes: classes, to: output)
                }
            } else {
                let output = OutputStream.standard
                try await realm.snapshot().exportJSON(classes: classes) { try output.write($0) }
            }
            await realm.close()
        }
    }
}
