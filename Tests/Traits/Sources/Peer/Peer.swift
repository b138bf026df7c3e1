import Foundation
import Regnum
import TraitModels

/// Adds notes to a realm, each in a commit of its own: `peer DIRECTORY COUNT`.
@main struct Peer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]) else {
            fatalError("Two arguments are needed: the directory of the realm, and a number.")
        }
        let realm = try await Realm.open(.ofTests(URL(filePath: arguments[1])))
        try await realm.addNotes(count)
        await realm.close()
    }
}
