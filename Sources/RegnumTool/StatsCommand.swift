import ArgumentParser
import Foundation
import Regnum

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
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            var byteCount = 0
            for name in names {
                let values = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
                byteCount += (values?[.size] as? Int) ?? 0
            }
            rows.append(("files", "\(names.count), \(byteCount) bytes"))
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
}
