import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Collections accessed by name whose objects, or whose owner, are deleted while they are used.
@Suite struct DynamicLoopTests {
    private typealias Owner = DynamicObjectTests.DynOwner
    private let names = (0..<5).map { "t\($0)" }

    private func realm() async throws -> Realm {
        try await Realm.temporary(DynamicObjectTests.types)
    }

    /// Makes an owner with five things, each in her list, set and map.
    private func fill(_ tx: Transaction) throws -> DynamicObject {
        tx.deleteAll()
        let owner = try tx.dynamicCreate("DynOwner", value: ["words": names])
        for name in names {
            let thing = try tx.dynamicCreate("DynThing", value: ["text": name])
            try owner.dynamicList("things").append(thing)
            try owner.dynamicMutableSet("friends").insert(thing)
            try owner.dynamicMap("byName").set(thing, forKey: name)
        }
        return owner
    }

    /// Returns the texts of the things visited by a loop that deletes the first ones at its start.
    private func loop(
        _ things: some Sequence, deleting count: Int, _ tx: Transaction
    ) throws -> [String] {
        var seen: [String] = []
        for case let thing as DynamicObject in things {
            seen.append(try requireValue(thing["text"] as? String))
            let all = try tx.dynamicObjects("DynThing")
            if seen.count == 1 { for thing in all.prefix(count) { tx.delete(thing) } }
        }
        return seen
    }

