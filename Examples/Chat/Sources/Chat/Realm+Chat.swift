import ChatKit
import Foundation
import Regnum

/// The chat's own operations: one transaction each.
extension Realm {
    /// Sends one message and returns its id, when its commit is durable.
    func send(room: String, author: String, text: String) async throws -> ObjectId {
        let date = Date()
        return try await write { tx in
            try tx.addRoomIfMissing(room)
            return try tx.addMessage(room: room, author: author, text: text, sentAt: date)
        }
    }

    /// Gives a message another text.
    func edit(_ id: ObjectId, text: String) async throws {
        let date = Date()
        try await write { tx in
            let message = try tx.message(id)
            message.text = text
            message.editedAt = date
        }
    }

    func delete(_ id: ObjectId) async throws {
        try await write { tx in tx.delete(try tx.message(id)) }
    }

    func setTopic(room: String, _ topic: String) async throws {
        try await write { tx in
            try tx.addRoomIfMissing(room)
            tx.object(Room.self, forPrimaryKey: room)?.topic = topic
        }
    }

    /// The author's latest message in the room, if there is one.
    nonisolated func latestMessage(room: String, author: String) -> ObjectId? {
        snapshot().objects(Message.self).where { $0.room == room && $0.author == author }.last?
            .id
    }

    /// All rooms by name, with the number of messages in each.
    nonisolated func roomList() -> [RoomRow] {
        let snapshot = snapshot()
        return snapshot.objects(Room.self).sorted(by: \.name).map { room in
            let name = room.name
            let messages = snapshot.objects(Message.self).where { $0.room == name }
            return RoomRow(name: name, topic: room.topic, messageCount: messages.count)
        }
    }
}

extension Transaction {
    func addRoomIfMissing(_ name: String) throws {
        guard object(Room.self, forPrimaryKey: name) == nil else { return }
        let room = Room()
        room.name = name
        try add(room)
    }

    func addMessage(room: String, author: String, text: String, sentAt: Date) throws -> ObjectId {
        let message = Message()
        message.room = room
        message.author = author
        message.text = text
        message.sentAt = sentAt
        try add(message)
        return message.id
    }

    func message(_ id: ObjectId) throws -> Message {
        guard let message = object(Message.self, forPrimaryKey: id) else {
            throw ChatFailure("There is no message \(id).")
        }
        return message
    }
}
