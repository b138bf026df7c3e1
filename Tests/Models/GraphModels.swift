import Regnum

enum Mood: String, PersistableEnum { case calm, wild }

final class Collar: EmbeddedObject {
    @Persisted var color = "red"
    @Persisted var width: Float
}

final class Hound: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int8
    @Persisted var mood: Mood
    @Persisted var lastMood: Mood?
    @Persisted var collar: Collar?
    @Persisted var friend: Hound?
    @Persisted var tags: List<String>
    @Persisted(originProperty: "hounds") var owners: LinkingObjects<Keeper>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<Hound>

    convenience init(_ name: String, age: Int8 = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

final class Keeper: Object {
    @Persisted var name: String
    @Persisted var favourite: Hound?
    @Persisted var hounds: List<Hound>
    @Persisted var spares: List<Collar>
    @Persisted var scores: List<Int?>
}
