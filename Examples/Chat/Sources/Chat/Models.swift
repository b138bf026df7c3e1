import ChatKit
import Foundation
import Regnum

/// A room of the chat, created with its first message or topic.
final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var topic: String
    /// The messages, in the order in which they were sent.
    @Persisted var messages: List<Message>
    /// The number of messages ever sent here, including deleted ones.
    @Persisted var sentCount: Int
    @Persisted var places: List<Place>
}

/// One message. It belongs to the room whose list contains it.
final class Message: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    /// The number in its room, counted from 1 in order of sending. Numbers are never reused.
    @Persisted var number: Int
    @Persisted var author: String
    @Persisted var text: String
    @Persisted var sentAt: Date
    @Persisted var editedAt: Date?
    @Persisted(originProperty: "messages") var rooms: LinkingObjects<Room>
}

/// The reading position of a reader in a room. Belongs to the room and is deleted with it.
final class Place: EmbeddedObject {
    @Persisted var reader: String
    /// The number of the last message read.
    @Persisted var number: Int
}

extension Room {
    /// Appends a message to the room.
    @discardableResult
    func send(_ text: String, author: String, at date: Date) -> Message {
        let message = Message()
        sentCount += 1
        message.number = sentCount
        message.author = author
        message.text = text
        message.sentAt = date
        messages.append(message)
        return message
    }

    /// Records that a reader has read all messages up to a number.
    func markRead(by reader: String, through number: Int) {
        guard let place = places.first(where: { $0.reader == reader }) else {
            return places.append(Place(value: ["reader": reader, "number": number]))
        }
        // Setting a property is a change that observers see, even if the value stays the same.
        if place.number < number { place.number = number }
    }
}

extension Frozen<Room> {
    /// Returns the messages that others have sent since the reader last read.
    func unread(by reader: String) -> FrozenResults<Message> {
        let read = self.places.where { $0.reader == reader }.first?.number ?? 0
        return self.messages.where { $0.number > read && $0.author != reader }
    }
}

extension MessageContent {
    init(_ message: Frozen<Message>) {
        self.init(
            id: message.id.description, room: message.rooms.first?.name ?? "",
            author: message.author, text: message.text, sentAt: message.sentAt,
            editedAt: message.editedAt)
    }
}

extension RoomRow {
    /// - Parameter reader: The reader whose unread messages are counted, or `nil` to count none.
    init(_ room: Frozen<Room>, reader: String?, change: Change? = nil) {
        self.init(
            name: room.name, topic: room.topic, messageCount: room.messages.count,
            unreadCount: reader.map { room.unread(by: $0).count }, change: change)
    }
}
