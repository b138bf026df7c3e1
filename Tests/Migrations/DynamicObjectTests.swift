import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Objects accessed by class and property name, with and without a Swift class.
@Suite struct DynamicObjectTests {
    final class DynOwner: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String?
        @Persisted var kind: DynKind
        @Persisted var ratio: Float
        @Persisted var amount: Decimal128
        @Persisted var data: Data
        @Persisted var date: Date
        @Persisted var uuid: UUID
        @Persisted var oid: ObjectId
        @Persisted var thing: DynThing?
        @Persisted var part: DynPart?
        @Persisted var parts: List<DynPart>
        @Persisted var things: List<DynThing>
        @Persisted var numbers: List<Int?>
        @Persisted var words: MutableSet<String>
        @Persisted var friends: MutableSet<DynThing>
        @Persisted var byName: Map<String, DynThing?>
        @Persisted var counts: Map<String, Int>
    }
    enum DynKind: Int, PersistableEnum { case small, large }
    final class DynThing: Object { @Persisted var text: String }
    final class DynPart: EmbeddedObject {
        @Persisted var text: String
        @Persisted var notes: List<String>
    }
    static let types: [ObjectBase.Type] = [DynOwner.self, DynThing.self, DynPart.self]

    /// Opens a realm with the program's classes, and one without any, like a tool.
    private func realms() async throws -> [(Realm, RealmFolder)] {
        var realms: [(Realm, RealmFolder)] = []
        for knowsClasses in [true, false] {
            let folder = try RealmFolder()
            var realm = try await Realm.open(folder.configuration("test.realm", Self.types))
            try await realm.write { try $0.add(DynOwner()) }
            if !knowsClasses {
                await realm.close()
                realm = try await Realm.open(folder.configuration("test.realm", []))
            }
            realms.append((realm, folder))
        }
        return realms
    }

    @Test func descriptionsShowPropertiesAndElements() async throws {
        for (realm, folder) in try await realms() {
            try await realm.write { tx in
                let owner = try requireValue(tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: 0))
                try owner.set([1, nil], of: "numbers")
                try owner.set(["a": 2], of: "counts")
                try owner.set([["text": "t"]], of: "things")
                let numbers = try owner.dynamicList("numbers")
                expectEqual(numbers.description, "DynamicList (\n    [0] 1\n    [1] nil\n)")
                try expectEqual(
                    owner.dynamicList("things").description, "DynamicList (\n    [0] DynThing\n)")
                try expectEqual(
                    owner.dynamicMutableSet("words").description, "DynamicMutableSet ()")
                let text = owner.description
                #expect(text.hasPrefix("DynOwner {\n    amount = 0\n    byName = DynamicMap ()\n"))
                expectTrue(text.contains("\n    counts = DynamicMap (\n        [a] 2\n    )\n"))
                expectTrue(text.hasSuffix("\n}"))
                tx.delete(owner)
                expectEqual(owner.description, "DynOwner { deleted }")
                expectEqual(numbers.description, "DynamicList { deleted }")
            }
            await realm.close()
            _ = folder
        }
    }

    // Covers 1.16, 5.70, 5.71
    @Test func allPropertiesAreReadAndSetByName() async throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        let (uuid, oid) = (UUID(), ObjectId.generate())
        for (realm, folder) in try await realms() {
            try await realm.write { tx in
                let thing = try tx.dynamicCreate("DynThing", value: ["text": "t"])
                let owner = try tx.dynamicCreate(
                    "DynOwner",
                    value: [
                        "id": 7, "name": "seven", "kind": 1, "ratio": 0.5,
                        "amount": Decimal128(string: "1.25"), "data": Data([1, 2]), "date": date,
                        "uuid": uuid, "oid": oid, "thing": thing,
                        "part": ["text": "p", "notes": ["n1", "n2"]],
                        "parts": [["text": "p1"], ["text": "p2"]],
                        "things": [thing, thing, ["text": "made"]], "numbers": [1, nil, 3],
                        "words": ["b", "a", "b"], "friends": [thing, thing],
                        "byName": ["x": thing, "y": nil], "counts": ["one": 1, "two": 2],
                    ])
                expectTrue(owner["id"] as? Int == 7 && owner.name as? String == "seven")
                expectTrue(owner["kind"] as? Int == 1 && owner["ratio"] as? Float == 0.5)
                expectEqual(owner["amount"] as? Decimal128, 1.25)
                expectTrue(
                    owner["data"] as? Data == Data([1, 2]) && owner["date"] as? Date == date)
                expectTrue(owner["uuid"] as? UUID == uuid && owner["oid"] as? ObjectId == oid)
                expectEqual((owner["thing"] as? DynamicObject)?["text"] as? String, "t")
                expectEqual(owner["thing"] as? DynamicObject, thing)
                expectTrue(owner.className == "DynOwner" && owner.propertyNames.count == 18)
                let part = try requireValue(owner["part"] as? DynamicObject)
                let notes = try part.dynamicList("notes")
                expectEqual(notes.map { $0 as? String }, ["n1", "n2"])
                let words = try owner.dynamicMutableSet("words")
                expectEqual(words.map { $0 as? String }, ["a", "b"])
                let counts = try owner.dynamicMap("counts")
                expectTrue(counts.keys == ["one", "two"] && counts["two"] as? Int == 2)
                expectNil(counts["three"])
                let byName = try owner.dynamicMap("byName")
                expectTrue(byName["y"] == nil && byName.count == 2)
            }
            try await realm.write { tx in
                let owner = try requireValue(
                    tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: 7))
                owner["name"] = nil
                owner.ratio = 2
                owner["thing"] = nil
                let parts = try owner.dynamicList("parts")
                try parts.insert(["text": "p0"], at: 0)
                try parts.remove(at: 1)
                let numbers = try owner.dynamicList("numbers")
                try numbers.append(nil)
                try numbers.append(5)
                try owner.dynamicMutableSet("words").insert("ab")
                try owner.dynamicMap("counts").set(22, forKey: "two")
                try owner.dynamicMap("counts").set(3, forKey: "three")
                try owner.dynamicMap("counts").remove("one")
                owner["friends"] = []
            }
            await realm.close()
            let typed = try await Realm.open(folder.configuration("test.realm", Self.types))
            try await typed.read { tx in
                let owner = try requireValue(tx.object(DynOwner.self, forPrimaryKey: 7))
                expectTrue(owner.name == nil && owner.ratio == 2 && owner.kind == .large)
                expectTrue(owner.thing == nil && owner.part?.text == "p" && owner.oid == oid)
                expectEqual(owner.parts.map(\.text), ["p0", "p2"])
                expectEqual(owner.things.map(\.text), ["t", "t", "made"])
                expectEqual(Array(owner.numbers), [1, nil, 3, nil, 5])
                expectTrue(Array(owner.words) == ["a", "ab", "b"] && owner.friends.isEmpty)
                expectTrue(owner.counts["two"] == 22 && owner.counts["three"] == 3)
                expectTrue(owner.counts.count == 2 && owner.byName.count == 2)
                let parts = try tx.dynamicObjects("DynPart")
                expectEqual(parts.count, 3)
            }
            await typed.close()
        }
    }

    // Covers 1.16, 5.71
    @Test func wrongUseIsThrownAndChangesNothing() async throws {
        for (realm, _) in try await realms() {
            let before = realm.snapshot().version
            let wrong: [(String, @Sendable (Transaction, DynamicObject) throws -> Void)] = [
                ("no class \"Nothing\"", { tx, _ in _ = try tx.dynamicObjects("Nothing") }),
                ("no class \"Nothing\"", { tx, _ in try tx.dynamicCreate("Nothing") }),
                ("no property \"none\"", { _, owner in _ = owner["none"] }),
                ("no property \"none\"", { _, owner in try owner.set(1, of: "none") }),
                ("DynOwner.ratio is of type Float", { _, owner in owner["ratio"] = "x" }),
                (
                    "DynOwner.ratio is of type Float and cannot hold nil",
                    { _, owner in owner["ratio"] = nil }
                ),
                ("primary key", { _, owner in owner["id"] = 9 }),
                ("cannot hold", { _, owner in try owner.set([1, "x"], of: "numbers") }),
                ("cannot hold", { _, owner in try owner.set(1, of: "things") }),
                ("cannot hold", { _, owner in try owner.set(owner, of: "thing") }),
                ("a.b", { _, owner in try owner.dynamicMap("counts").set(1, forKey: "a.b") }),
                ("is not a list", { _, owner in _ = try owner.dynamicList("words") }),
                ("is not a set", { _, owner in _ = try owner.dynamicMutableSet("things") }),
                ("is not a map", { _, owner in _ = try owner.dynamicMap("name") }),
                ("embedded class", { tx, _ in try tx.dynamicCreate("DynPart") }),
                (
                    "already has an object whose id is 0",
                    { tx, _ in try tx.dynamicCreate("DynOwner", value: ["id": 0]) }
                ),
                (
                    "has no primary key",
                    { tx, _ in _ = try tx.dynamicObject(ofType: "DynThing", forPrimaryKey: 1) }
                ),
                (
                    "cannot hold",
                    { tx, _ in _ = try tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: "x") }
                ),
                (
                    "no property \"none\"",
                    { tx, _ in try tx.dynamicCreate("DynThing", value: ["none": 1]) }
                ),
            ]
            for (sentence, body) in wrong {
                let error = await realmError {
                    try await realm.write { tx in
                        let owner = try requireValue(
                            tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: 0))
                        try body(tx, owner)
                    }
                }
                expectEqual(error?.message.contains(sentence), true, "\(sentence): \(error as Any)")
            }
            expectEqual(realm.snapshot().version, before)
            let read = await realmError {
                try await realm.read { tx in
                    try tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: 0)?["name"] = "x"
                }
            }
            expectEqual(read?.message.contains("only be changed in a write"), true)
            await realm.close()
        }
    }

    // Covers 5.72
    @Test func failedCallLeavesNoRowsBehind() async throws {
        for (realm, _) in try await realms() {
            try await realm.write { tx in
                let owner = try requireValue(
                    tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: 0))
                try owner.set([["text": "kept"]], of: "parts")
                #expect(throws: Realm.Error.self) {
                    try owner.set([["text": "new"], ["none": 1]], of: "parts")
                }
                #expect(throws: Realm.Error.self) {
                    try tx.dynamicCreate(
                        "DynOwner", value: ["id": 5, "part": ["text": "x"], "words": [1]])
                }
                let parts = try tx.dynamicObjects("DynPart")
                let owners = try tx.dynamicObjects("DynOwner")
                expectTrue(parts.map { $0["text"] as? String } == ["kept"] && owners.count == 1)
            }
            await realm.close()
        }
    }

    // Covers 5.70
    @Test func updateIteratesAndDeletes() async throws {
        for (realm, _) in try await realms() {
            try await realm.write { tx in
                for id in [0, 1, 2] {
                    try tx.dynamicCreate(
                        "DynOwner", value: ["id": id, "name": "n\(id)"], update: .modified)
                }
                let owners = try tx.dynamicObjects("DynOwner")
                expectTrue(owners.count == 3 && owners[1]["name"] as? String == "n1")
                for owner in owners where owner["id"] as? Int == 1 { tx.delete(owner) }
                expectEqual(owners.map { $0["id"] as? Int }, [0, 2])
            }
            await realm.close()
        }
    }

    @Test func accessorsSeeDynamicChanges() async throws {
        let (realm, folder) = try await realms()[0]
        defer { withExtendedLifetime(folder) {} }
        try await realm.write { tx in
            let owner = try requireValue(tx.object(DynOwner.self, forPrimaryKey: 0))
            let dynamic = try requireValue(tx.dynamicObject(ofType: "DynOwner", forPrimaryKey: 0))
            expectNil(owner.name)
            dynamic["name"] = "dynamic"
            expectEqual(owner.name, "dynamic")
            owner.name = "typed"
            expectEqual(dynamic["name"] as? String, "typed")
            dynamic["part"] = DynPart(value: ["text": "unmanaged"])
            expectEqual(owner.part?.text, "unmanaged")
            try dynamic.dynamicList("numbers").append(4)
            expectEqual(Array(owner.numbers), [4])
            tx.delete(owner)
            expectTrue(dynamic.isInvalidated)
        }
        await realm.close()
    }

    // Covers 5.72
    @Test func classThatIsNotStoredYetIsEmptyAndCanBeMade() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.read { tx in
            let owners = try tx.dynamicObjects("DynOwner")
            expectTrue(owners.isEmpty)
        }
        try await realm.write { tx in
            try tx.dynamicCreate("DynOwner", value: ["id": 1])
            expectTrue(tx.object(DynOwner.self, forPrimaryKey: 1) != nil)
        }
        await realm.close()
    }
}
