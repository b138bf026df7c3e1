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
    /// Opens the realm of a test as the children do.
    static func test(_ path: String) async throws -> Realm {
        try await open(
            Configuration(
                location: .file(URL(filePath: path)), objectTypes: [Room.self, Message.self]))
    }

    /// Returns the ids of all messages in commit order, from a separate opening.
    static func messageIDs(_ path: String) async throws -> [String] {
        let realm = try await test(path)
        let ids = realm.snapshot().objects(Message.self).map { "\($0.messageID)" }
        await realm.close()
        return ids
    }
}
