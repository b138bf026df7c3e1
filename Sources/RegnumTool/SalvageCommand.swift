import ArgumentParser
import Foundation
import Regnum

struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Writes what can be read of a damaged realm to a new realm.",
        discussion: """
            Works with realms that can't be opened. Lists the damage and what was lost, and exits \
            with 1 if anything was lost. The damaged realm isn't changed.
            """)

    @Argument(help: "The directory of the damaged realm.", transform: url)
    var path: URL

    @Argument(help: "The directory to create for the new realm.", transform: url)
    var target: URL

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            let (path, target) = (path, target)
            let (key, formerKeys) = (try keyOption.key(), try keyOption.formerKeys())
            let report = try await interruptible {
                try await Realm.salvage(
                    path, to: target, encryptionKey: key, formerEncryptionKeys: formerKeys)
            }
            try OutputStream.standard.write(report, asJSON: json, text: "\(report)\n")
            if !report.isComplete { throw ExitCode(1) }
        }
    }
}
