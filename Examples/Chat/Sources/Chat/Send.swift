import ArgumentParser
import Regnum

struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends a message and prints its id once its commit is durable.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room.") var room: String
    @Option(name: .customLong("as"), help: ArgumentHelp("The author.", valueName: "name"))
    var author: String
    @Argument(help: "The text; \"-\" sends each line of standard input as a separate message.")
    var text: [String]

    func validate() throws {
        try requireText(room, "ROOM")
        try requireText(author, "The author")
    }

    func run() async throws {
        try await chat.withRealm { realm in
            guard text == ["-"] else {
                let id = try await realm.send(
                    room: room, author: author, text: text.joined(separator: " "))
                return try StandardOutput.print(id.description)
            }
            while let line = readLine() {
                let id = try await realm.send(room: room, author: author, text: line)
                try StandardOutput.print(id.description)
            }
        }
    }
}
