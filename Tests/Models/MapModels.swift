import Foundation
import Regnum

enum MapGrade: String, PersistableEnum {
    case good, bad
}

final class MapPet: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var friend: MapPet?

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

final class MapNote: EmbeddedObject {
    @Persisted var text: String

    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

final class MapKeeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var scores: Map<String, Int>
    @Persisted var nicknames: Map<String, String?>
    @Persisted var grades: Map<String, MapGrade>
    @Persisted var pets: Map<String, MapPet?>
    @Persisted var notes: Map<String, MapNote?>
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
    @Persisted var grade: Map<String, MapGrade>
    @Persisted var optBool: Map<String, Bool?>
    @Persisted var optInt: Map<String, Int?>
    @Persisted var optFloat: Map<String, Float?>
    @Persisted var optDouble: Map<String, Double?>
    @Persisted var optString: Map<String, String?>
    @Persisted var optData: Map<String, Data?>
    @Persisted var optDate: Map<String, Date?>
    @Persisted var optUUID: Map<String, UUID?>
    @Persisted var optObjectId: Map<String, ObjectId?>
    @Persisted var optGrade: Map<String, MapGrade?>
}

let mapClasses: [ObjectBase.Type] = [MapPet.self, MapNote.self, MapKeeper.self, MapOfAll.self]
