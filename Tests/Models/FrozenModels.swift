import FoundationEssentials
import Regnum

/// The models for tests of frozen and live views: links, lists, inverses, embedded objects.

enum Fur: String, PersistableEnum, Encodable { case short, long }

final class Medal: EmbeddedObject {
    @Persisted var code = "none"
    @Persisted var weight: Float
    @Persisted var issuer: Walker?

    convenience init(_ code: String, weight: Float = 0) {
        self.init()
        self.code = code
        self.weight = weight
    }
}

final class Whelp: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var level: Int8
    @Persisted var weight: Float
    @Persisted var fur: Fur
    @Persisted var oldFur: Fur?
    @Persisted var friend: Whelp?
    @Persisted(originProperty: "pups") var walkers: LinkingObjects<Walker>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<Whelp>

    convenience init(_ name: String, age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }

    var friendOfFriend: Whelp? { friend?.friend }
    var oldestWalker: Walker? { walkers.first }
}

/// A class without a primary key.
final class Walker: Object {
    @Persisted var name: String
    @Persisted var favourite: Whelp?
    @Persisted var pups: List<Whelp>
    @Persisted var badge: Medal?
    @Persisted var badges: List<Medal>
    @Persisted var tags: List<String>
    @Persisted var scores: List<Int?>
    @Persisted var ratios: List<Double>
    @Persisted var furs: List<Fur>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }

    /// Computed through links, lists and inverses.
    var summary: String { "\(name): \(pups.map(\.name).joined(separator: ", "))" }
    var friendsOfPups: Int { pups.compactMap { $0.friend }.count }
    var eldest: Whelp? { pups.max { $0.age < $1.age } }
    var first: Whelp { pups[0] }
    var others: List<Whelp> { favourite?.walkers.first?.pups ?? pups }
    var codes: [String] { badges.map(\.code) }
    var loudTags: [String] { tags.map { $0.uppercased() } }
}

extension Realm {
    /// Ann walks Rex, Fido and Rex again; Rex and Fido are friends; Bob walks no dog.
    static func kennel() async throws -> Realm {
        let realm = try await Realm.temporary([Walker.self, Whelp.self, Medal.self])
        try await realm.fillKennel()
        return realm
    }

    nonisolated func fillKennel() async throws {
        try await write { tx in
            let rex = Whelp("Rex", age: 3)
            let fido = Whelp("Fido", age: 5)
            (rex.friend, fido.friend) = (fido, rex)
            (rex.weight, rex.level, rex.fur) = (0.1, -3, .long)
            let ann = Walker("Ann")
            ann.pups.append(objectsIn: [rex, fido, rex])
            ann.favourite = fido
            ann.badge = Medal("gold", weight: 1.5)
            ann.badges.append(objectsIn: [Medal("a"), Medal("b")])
            ann.tags.append(objectsIn: ["big", "loud", "big"])
            ann.scores.append(objectsIn: [4, nil, 2, 4])
            ann.ratios.append(objectsIn: [0.5, .nan, -1])
            ann.furs.append(objectsIn: [.long, .short])
            try tx.add(ann)
            try tx.add(Walker("Bob"))
        }
    }

    /// Ann in the current version.
    nonisolated var ann: Frozen<Walker> { snapshot().objects(Walker.self)[0] }
}
