import Foundation
import Hummingbird
public import Regnum

/// The operations of the board. Any number of processes can have its realm open; each sees what the
/// others post.
public struct Board: Sendable {
    public let realm: Realm

    public init(realm: Realm) {
        self.realm = realm
    }

    /// The classes that the realm stores.
    public static var objectTypes: [ObjectBase.Type] { [Room.self, Message.self] }

    /// Returns all rooms, sorted by name.
    func rooms() throws -> [RoomSummary] {
        // What `snapshot.read` encloses throws if the file is damaged; it would trap otherwise.
        try realm.snapshot().read { snapshot in
            snapshot.objects(Room.self).sorted(by: \.name).map { room in
                RoomSummary(name: room.name, topic: room.topic, messageCount: room.messages.count)
            }
        }
    }

    func create(_ room: NewRoom) async throws -> RoomSummary {
        let topic = room.topic ?? ""
        try await realm.write { tx in
            if tx.object(Room.self, forPrimaryKey: room.name) != nil {
                throw HTTPError(.conflict, message: "name: the room \(room.name) already exists.")
            }
            try tx.create(Room.self, value: ["name": room.name, "topic": topic])
        }
        return RoomSummary(name: room.name, topic: topic, messageCount: 0)
    }

    /// Posts a message. When the function returns, the message is on disk.
    func post(_ message: NewMessage, in name: String) async throws -> PostedMessage {
        let date = Date()
        let number = try await realm.write { tx in
            guard let room = tx.object(Room.self, forPrimaryKey: name) else {
                throw HTTPError.noRoom(name)
            }
            return room.post(message, at: date)
        }
        return PostedMessage(number: number, sentAt: date)
    }

    /// Returns the messages of a room, as a live list.
    func messages(in name: String) throws -> LiveResults<Message> {
        let exists = try realm.snapshot().read { snapshot in
            snapshot.object(Room.self, forPrimaryKey: name) != nil
        }
        guard exists else { throw HTTPError.noRoom(name) }
        return realm.object(Room.self, forPrimaryKey: name).messages
    }

    /// Returns the messages after a number. If there are none yet, waits for a change of the room
    /// first, for at most `duration`.
    func wait(
        in name: String, after number: Int, limit: Int, for duration: Duration
    ) async throws -> MessagePage {
        var changes = try messages(in: name).changes.makeAsyncIterator()
        // The first element is the current list.
        guard let initial = try await changes.next() else {
            throw HTTPError(.serviceUnavailable, message: "The server is shutting down.")
        }
        let page = try MessagePage(initial.collection, after: number, limit: limit)
        guard page.messages.isEmpty, let change = try await changes.next(within: duration).element
        else { return page }
        return try MessagePage(change.collection, after: number, limit: limit)
    }

    /// Returns whether this process can read the realm and follows the commits of the others.
    func health() async -> Health {
        let statistics = realm.stats()
        var health = Health(
            version: statistics.version, streams: statistics.streams,
            commits: statistics.commits, commitsOfOthers: statistics.externalCommits)
        do {
            try await realm.catchUp()
        } catch {
            health.problem = "\(error)"
        }
        return health
    }
}

extension HTTPError {
    static func noRoom(_ name: String) -> HTTPError {
        HTTPError(.notFound, message: "There is no room \(name).")
    }
}
