import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct MapTests {
    private func realm() async throws -> Realm { try await Realm.temporary(mapClasses) }

    // Covers 2.84, 2.85, 2.86, 2.87, 2.88, 2.93
    @Test func unmanagedMapIsADictionaryInAscendingOrderOfKeys() {
        let keeper = MapKeeper(1)
        keeper.scores["b"] = 2
        keeper.scores["a"] = 1
        keeper.scores[""] = 0
        expectTrue(keeper.scores.keys == ["", "a", "b"] && keeper.scores.values == [0, 1, 2])
        expectTrue(keeper.scores.count == 3 && keeper.scores["b"] == 2 && keeper.scores["c"] == nil)
        keeper.scores["b"] = nil
        keeper.scores.removeObject(for: "none")
        keeper.scores.updateValue(7, forKey: "a")
        expectEqual(keeper.scores.map(\.value), [0, 7])
        expectTrue(keeper.scores.contains { key, value in key == "a" && value == 7 })
        keeper.nicknames["x"] = .some(nil)
        expectTrue(keeper.nicknames.count == 1 && keeper.nicknames["x"] == .some(nil))
        keeper.nicknames["x"] = nil
        expectTrue(keeper.nicknames.isEmpty)
        expectTrue(keeper.scores.sum() == 7 && keeper.scores.max() == 7 && keeper.scores.min() == 0)
        expectEqual(keeper.scores.average(), 3.5)
    }

    // Covers 1.28
    @Test func addingAnObjectMakesTheVeryMapManaged() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            let scores = keeper.scores
            scores["a"] = 1
            keeper.pets["rex"] = MapPet("Rex", 3)
            keeper.pets["none"] = .some(nil)
            keeper.notes["n"] = MapNote("hi")
            try tx.add(keeper)
            expectTrue(scores.isManaged && scores["a"] == 1)
            scores["b"] = 2
            expectTrue(keeper.scores["b"] == 2 && keeper.scores == scores)
            expectTrue(keeper.pets["rex"]??.age == 3 && keeper.pets["none"] == .some(nil))
            expectEqual(keeper.pets.keys, ["none", "rex"])
            expectEqual(tx.objects(MapPet.self).count, 1)
            expectEqual(keeper.notes["n"]??.text, "hi")
        }
        let keeper = try requireValue(realm.snapshot().objects(MapKeeper.self).first)
        expectEqual(keeper.scores.dictionary, ["a": 1, "b": 2])
        expectTrue(keeper.pets["rex"]??.age == 3 && keeper.pets.count == 2)
        expectEqual(keeper.notes.values.first??.text, "hi")
    }

    // Covers 1.27
    @Test func assigningAMapCopiesItsEntriesAndKeepsTheInstance() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            let before = keeper.scores
            let other = Map<String, Int>()
            other["z"] = 26
            keeper.scores = other
            expectTrue(before["z"] == 26 && keeper.scores === before && keeper.scores !== other)
            try tx.add(keeper)
            keeper.scores = keeper.scores
            expectEqual(keeper.scores.keys, ["z"])
            let new = Map<String, Int>()
            new["q"] = 1
            keeper.scores = new
            expectTrue(before.keys == ["q"] && !new.isManaged)
        }
    }

    // Covers 2.97, 7.52, 7.55
    @Test func deletedObjectLeavesItsKeyWithNil() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.pets["a"] = MapPet("A")
            keeper.pets["b"] = MapPet("B")
            try tx.add(keeper)
            tx.delete(keeper.pets["a"]!!)
            expectTrue(keeper.pets.keys == ["a", "b"] && keeper.pets["a"] == .some(nil))
            tx.delete(keeper.pets)
            expectTrue(
                keeper.pets.keys == ["a", "b"] && keeper.pets.values.allSatisfy { $0 == nil })
            expectTrue(tx.objects(MapPet.self).isEmpty)
        }
    }

    // Covers 2.98, 7.42
    @Test func embeddedObjectsAreDeletedWithTheirKeyAndTheirOwner() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            try tx.add(keeper)
            keeper.notes["a"] = MapNote("1")
            let first = keeper.notes["a"]!!
            keeper.notes["a"] = first
            expectTrue(!first.isInvalidated && keeper.notes.count == 1)
            keeper.notes["a"] = MapNote("2")
            expectTrue(first.isInvalidated && keeper.notes["a"]??.text == "2")
            let second = keeper.notes["a"]!!
            keeper.notes["a"] = nil
            expectTrue(second.isInvalidated && keeper.notes.isEmpty)
            keeper.notes["b"] = MapNote("3")
            let third = keeper.notes["b"]!!
            tx.delete(third)
            expectEqual(keeper.notes["b"], .some(nil))
            keeper.notes["c"] = MapNote("4")
            let fourth = keeper.notes["c"]!!
            tx.delete(keeper)
            expectTrue(fourth.isInvalidated)
        }
    }

    // Covers 2.87, 2.90
    @Test func mergeCombinesTheValuesOfClashingKeys() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            try tx.add(keeper)
            keeper.scores.merge([("a", 10), ("b", 20)]) { $0 + $1 }
            expectTrue(keeper.scores["a"] == 11 && keeper.scores["b"] == 20)
            let other = Map<String, Int>()
            other["b"] = 5
            other["c"] = 6
            keeper.scores.merge(other) { current, _ in current }
            expectEqual(keeper.scores.values, [11, 20, 6])
            keeper.scores.merge(["c": 7]) { _, new in new }
            expectEqual(keeper.scores["c"], 7)
        }
    }

    // Covers 7.8
    @Test func createTakesDictionariesAndMapsUnderEveryPolicy() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = try tx.create(
                MapKeeper.self,
                value: [
                    "id": 1, "scores": ["a": 1, "b": 2], "grades": ["x": "bad"],
                    "pets": ["rex": ["name": "Rex", "age": 3], "no": nil as MapPet?]
                        as [String: Any?],
                    "notes": ["n": ["text": "hi"]],
                ] as [String: Any])
            expectTrue(keeper.scores.values == [1, 2] && keeper.grades["x"] == .bad)
            expectTrue(keeper.pets["rex"]??.age == 3 && keeper.pets["no"] == .some(nil))
            let note = keeper.notes["n"]!!
            // The given keys are set, others stay.
            try tx.create(
                MapKeeper.self,
                value: ["id": 1, "scores": ["b": 3, "c": 4], "notes": ["n": ["text": "ho"]]]
                    as [String: Any],
                update: .modified)
            expectTrue(keeper.scores.keys == ["a", "b", "c"] && keeper.scores.values == [1, 3, 4])
            expectEqual(keeper.pets.count, 2)
            expectTrue(!note.isInvalidated && note.text == "ho")
            // The map is replaced.
            try tx.create(
                MapKeeper.self, value: ["id": 1, "scores": ["q": 9]] as [String: Any], update: .all)
            expectTrue(keeper.scores.keys == ["q"] && keeper.pets.count == 2)
            let copy = try tx.create(MapKeeper.self, value: ["id": 2, "scores": keeper.scores])
            expectEqual(copy.scores["q"], 9)
            copy["scores"] = ["k": 1]
            expectEqual(copy.scores.keys, ["k"])
            copy["scores"] = nil
            expectTrue(copy.scores.isEmpty)
        }
    }

    @Test func copyOfAnObjectHasItsMaps() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            keeper.notes["n"] = MapNote("hi")
            keeper.pets["rex"] = MapPet("Rex")
            try tx.add(keeper)
            let copy = MapKeeper(value: keeper)
            expectTrue(copy.scores["a"] == 1 && copy.notes["n"]??.text == "hi" && !copy.isManaged)
        }
    }

    // Covers 1.34, 1.37, 1.39
    @Test func everyTypeIsKept() async throws {
        let realm = try await realm()
        let (date, uuid, id) = (
            Date(timeIntervalSinceReferenceDate: 5), UUID(), ObjectId.generate()
        )
        try await realm.write { tx in
            let all = MapOfAll()
            all.bool["k"] = true
            all.int8["k"] = -8
            all.float["k"] = 1.5
            all.double["k"] = .infinity
            all.string["k"] = "text"
            all.data["k"] = Data([1, 2])
            all.date["k"] = date
            all.uuid["k"] = uuid
            all.objectId["k"] = id
            all.grade["k"] = .bad
            for key in ["k", "n"] {
                all.optBool[key] = .some(key == "n" ? nil : false)
                all.optFloat[key] = .some(key == "n" ? nil : 2.5)
                all.optDate[key] = .some(key == "n" ? nil : date)
                all.optData[key] = .some(key == "n" ? nil : Data())
                all.optGrade[key] = .some(key == "n" ? nil : .good)
                all.optUUID[key] = .some(key == "n" ? nil : uuid)
            }
            try tx.add(all)
        }
        try await realm.read { tx in
            let all = tx.objects(MapOfAll.self)[0]
            expectTrue(all.bool["k"] == true && all.int8["k"] == -8 && all.float["k"] == 1.5)
            expectTrue(all.double["k"] == .infinity && all.string["k"] == "text")
            expectTrue(all.data["k"] == Data([1, 2]) && all.date["k"] == date)
            expectTrue(all.uuid["k"] == uuid && all.objectId["k"] == id && all.grade["k"] == .bad)
            expectTrue(all.optBool["k"] == .some(false) && all.optBool["n"] == .some(nil))
            expectTrue(all.optFloat.values == [2.5, nil] && all.optDate.values == [date, nil])
            expectTrue(all.optData.values == [Data(), nil] && all.optUUID.values == [uuid, nil])
            expectEqual(all.optGrade.values, [.good, nil])
        }
        let frozen = try requireValue(realm.snapshot().objects(MapOfAll.self).first)
        expectTrue(frozen.grade["k"] == .bad && frozen.optGrade["n"] == .some(nil))
        expectEqual(frozen.float.values, [1.5])
    }

    // Covers 2.7, 2.96
    @Test func loopsWalkWhatWasThereWhenTheyStarted() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            for number in 0..<10 { keeper.scores["\(number)"] = number }
            try tx.add(keeper)
            var seen: [Int] = []
            for entry in keeper.scores {
                seen.append(entry.value)
                keeper.scores["\(entry.value + 1)"] = entry.value % 3 == 0 ? nil : entry.value + 1
                keeper.scores["x\(entry.key)"] = 1
            }
            expectEqual(seen, [0, 2, 3, 5, 6, 8, 9])
            expectEqual(keeper.scores.asKeyValueSequence().prefix(1).map(\.key), ["0"])
        }
    }

    // Covers 2.94, 2.95
    @Test func valuesAreFoldedAndSorted() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            for (key, value) in [("a", 5), ("b", 1), ("c", 3)] {
                keeper.scores[key] = value
                keeper.pets[key] = MapPet(key, value)
            }
            keeper.pets["z"] = .some(nil)
            try tx.add(keeper)
            expectTrue(keeper.scores.sum() == 9 && keeper.scores.average() == 3)
            expectTrue(keeper.scores.min() == 1 && keeper.scores.max() == 5)
            expectEqual(keeper.scores.sorted(), [1, 3, 5])
            expectEqual(keeper.scores.sorted(ascending: false), [5, 3, 1])
            expectTrue(
                keeper.pets.sum(of: \MapPet.age) == 9 && keeper.pets.max(of: \MapPet.age) == 5)
            expectEqual(keeper.pets.sorted(by: \MapPet.age).map(\.name), ["b", "c", "a"])
        }
    }

    @Test func descriptionShowsKeysAndValues() {
        let keeper = MapKeeper(1)
        keeper.scores["a"] = 1
        expectEqual(keeper.scores.description, "Map<String, Int> (\n    [a] 1\n)")
        expectTrue(keeper.description.contains("scores = Map<String, Int> ("))
        expectTrue(keeper.description.contains("notes = Map<String, MapNote?> ()"))
    }

    // Covers 11.8
    @Test func frozenMapIsEncodedByItsKeys() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            keeper.nicknames["n"] = .some(nil)
            keeper.grades["g"] = .good
            keeper.pets["rex"] = MapPet("Rex")
            keeper.pets["no"] = .some(nil)
            keeper.notes["n"] = MapNote("hi")
            try tx.add(keeper)
        }
        let keeper = try requireValue(realm.snapshot().objects(MapKeeper.self).first)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        expectEqual(String(decoding: try encoder.encode(keeper.scores), as: UTF8.self), #"{"a":1}"#)
        expectEqual(
            String(decoding: try encoder.encode(keeper), as: UTF8.self),
            #"{"grades":{"g":"good"},"id":1,"nicknames":{"n":null},"#
                + #""notes":{"n":{"text":"hi"}},"parks":{},"pets":{"no":null,"rex":"Rex"},"#
                + #""scores":{"a":1}}"#)
        let decoded = try JSONDecoder().decode(
            Map<String, Int?>.self, from: Data(#"{"x":null,"y":2}"#.utf8))
        expectTrue(decoded.keys == ["x", "y"] && decoded.values == [nil, 2])
        expectEqual(
            String(decoding: try encoder.encode(decoded), as: UTF8.self), #"{"x":null,"y":2}"#)
    }

    @Test func frozenObjectsDifferWhenTheirMapsDo() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            keeper.notes["n"] = MapNote("hi")
            try tx.add(keeper)
        }
        func keeper() throws -> Frozen<MapKeeper> {
            try requireValue(realm.snapshot().objects(MapKeeper.self).first)
        }
        let before = try keeper()
        try await realm.write { try $0.add(MapPet("x")) }
        try expectEqual(before, keeper())
        try await realm.write { $0.objects(MapKeeper.self)[0].scores["a"] = 2 }
        let after = try keeper()
        expectTrue(before != after && before.scores != after.scores)
        try await realm.write { $0.objects(MapKeeper.self)[0].notes["n"]!!.text = "ho" }
        try expectTrue(after != keeper())
        try expectEqual(after.scores, keeper().scores)
    }
}
