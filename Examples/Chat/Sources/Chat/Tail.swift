import ArgumentParser
import ChatKit
import Regnum

struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the changes of a room as they happen, until Ctrl-C.",
        discussion: """
            With --cursors a line with a cursor follows all that one change set tells. Whoever was \
            interrupted goes on from the last cursor that they have, in another process too: \
            --since repeats nothing that was before it, and leaves out nothing that came after it.
            """)

    @ParentCommand var chat: Chat
    @Argument(help: "The room; it need not exist yet.") var room: String
    @Flag(help: "Print one JSON object a line.") var json = false
    @Flag(help: "Print the existing messages first.") var fromStart = false
    @Flag(help: "Print where to go on from after each change set.") var cursors = false
    @Option(
        help: ArgumentHelp("Begin with what happened since a cursor.", valueName: "cursor"),
        transform: changeCursor)
    var since: ChangeCursor?
    @Option(help: ArgumentHelp("End after so many changes.", valueName: "n")) var count: Int?

    func validate() throws {
        try requireText(room, "ROOM")
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if fromStart, since != nil {
            throw ValidationError("--from-start and --since are two places to begin at: choose.")
        }
    }

    func run() async throws {
        let printer = TailPrinter(
            json: json, printsInitial: fromStart, printsCursors: cursors, left: count ?? .max)
        let (room, since) = (room, since)
        try await chat.withRealm { realm in
            try await Interruption.ends {
                let messages = realm.object(Room.self, forPrimaryKey: room).messages
                var printer = printer
                do {
                    for try await change in messages.changes(keyPaths: [\.text], since: since) {
                        try printer.print(change, at: monotonicNanoseconds())
                        if printer.left == 0 { return }
                    }
                } catch Realm.Error.Code.historyTrimmed {
                    throw ChatFailure(
                        "What happened since this cursor is no longer kept, which it is for "
                            + "\(Chat.historyDays) days: use --from-start instead.")
                }
            }
        }
    }
}

/// Prints the elements of a room's stream.
private struct TailPrinter {
    let json: Bool
    let printsInitial: Bool
    let printsCursors: Bool
    /// How many messages are still to be printed.
    var left: Int

    mutating func print(_ change: CollectionChange<Message>, at: UInt64) throws {
        var rows: [MessageRow] = []
        switch change {
        case .initial(let messages):
            if printsInitial { rows = messages.rows(version: messages.version, at: at) }
        case .update(_, let delta):
            rows = delta.rows(at: at)
        }
        var lines = rows.prefix(left).map { json ? $0.json : $0.line }
        // Not in the middle of a change set: its rest would be lost to who goes on from there.
        if printsCursors, rows.count <= left {
            lines.append(cursorLine("\(change.cursor)", json: json))
        }
        try StandardOutput.print(lines)
        left -= min(left, rows.count)
    }
}

/// A cursor from the command line.
@Sendable
private func changeCursor(_ text: String) throws -> ChangeCursor {
    guard let cursor = ChangeCursor(text) else {
        throw ValidationError("'\(text)' is not a cursor, as tail --cursors prints them.")
    }
    return cursor
}

extension ChangeSet<Message> {
    /// One row per message that came, changed or went; `at` is the time when the change set was in
    /// hand.
    ///
    /// New messages are in the room's order. What was changed or deleted had come in an earlier change
    /// set, and is told first, with the text that it had there.
    func rows(at: UInt64) -> [MessageRow] {
        let updates = modified.map { message in
            (MessageRow.Change.update(old: MessageContent(message.old)), message.new)
        }
        let deletions = deleted.map { (MessageRow.Change.delete, $0) }
        let inserts = inserted.map { (MessageRow.Change.insert, $0) }
        return (updates + deletions + inserts).map { change, message in
            MessageRow(
                change: change, message: MessageContent(message), version: version, at: at)
        }
    }
}

extension Sequence<Frozen<Message>> {
    /// One row per message, as if all of them had just come.
    func rows(version: UInt64, at: UInt64) -> [MessageRow] {
        map { message in
            MessageRow(
                change: .insert, message: MessageContent(message), version: version, at: at)
        }
    }
}
