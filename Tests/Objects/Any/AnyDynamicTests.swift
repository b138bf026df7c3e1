import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values of any type, inverses and sets, accessed by property name.
@Suite struct AnyDynamicTests {
    /// Opens a realm with the program's classes, and one without any, like a tool.
    private func realms(
        _ types: [ObjectBase.Type] = anyClasses,
        _ body: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [(Realm, RealmFolder)] {
        var realms: [(Realm, RealmFolder)] = []
        for knowsClasses in [true, false] {
            let folder = try RealmFolder()
            var realm = try await Realm.open(folder.configuration("test.realm", types))
            try await realm.write(body)
            if !knowsClasses {
                await realm.close()
                realm = try await Realm.open(folder.configuration("test.realm", []))
            }
            realms.append((realm, folder))
        }
        return realms
    }

    /// Returns the final state, as the program's classes see it.
    private func note(_ realm: Realm, _ folder: RealmFolder) async throws -> Frozen<AnyNote> {
        await realm.close()
        let typed = try await Realm.open(folder.configuration("test.realm", anyClasses))
        let note = try requireValue(typed.snapshot().object(AnyNote.self, forPrimaryKey: 1))
        await typed.close()
        return note
    }

    // Covers 1.4
    @Test func listsAndDictionariesOfAnyTypeAreReadAndSetByName() async throws {
        let realms = try await realms { tx in
            try tx.add(AnyPet("Rex"))
            try tx.add(AnyNote(1, .fromArray([.int(1), .fromDictionary(["k": .fromArray([])])])))
        }
        for (realm, folder) in realms {
            try await realm.write { tx in
                let pet = try requireValue(tx.dynamicObject(ofType: "AnyPet", forPrimaryKey: "Rex"))
                let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
                let list = try note.dynamicList("content")
                expectTrue(list.count == 2 && list[0] as? Int == 1)
                let map = try requireValue(list[1] as? DynamicMap)
                let inner = try requireValue(map["k"] as? DynamicList)
                expectTrue(map.keys == ["k"] && inner.isEmpty)
                // Nested.
                try inner.append("x")
                try inner.append(["deep": [pet, nil]] as [String: Any?])
                try inner.set(2.5, at: 0)
                try map.set(Data([1]), forKey: "d")
                try list.insert([true], at: 0)
                expectTrue(list.count == 3 && inner.count == 2 && inner[0] as? Double == 2.5)
                let deep = try requireValue((inner[1] as? DynamicMap)?["deep"] as? DynamicList)
                expectTrue((deep[0] as? DynamicObject) == pet && deep[1] == nil)
                // Lists and maps of values of any type.
                note["list"] = [1, ["a", ["b"]] as [Any], nil] as [Any?]
                try note.dynamicList("list").append(AnyRealmValue.fromArray([.int(7)]))
                try note.dynamicMap("map").set([1, 2], forKey: "m")
                try requireValue(note.dynamicMap("map")["m"] as? DynamicList).remove(at: 0)
                note["set"] = [1, 1.0, "x"] as [Any]
                note["label"] = ["is": ["all": "replaced"]]
                note["label"] = Float(0.5)
            }
            let note = try await note(realm, folder)
            expectEqual(
                note.content,
                .list([
                    .list([.bool(true)]), .int(1),
                    .dictionary([
                        "d": .data(Data([1])),
                        "k": .list([
                            .double(2.5),
                            .dictionary(["deep": .list([pet(of: note), .none])]),
                        ]),
                    ]),
                ]))
            expectEqual(
                Array(note.list),
                [
                    .int(1), .list([.string("a"), .list([.string("b")])]), .none,
                    .list([.int(7)]),
                ])
            expectEqual(note.map.dictionary, ["m": .list([.int(2)])])
            expectTrue(note.set.count == 2 && note.label == .float(0.5))
        }
    }

    /// Returns the pet in the content.
    private func pet(of note: Frozen<AnyNote>) -> FrozenAnyValue {
        note.content[2]?["k"]?[1]?["deep"]?[0] ?? .none
    }

    @Test func accessorOfWhatWasReplacedIsInvalid() async throws {
        let realms = try await realms { try $0.add(AnyNote(1, .fromArray([.fromArray([])]))) }
        for (realm, _) in realms {
            try await realm.write { tx in
                let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
                let list = try note.dynamicList("content")
                let inner = try requireValue(list[0] as? DynamicList)
                try list.set(5, at: 0)
                expectTrue(inner.isInvalidated && !list.isInvalidated)
                note["content"] = [] as [Any]
                expectTrue(list.isInvalidated)
            }
            await realm.close()
        }
    }

    // Covers 1.4, .invalidInput
    @Test func useOfWhatWasReplacedIsAnError() async throws {
        typealias Use = @Sendable (DynamicList, DynamicMap) throws -> Void
        let uses: [Use] = [
            { list, _ in expectTrue(list.isEmpty || list.count == 2) },
            { list, _ in try list.append(3) }, { list, _ in try list.insert(3, at: 0) },
            { list, _ in try list.set(3, at: 0) }, { list, _ in try list.remove(at: 0) },
            { list, _ in try list.removeAll() }, { _, map in _ = map["k"] },
            { _, map in try map.set(3, forKey: "k") }, { _, map in try map.remove("k") },
            { _, map in for _ in map {} },
        ]
        let deletions: [@Sendable (Transaction, DynamicObject) throws -> Void] = [
            { tx, note in tx.delete(note) }, { _, note in note["content"] = 1 },
            { _, note in try note.dynamicList("content").removeAll() },
        ]
        let realms = try await realms { tx in
            let content = AnyRealmValue.fromArray([
                .fromArray([.int(1), .int(2)]), .fromDictionary(["k": .int(1)]),
            ])
            try tx.add(AnyNote(1, content))
        }
        for (realm, _) in realms {
            for delete in deletions {
                for use in uses {
                    let error = await realmError {
                        try await realm.write { tx in
                            let note = try requireValue(
                                tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
                            let content = try note.dynamicList("content")
                            let list = try requireValue(content[0] as? DynamicList)
                            let map = try requireValue(content[1] as? DynamicMap)
                            try delete(tx, note)
                            expectTrue(list.isInvalidated && map.isInvalidated)
                            try use(list, map)
                        }
                    }
                    expectTrue(error?.code == .invalidInput && error?.className == "AnyNote")
                    expectEqual(error?.property, "content", "\(error as Any)")
                }
            }
            await realm.close()
        }
    }

    @Test func wrongValuesChangeNothing() async throws {
        let realms = try await realms(anyClasses + [AsymPage.self, AsymSheet.self]) { tx in
            try tx.add(AnyNote(1, .fromArray([.int(1)])))
            try tx.create(AsymPage.self, value: ["number": 1, "content": 5])
        }
        for (realm, folder) in realms {
            let version = realm.snapshot().version
            let wrong: [(String, String, @Sendable (DynamicObject, Transaction) throws -> Void)] = [
                ("content", "a.b", { note, _ in try note.set([["a.b": 1]], of: "content") }),
                (
                    "content", "100 levels",
                    { note, _ in
                        var value: Any = 1
                        for _ in 0...100 { value = [value] }
                        try note.set(value, of: "content")
                    }
                ),
                (
                    "content", "an asymmetric object cannot be linked",
                    { note, tx in
                        let page = try tx.dynamicObjects("AsymPage")[0]
                        try note.dynamicList("content").append([page])
                    }
                ),
                (
                    "content", "an asymmetric object can hold values",
                    { note, tx in
                        let page = try tx.dynamicObjects("AsymPage")[0]
                        try page.set(["k": note], of: "content")
                    }
                ),
                (
                    "set", "cannot hold",
                    { note, _ in try note.dynamicMutableSet("set").insert([1]) }
                ),
            ]
            for (property, sentence, body) in wrong {
                let error = await realmError {
                    try await realm.write { tx in
                        let note = try tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1)
                        try body(try requireValue(note), tx)
                    }
                }
                expectTrue(error?.code == .invalidValue && error?.property == property)
                expectEqual(error?.message.contains(sentence), true, "\(error as Any)")
            }
            expectEqual(realm.snapshot().version, version)
            let note = try await note(realm, folder)
            expectEqual(note.content, .list([.int(1)]))
        }
    }

    // Covers 1.89
    @Test func mapsAndSetsAreNotTakenForLists() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { try $0.add(AnyNote(1, .int(7))) }
        let frozen = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            let found = try tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1)
            let named = try requireValue(found)
            note.list.append(.int(1))
            func refuse(_ value: Any, _ property: String, byName: Bool = true) {
                #expect(throws: Realm.Error.self) {
                    _ = try tx.create(AnyNote.self, value: ["id": 2, property: value])
                }
                guard byName else { return }
                #expect(throws: Realm.Error.self) { try named.set(value, of: property) }
            }
            // all of them are empty
            let map = try named.dynamicMap("map")
            for value: Any in [map, note.map, frozen.map] { refuse(value, "list") }
            for value: Any in [
                MutableSet<Int>(), note.set, try named.dynamicMutableSet("set"), frozen.map,
            ] {
                refuse(value, "content")
            }
            refuse(map, "content", byName: false)
            expectTrue(note.content == .int(7) && note.list.count == 1)
            try named.set(map, of: "content")
            expectEqual(note.content.dictionaryValue?.count, 0)
        }
    }

    @Test func changesByNameAreToldByStreams() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { try $0.add(AnyNote(1, .fromArray([.fromArray([.int(1)])]))) }
        var notes = realm.objects(AnyNote.self).changes.makeAsyncIterator()
        var inner = realm.object(AnyNote.self, forPrimaryKey: 1).content.at(0).changes
            .makeAsyncIterator()
        _ = try await notes.next()
        _ = try await inner.next()
        try await realm.write { tx in
            let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
            try requireValue(note.dynamicList("content")[0] as? DynamicList).append(2)
        }
        guard case .update(_, let note)? = try await notes.next(),
            case .update(let values, let delta)? = try await inner.next()
        else {
            Issue.record("no update")
            return
        }
        expectEqual(note.modified[0].properties, ["content"])
        expectTrue(Array(values) == [.int(1), .int(2)] && delta.insertions == [1])
    }

    @Test func setsRefuseAndRemoveObjectsWithoutAddingThem() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let pet = AnyPet("Rex")
            let note = AnyNote(1)
            note.set.insert(.object(pet))
            try tx.add(note)
            let set = try note.dynamicMutableSet("set")
            try set.remove(AnyPet("Max"))
            try set.remove(AnyRealmValue.object(AnyPet("Max")))
            for collection in [[AnyPet("Max")], ["key": AnyPet("Max")]] as [Any] {
                #expect(throws: Realm.Error.self) { try set.remove(collection) }
                #expect(throws: Realm.Error.self) { try set.insert(collection) }
            }
            expectTrue(tx.objects(AnyPet.self).count == 1 && set.count == 1)
            try set.remove(pet)
            expectTrue(tx.objects(AnyPet.self).count == 1 && set.count == 0)
        }
    }

    @Test func elementIsPutIntoASetWhereItBelongs() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { try $0.add(AnyNote(1)) }
        try await realm.write { tx in
            let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
            let set = try note.dynamicMutableSet("set")
            for value in [5, 1, "x", 3.0, true, 1.0, nil] as [Any?] { try set.insert(value) }
            expectEqual(set.count, 6)
        }
        let live = realm.object(AnyNote.self, forPrimaryKey: 1).set
        expectEqual(
            Array(live.current), [.none, .bool(true), .int(1), .double(3), .int(5), .string("x")])
        var stream = live.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
            let set = try note.dynamicMutableSet("set")
            try set.insert(3)  // exists
            try set.insert(4)
            try set.remove(true)
            try set.remove("not there")
        }
        guard case .update(_, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        // Existing elements aren't written again.
        expectTrue(delta.deletions == [1] && delta.insertions == [3] && delta.modifications.isEmpty)
    }

    // Covers 1.4, 2.103
    @Test func inversesAreReadByName() async throws {
        let types: [ObjectBase.Type] = [AnyOwner.self, AnyOwned.self]
        let realms = try await realms(types) { tx in
            let (a, b) = (AnyOwned(value: ["name": "a"]), AnyOwned(value: ["name": "b"]))
            try tx.add(a)
            try tx.add(b)
            let first = AnyOwner(value: ["name": "first"])
            first.favourite = a
            first.list.append(objectsIn: [a, b, a])
            first.map["x"] = a
            first.map["y"] = a
            let second = AnyOwner(value: ["name": "second"])
            second.favourite = a
            second.list.append(a)
            second.set.insert(b)
            try tx.add(first)
            try tx.add(second)
        }
        for (index, (realm, _)) in realms.enumerated() {
            try await realm.write { tx in
                let owned = try tx.dynamicObjects("AnyOwned")
                let names = { (object: DynamicObject, property: String) in
                    try object.linkingObjects(ofType: "AnyOwner", property: property)
                        .map { $0["name"] as? String ?? "?" }
                }
                try expectEqual(names(owned[0], "favourite"), ["first", "second"])
                try expectEqual(names(owned[0], "list"), ["first", "first", "second"])
                try expectEqual(names(owned[0], "map"), ["first", "first"])
                try expectEqual(names(owned[1], "list"), ["first"])
                try expectEqual(names(owned[1], "set"), ["second"])
                try expectTrue(names(owned[1], "favourite").isEmpty)
                // It follows the transaction.
                let inverse = try owned[1].linkingObjects(ofType: "AnyOwner", property: "list")
                try tx.dynamicObjects("AnyOwner")[1].dynamicList("list").append(owned[1])
                expectEqual(inverse.map { $0["name"] as? String }, ["first", "second"])
                for (name, property) in [("AnyOwner", "name"), ("AnyOwner", "no"), ("No", "list")] {
                    #expect(throws: Realm.Error.self) {
                        try owned[0].linkingObjects(ofType: name, property: property)
                    }
                }
                expectTrue(!owned[0].propertyNames.contains("owners"))
                guard index == 0 else { return }
                // Declared by the program's class.
                let owners = try requireValue(owned[0]["owners"] as? DynamicLinkingObjects)
                expectEqual(owners.map { $0["name"] as? String }, ["first", "second"])
                #expect(throws: Realm.Error.self) { try owned[0].set([], of: "owners") }
            }
            await realm.close()
        }
    }
}

final class AnyOwner: Object {
    @Persisted var name: String
    @Persisted var favourite: AnyOwned?
    @Persisted var list: List<AnyOwned>
    @Persisted var set: MutableSet<AnyOwned>
    @Persisted var map: Map<String, AnyOwned?>
}

final class AnyOwned: Object {
    @Persisted var name: String
    @Persisted(originProperty: "favourite") var owners: LinkingObjects<AnyOwner>
}
