import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Collections of values of any type, and the contents of such values, as of the start of a
/// transaction.
@Suite struct AnyFreezeTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(
                1,
                .fromDictionary([
                    "tags": .fromArray([.string("a"), .int(1)]),
                    "pets": .fromArray([.fromDictionary(["rex": .object(AnyPet("Rex"))])]),
                ]))
            note.list.append(objectsIn: [.int(1), .fromArray([.string("in")])])
            note.set.insert(objectsIn: [.int(2), .string("x")])
            (note.map["n"], note.map["d"]) = (.int(3), .fromDictionary(["k": .bool(true)]))
            try tx.add(note)
        }
        return realm
    }

    // Covers 5.62
    @Test func collectionsOfAnyTypeAreFrozenAsTheyWereAtTheStart() async throws {
        let realm = try await realm()
        let (list, set, map, any) = try await realm.write { tx in
            let note = tx.objects(AnyNote.self)[0]
            note.list.append(.int(9))
            note.list[1].listValue?.append(.string("new"))
            note.set.insert(.int(8))
            note.map["d"] = .int(7)
            return (
                try note.list.freeze(), try note.set.freeze(), try note.map.freeze(),
                try AnyRealmCollection(note.list).freeze()
            )
        }
        expectTrue(list.array == [.int(1), .list([.string("in")])] && any == list)
        expectEqual(set.array, [.int(2), .string("x")])
        expectEqual(map.dictionary, ["n": .int(3), "d": .dictionary(["k": .bool(true)])])
        expectTrue(map.keys == ["d", "n"] && map["none"] == nil)
    }

    @Test func whatLiesInAValueIsFrozen() async throws {
        let realm = try await realm()
        let (whole, tags, pets, inner, deep) = try await realm.write { tx in
            let note = tx.objects(AnyNote.self)[0]
            let content = try requireValue(note.content.dictionaryValue)
            let tags = try requireValue(content["tags"]?.listValue)
            let pets = try requireValue(content["pets"]?.listValue)
            let inner = try requireValue(note.map["d"]?.dictionaryValue)
            tags.append(.int(2))
            inner["k"] = .bool(false)
            content["more"] = AnyRealmValue.none
            return (
                try content.freeze(), try tags.freeze(), try pets.freeze(), try inner.freeze(),
                try requireValue(pets[0].dictionaryValue).freeze()
            )
        }
        expectTrue(
            whole.keys == ["pets", "tags"] && whole["tags"] == .list([.string("a"), .int(1)]))
        expectTrue(tags.array == [.string("a"), .int(1)] && tags.count == 2)
        expectEqual(pets[0]["rex"]?.object(AnyPet.self)?.name, "Rex")
        expectEqual(inner.dictionary, ["k": .bool(true)])
        expectEqual(deep["rex"]?.object(AnyPet.self)?.name, "Rex")
    }

    @Test func whatWasAssignedInThisTransactionCannotBeFrozen() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let note = tx.objects(AnyNote.self)[0]
            note.content = .fromDictionary(["tags": .fromArray([.int(5)])])
            note.list.append(.fromArray([.int(6)]))
            note.map["new"] = .fromDictionary(["k": .int(1)])
            let content = try requireValue(note.content.dictionaryValue)
            let errors = [
                #expect(throws: Realm.Error.self) { try content.freeze() },
                #expect(throws: Realm.Error.self) { try content["tags"]?.listValue?.freeze() },
                #expect(throws: Realm.Error.self) { try note.list[2].listValue?.freeze() },
                #expect(throws: Realm.Error.self) {
                    try note.map["new"]?.dictionaryValue?.freeze()
                },
            ]
            for error in errors {
                expectTrue(error?.code == .invalidInput && error?.className == "AnyNote")
                expectEqual(error?.message.contains("assigned in this transaction"), true)
            }
            expectEqual(errors.map { $0?.property }, ["content", "content", "list", "map"])
            // The refusal doesn't fail the transaction, and earlier content can still be frozen.
            try expectEqual(note.list[1].listValue?.freeze().array, [.string("in")])
            let unmanaged = List<AnyRealmValue>([.int(1)])
            #expect(throws: Realm.Error.self) { try unmanaged.freeze() }
            #expect(throws: Realm.Error.self) { try Map<String, AnyRealmValue>().freeze() }
        }
        let note = try requireValue(realm.snapshot().objects(AnyNote.self).first)
        expectEqual(note.content["tags"], .list([.int(5)]))
    }
}
