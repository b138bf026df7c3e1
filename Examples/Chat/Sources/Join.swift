import ArgumentParser
import Regnum

struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a room as it changes, and sends the lines that you type.",
        discussion: """
            A line that begins with a slash is a command: \(commands). Ctrl-D leaves the room.
            """)

    private static let commands = """
        /edit TEXT changes your latest message, /delete deletes it, /topic TEXT sets the topic, \
        and //TEXT sends a text that begins with a slash
        """

    @ParentCommand var chat: Chat
    @Argument(help: "The room.", transform: nonEmpty) var room: String
    @Option(
        name: .customLong("as"), help: ArgumentHelp("Your name.", valueName: "name"),
        transform: nonEmpty)
    var author: String

    func run() async throws {
        try await chat.withRealm { realm in
            try await untilInterrupted {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await follow(realm) }
                    group.addTask { try await execute(typedLines(), realm) }
                    // whichever ends first
                    _ = try await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    /// Shows the topic and the last ten messages, then all changes. What is shown counts as read.
    private func follow(_ realm: Realm) async throws {
        let live = realm.object(Room.self, forPrimaryKey: room)
        if let topic = live.current?.topic, !topic.isEmpty {
            try show(["Topic: \(printable(topic))"])
        }
        for try await change in live.messages.changes(keyPaths: [\.text]) {
            try show(change.lines(last: 10))
            guard let last = change.collection.last else { continue }
            try await realm.markRead(room: room, by: author, through: last.number)
        }
    }

    /// Executes lines. A failure is shown and doesn't end the command.
    private func execute(_ lines: AsyncStream<String>, _ realm: Realm) async throws {
        for await line in lines {
            do {
                try await execute(line, realm)
            } catch let failure as Failure {
                try show([failure.description])
            } catch let error as Realm.Error {
                try show([error.message])
            }
        }
    }

    private func execute(_ line: String, _ realm: Realm) async throws {
        if line.allSatisfy(\.isWhitespace) { return }
        let words = line.split(separator: " ", maxSplits: 1)
        let rest = words.count > 1 ? String(words[1]) : ""
        switch words[0] {
        case "/edit" where !rest.isEmpty:
            try await realm.edit(realm.latestMessage(room: room, author: author), text: rest)
        case "/delete" where rest.isEmpty:
            try await realm.delete(realm.latestMessage(room: room, author: author))
        case "/topic" where !rest.isEmpty:
            try await realm.setTopic(room: room, rest)
        case let word where word.hasPrefix("/") && !word.hasPrefix("//"):
            throw Failure("The commands are: \(Self.commands).")
        default:
            let text = line.hasPrefix("//") ? String(line.dropFirst()) : line
            _ = try await realm.send(room: room, author: author, text: text)
        }
    }
}
