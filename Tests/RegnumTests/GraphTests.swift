import FoundationEssentials
import Testing

@testable import Regnum

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

@Suite struct GraphTests {
    @Test func addingAnObjectAddsWhatItReaches() async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            let rex = Hound("Rex", age: 3)
            let fido = Hound("Fido", age: 5)
            rex.friend = fido
            fido.friend = rex
            rex.mood = .wild
            rex.collar = Collar()
            rex.tags.append("big")
            rex.tags.append("loud")
            let keeper = Keeper()
            keeper.name = "Ann"
            keeper.hounds.append(objectsIn: [rex, fido, rex])
            keeper.scores.append(objectsIn: [1, nil, 3])
            keeper.spares.append(Collar())
            keeper.favourite = rex
            let hounds = keeper.hounds
            try tx.add(keeper)
            #expect(hounds.isManaged)
            #expect(rex.isManaged && fido.isManaged)
            #expect(hounds.map(\.name) == ["Rex", "Fido", "Rex"])
            #expect(rex.friend?.name == "Fido")
            #expect(rex.friend?.friend?.name == "Rex")
            #expect(rex.owners.map(\.name) == ["Ann", "Ann"] && fido.owners.count == 1)
            #expect(rex.admirers.map(\.name) == ["Fido"])
            #expect(rex.mood == .wild && rex.lastMood == nil && fido.mood == .calm)
            #expect(Array(rex.tags) == ["big", "loud"])
            #expect(Array(keeper.scores) == [1, nil, 3])
            #expect(keeper.favourite == rex)
            #expect(rex.collar?.color == "red")
        }
        try await realm.write { tx in
            let rex = try #require(tx.object(Hound.self, forPrimaryKey: "Rex"))
            rex.tags[1] = "quiet"
            rex.tags.insert("old", at: 0)
            #expect(Array(rex.tags) == ["old", "big", "quiet"])
            rex.tags.move(from: 2, to: 0)
            #expect(Array(rex.tags) == ["quiet", "old", "big"])
            let keeper = try #require(tx.objects(Keeper.self).first)
            keeper.hounds.append(Hound("Bello"))
            #expect(tx.objects(Hound.self).count == 3)
            tx.delete(rex)
        }
        try await realm.read { tx in
            let keeper = try #require(tx.objects(Keeper.self).first)
            #expect(keeper.hounds.map(\.name) == ["Fido", "Bello"])
            #expect(keeper.favourite == nil)
            #expect(keeper.hounds[0].friend == nil)
        }
    }
}
