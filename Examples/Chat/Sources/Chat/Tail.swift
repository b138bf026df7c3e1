import ArgumentParser
import ChatKit
import Regnum

struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the changes of a room as they happen, until Ctrl-C.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room; it need not exist yet.") var room: String
    @Flag(help: "Print one JSON object a line.") var json = false
    @Flag(help: "Print the existing messages first, in commit order.") var fromStart = false
    @Option(help: ArgumentHelp("End after so many lines.", valueName: "n")) var count: Int?

    func validate() throws {
        try requireText(room, "ROOM")
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func run() async throws {
        let (room, json, fromStart, count) = (room, json, fromStart, count)
        try await chat.withRealm { realm in
            try await Interruption.ends {
                var left = count ?? Int.max
                for try await change in realm.objects(Message.self).where({ $0.room == room })
                    .changes
                {
                    let at = monotonicNanoseconds()
                    if case .initial = change, !fromStart { continue }
                    let rows = change.rows(at: at).prefix(left)
                    try StandardOutput.print(rows.map { json ? $0.json : $0.line })
                    left -= rows.count
                    if left == 0 { return }
                }
            }
        }
    }
}

extension CollectionChange<Message> {
    /// One row per message that came, changed or went; `at` is the time when the change was in hand.
    ///
    /// Messages are ordered by their creation, hence inserts are in commit order. What was changed or
    /// deleted had come in an earlier change set, and is told first.
    func rows(at: UInt64) -> [MessageRow] {
        switch self {
        case .initial(let messages):
            return messages.map {
                MessageRow(
                    change: .insert, message: MessageContent($0), version: messages.version, at: at)
            }
        case .update(_, let delta):
            let updates = delta.modified.map { message in
                (MessageRow.Change.update(old: MessageContent(message.old)), message.new)
            }
            let deletions = delta.deleted.map { (MessageRow.Change.delete, $0) }
            let inserts = delta.inserted.map { (MessageRow.Change.insert, $0) }
            return (updates + deletions + inserts).map { change, message in
                MessageRow(
                    change: change, message: MessageContent(message), version: delta.version, at: at
                )
            }
        }
    }
}
