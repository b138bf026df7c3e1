import ArgumentParser
import Regnum

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes the text of a message.")

    @ParentCommand var chat: Chat
    @Argument(help: "The message's id, as printed by send.", transform: messageID) var id: ObjectId
    @Argument(help: "The new text.") var text: [String]

    func run() async throws {
        try await chat.withRealm { realm in
            try await realm.edit(id, text: text.joined(separator: " "))
        }
    }
}

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes a message.")

    @ParentCommand var chat: Chat
    @Argument(help: "The message's id, as printed by send.", transform: messageID) var id: ObjectId

    func run() async throws {
        try await chat.withRealm { realm in try await realm.delete(id) }
    }
}

struct DeleteRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes a room and all its messages.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room.") var room: String

    func validate() throws {
        try requireText(room, "ROOM")
    }

    func run() async throws {
        try await chat.withRealm { realm in try await realm.deleteRoom(room) }
    }
}

/// Parses a message id from the command line.
@Sendable
private func messageID(_ text: String) throws -> ObjectId {
    guard let id = ObjectId(text) else {
        throw ValidationError("'\(text)' is not an id: an id has 24 hexadecimal digits.")
    }
    return id
}
