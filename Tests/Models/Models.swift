import FoundationEssentials
import Regnum

/// The models that most tests use.

final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var topic = "nothing yet"

    convenience init(_ name: String, topic: String = "nothing yet") {
        self.init()
        self.name = name
        self.topic = topic
    }
}

final class Message: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var room: String
    @Persisted var author = "nobody"
    @Persisted var text: String
    @Persisted var sentAt: Date
    @Persisted var editedAt: Date?

    convenience init(_ room: String, _ text: String) {
        self.init()
        self.room = room
        self.text = text
    }

    var headline: String { "\(author): \(text)" }
    var isEdited: Bool { editedAt != nil }
}

/// Every type that a property can have, required and optional.
final class Everything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var flag: Bool
    @Persisted var number: Int
    @Persisted var ratio: Double
    @Persisted var text: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var maybeFlag: Bool?
    @Persisted var maybeNumber: Int?
    @Persisted var maybeRatio: Double?
    @Persisted var maybeText: String?
    @Persisted var maybeData: Data?
    @Persisted var maybeDate: Date?
    @Persisted var maybeUuid: UUID?
    @Persisted var maybeObjectId: ObjectId?
}

/// A class without a primary key.
final class Person: Object {
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var height: Double?
    @Persisted var isActive: Bool
    @Persisted var limit: Int
    var ignored = 7

    convenience init(_ name: String, age: Int, height: Double? = nil, isActive: Bool = false) {
        self.init()
        self.name = name
        self.age = age
        self.height = height
        self.isActive = isActive
    }
}

class Animal: Object {
    @Persisted var name: String
    @Persisted var legs = 4
    var shout: String { name.uppercased() }
}

final class Dog: Animal {
    @Persisted(primaryKey: true) var chip: Int
    @Persisted private(set) var breed = "mixed"

    func rename(breed: String) { self.breed = breed }
}
