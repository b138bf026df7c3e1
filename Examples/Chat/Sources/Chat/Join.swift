import ArgumentParser
import ChatKit
import Foundation
import Regnum

struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Joins a room: sends what you type and shows what others send.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room.") var room: String
    @Option(name: .customLong("as"), help: ArgumentHelp("Your name.", valueName: "name"))
    var author: String

    func validate() throws {
        try requireText(room, "ROOM")
        try requireText(author, "The name")
    }

    func run() async throws {
        let (room, author) = (room, author)
        try await chat.withRealm { realm in
            try await Interruption.ends {
                var session = JoinSession(realm: realm, room: room, author: author)
                try await session.run()
            }
        }
    }
}
