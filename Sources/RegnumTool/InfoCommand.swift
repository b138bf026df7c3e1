import ArgumentParser
import Foundation
import Regnum
import RegnumJSON

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Shows the versions, files and object counts of a realm.")

    @Argument(help: "The directory of the realm.")
    var path: String

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path)
            let snapshot = realm.snapshot()
            var rows = [
                ("version", "\(snapshot.version)"),
                ("schema version", "\(snapshot.schemaVersion)"),
            ]
            let sizes = try FileManager.default.contentsOfDirectory(atPath: path).compactMap {
                try size(ofFile: path + "/" + $0)
            }
            rows.append(("files", "\(sizes.count), \(sizes.reduce(0, +)) bytes"))
            for (stored, count) in snapshot.storedClasses {
                rows.append((stored.name, "\(count) \(stored.kindText)"))
            }
            let width = rows.map(\.0.count).max() ?? 0
            let lines = rows.map { name, value in
                name + String(repeating: " ", count: width - name.count + 2) + value + "\n"
            }
            try OutputStream.standard.write(Array(lines.joined().utf8))
            await realm.close()
        }
    }

    /// Returns the size of a file in bytes, or `nil` if another process has just removed it.
    private func size(ofFile path: String) throws -> Int? {
        do {
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            return nil
        }
    }
}
