import Foundation
import Hummingbird
import Regnum
import ServiceLifecycle

/// The server-sent events of a room.
///
/// - `reset` has the room's messages as an array. The first 500, that is: events named `append`
///   have the others. The last of them has the `id`, so that a client that got only some of them
///   begins again.
/// - `change` has a change set. Removing the elements at `deletions`, inserting `inserted` at
///   `insertions` and replacing those at `newModifications` gives the new array.
/// - After a quiet time, a comment keeps proxies from closing the connection. It comes with an
///   `id`, because the position advances with commits to other rooms, too.
struct RoomEvents {
    var messages: LiveResults<Message>
    /// The position to resume from; `nil` to begin with `reset`.
    var cursor: ChangeCursor?
    var heartbeat: Duration

    private static let chunkSize = 500

    /// Writes events until the task is cancelled, the server shuts down or the realm is closed.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ServerSentEvent(retry: 1_000).buffer)
        do {
            try await write(since: cursor, to: &writer)
        } catch let error as Realm.Error where cursor != nil && error.isHistoryUnavailable {
            try await write(since: nil, to: &writer)
        }
    }

    private func write(
        since cursor: ChangeCursor?, to writer: inout any ResponseBodyWriter
    ) async throws {
        let events = messages.changes(since: cursor).heartbeats(every: heartbeat)
        for try await event in events.cancelOnGracefulShutdown() {
            switch event {
            case .change(.initial(let messages), let cursor):
                try await write(messages, cursor, to: &writer)
            case .change(.update(_, let delta), let cursor):
                let event = ServerSentEvent(
                    name: "change", id: "\(cursor)", data: try Self.json(delta))
                try await writer.write(event.buffer)
            case .heartbeat(let cursor):
                let event = ServerSentEvent(id: "\(cursor)", comment: "heartbeat")
                try await writer.write(event.buffer)
            }
        }
    }

    /// Writes the whole list, in chunks, so that a large room is never in memory as JSON.
    private func write(
        _ messages: FrozenResults<Message>, _ cursor: ChangeCursor,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        let count = try messages.snapshot.read { _ in messages.count }
        var start = 0
        repeat {
            let end = min(start + Self.chunkSize, count)
            let event = ServerSentEvent(
                name: start == 0 ? "reset" : "append", id: end == count ? "\(cursor)" : nil,
                data: try Self.json(messages.objects(at: start..<end)))
            try await writer.write(event.buffer)
            start = end
        } while start < count
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
