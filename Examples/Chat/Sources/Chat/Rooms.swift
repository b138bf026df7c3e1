import ArgumentParser
import ChatKit
import Regnum

struct Rooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the rooms, optionally with a reader's unread counts.")

    @ParentCommand var chat: Chat
    @Option(name: .customLong("as"), help: ArgumentHelp("The reader.", valueName: "name"))
    var reader: String?
    @Flag(help: "Keep printing changes of the list, one line per room, until Ctrl-C.")
    var follow = false
    @Flag(help: "Print one JSON object per line: name, topic, messages, unread.") var json = false

    func validate() throws {
        if let reader { try requireText(reader, "The name") }
    }

    func run() async throws {
        let (reader, json) = (reader, json)
        try await chat.withRealm { realm in
            guard follow else {
                let rows = realm.rooms.current.map { RoomRow($0, reader: reader) }
                return try StandardOutput.print(rows.map { json ? $0.json : $0.line })
            }
            try await Interruption.ends {
                // Edits of messages don't change the list.
                let changes = realm.rooms.changes(
                    keyPaths: [\.topic, \.messages, \.places[0].number])
                for try await change in changes {
                    let rows = change.rows(reader: reader)
                    try StandardOutput.print(rows.map { json ? $0.json : $0.line })
                }
            }
        }
    }
}

extension CollectionChange<Room> {
    /// Returns one row per room that was created, changed or deleted.
    func rows(reader: String?) -> [RoomRow] {
        switch self {
        case .initial(let rooms):
            return rooms.map { RoomRow($0, reader: reader, change: .insert) }
        case .update(_, let delta):
            let deletions = delta.deleted.map { RoomRow($0, reader: reader, change: .delete) }
            let updates = delta.modified.compactMap { room -> RoomRow? in
                let row = RoomRow(room.new, reader: reader, change: .update)
                return row == RoomRow(room.old, reader: reader, change: .update) ? nil : row
            }
            let inserts = delta.inserted.map { RoomRow($0, reader: reader, change: .insert) }
            return deletions + updates + inserts
        }
    }
}
