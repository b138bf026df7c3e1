import Foundation
import Regnum

enum Grade: String, PersistableEnum {
    case good, bad
}

final class Pet: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var friend: Pet?

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

final class Note: EmbeddedObject {
    @Persisted var text: String

    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

final class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var scores: Map<String, Int>
    @Persisted var nicknames: Map<String, String?>
    @Persisted var grades: Map<String, Grade>
    @Persisted var pets: Map<String, Pet?>
    @Persisted var notes: Map<String, Note?>
    @Persisted var parks = Map<String, String>()

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

/// One property of each type that a map can hold, and of its optional.
final class MapOfAll: Object {
    @Persisted var bool: Map<String, Bool>
    @Persisted var int: Map<String, Int>
    @Persisted var int8: Map<String, Int8>
    @Persisted var float: Map<String, Float>
    @Persisted var double: Map<String, Double>
    @Persisted var string: Map<String, String>
    @Persisted var data: Map<String, Data>
    @Persisted var date: Map<String, Date>
    @Persisted var uuid: Map<String, UUID>
    @Persisted var objectId: Map<String, ObjectId>
    @Persisted var grade: Map<String, Grade>
    @Persisted var optBool: Map<String, Bool?>
    @Persisted var optInt: Map<String, Int?>
    @Persisted var optFloat: Map<String, Float?>
    @Persisted var optDouble: Map<String, Double?>
    @Persisted var optString: Map<String, String?>
    @Persisted var optData: Map<String, Data?>
    @Persisted var optDate: Map<String, Date?>
    @Persisted var optUUID: Map<String, UUID?>
    @Persisted var optObjectId: Map<String, ObjectId?>
    @Persisted var optGrade: Map<String, Grade?>
}

let mapClasses: [ObjectBase.Type] = [Pet.self, Note.self, Keeper.self, MapOfAll.self]
