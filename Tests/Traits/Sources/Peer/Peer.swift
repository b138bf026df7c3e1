import Foundation
import Regnum
import TraitModels

/// A process that uses a realm, and exits with 2 if the realm has another key.
///
///     peer DIRECTORY COUNT [KEY-FILE]   adds notes, each in a commit of its own
///     peer DIRECTORY write|read|compact NAME KEY-FILE FORMER-KEY-FILE   see `KeyChange.swift`
@main struct Peer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { usage() }
        var configuration = Realm.Configuration.ofTests(URL(filePath: arguments[1]))
        do {
            if arguments.count == 6 {
                configuration.encryptionKey = try Data(contentsOf: URL(filePath: arguments[4]))
                configuration.formerEncryptionKeys = [
                    try Data(contentsOf: URL(filePath: arguments[5]))
                ]
                return try await changeKey(configuration, arguments[2], arguments[3])
            }
            guard arguments.count <= 4, let count = Int(arguments[2]) else { usage() }
            if arguments.count == 4 {
                configuration.encryptionKey = try Data(contentsOf: URL(filePath: arguments[3]))
            }
            let realm = try await Realm.open(configuration)
            try await realm.addNotes(count)
            await realm.close()
        } catch let error as Realm.Error where error.code == .wrongKey {
            exit(2)
        }
    }

    private static func usage() -> Never {
        fatalError(
            "The arguments are the directory of the realm, a number and, if the realm is "
                + "encrypted, a file with its key.")
    }
}
