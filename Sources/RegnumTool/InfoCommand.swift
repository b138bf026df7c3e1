import ArgumentParser
import Foundation
import Regnum
import RegnumJSON

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows the versions, files, users and classes of a realm.")

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var keyOption: KeyOption

    /// Files of one kind.
    private struct Files: Encodable {
        var count = 0
        var byteCount = 0

        var text: String { "\(count), \(byteCount) bytes" }

        mutating func add(_ size: Int) {
            count += 1
            byteCount += size
        }
    }

    private struct StoredClass: Encodable {
        let name: String
        /// A noun in the plural.
        let kind: String
        let objectCount: Int

        var text: String {
            "\(objectCount) \(objectCount == 1 ? String(kind.dropLast()) : kind)"
        }
    }

    /// The content of the JSON object.
    private struct Content: Encodable {
        let realm: Realm.Information
        let schemaVersion: UInt64
        let log: Files
        let nodes: Files
        let other: Files
        let classes: [StoredClass]
    }

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path, keyOption)
            let snapshot = realm.snapshot()
            guard let information = try await realm.information() else { return }
            var files: [String: Files] = [:]
            for name in try fileNames() {
                guard let size = try size(ofFile: name) else { continue }
                let kind = name.prefix { $0 != "-" }
                files[["log", "nodes"].contains(kind) ? String(kind) : "other", default: Files()]
                    .add(size)
            }
            let content = Content(
                realm: information, schemaVersion: snapshot.schemaVersion,
                log: files["log"] ?? Files(), nodes: files["nodes"] ?? Files(),
                other: files["other"] ?? Files(),
                classes: snapshot.storedClasses.map { stored, count in
                    StoredClass(name: stored.name, kind: stored.kindText, objectCount: count)
                })
            try OutputStream.standard.write(content, asJSON: json, text: text(content))
            await realm.close()
        }
    }

    private func text(_ content: Content) -> String {
        let realm = content.realm
        var rows = [
            ("format", realm.format), ("realm", realm.realmID),
            ("version", "\(realm.version)"), ("schema version", "\(content.schemaVersion)"),
            ("oldest version", realm.oldestVersion.map { "\($0)" } ?? "unknown"),
            ("log files", content.log.text), ("nodes files", content.nodes.text),
            ("other files", content.other.text),
        ]
        for checkpoint in realm.checkpoints {
            rows.append(("checkpoint", "version \(checkpoint.version) in \(checkpoint.file)"))
        }
        rows += [
            ("retention", realm.retention), ("open elsewhere", openElsewhere(realm)),
            ("writer", writer(realm)),
        ]
        rows += realm.processes.flatMap(heldVersions)
        if keyOption.file != nil {
            rows.append(("files with former keys", "\(realm.formerKeyFileCount)"))
        }
        rows += content.classes.map { ($0.name.inOneLine, $0.text) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            name + String(repeating: " ", count: width - name.count + 2) + value + "\n"
        }.joined()
    }

    /// Returns a row for each snapshot that a process holds.
    private func heldVersions(_ process: Realm.Information.Process) -> [(String, String)] {
        guard let snapshots = process.heldSnapshots else {
            return [("held versions", "unknown: \(process.description) doesn't answer")]
        }
        let rows = snapshots.map { snapshot in
            let age = (snapshot.age * 10).rounded() / 10
            let text = "\(snapshot.version) for \(age) s by \(process.description)"
            return ("held version", "\(text), taken at \(snapshot.place)")
        }
        if process.isComplete != false { return rows }
        let text = "perhaps more by \(process.description), which holds too many to list"
        return rows + [("held versions", text)]
    }

    private func openElsewhere(_ realm: Realm.Information) -> String {
        let names = realm.processes.map(\.description).joined(separator: ", ")
        if !names.isEmpty { return names }
        return realm.isOpenElsewhere ? "in a process that cannot be identified" : "no"
    }

    private func writer(_ realm: Realm.Information) -> String {
        guard let last = realm.lastWriter?.description else {
            return realm.isBeingWritten ? "a process that cannot be identified" : "none"
        }
        return realm.isBeingWritten ? last : "none (last: \(last))"
    }

    /// Returns the names of the realm's files, or an empty one if the realm is a file.
    private func fileNames() throws -> [String] {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path.path, isDirectory: &isDirectory)
        if exists, !isDirectory.boolValue { return [""] }
        return try FileManager.default.contentsOfDirectory(atPath: path.path)
    }

    /// Returns the size of a file in bytes, or `nil` if another process has just removed it.
    private func size(ofFile name: String) throws -> Int? {
        let path =
            name.isEmpty ? path.resolvingSymlinksInPath().path : path.path + "/" + name
        do {
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            return nil
        }
    }
}
