import ArgumentParser
import Foundation
import Regnum

struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the changes of a room as they happen, until Ctrl-C.",
        discussion: """
            With --cursors, each change set is followed by a line with a cursor. After an \
            interruption, resume from the last cursor with --since, even in another process: \
            nothing before it is repeated, and nothing after it is missed. The realm keeps its \
            changes for a week.
            """)

    @ParentCommand var chat: Chat
    @Argument(help: "The room, which need not exist yet.", transform: nonEmpty) var room: String
    @Flag(help: "Print the existing messages first.") var fromStart = false
    @Flag(help: "Print a cursor to resume from after each change set.") var cursors = false
    @Flag(help: "Print each change set, with its cursor, as a JSON object on one line.")
    var json = false
    @Option(
        help: ArgumentHelp("Resume with the changes since a cursor.", valueName: "cursor"),
        transform: changeCursor)
    var since: ChangeCursor?
    @Option(help: ArgumentHelp("Exit after this many lines.", valueName: "n")) var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if fromStart, since != nil {
            throw ValidationError("--from-start and --since can't be combined.")
        }
    }

    func run() async throws {
        try await chat.withRealm { realm in
            try await untilInterrupted {
                let messages = realm.object(Room.self, forPrimaryKey: room).messages
                var left = count ?? .max
                for try await change in messages.changes(keyPaths: [\.text], since: since) {
                    let lines = try lines(for: change)
                    try show(lines.prefix(left))
                    left -= min(left, lines.count)
                    if left == 0 { return }
                }
            }
        }
    }

    private func lines(for change: CollectionChange<Message>) throws -> [String] {
        let isHidden = if case .initial = change { !fromStart } else { false }
        if json {
            return [try isHidden ? jsonLine(["cursor": change.cursor]) : jsonLine(change)]
        }
        return (isHidden ? [] : change.lines()) + (cursors ? ["cursor \(change.cursor)"] : [])
    }
}

private func jsonLine(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

@Sendable
private func changeCursor(_ text: String) throws -> ChangeCursor {
    guard let cursor = ChangeCursor(text) else {
        throw ValidationError("It is not a cursor as printed by tail --cursors.")
    }
    return cursor
}