    // Covers 1.4, 2.7, 5.70, 7.58
    @Test(arguments: 1...3) func loopsGoToWhatIsLeft(deleting count: Int) async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let left = ["t0"] + names[count...]
            let things = try fill(tx).dynamicList("things")
            try expectTrue(loop(things, deleting: count, tx) == left && things.count == 5 - count)
            try expectEqual(loop(fill(tx).dynamicMutableSet("friends"), deleting: count, tx), left)
            let slice = try fill(tx).dynamicList("things").prefix(4)
            try expectEqual(loop(slice, deleting: count, tx), Array(left.dropLast()))
            _ = try fill(tx)
            let all = try tx.dynamicObjects("DynThing")
            try expectEqual(loop(all, deleting: count, tx), left)
            _ = try fill(tx)
            try expectEqual(loop(all.prefix(4), deleting: count, tx), Array(left.dropLast()))
            _ = try fill(tx)
            var backwards = ["t4", "t3", "t2", "t1", "t0"]
            backwards.removeLast(count)
            try expectEqual(loop(all.reversed(), deleting: count, tx), backwards)
        }
    }

    // Covers 1.4, 2.7
    @Test(arguments: 1...3) func mapsLoseKeysInALoop(removing count: Int) async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let map = try fill(tx).dynamicMap("byName")
            var seen: [String] = []
            for (key, value) in map {
                seen.append(key)
                expectEqual((value as? DynamicObject)?["text"] as? String, key)
                if seen.count == 1 { for key in names.prefix(count) { try map.remove(key) } }
            }
            expectTrue(seen == ["t0"] + names[count...] && map.keys == Array(names[count...]))
        }
    }

    // Covers 1.4, 2.7
    @Test func valuesAndOwnersCanBeRemovedInALoop() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let words = try fill(tx).dynamicMutableSet("words")
            let removed = try words.map { word in
                try words.remove(word)
                return word as? String
            }
            expectTrue(removed == names && words.isEmpty)
            let thing = try tx.dynamicObjects("DynThing")[0]
            for id in 1...3 { try tx.dynamicCreate("DynOwner", value: ["id": id, "thing": thing]) }
            let owners = try thing.linkingObjects(ofType: "DynOwner", property: "thing")
            var seen: [Int] = []
            for owner in owners {
                seen.append(try requireValue(owner["id"] as? Int))
                if seen == [1] { for owner in owners.prefix(2) { tx.delete(owner) } }
            }
            expectTrue(seen == [1, 3] && owners.map { $0["id"] as? Int } == [3])
        }
    }

    // Covers 2.7, 5.70
    @Test func objectsMadeInALoopDoNotProlongIt() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            _ = try fill(tx)
            let things = try tx.dynamicObjects("DynThing")
            for thing in things { try tx.dynamicCreate("DynThing", value: ["text": thing["text"]]) }
            expectEqual(things.count, 10)
            let copies = try things.map { try tx.dynamicCreate("DynThing", value: $0) }
            expectTrue(copies.count == 10 && things.count == 20)
        }
    }

    // Covers 5.70
    @Test func objectsOfAClassShowTheFirstOne() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let things = try tx.dynamicObjects("DynThing")
            expectTrue(things.isEmpty && things.map(\.className).isEmpty)
            try tx.dynamicCreate("DynThing", value: ["text": "first"])
            expectTrue(things.count == 1 && things[0]["text"] as? String == "first")
            expectEqual(things.map { $0["text"] as? String }, ["first"])
        }
    }

    // Covers 1.16, .invalidInput
    @Test func collectionsOfADeletedObjectAreErrors() async throws {
        typealias Use = @Sendable (DynamicObject, () -> Void) throws -> Void
        let uses: [(String, Use)] = [
            (
                "things",
                { owner, delete in
                    let things = try owner.dynamicList("things")
                    delete()
                    expectTrue(things.isInvalidated && things.isEmpty)
                }
            ),
            (
                "things",
                { owner, delete in
                    let things = try owner.dynamicList("things")
                    delete()
                    for _ in things { Issue.record("nothing is there") }
                }
            ),
            (
                "things",
                { owner, delete in
                    let things = try owner.dynamicList("things")
                    delete()
                    try things.append(["text": "new"])
                }
            ),
            (
                "numbers",
                { owner, delete in
                    let numbers = try owner.dynamicList("numbers")
                    delete()
                    try numbers.insert(1, at: 0)
                }
            ),
            (
                "numbers",
                { owner, delete in
                    let numbers = try owner.dynamicList("numbers")
                    delete()
                    try numbers.set(1, at: 0)
                }
            ),
            (
                "words",
                { owner, delete in
                    let words = try owner.dynamicMutableSet("words")
                    delete()
                    try words.insert("new")
                }
            ),
            (
                "words",
                { owner, delete in
                    let words = try owner.dynamicMutableSet("words")
                    delete()
                    try words.removeAll()
                }
            ),
            (
                "words",
                { owner, delete in
                    let words = try owner.dynamicMutableSet("words")
                    delete()
                    expectNil(words.first)
                }
            ),
            (
                "byName",
                { owner, delete in
                    let map = try owner.dynamicMap("byName")
                    delete()
                    try map.set(nil, forKey: "k")
                }
            ),
            (
                "byName",
                { owner, delete in
                    let map = try owner.dynamicMap("byName")
                    delete()
                    expectNil(map["t0"])
                }
            ),
            (
                "byName",
                { owner, delete in
                    let map = try owner.dynamicMap("byName")
                    delete()
                    try map.remove("t0")
                }
            ),
            (
                "things",
                { owner, delete in
                    let inverse = try owner.linkingObjects(ofType: "DynLinker", property: "things")
                    delete()
                    expectTrue(inverse.isEmpty)
                }
            ),
        ]
        let realm = try await Realm.temporary(DynamicObjectTests.types + [DynLinker.self])
        for (index, (property, use)) in uses.enumerated() {
            let error = await realmError {
                try await realm.write { tx in
                    try tx.dynamicCreate("DynLinker")
                    let owner = try fill(tx)
                    try use(owner) { tx.delete(owner) }
                }
            }
            expectEqual(error?.code, .invalidInput, "use \(index): \(error as Any)")
            expectTrue(error?.className == "DynOwner" && error?.property == property)
            expectEqual(error?.message.contains("deleted object"), true)
        }
        expectTrue(realm.snapshot().objects(Owner.self).isEmpty)
    }
}

/// A class that links to the class whose collections are used.
final class DynLinker: Object {
    @Persisted var things: List<DynamicObjectTests.DynOwner>
}
