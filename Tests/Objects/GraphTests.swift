import FoundationEssentials
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

@Suite struct GraphTests {
    // Covers 2.51, 7.26
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
            expectTrue(hounds.isManaged)
            expectTrue(rex.isManaged && fido.isManaged)
            expectEqual(hounds.map(\.name), ["Rex", "Fido", "Rex"])
            expectEqual(rex.friend?.name, "Fido")
            expectEqual(rex.friend?.friend?.name, "Rex")
            expectTrue(rex.owners.map(\.name) == ["Ann", "Ann"] && fido.owners.count == 1)
            expectEqual(rex.admirers.map(\.name), ["Fido"])
            expectTrue(rex.mood == .wild && rex.lastMood == nil && fido.mood == .calm)
            expectEqual(Array(rex.tags), ["big", "loud"])
            expectEqual(Array(keeper.scores), [1, nil, 3])
            expectEqual(keeper.favourite, rex)
            expectEqual(rex.collar?.color, "red")
        }
        try await realm.write { tx in
            let rex = try requireValue(tx.object(Hound.self, forPrimaryKey: "Rex"))
            rex.tags[1] = "quiet"
            rex.tags.insert("old", at: 0)
            expectEqual(Array(rex.tags), ["old", "big", "quiet"])
            rex.tags.move(from: 2, to: 0)
            expectEqual(Array(rex.tags), ["quiet", "old", "big"])
            let keeper = try requireValue(tx.objects(Keeper.self).first)
            keeper.hounds.append(Hound("Bello"))
            expectEqual(tx.objects(Hound.self).count, 3)
            tx.delete(rex)
        }
        try await realm.read { tx in
            let keeper = try requireValue(tx.objects(Keeper.self).first)
            expectEqual(keeper.hounds.map(\.name), ["Fido", "Bello"])
            expectNil(keeper.favourite)
            expectNil(keeper.hounds[0].friend)
        }
    }

    /// Each object after the first one updates the row, without visiting all objects after it.
    @Test func aLongChainOfObjectsWithOneKeyIsOneRow() async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            let first = Hound("Rex", age: 0)
            var last = first
            for number in 1..<30_000 {
                let next = Hound("Rex", age: Int8(number % 100))
                last.friend = next
                last = next
            }
            try tx.add(first, update: .all)
            expectTrue(first.isManaged && last.isManaged)
            expectTrue(tx.objects(Hound.self).count == 1 && first.age == 99)
            expectNil(first.friend)
        }
    }
}
