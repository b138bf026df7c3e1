import Foundation
import Regnum
import TraitModels

/// What one of the processes does that use a realm while it is given another key: `write` adds the
/// notes "NAME 1", "NAME 2" and so on, each in a commit of its own, and prints the number of each
/// once it is durable; `read` checks again and again that no writer's notes have gaps; both until
/// they are killed. `compact` compacts the realm, and exits with 3 if a file may have the former
/// key.
func changeKey(_ configuration: Realm.Configuration, _ role: String, _ name: String) async throws {
    let realm = try await Realm.open(configuration)
    switch role {
    case "write":
        let texts = realm.snapshot().objects(Note.self).map(\.text)
        var number = texts.count { $0.hasPrefix("\(name) ") }
        while true {
            number += 1
            let text = "\(name) \(number)"
            try await realm.write { tx in try tx.create(Note.self, value: ["text": text]) }
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
    case "read":
        var lastCount = 0
        while true {
            let texts = try await realm.read { $0.objects(Note.self).map(\.text) }
            guard hasNoGaps(texts), texts.count >= lastCount else { exit(4) }
            lastCount = texts.count
            try await Task.sleep(for: .milliseconds(5))
        }
    case "compact":
        let report = try await realm.compact()
        await realm.close()
        if report.formerKeyFileCount > 0 { exit(3) }
    default:
        fatalError("There is no role \(role).")
    }
}
