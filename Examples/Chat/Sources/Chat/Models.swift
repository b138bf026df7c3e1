import ChatKit
import Foundation
import Regnum

/// A room of the chat; made with the first message or topic for it.
final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var topic: String
}

/// One message in a room, known by the room's name.
final class Message: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var room: String
    @Persisted var author: String
    @Persisted var text: String
    @Persisted var sentAt: Date
    @Persisted var editedAt: Date?
}

extension MessageContent {
    init(_ message: Frozen<Message>) {
        self.init(
            id: message.id.description, room: message.room, author: message.author,
            text: message.text, sentAt: message.sentAt)
    }
}
