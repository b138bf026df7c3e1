import Foundation
import Regnum

/// Loads an index of Debian's packages into a new realm and computes the dependents of libc6:
///
///     RegnumDebian INDEX.tsv.gz DIRECTORY
///
/// Prints its measurements as one line of JSON. The directory must not exist; it is removed at the
/// end.
///
///     RegnumDebian --migrate DIRECTORY
///
/// migrates a realm with the graph to the classes of `LaterIndex`. Prints "begun" when the block
/// begins, and at the end its peak private memory in KiB. With `--migrate-in-parts=BYTES` the
/// migration is resumable and saves its progress every so many bytes.
@main enum DebianProgram {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let index = arguments.first, let directory = arguments.last
        else {
            FileHandle.standardError.write(Data("RegnumDebian INDEX.tsv.gz DIRECTORY\n".utf8))
            exit(2)
        }
        if index.hasPrefix("--migrate") {
            var configuration = LaterIndex.configuration(directory)
            if let byteCount = index.split(separator: "=").dropFirst().first.flatMap({ Int($0) }) {
                configuration.resumableMigration = ResumableMigration(
                    memoryByteCount: byteCount, batchCount: byteCount < 1 << 20 ? 32 : 1_024)
            }
            configuration.migration = { migration, version in
                FileHandle.standardOutput.write(Data("begun\n".utf8))
                try LaterIndex.migration(migration, version)
            }
            let peak = PeakMemory()
            configuration.migrationProgress = { _ in peak.look() }
            try await Realm.performMigration(for: configuration)
            peak.look()
            print(peak.kibibytes)
            return
        }
        guard !FileManager.default.fileExists(atPath: directory) else {
            FileHandle.standardError.write(Data("\(directory) exists.\n".utf8))
            exit(2)
        }
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let measurement = try await LoadMeasurement(ofIndex: index, realm: directory)
        print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
    }
}
