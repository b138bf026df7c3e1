import ChatKit
import Foundation
import Regnum

/// A room of the chat; made with the first message or topic for it.
final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var topic: String
    /// In the order in which they were sent.
    @Persisted var messages: List<Message>
    /// How many messages were ever sent here: deleted ones count too.
    @Persisted var sentCount: Int
    @Persisted var places: List<Place>
}

/// One message; its room is the one whose list has it.
final class Message: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    /// Messages of a room are numbered from 1, in order. A number is never used again.
    @Persisted var number: Int
    @Persisted var author: String
    @Persisted var text: String
    @Persisted var sentAt: Date
    @Persisted var editedAt: Date?
    @Persisted(originProperty: "messages") var rooms: LinkingObjects<Room>
}

/// How far somebody has read in the room that it belongs to, and is deleted with.
final class Place: EmbeddedObject {
    @Persisted var reader: String
    /// The number of the last message that was read.
    @Persisted var number: Int
}

extension Room {
    /// Puts a message at the end of the room.
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

    /// Notes that somebody has read all messages up to a number.
    func markRead(by reader: String, through number: Int) {
        guard let place = places.first(where: { $0.reader == reader }) else {
            return places.append(Place(value: ["reader": reader, "number": number]))
        }
        // Setting a property is a change that others are told of, also to the value that it has.
        if place.number < number { place.number = number }
    }
}

extension Frozen<Room> {
    /// What others have sent since somebody read last.
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
    /// - Parameter reader: whose unread messages are counted, nil for nobody's.
    init(_ room: Frozen<Room>, reader: String?, change: Change? = nil) {
        self.init(
            name: room.name, topic: room.topic, messageCount: room.messages.count,
            unreadCount: reader.map { room.unread(by: $0).count }, change: change)
    }
}
