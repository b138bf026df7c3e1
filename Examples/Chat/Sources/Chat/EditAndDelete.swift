import ArgumentParser
import Regnum

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Gives a message another text.")

    @ParentCommand var chat: Chat
    @Argument(help: "The message's id, as send prints it.", transform: messageID) var id: ObjectId
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
    @Argument(help: "The message's id, as send prints it.", transform: messageID) var id: ObjectId

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

/// A message's id from the command line.
@Sendable
private func messageID(_ text: String) throws -> ObjectId {
    guard let id = ObjectId(text) else {
        throw ValidationError("'\(text)' is not an id: those have 24 hexadecimal digits.")
    }
    return id
}
