import Foundation
import Regnum

final class GenericOwner: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var pets: List<GenericPet>
    @Persisted var friends: MutableSet<GenericPet>
    @Persisted var byRole: Map<String, GenericPet?>
    @Persisted var parts: Map<String, GenericPart?>
    @Persisted var scores: List<Int>
    @Persisted var grades: MutableSet<Double?>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

final class GenericPet: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted(originProperty: "pets") var owners: LinkingObjects<GenericOwner>
    @Persisted(originProperty: "byRole") var employers: LinkingObjects<GenericOwner>

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

final class GenericPart: EmbeddedObject {
    @Persisted var label: String

    convenience init(_ label: String) {
        self.init()
        self.label = label
    }
}

/// A class whose properties are stored under other names.
final class GenericMapped: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var firstName: String
    @Persisted var nickname: String?
    @Persisted var best: GenericMapped?
    @Persisted var others: List<GenericMapped>
    @Persisted var words: List<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var counts: Map<String, Int>
    @Persisted(originProperty: "best") var admirers: LinkingObjects<GenericMapped>
    @Persisted(originProperty: "others") var listedBy: LinkingObjects<GenericMapped>

    override class func propertiesMapping() -> [String: String] {
        [
            "id": "_id", "firstName": "first_name", "best": "best_friend",
            "others": "other_friends",
            "words": "all_words", "numbers": "all_numbers", "counts": "all_counts",
            // the names of two properties change places
            "nickname": "age", "age": "nickname",
        ]
    }

    @Persisted var age: Int

    convenience init(_ id: Int, _ firstName: String) {
        self.init()
        self.id = id
        self.firstName = firstName
    }
}

let genericClasses: [ObjectBase.Type] = [
    GenericOwner.self, GenericPet.self, GenericPart.self, GenericMapped.self,
]
