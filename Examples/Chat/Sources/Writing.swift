import ArgumentParser
import Regnum

struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends a message and prints its id once its commit is durable.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room, created if missing.", transform: nonEmpty) var room: String
    @Option(
        name: .customLong("as"), help: ArgumentHelp("The author.", valueName: "name"),
        transform: nonEmpty)
    var author: String
    @Argument(help: "The text.") var text: [String]

    func run() async throws {
        try await chat.withRealm { realm in
            let text = text.joined(separator: " ")
            try show(["\(try await realm.send(room: room, author: author, text: text))"])
        }
    }
}

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes the text of a message.")

    @ParentCommand var chat: Chat
    @Argument(help: "The message's id, as printed by send.", transform: ObjectId.init(string:))
    var id: ObjectId
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
    @Argument(help: "The message's id, as printed by send.", transform: ObjectId.init(string:))
    var id: ObjectId

    func run() async throws {
        try await chat.withRealm { realm in try await realm.delete(id) }
    }
}

struct SetTopic: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic", abstract: "Sets the topic of a room.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room, created if missing.", transform: nonEmpty) var room: String
    @Argument(help: "The topic.") var text: [String]

    func run() async throws {
        try await chat.withRealm { realm in
            try await realm.setTopic(room: room, text.joined(separator: " "))
        }
    }
}

struct DeleteRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes a room and all its messages.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room.") var room: String

    func run() async throws {
        try await chat.withRealm { realm in try await realm.deleteRoom(room) }
    }
}
