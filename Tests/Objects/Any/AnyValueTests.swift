import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values of any type: kinds, accessors, equality, containers.
@Suite struct AnyValueTests {
    private func isSame(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        if case .double(let x) = a, case .double(let y) = b { return x.bitPattern == y.bitPattern }
        if case .decimal128(let x) = a, case .decimal128(let y) = b {
            return x.description == y.description
        }
        return a == b
    }

    /// Returns the accessors' results by the names of their kinds, without `nil`.
    private func accessible(_ value: AnyRealmValue) -> [String: AnyRealmValue] {
        [
            "int": value.intValue.map { .int($0) }, "bool": value.boolValue.map { .bool($0) },
            "float": value.floatValue.map { .float($0) },
            "double": value.doubleValue.map { .double($0) },
            "string": value.stringValue.map { .string($0) },
            "data": value.dataValue.map { .data($0) }, "date": value.dateValue.map { .date($0) },
            "objectId": value.objectIdValue.map { .objectId($0) },
            "decimal128": value.decimal128Value.map { .decimal128($0) },
            "uuid": value.uuidValue.map { .uuid($0) },
            "list": value.listValue.map { .list($0) },
            "dictionary": value.dictionaryValue.map { .dictionary($0) },
            "object": value.object(AnyPet.self).map { .object($0) },
        ].compactMapValues { $0 }
    }

