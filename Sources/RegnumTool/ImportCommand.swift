import ArgumentParser
import Foundation
import Regnum
import RegnumJSON

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Reads JSON lines into a realm.",
        discussion: """
            Creates the realm if it doesn't exist. Each batch of lines is a transaction. An \
            invalid line fails its batch and ends the import; earlier batches are kept.
            """)

    enum Update: String, ExpressibleByArgument, CaseIterable {
        case error, modified, all

        var policy: Realm.UpdatePolicy {
            switch self {
            case .error: .error
            case .modified: .modified
            case .all: .all
            }
        }
    }

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Argument(help: "The file to read. By default, standard input.")
    var file: String?

    @Option(help: "What to do if an object with the same primary key exists: fail, or update it.")
    var update = Update.error

    @Option(help: "The maximum number of lines per transaction.")
    var batchSize = 5_000

    @Flag(help: "Import all lines in one transaction: all or nothing.")
    var atomic = false

    @OptionGroup var keyOption: KeyOption

    func validate() throws {
        if batchSize < 1 { throw ValidationError("--batch-size must be at least 1.") }
    }

    func run() async throws {
        try await reportingFailures {
            var input = try file.map { try InputChunks(path: $0) } ?? .standard
            var configuration = Realm.Configuration(location: .file(path))
            configuration.encryptionKey = try keyOption.key()
            configuration.formerEncryptionKeys = try keyOption.formerKeys()
            // Before opening the realm, since the input may take long to arrive. A realm with
            // commits keeps its version.
            let line = try input.firstLine()
            configuration.schemaVersion = line.flatMap { schemaVersion(inLine: $0) } ?? 0
            let isThere = try await Realm.fileExists(for: configuration)
            let realm = try await Realm.open(configuration, adoptsSchemaVersion: true)
            // Another process may have created it in the meantime.
            let isNew = !isThere && realm.snapshot().storedClasses.isEmpty
            let count: Int
            do {
                count = try await realm.importJSON(
                    from: input, update: update.policy, batchSize: atomic ? nil : batchSize
                ).objectCount
            } catch {
                let snapshot = realm.snapshot()
                // Unlike `isEmpty`, this counts asymmetric objects.
                let hasObjects = snapshot.storedClasses.contains { $0.objectCount > 0 }
                await realm.close()
                if isNew, !hasObjects { await snapshot.removeUnchangedRealm() }
                throw error
            }
            await realm.close()
            // The import has been committed, even if writing the output fails.
            let noun = count == 1 ? "object" : "objects"
            try OutputStream.standard.write("\(count) \(noun) imported\n")
        }
    }

    /// Returns the schema version of a schema line; `nil` for any other line.
    private func schemaVersion(inLine line: [UInt8]) -> UInt64? {
        struct Head: Decodable {
            let regnum: Int
            let schemaVersion: UInt64?
        }
        return try? JSONDecoder().decode(Head.self, from: Data(line)).schemaVersion
    }
}
