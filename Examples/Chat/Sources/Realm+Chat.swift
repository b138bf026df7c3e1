import Foundation
import Regnum

/// The operations of the chat, one transaction each.
extension Realm {
    /// Sends one message and returns its id once the commit is durable.
    func send(room: String, author: String, text: String) async throws -> ObjectId {
        let date = Date()
        return try await write { tx in
            try tx.room(room).send(text, author: author, at: date).id
        }
    }

    /// Changes the text of a message.
    func edit(_ id: ObjectId, text: String) async throws {
        let date = Date()
        try await write { tx in
            let message = try tx.message(id)
            message.text = text
            message.editedAt = date
        }
    }

    /// Deletes a message, which also removes it from the list of its room.
    func delete(_ id: ObjectId) async throws {
        try await write { tx in tx.delete(try tx.message(id)) }
    }

    func setTopic(room: String, _ topic: String) async throws {
        try await write { tx in try tx.room(room).topic = topic }
    }

    /// Deletes a room with its messages and the reading positions of its readers.
    func deleteRoom(_ name: String) async throws {
        try await write { tx in
            guard let room = tx.object(Room.self, forPrimaryKey: name) else {
                throw Failure.noRoom(name)
            }
            tx.delete(room.messages)
            tx.delete(room)
        }
    }

    /// Records that a reader has read the messages of a room up to a number, if the room still
    /// exists. A power failure within the next second may undo it.
    func markRead(room: String, by reader: String, through number: Int) async throws {
        try await write(durability: .relaxed(within: .seconds(1))) { tx in
            tx.object(Room.self, forPrimaryKey: room)?.markRead(by: reader, through: number)
        }
    }

    /// Returns the author's latest message in the room.
    nonisolated func latestMessage(room: String, author: String) throws -> ObjectId {
        let messages = object(Room.self, forPrimaryKey: room).messages
        guard let message = messages.where({ $0.author == author }).last else {
            throw Failure("You have no messages in this room.")
        }
        return message.id
    }

    /// All rooms, sorted by name.
    nonisolated var rooms: LiveResults<Room> { objects(Room.self).sorted(by: \.name) }
}

extension Transaction {
    /// Returns the room with that name, creating it if it doesn't exist.
    func room(_ name: String) throws -> Room {
        try object(Room.self, forPrimaryKey: name) ?? create(Room.self, value: ["name": name])
    }

    func message(_ id: ObjectId) throws -> Message {
        guard let message = object(Message.self, forPrimaryKey: id) else {
            throw Failure("There is no message \(id).")
        }
        return message
    }
}
