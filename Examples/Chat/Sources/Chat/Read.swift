import ArgumentParser
import ChatKit
import Regnum

struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints what others have sent since the reader last read.")

    @ParentCommand var chat: Chat
    @Argument(help: "The room.") var room: String
    @Option(name: .customLong("as"), help: ArgumentHelp("The reader.", valueName: "name"))
    var reader: String
    @Flag(help: "Print one JSON object per line.") var json = false

    func validate() throws {
        try requireText(room, "ROOM")
        try requireText(reader, "The name")
    }

    func run() async throws {
        try await chat.withRealm { realm in
            let current = realm.object(Room.self, forPrimaryKey: room).current
            guard let unread = current?.unread(by: reader) else { throw ChatFailure.noRoom(room) }
            let rows = unread.rows(version: unread.version, at: monotonicNanoseconds())
            try StandardOutput.print(rows.map { json ? $0.json : $0.line })
            // Only now, so that a reader that is stopped earlier gets these messages again.
            guard let last = unread.last else { return }
            try await realm.markRead(room: room, by: reader, through: last.number)
        }
    }
}
