import ArgumentParser
import ChatKit
import Regnum

struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the changes of a room as they happen, until Ctrl-C.",
        discussion: """
            With --cursors each change set is followed by a line with a cursor. After an \
            interruption, resume from the last cursor with --since, even in another process: \
            nothing before it is repeated, and nothing after it is missed.
            """)

    @ParentCommand var chat: Chat
    @Argument(help: "The room, which need not exist yet.") var room: String
    @Flag(help: "Print one JSON object per line.") var json = false
    @Flag(help: "Print the existing messages first.") var fromStart = false
    @Flag(help: "Print a cursor to resume from after each change set.") var cursors = false
    @Option(
        help: ArgumentHelp("Resume with the changes since a cursor.", valueName: "cursor"),
        transform: changeCursor)
    var since: ChangeCursor?
    @Option(help: ArgumentHelp("Exit after this many changes.", valueName: "n")) var count: Int?

    func validate() throws {
        try requireText(room, "ROOM")
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if fromStart, since != nil {
            throw ValidationError("--from-start and --since can't be combined.")
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
                        "The changes since this cursor are no longer kept; history is kept for "
                            + "\(Chat.historyDays) days. Use --from-start instead.")
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
    /// The number of messages still to be printed.
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
        // Not in the middle of a change set: resuming from there would lose the rest of it.
        if printsCursors, rows.count <= left {
            lines.append(cursorLine("\(change.cursor)", json: json))
        }
        try StandardOutput.print(lines)
        left -= min(left, rows.count)
    }
}

/// Parses a cursor from the command line.
@Sendable
private func changeCursor(_ text: String) throws -> ChangeCursor {
    guard let cursor = ChangeCursor(text) else {
        throw ValidationError("'\(text)' is not a cursor as printed by tail --cursors.")
    }
    return cursor
}

extension ChangeSet<Message> {
    /// Returns one row per message that was inserted, changed or deleted; `at` is the time when the
    /// change set was received.
    ///
    /// New messages are in the room's order. Changed and deleted messages were delivered by an
    /// earlier change set; they come first, with the text that they had then.
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
    /// Returns one row per message, as if all of them had just been inserted.
    func rows(version: UInt64, at: UInt64) -> [MessageRow] {
        map { message in
            MessageRow(
                change: .insert, message: MessageContent(message), version: version, at: at)
        }
    }
}
