import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Maps of a transaction as values.
@Suite struct MapFreezeTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(mapClasses)
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            (keeper.scores["a"], keeper.scores["b"]) = (1, 2)
            (keeper.nicknames["n"], keeper.nicknames["o"]) = (.some(nil), "o")
            (keeper.pets["rex"], keeper.pets["no"]) = (MapPet("Rex", 3), .some(nil))
            keeper.notes["n"] = MapNote("hi")
            try tx.add(keeper)
        }
        return realm
    }

    // Covers 5.62
    @Test func mapsAreFrozenAsTheyWereAtTheStart() async throws {
        let realm = try await realm()
        let (scores, nicknames, pets, notes) = try await realm.write { tx in
            let keeper = tx.objects(MapKeeper.self)[0]
            (keeper.scores["a"], keeper.scores["c"]) = (10, 3)
            keeper.nicknames.removeAll()
            keeper.pets["rex"]??.age = 30
            keeper.pets["new"] = MapPet("New")
            keeper.notes["n"] = .some(nil)
            return (
                try keeper.scores.freeze(), try keeper.nicknames.freeze(),
                try keeper.pets.freeze(), try keeper.notes.freeze()
            )
        }
        expectTrue(scores.dictionary == ["a": 1, "b": 2] && scores.keys == ["a", "b"])
        expectTrue(nicknames.keys == ["n", "o"] && nicknames.values == [nil, "o"])
        expectTrue(pets.keys == ["no", "rex"] && pets["no"] == .some(nil) && pets["new"] == nil)
        expectTrue(pets["rex"]??.name == "Rex" && pets["rex"]??.age == 3)
        expectEqual(pets.where { $0.age == 3 }.map(\.name), ["Rex"])
        expectTrue(notes["n"]??.text == "hi" && notes.count == 1)
        let now = try requireValue(realm.snapshot().objects(MapKeeper.self).first)
        expectTrue(
            now.scores.dictionary == ["a": 10, "b": 2, "c": 3] && now.pets["rex"]??.age == 30)
        expectTrue(now.scores != scores && scores.version + 1 == now.scores.version)
    }

    @Test func mapOfThisTransactionCannotBeFrozen() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(2)
            for isManaged in [false, true] {
                if isManaged { try tx.add(keeper) }
                let values = #expect(throws: Realm.Error.self) { try keeper.scores.freeze() }
                let objects = #expect(throws: Realm.Error.self) { try keeper.pets.freeze() }
                for error in [values, objects] {
                    expectEqual(error?.code, .invalidInput)
                    expectEqual(
                        error?.message.contains(isManaged ? "in this transaction" : "unmanaged"),
                        true)
                }
            }
        }
        let empty = try await realm.read { try $0.objects(MapKeeper.self)[1].scores.freeze() }
        expectTrue(empty.isEmpty && empty["a"] == nil && empty.values.isEmpty)
    }
}
