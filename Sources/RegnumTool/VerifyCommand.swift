import ArgumentParser
import Foundation
import Regnum

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads and checks everything in the files of a realm.",
        discussion: """
            Checks the records of the log, the directories and leaves of the checkpoints, and \
            that indexes and inverses agree with the objects of the newest version. Prints a line \
            for each damaged place, and exits with 1 if there is any. Other programs can keep \
            writing.
            """)

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            let report = try await Realm.verify(
                at: path, encryptionKey: keyOption.key(),
                formerEncryptionKeys: keyOption.formerKeys())
            try OutputStream.standard.write(report, asJSON: json, text: text(report))
            if !report.isSound { throw ExitCode(1) }
        }
    }

    private func text(_ report: IntegrityReport) -> String {
        let read =
            "log segments: \(report.segmentCount), records: \(report.recordCount), "
            + "checkpoints: \(report.directoryCount), leaves: \(report.leafCount), "
            + "bytes: \(report.byteCount), objects: \(report.objectCount), "
            + "index entries: \(report.indexEntryCount), elements: \(report.elementCount)"
        guard report.isSound else {
            let count = report.damages.count
            let number = report.isComplete ? "\(count)" : "the first \(count)"
            return report.damages.map { "\($0)\n" }.joined()
                + "damage in \(number) \(count == 1 ? "place" : "places"); read \(read)\n"
        }
        return "sound; read \(read)\n"
    }
}
