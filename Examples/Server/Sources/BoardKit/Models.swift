import Foundation
import Regnum

/// A room of the board, with its messages in the order in which they were posted.
final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var topic: String
    @Persisted var messages: List<Message>
}

/// A message, which belongs to the room whose list contains it.
final class Message: Object {
    /// The number in its room, counted from 1. Later messages have higher numbers, whichever
    /// process they were posted through: a number is assigned by the transaction that adds it.
    @Persisted var number: Int
    @Persisted var author: String
    @Persisted var text: String
    @Persisted var sentAt: Date
}

extension Room {
    /// Appends a message and returns its number.
    func post(_ message: NewMessage, at date: Date) -> Int {
        let added = Message()
        added.number = (messages.last?.number ?? 0) + 1
        added.author = message.author
        added.text = message.text
        added.sentAt = date
        messages.append(added)
        return added.number
    }
}
