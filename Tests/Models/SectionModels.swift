import Foundation
import Regnum

/// Lines of a log with rooms, levels and authors to divide them by.
enum Log {
    enum Mood: String, PersistableEnum {
        case calm
        case glad
    }

    final class Author: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var lines: List<Line>

        convenience init(_ id: Int, _ name: String) {
            self.init()
            self.id = id
            self.name = name
        }
    }

    final class Line: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var room: String
        @Persisted var text: String
        @Persisted var level: Int?
        @Persisted var author: Author?
        @Persisted(originProperty: "lines") var owners: LinkingObjects<Author>

        convenience init(
            _ id: Int, _ room: String, _ text: String = "", level: Int? = nil,
            author: Author? = nil
        ) {
            self.init()
            self.id = id
            self.room = room
            self.text = text
            self.level = level
            self.author = author
        }
    }

    final class LineCard: Projection<Line> {
        @Projected(\Line.room) var place
        @Projected(\Line.text) var text
        @Projected(\Line.author?.name) var by
    }

    /// A property of each type that can be the key of a section.
    final class Kinds: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var flag: Bool
        @Persisted var number: Int
        @Persisted var small: Int8
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var decimal: Decimal128
        @Persisted var text: String
        @Persisted var data: Data
        @Persisted var date: Date
        @Persisted var uuid: UUID
        @Persisted var objectId: ObjectId
        @Persisted var mood = Mood.calm
        @Persisted var heat = Celsius(0)
        @Persisted var maybeFlag: Bool?
        @Persisted var maybeNumber: Int?
        @Persisted var maybeSmall: Int8?
        @Persisted var maybeFloat: Float?
        @Persisted var maybeDouble: Double?
        @Persisted var maybeDecimal: Decimal128?
        @Persisted var maybeText: String?
        @Persisted var maybeData: Data?
        @Persisted var maybeDate: Date?
        @Persisted var maybeUuid: UUID?
        @Persisted var maybeObjectId: ObjectId?
        @Persisted var maybeMood: Mood?
        @Persisted var maybeHeat: Celsius?
        @Persisted var any: AnyRealmValue
    }

    static let types: [ObjectBase.Type] = [Author.self, Line.self, Kinds.self]

    /// Five lines in the rooms "b" (1, 3), "a" (2, 5) and "c" (4), in order of creation.
    ///
    /// - Parameter configuration: The realm to open; `nil` for one in memory.
    static func realm(_ configuration: Realm.Configuration? = nil) async throws -> Realm {
        let realm: Realm
        if let configuration {
            realm = try await Realm.open(configuration)
        } else {
            realm = try await Realm.temporary(types)
        }
        try await realm.write { tx in
            let ann = Author(1, "Ann")
            try tx.add([
                Line(1, "b", "beta", level: 1, author: ann), Line(2, "a", "alpha", level: 2),
                Line(3, "b", "bravo", level: 2), Line(4, "c", "charlie", author: ann),
                Line(5, "a", "able", level: 1),
            ])
        }
        return realm
    }
}

extension Transaction {
    /// Returns a line that exists.
    func line(_ id: Int) throws -> Log.Line {
        guard let line = object(Log.Line.self, forPrimaryKey: id) else {
            throw Realm.Error(.invalidInput, "There is no line \(id).")
        }
        return line
    }
}
