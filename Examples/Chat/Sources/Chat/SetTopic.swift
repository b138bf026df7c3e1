import ArgumentParser
import Regnum

struct SetTopic: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic", abstract: "Sets the topic of a room.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room, created if missing.") var room: String
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
