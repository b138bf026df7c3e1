import Foundation
import Regnum
import TraitModels

/// Adds notes to a realm, each in a commit of its own: `peer DIRECTORY COUNT [KEY-FILE]`. Exits
/// with 2 if the realm has another key.
@main struct Peer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 4, let count = Int(arguments[2]) else {
            fatalError(
                "The arguments are the directory of the realm, a number and, if the realm is "
                    + "encrypted, a file with its key.")
        }
        var configuration = Realm.Configuration.ofTests(URL(filePath: arguments[1]))
        if arguments.count == 4 {
            configuration.encryptionKey = try Data(contentsOf: URL(filePath: arguments[3]))
        }
        do {
            let realm = try await Realm.open(configuration)
            try await realm.addNotes(count)
            await realm.close()
        } catch let error as Realm.Error where error.code == .wrongKey {
            exit(2)
        }
    }
}
