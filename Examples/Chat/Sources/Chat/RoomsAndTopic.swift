import ArgumentParser
import ChatKit
import Regnum

struct Rooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the rooms.")

    @ParentCommand var chat: Chat
    @Flag(help: "Print one JSON object a line: name, topic, messages.") var json = false

    func run() async throws {
        try await chat.withRealm { realm in
            try StandardOutput.print(realm.roomList().map { json ? $0.json : $0.line })
        }
    }
}

struct SetTopic: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic", abstract: "Sets the topic of a room.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room; made when it is missing.") var room: String
    @Argument(help: "The topic.") var text: [String]

    func validate() throws {
        try requireText(room, "ROOM")
    }

    func run() async throws {
        try await chat.withRealm { realm in
            try await realm.setTopic(room: room, text.joined(separator: " "))
        }
    }
}