    // Covers 1.85
    @Test func accessorsGiveTheirKindOnly() {
        let pet = AnyPet("Rex")
        let kinds: [String: AnyRealmValue] = [
            "int": .int(1), "bool": .bool(true), "float": .float(2), "double": .double(2),
            "string": .string("a"), "data": .data(Data([1])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 1)),
            "objectId": .objectId(ObjectId.generate()), "decimal128": .decimal128("1.5"),
            "uuid": .uuid(UUID()), "list": .fromArray([.int(1)]),
            "dictionary": .fromDictionary(["a": .int(1)]), "object": .object(pet),
        ]
        for (kind, value) in kinds {
            expectEqual(accessible(value), [kind: value], "\(kind)")
            expectTrue(value.dynamicObject == nil && value.object(AnyNote.self) == nil, "\(kind)")
        }
        expectTrue(accessible(.none).isEmpty)
        expectTrue(AnyRealmValue.object(pet).object(AnyPet.self) === pet)
        expectEqual(AnyNote().content, .none)
    }

    // Covers 1.85
    @Test func objectIsSeenWithoutItsClass() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(1, .object(AnyPet("Rex")))
            try tx.add(note)
            note.list.append(objectsIn: [.object(AnyPet("Bo")), .int(1)])
            let rex = try requireValue(note.content.dynamicObject)
            expectTrue(rex.className == "AnyPet" && rex["name"] as? String == "Rex")
            rex["keeper"] = 7
            expectEqual(note.content.object(AnyPet.self)?.keeper, .int(7))
            expectEqual(note.list.map { $0.dynamicObject?["name"] as? String }, ["Bo", nil])
            let same = try tx.dynamicObject(ofType: "AnyPet", forPrimaryKey: "Rex")
            expectTrue(rex.isSameObject(as: same))
            tx.delete(rex)
            expectTrue(rex.isInvalidated && note.content.dynamicObject == nil)
        }
    }

    // Covers 1.91, 1.92
    @Test func equalityAndHashesGoByKind() {
        expectTrue(AnyRealmValue.int(1) != .double(1) && AnyRealmValue.int(1) != .bool(true))
        expectEqual(AnyRealmValue.fromArray([.int(1), .none]), .fromArray([.int(1), .none]))
        expectTrue(AnyRealmValue.fromArray([.int(1)]) != .fromArray([.int(2)]))
        expectEqual(
            AnyRealmValue.fromDictionary(["a": .fromArray([.int(1)])]),
            .fromDictionary(["a": .fromArray([.int(1)])]))
        expectTrue(AnyRealmValue.fromDictionary(["a": .int(1)]) != .fromDictionary(["b": .int(1)]))
        expectEqual(Set<AnyRealmValue>([.int(1), .int(1), .double(1), .string("1")]).count, 3)
        expectEqual(
            AnyRealmValue.fromArray([]).hashValue, AnyRealmValue.fromArray([.int(1)]).hashValue)
    }

    // Covers 1.84, 1.87
    @Test func kindsRoundTrip() async throws {
        let folder = try RealmFolder()
        for round in 0..<2 {
            let realm = try await Realm.open(folder.configuration("any.realm", anyClasses))
            if round == 0 {
                try await realm.write { tx in
                    for (id, value) in anyScalars.enumerated() {
                        let note = AnyNote(id, value)
                        note.list.append(objectsIn: anyScalars)
                        note.map["key"] = value
                        try tx.add(note)
                        expectTrue(isSame(note.content, value))
                        note.label = value
                    }
                }
            }
            try await realm.read { tx in
                for (id, value) in anyScalars.enumerated() {
                    let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: id))
                    expectTrue(isSame(note.content, value) && isSame(note.label, value))
                    expectEqual(note.list.count, anyScalars.count)
                    for (a, b) in zip(note.list, anyScalars) { expectTrue(isSame(a, b)) }
                    #expect(isSame(try #require(note.map["key"]), value))
                }
            }
            let snapshot = realm.snapshot()
            let frozen = try requireValue(snapshot.object(AnyNote.self, forPrimaryKey: 1))
            expectTrue(frozen.content == .int(5) && frozen.label == .int(5))
            expectTrue(frozen.list.count == anyScalars.count && frozen.list[1] == .int(5))
            expectEqual(frozen.map["key"], .int(5))
            await realm.close()
        }
    }

    // Covers 1.93, 3.62
    @Test func setsTakeEqualNumbersForOne() async throws {
        let realm = try await Realm.temporary(anyClasses)
        @Sendable func values() -> [AnyRealmValue] {
            [
                .int(1), .double(1), .float(1), .decimal128("1.0"), .bool(true), .string("1"),
                .data(Data([49])), .none, .none, .double(.nan), .decimal128(.nan), .int(2),
            ]
        }
        let unmanaged = MutableSet<AnyRealmValue>(values())
        expectTrue(
            unmanaged.count == 7 && unmanaged.contains(.float(2)) && !unmanaged.contains(.int(3)))
        try await realm.write { tx in
            let note = AnyNote(1)
            note.set.insert(objectsIn: values())
            try tx.add(note)
            expectEqual(note.set.count, 7)
            note.set.insert(.decimal128("2.00"))
            expectTrue(note.set.count == 7 && note.set.contains(.double(2)))
            let expected: [AnyRealmValue] = [
                .none, .bool(true), .double(.nan), .int(1), .int(2), .string("1"),
                .data(Data([49])),
            ]
            for (a, b) in zip(note.set, expected) { expectTrue(isSame(a, b)) }
            note.set.remove(.float(1))
            expectEqual(note.set.count, 6)
        }
    }

    // Covers 1.94, 2.21
    @Test func aggregatesGoAcrossKinds() async throws {
        let realm = try await Realm.temporary(anyClasses)
        @Sendable func values() -> [AnyRealmValue] {
            [
                .none, .int(2), .double(0.5), .decimal128("0.1"), .string("b"), .bool(true),
                .float(4),
            ]
        }
        let unmanaged = List<AnyRealmValue>(values())
        expectTrue(unmanaged.min() == .bool(true) && unmanaged.max() == .string("b"))
        expectTrue(
            unmanaged.sum() == .decimal128("6.6") && unmanaged.average() == .decimal128("1.65"))
        try await realm.write { tx in
            for (id, value) in values().enumerated() { try tx.add(AnyNote(id, value)) }
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 0))
            note.list.append(objectsIn: values())
            expectTrue(note.list.min() == .bool(true) && note.list.max() == .string("b"))
            expectEqual(note.list.sum(), .decimal128("6.6"))
            expectEqual(note.list.average(), .decimal128("1.65"))
            let notes = tx.objects(AnyNote.self)
            expectEqual(notes.sum(of: \.content), .decimal128("6.6"))
            expectEqual(notes.average(of: \.content), .decimal128("1.65"))
            expectEqual(notes.min(of: \.content), .bool(true))
            expectEqual(notes.max(of: \.content), .string("b"))
            let order = notes.sorted(by: \.content).map(\.id)
            expectEqual(order, [0, 5, 3, 2, 1, 6, 4])
        }
    }
}
