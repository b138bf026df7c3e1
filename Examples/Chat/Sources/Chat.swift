import ArgumentParser
import Foundation
import Regnum

@main
struct Chat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A chat between processes that share one realm.",
        subcommands: [
            Send.self, Edit.self, Delete.self, SetTopic.self, DeleteRoom.self, Import.self,
            Join.self, Tail.self, Rooms.self, Read.self,
        ])

    @Option(
        name: .customLong("realm"),
        help: ArgumentHelp("The realm's directory, created if missing.", valueName: "path"),
        transform: nonEmpty)
    var path = "chat.realm"

    /// Opens the realm, passes it to `body`, and closes it even if `body` throws.
    func withRealm(_ body: (Realm) async throws -> Void) async throws {
        let realm = try await Realm.open(
            Realm.Configuration(
                location: .file(URL(filePath: path)),
                objectTypes: [Room.self, Message.self, Place.self]))
        do {
            try await body(realm)
        } catch {
            await realm.close()
            throw error
        }
        await realm.close()
    }
}

/// An error with a message for the user.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func noRoom(_ name: String) -> Failure {
        Failure("There is no room \(printable(name)).")
    }
}

/// Returns the argument, such as the name of a room. Throws an error if it is empty.
@Sendable
func nonEmpty(_ argument: String) throws -> String {
    if argument.isEmpty { throw ValidationError("It must not be empty.") }
    return argument
}
