import Foundation
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

enum CodableMood: String, PersistableEnum, Codable { case calm, wild }

struct CodablePoint: CustomPersistable, Codable, Equatable {
    var text: String

    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

final class CodableTag: EmbeddedObject, Codable {
    @Persisted var label: String
    @Persisted var inner: CodableMark?
}

final class CodableMark: EmbeddedObject, Codable {
    @Persisted var label: String
}

final class CodableDog: Object, Codable {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var age = 7
    @Persisted var friend: CodableDog?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<CodablePerson>
}

final class CodablePerson: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var dogs: List<CodableDog>
    @Persisted var tag: CodableTag?
    @Persisted var tags: List<CodableTag>
}

/// Each kind of value, required and optional, and each collection of values.
final class CodableAll: Object, Codable {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var mood: CodableMood
    @Persisted var point = CodablePoint("p")
    @Persisted var boolOpt: Bool?
    @Persisted var intOpt: Int?
    @Persisted var floatOpt: Float?
    @Persisted var stringOpt: String?
    @Persisted var dataOpt: Data?
    @Persisted var dateOpt: Date?
    @Persisted var decimalOpt: Decimal128?
    @Persisted var uuidOpt: UUID?
    @Persisted var objectIdOpt: ObjectId?
    @Persisted var moodOpt: CodableMood?
    @Persisted var pointOpt: CodablePoint?
    @Persisted var ints: List<Int>
    @Persisted var texts: List<String?>
    @Persisted var dates: List<Date>
    @Persisted var moods: MutableSet<CodableMood>
    @Persisted var numbers: Map<String, Int?>
    @Persisted var dogs: Map<String, CodableDog?>
}

/// A class with custom coding keys and an omitted property.
final class CodableRenamed: Object, Codable {
    @Persisted var firstName: String
    @Persisted var secret = "kept"
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<CodableRenamed>
    @Persisted var friends: List<CodableRenamed>

    enum CodingKeys: String, CodingKey {
        case firstName = "first"
        case friends
    }
}

/// A hand-written conformance, so that managed objects can be encoded.
final class CodableByHand: Object, Encodable {
    @Persisted var title: String
    @Persisted var scores: List<Int>

    enum CodingKeys: CodingKey { case title, scores }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(scores, forKey: .scores)
    }
}
