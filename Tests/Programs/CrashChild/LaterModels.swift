import FoundationEssentials
import Regnum

/// The classes of a later version of the program, and the migration to them.
enum Later {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var topic: String?
        @Persisted var messageCount: Int
    }

    final class Message: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var room: Room?
        @Persisted var author: Author?
        @Persisted var body: String
        @Persisted(indexed: true) var sentAt: Int
        @Persisted var words: List<String>
    }

    final class Author: EmbeddedObject {
        @Persisted var name: String
    }

    static let types: [ObjectBase.Type] = [Room.self, Message.self, Author.self]

    static let migration: MigrationBlock = { migration, _ in
        try migration.renameProperty(onType: "Message", from: "text", to: "body")
        var rooms: [String: DynamicObject] = [:]
        try migration.enumerateObjects(ofType: "Room") { old, new in
            if let name = old?["name"] as? String { rooms[name] = new }
        }
        var counts: [String: Int] = [:]
        try migration.enumerateObjects(ofType: "Message") { old, new in
            guard let old, let new, let room = old["room"] as? String else { return }
            new["room"] = rooms[room]
            new["author"] = ["name": old["author"]]
            new["sentAt"] = Int((old["sentAt"] as? Date ?? .distantPast).timeIntervalSince1970)
            new["words"] = (old["text"] as? String ?? "").split(separator: " ").map(String.init)
            counts[room, default: 0] += 1
        }
        for (name, room) in rooms { room["messageCount"] = counts[name] ?? 0 }
        try migration.deleteProperty(onType: "Message", "editedAt")
    }

    static func configuration(_ path: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: types)
        configuration.schemaVersion = 1
        configuration.migration = migration
        return configuration
    }
}
