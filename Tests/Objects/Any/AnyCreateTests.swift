import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values of any type created from plain values, by name, under update policies, from text and from
/// JSON.
@Suite struct AnyCreateTests {
    /// In a property, a list, a set and a map, of new and of updated objects.
    @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all], 0..<4)
    func dateThatIsNoNumberIsRefused(_ policy: Realm.UpdatePolicy, place: Int) async throws {
        let realm = try await Realm.temporary(anyClasses)
        let date = AnyRealmValue.date(Date(timeIntervalSinceReferenceDate: .nan))
        try await realm.write { tx in
            if policy != .error { try tx.add(AnyNote(1, .int(7))) }
            let note = AnyNote(1)
            switch place {
            case 0: note.content = date
            case 1: note.list.append(objectsIn: [.int(1), date])
            case 2: note.set.insert(objectsIn: [.int(1), date])
            default: note.map["when"] = date
            }
            let error = #expect(throws: Realm.Error.self) { try tx.add(note, update: policy) }
            expectTrue(error?.code == .invalidValue && error?.className == "AnyNote")
            expectEqual(error?.property, ["content", "list", "set", "map"][place])
            expectEqual(error?.message.contains("a date that is NaN"), true)
            expectTrue(!note.isManaged)
        }
        let stored = realm.snapshot().objects(AnyNote.self).map(\.content)
        expectTrue(stored == (policy == .error ? [] : [.int(7)]))
    }

    // Covers 1.89
    @Test func plainValuesBecomeTheirKinds() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = try tx.create(
                AnyNote.self,
                value: [
                    "id": 1,
                    "content": ["a": 1, "b": [2.5, "x", nil] as [Any?]] as [String: Any?],
                    "label": "text", "list": [1, true, Float(2)] as [Any],
                    "set": [1, 1.0, "1"] as [Any],
                    "map": ["k": [1]] as [String: Any],
                ])
            expectEqual(note.content.dictionaryValue?["a"], .int(1))
            let list = try requireValue(note.content.dictionaryValue?["b"]?.listValue)
            expectEqual(Array(list), [.double(2.5), .string("x"), .none])
            expectEqual(note.label, .string("text"))
            expectEqual(Array(note.list), [.int(1), .bool(true), .float(2)])
            expectTrue(note.set.count == 2 && note.map["k"]?.listValue?.first == .int(1))
            note["label"] = 5
            expectEqual(note["label"] as? Int, 5)
            note["label"] = nil
            expectEqual(note.label, .none)
            note["label"] = AnyPet("Rex")
            expectTrue(note.label.object(AnyPet.self)?.isManaged ?? false)
            let copy = AnyNote(value: note)
            expectEqual(
                copy.content,
                .fromDictionary([
                    "a": .int(1), "b": .fromArray([.double(2.5), .string("x"), .none]),
                ]))
            expectTrue(copy.label == note.label && !copy.isManaged)
            note.content.dictionaryValue?["a"] = .int(2)
            expectEqual(copy.content.dictionaryValue?["a"], .int(1))
        }
        let error = await realmError {
            try await realm.write { tx in
                _ = try tx.create(AnyNote.self, value: ["id": 2, "content": MutableSet([1, 2])])
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "content")
        expectEqual(realm.snapshot().objects(AnyNote.self).count, 1)
    }

    // Covers 7.8
    @Test func updatesMergeDictionariesOrReplaceThem() async throws {
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let realm = try await Realm.temporary(anyClasses)
            try await realm.write { tx in
                let content: [String: Any] = ["a": 1, "in": ["x": 1, "y": 2], "list": [1, 2, 3]]
                _ = try tx.create(AnyNote.self, value: ["id": 1, "content": content, "label": 5])
                let update: [String: Any] = ["b": 2, "in": ["x": 9], "list": [1, 7]]
                _ = try tx.create(
                    AnyNote.self, value: ["id": 1, "content": update], update: policy)
            }
            let note = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
            let list = FrozenAnyValue.list([.int(1), .int(7)])
            let expected: FrozenAnyValue =
                policy == .modified
                ? .dictionary([
                    "a": .int(1), "b": .int(2), "list": list,
                    "in": .dictionary(["x": .int(9), "y": .int(2)]),
                ]) : .dictionary(["b": .int(2), "list": list, "in": .dictionary(["x": .int(9)])])
            expectEqual(note.content, expected)
            expectEqual(note.label, .int(5))
            try await realm.write { tx in
                let other = AnyNote(1, .double(5))
                other.label = .object(AnyPet("Rex"))
                other.list.append(.fromArray([.int(1)]))
                try tx.add(other, update: policy)
                expectEqual(other.content, .double(5))
                expectEqual(other.label.object(AnyPet.self)?.name, "Rex")
            }
            let last = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
            expectTrue(last.content == .double(5) && last.list[0] == .list([.int(1)]))
        }
    }

    // Covers 11.15
    @Test func frozenValuesAreEncoded() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(1, .fromDictionary(["a": .fromArray([.int(1), .none])]))
            note.label = .object(AnyPet("Rex"))
            note.list.append(.bool(true))
            note.map["m"] = .string("x")
            note.set.insert(.double(0.5))
            try tx.add(note)
            expectTrue(note.description.contains("[a] List<AnyRealmValue>"))
            expectTrue(note.description.contains("name = Rex"))
        }
        let note = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(note), as: UTF8.self)
        expectEqual(
            text,
            #"{"content":{"a":[1,null]},"id":1,"label":"Rex","list":[true],"map":{"m":"x"},"#
                + #""set":[0.5]}"#)
    }
}
