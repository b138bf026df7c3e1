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

    /// Returns the room as a line of the list of rooms.
    ///
    /// - Parameter reader: The reader whose unread messages are counted, or `nil` to count none.
    func line(for reader: String?) -> String {
        let count = self.messages.count
        var line = "\(printable(self.name))  \(count) message\(count == 1 ? "" : "s")"
        if let reader { line += ", \(unread(by: reader).count) unread" }
        return self.topic.isEmpty ? line : "\(line)  \(printable(self.topic))"
    }
}

extension Frozen<Message> {
    /// The message as a line of a chat log.
    var line: String { line(remark: self.editedAt == nil ? nil : "edited") }

    func line(remark: String?) -> String {
        let start = "[\(timeOfDay(self.sentAt))] <\(printable(self.author))>"
        return "\(start) \(remark.map { "(\($0)) " } ?? "")\(printable(self.text))"
    }
}

extension CollectionChange<Message> {
    /// Returns a line for each message that was edited, deleted or sent, in this order. Deleted
    /// messages have the text that they had last.
    ///
    /// - Parameter limit: The number of messages of the initial state to return, the latest ones.
    func lines(last limit: Int = .max) -> [String] {
        switch self {
        case .initial(let messages):
            return messages.suffix(limit).map(\.line)
        case .update(_, let delta):
            let edited = delta.modified.map { message in
                "\(message.new.line(remark: "edited")) (was: \(printable(message.old.text)))"
            }
            let deleted = delta.deleted.map { $0.line(remark: "deleted") }
            return edited + deleted + delta.inserted.map(\.line)
        }
    }
}
