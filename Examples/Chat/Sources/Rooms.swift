import ArgumentParser
import Regnum

struct Rooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the rooms, optionally with a reader's unread counts.")

    @ParentCommand var chat: Chat
    @Option(
        name: .customLong("as"), help: ArgumentHelp("The reader.", valueName: "name"),
        transform: nonEmpty)
    var reader: String?
    @Flag(help: "Then print a line for each change of the list, until Ctrl-C.") var follow = false

    func run() async throws {
        try await chat.withRealm { realm in
            try await untilInterrupted {
                // Edits of messages don't change the list.
                let changes = realm.rooms.changes(
                    keyPaths: [\.topic, \.messages, \.places[0].number])
                for try await change in changes {
                    try show(change.lines(for: reader))
                    if !follow { return }
                }
            }
        }
    }
}

extension CollectionChange<Room> {
    /// Returns a line for each room that was deleted, changed or created.
    fileprivate func lines(for reader: String?) -> [String] {
        switch self {
        case .initial(let rooms):
            return rooms.map { $0.line(for: reader) }
        case .update(_, let delta):
            let deleted = delta.deleted.map { "\(printable($0.name))  deleted" }
            // The progress of other readers changes the room, but not the line.
            let changed = delta.modified.compactMap { room -> String? in
                let line = room.new.line(for: reader)
                return line == room.old.line(for: reader) ? nil : line
            }
            return deleted + changed + delta.inserted.map { $0.line(for: reader) }
        }
    }
}

struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints what others have sent since the reader last read.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room.") var room: String
    @Option(
        name: .customLong("as"), help: ArgumentHelp("The reader.", valueName: "name"),
        transform: nonEmpty)
    var reader: String

    func run() async throws {
        try await chat.withRealm { realm in
            let current = realm.object(Room.self, forPrimaryKey: room).current
            guard let unread = current?.unread(by: reader) else { throw Failure.noRoom(room) }
            try show(unread.map(\.line))
            // Only now, so that a reader that is stopped earlier gets these messages again.
            guard let last = unread.last else { return }
            try await realm.markRead(room: room, by: reader, through: last.number)
        }
    }
}
