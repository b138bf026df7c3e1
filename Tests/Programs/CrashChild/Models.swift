import FoundationEssentials
import Regnum

final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var topic: String
}

final class Message: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var room: String
    @Persisted var author: String
    @Persisted var text: String
    @Persisted var sentAt: Date
    @Persisted var editedAt: Date?
}

extension Frozen<Message> {
    /// The primary key. On a frozen object, `id` is the identity of its row.
    var messageID: ObjectId { self[dynamicMember: \.id] }
}

extension Realm {
    /// Opens the realm of a child.
    static func child(_ path: String, writeTimeout: Duration? = nil) async throws -> Realm {
        var configuration = Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Room.self, Message.self])
        configuration.writeTimeout = writeTimeout
        return try await open(configuration)
    }
}

extension Transaction {
    /// Adds one message, and its room if it doesn't exist.
    func post(room: String, author: String, text: String) throws -> ObjectId {
        if object(Room.self, forPrimaryKey: room) == nil {
            let new = Room()
            new.name = room
            try add(new)
        }
        let message = Message()
        message.room = room
        message.author = author
        message.text = text
        try add(message)
        return message.id
    }
}
