import ArgumentParser
import Foundation
import Regnum

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Creates a realm with an earlier state of a realm or backup.",
        discussion: """
            Without an option, restores the newest state. Earlier states are available as far \
            back as the history of the realm or the creation of the backup. The new directory must \
            not exist. Other programs can keep using the realm.
            """)

    @Argument(help: "The directory of the realm or backup.", transform: url)
    var path: URL

    @Argument(help: "The directory of the new realm.", transform: url)
    var target: URL

    @Option(help: "The version to restore.")
    var version: UInt64?

    @Option(
        help: """
            The time to restore to, in ISO 8601: restores the state of the newest commit at or \
            before it.
            """,
        transform: RestoreCommand.parse)
    var time: Date?

    @OptionGroup var keyOption: KeyOption

    func validate() throws {
        if version != nil, time != nil {
            throw ValidationError("Give either --version or --time, not both.")
        }
    }

    func run() async throws {
        try await reportingFailures {
            let (path, target, point) = (path, target, point)
            let (key, formerKeys) = (try keyOption.key(), try keyOption.formerKeys())
            let restored = try await interruptible {
                try await Realm.restore(
                    from: path, to: target, upTo: point, encryptionKey: key,
                    formerEncryptionKeys: formerKeys)
            }
            try OutputStream.standard.write("restored version \(restored)\n")
        }
    }

    private var point: Realm.RestorePoint {
        if let version { return .version(version) }
        if let time { return .date(time) }
        return .newest
    }

    @Sendable private static func parse(_ text: String) throws -> Date {
        // Foundation would accept February 30 and text after the time.
        if let seconds = DateText.seconds(text) {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        throw ValidationError(
            "\"\(text)\" is not a time in ISO 8601, such as 2026-01-31T08:30:00Z.")
    }
}
