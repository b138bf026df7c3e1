import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Lists and dictionaries in values of any type.
@Suite struct AnyNestedTests {
    private static var sample: AnyRealmValue {
        .fromDictionary([
            "title": .string("Milk"),
            "tags": .fromArray([.string("a"), .fromDictionary(["k": .int(7)]), .none]),
            "done": .bool(false),
        ])
    }

    private static func nested(_ levels: Int) -> AnyRealmValue {
        var value = AnyRealmValue.int(1)
        for level in 0..<levels {
            value = level % 2 == 0 ? .fromArray([value]) : .fromDictionary(["in": value])
        }
        return value
    }

    // Covers 1.84, 1.90
    @Test func whatWasAddedIsLive() async throws {
        let folder = try RealmFolder()
        var realm = try await Realm.open(folder.configuration("any.realm", anyClasses))
        try await realm.write { tx in
            let note = AnyNote(1, Self.sample)
            try tx.add(note)
            expectEqual(note.content.dictionaryValue?.keys, ["done", "tags", "title"])
            note.content.dictionaryValue?["done"] = .bool(true)
            note.content.dictionaryValue?["tags"]?.listValue?[1].dictionaryValue?["k"] = .int(8)
            note.content.dictionaryValue?["tags"]?.listValue?.append(.fromArray([.int(9)]))
            note.list.append(.fromArray([.int(1)]))
            note.list[0].listValue?.insert(.string("first"), at: 0)
            note.map["m"] = .fromDictionary(["x": .none])
            note.map["m"]?.dictionaryValue?["y"] = .fromArray([])
        }
        await realm.close()
        realm = try await Realm.open(folder.configuration("any.realm", anyClasses))
        let note = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
        expectEqual(
            note.content,
            .dictionary([
                "title": .string("Milk"), "done": .bool(true),
                "tags": .list([
                    .string("a"), .dictionary(["k": .int(8)]), .none, .list([.int(9)]),
                ]),
            ]))
        expectEqual(note.list[0], .list([.string("first"), .int(1)]))
        expectEqual(note.map["m"], .dictionary(["x": .none, "y": .list([])]))
        expectEqual(note.content["tags"]?[1]?["k"], .int(8))
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            tx.delete(note)
        }
        expectTrue(realm.snapshot().objects(AnyNote.self).isEmpty)
        await realm.close()
    }

    @Test func removingNothingAndAppendingNothingAreNoChange() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { try $0.add(AnyNote(1, Self.sample)) }
        let version = realm.snapshot().version
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            note.content.dictionaryValue?.removeObject(for: "missing")
            note.content.dictionaryValue?["tags"]?.listValue?.append(contentsOf: [])
            let named = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
            try named.dynamicMap("content").remove("missing")
        }
        expectEqual(realm.snapshot().version, version)
    }

    // Covers 1.90, 1.91
    @Test func assignmentsReplaceAndInvalidate() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(1, .fromArray([.int(1), .fromArray([.int(2)])]))
            try tx.add(note)
            let list = try requireValue(note.content.listValue)
            let inner = try requireValue(list[1].listValue)
            expectTrue(note.content == .list(list) && list[1] == .list(inner))
            note.content = .fromArray([.int(1), .fromArray([.int(2)])])
            expectTrue(list.isInvalidated && inner.isInvalidated)
            expectEqual(note.content.listValue?.count, 2)
            expectTrue(note.content != .list(list))
            // Assigning to another property copies; assigning to the same one keeps the content.
            note.label = note.content
            note.label.listValue?.append(.int(3))
            expectTrue(note.label.listValue?.count == 3 && note.content.listValue?.count == 2)
            note.content = note.content
            expectEqual(note.content.listValue?[1].listValue?[0], .int(2))
            note.content = .int(5)
            expectEqual(note.content, .int(5))
            note.content = .fromArray([])
            expectTrue(note.content.listValue?.isEmpty ?? false)
        }
    }

    // Covers 1.79, 1.89
    @Test func hundredLevelsAreStoredAndOneMoreIsAnError() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in try tx.add(AnyNote(1, Self.nested(100))) }
        try await realm.read { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            var value = note.content
            var levels = 0
            while true {
                if let list = value.listValue {
                    value = list[0]
                } else if let map = value.dictionaryValue {
                    value = try requireValue(map["in"])
                } else {
                    break
                }
                levels += 1
            }
            expectTrue(levels == 100 && value == .int(1))
        }
        try await realm.write { tx in
            let error = #expect(throws: Realm.Error.self) {
                try tx.add(AnyNote(2, Self.nested(101)))
            }
            expectTrue(error?.code == .invalidValue && error?.message.contains("100") ?? false)
            expectTrue(error?.className == "AnyNote" && error?.property == "content")
            expectEqual(tx.objects(AnyNote.self).count, 1)
        }
        let error = await realmError {
            try await realm.write { tx in
                let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
                var value = note.content
                while let next = value.listValue?[0] ?? value.dictionaryValue?["in"],
                    next != .int(1)
                {
                    value = next
                }
                value.dictionaryValue?["in"] = .fromArray([])
                value.listValue?.append(.fromArray([]))
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectEqual(realm.snapshot().objects(AnyNote.self).count, 1)
    }

    // Covers 1.89, 1.93
    @Test func setsAndKeysAreChecked() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(1)
            note.set.insert(.fromArray([.int(1)]))
            let error = #expect(throws: Realm.Error.self) { try tx.add(note) }
            expectTrue(error?.message.contains("a list") ?? false)
            let second = AnyNote(2, .fromDictionary(["a.b": .int(1)]))
            let keyError = #expect(throws: Realm.Error.self) { try tx.add(second) }
            expectTrue(keyError?.message.contains("a%2Eb") ?? false)
            expectTrue(tx.objects(AnyNote.self).isEmpty)
        }
        let managed = await realmError {
            try await realm.write { tx in
                let note = AnyNote(1)
                try tx.add(note)
                note.set.insert(.fromDictionary([:]))
            }
        }
        expectTrue(managed?.code == .invalidValue && managed?.property == "set")
    }

    // Covers 1.86
    @Test func optionalValuesOfAnyTypeAreRefused() async throws {
        let error = await realmError { try await Realm.temporary([AnyOptionalNote.self]) }
        expectEqual(error?.code, .invalidInput)
        expectTrue(error?.message.contains("AnyOptionalNote.content") ?? false)
        expectTrue(error?.message.contains("AnyOptionalNote.list") ?? false)
    }
}

final class AnyOptionalNote: Object {
    @Persisted var content: AnyRealmValue?
    @Persisted var list: List<AnyRealmValue?>
}
