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
            // The names of two properties are swapped.
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

/// Ann, who has Rex, Max and Tom, and Bob, who has Rex too.
func genericRealm() async throws -> Realm {
    let realm = try await Realm.temporary(genericClasses)
    try await realm.write { tx in
        let ann = GenericOwner("Ann")
        let pets = [GenericPet("Rex", 3), GenericPet("Max", 5), GenericPet("Tom", 3)]
        pets[1].weight = 4.5
        ann.pets.append(objectsIn: pets)
        ann.friends.insert(objectsIn: pets)
        ann.scores.append(objectsIn: [4, 1, 4, 9])
        ann.grades.insert(objectsIn: [2.5, nil, 1])
        ann.byRole["guard"] = pets[0]
        try tx.add(ann)
        let bob = GenericOwner("Bob")
        try tx.add(bob)
        bob.pets.append(pets[0])
    }
    return realm
}
