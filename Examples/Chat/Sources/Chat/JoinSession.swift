import ChatKit
import Foundation
import Regnum

/// One run of `chat join`: merges the user's input with the changes of the room.
struct JoinSession {
    private enum Event: Sendable {
        case typed([UInt8])
        case inputEnded
        case changed([String])
        case roomEnded((any Error)?)
    }

    let realm: Realm
    let room: String
    let author: String
    private var display: JoinDisplay

    init(realm: Realm, room: String, author: String) {
        self.realm = realm
        self.room = room
        self.author = author
        display = JoinDisplay(prompt: "\(printable(room))> ")
    }

    /// Runs until /quit, the end of the input, or cancellation of the task.
    mutating func run() async throws {
        display.begin()
        defer { display.end() }
        let (events, feed) = AsyncStream<Event>.makeStream()
        Self.readStandardInput(into: feed)
        let follower = follow(into: feed)
        defer { follower.cancel() }
        try showTopic()
        for await event in events {
            switch event {
            case .typed(let bytes):
                for line in display.take(bytes) {
                    guard try await obey(line) else { return }
                }
                if display.wantsToEnd { return }
                try display.draw()
            case .inputEnded:
                if let line = display.takeRest() { _ = try await obey(line) }
                return
            case .changed(let lines): try display.show(lines)
            case .roomEnded(let error):
                if let error { throw error }
                return
            }
        }
    }

    /// Reads input on a thread of its own, so that it doesn't block a thread of the cooperative
    /// pool.
    private static func readStandardInput(into feed: AsyncStream<Event>.Continuation) {
        let reader = Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(STDIN_FILENO, &buffer, buffer.count)
                if count > 0 {
                    feed.yield(.typed(Array(buffer[..<count])))
                } else if count == 0 || errno != EINTR {
                    feed.yield(.inputEnded)
                    return
                }
            }
        }
        reader.start()
    }

    /// Shows the last ten messages, then all changes. Messages that were shown count as read.
    private func follow(into feed: AsyncStream<Event>.Continuation) -> Task<Void, Never> {
        let (realm, room, author) = (realm, room, author)
        return Task {
            do {
                let messages = realm.object(Room.self, forPrimaryKey: room).messages
                for try await change in messages.changes(keyPaths: [\.text]) {
                    let at = monotonicNanoseconds()
                    let rows =
                        switch change {
                        case .initial(let all): all.suffix(10).rows(version: all.version, at: at)
                        case .update(_, let delta): delta.rows(at: at)
                        }
                    feed.yield(.changed(rows.map(\.line)))
                    guard let last = change.collection.last else { continue }
                    try await realm.markRead(room: room, by: author, through: last.number)
                }
                feed.yield(.roomEnded(nil))
            } catch {
                feed.yield(.roomEnded(error))
            }
        }
    }

    /// Executes a line. Returns `false` for /quit. A failure is shown to the user and doesn't end
    /// the session.
    private mutating func obey(_ line: String) async throws -> Bool {
        do {
            switch JoinInput(line: line) {
            case .message(let text):
                _ = try await realm.send(room: room, author: author, text: text)
            case .edit(let id, let text): try await realm.edit(try message(id), text: text)
            case .delete(let id): try await realm.delete(try message(id))
            case .topic(let topic?): try await realm.setTopic(room: room, topic)
            case .topic(nil): try showTopic()
            case .rooms: try display.show(roomLines())
            case .help: try display.show(JoinInput.commands.components(separatedBy: "\n"))
            case .mistake(let sentence): try display.show([sentence])
            case .nothing: break
            case .quit: return false
            }
        } catch let failure as ChatFailure {
            try display.show([failure.sentence])
        } catch let error as Realm.Error where error.code != .closed {
            try display.show([error.message])
        }
        return true
    }

    private func roomLines() -> [String] {
        realm.rooms.current.map { RoomRow($0, reader: author).line }
    }

    private func message(_ id: String?) throws -> ObjectId {
        if let id = id.flatMap({ ObjectId($0) }) { return id }
        guard let id = realm.latestMessage(room: room, author: author) else {
            throw ChatFailure("You have no messages in this room.")
        }
        return id
    }

    private mutating func showTopic() throws {
        let topic = realm.object(Room.self, forPrimaryKey: room).current?.topic ?? ""
        try display.show([topic.isEmpty ? "No topic." : "Topic: \(printable(topic))"])
    }
}
