import ArgumentParser
import Foundation
import Regnum

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Removes unused space from the files of a realm.",
        discussion: """
            Writes the content to a new file and removes the files that are no longer needed. \
            Other programs can keep using the realm. Files that the retained history needs are \
            kept until it expires, so the realm may be larger until then. Requires disk space for \
            a second copy of the content.

            With --former-key-file, everything is encrypted with the key in --key-file, and \
            history with a former key is removed. All programs that use the realm must accept both \
            keys. Exits with 1 if a file may still have a former key.
            """)

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Flag(help: "Print the sizes as a JSON object.")
    var json = false

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            // fails for a missing realm, which opening would create
            let (key, formerKeys) = (try keyOption.key(), try keyOption.formerKeys())
            _ = try await Realm.schemaVersion(
                at: path, encryptionKey: key, formerEncryptionKeys: formerKeys)
            var configuration = Realm.Configuration(location: .file(path))
            configuration.encryptionKey = key
            configuration.formerEncryptionKeys = formerKeys
            let realm = try await Realm.open(configuration, adoptsSchemaVersion: true)
            let report: Realm.CompactionReport
            do {
                report = try await realm.compact()
            } catch {
                await realm.close()
                throw error
            }
            await realm.close()
            let text = try json ? jsonLine(report) : "\(report)\n"
            try OutputStream.standard.write(text)
            if report.formerKeyFileCount > 0 { throw ExitCode(1) }
        }
    }

    private func jsonLine(_ report: Realm.CompactionReport) throws -> String {
        struct Sizes: Encodable {
            let byteCountBefore: Int
            let byteCountAfter: Int
            let historyByteCount: Int
            let formerKeyFileCount: Int
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let sizes = Sizes(
            byteCountBefore: report.byteCountBefore, byteCountAfter: report.byteCountAfter,
            historyByteCount: report.historyByteCount,
            formerKeyFileCount: report.formerKeyFileCount)
        return String(decoding: try encoder.encode(sizes), as: UTF8.self) + "\n"
    }
}
