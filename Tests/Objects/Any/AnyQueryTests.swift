import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Conditions, sorts and indexes of values of any type.
@Suite struct AnyQueryTests {
    private func realm(_ values: @Sendable @escaping () -> [AnyRealmValue]) async throws -> Realm {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            for (id, value) in values().enumerated() {
                let note = AnyNote(id, value)
                note.label = value
                note.list.append(value)
                note.map["k"] = value
                try tx.add(note)
            }
        }
        return realm
    }

    static let count = 18
    @Sendable private static func values() -> [AnyRealmValue] {
        [
            .none, .int(1), .double(1), .decimal128("1.0"), .float(1), .bool(true), .string("1"),
            .data(Data("1".utf8)), .int(9_007_199_254_740_993), .double(9_007_199_254_740_992),
            .double(.nan), .decimal128("0.1"), .double(0.1), .string("Hello World"),
            .data(Data("hello".utf8)), .fromArray([.int(1)]), .fromDictionary(["a": .int(1)]),
            .date(Date(timeIntervalSinceReferenceDate: 3)),
        ]
    }

    // Covers 1.70, 3.2, 3.4, 3.36, 3.47, 3.48, 3.61, 3.63, 10.5
    @Test func equalityGoesByTheNumberAndOrderByTheClass() async throws {
        let realm = try await realm(Self.values)
        let notes = realm.snapshot().objects(AnyNote.self)
        func ids(_ condition: (Query<AnyNote>) -> Query<Bool>) -> [Int] {
            notes.where(condition).map(\.id)
        }
        for value in [AnyRealmValue.int(1), .double(1), .float(1), .decimal128("1.00")] {
            expectEqual(ids { $0.content == value }, [1, 2, 3, 4])
            expectEqual(ids { $0.label == value }, [1, 2, 3, 4])
            expectEqual(ids { $0.list == value }, [1, 2, 3, 4])
            expectEqual(ids { $0.map["k"] == value }, [1, 2, 3, 4])
        }
        expectEqual(ids { $0.content == .bool(true) }, [5])
        expectEqual(ids { $0.content == .string("1") }, [6])
        expectEqual(ids { $0.content == .none }, [0])
        expectEqual(ids { $0.content == .double(9_007_199_254_740_992) }, [9])
        expectEqual(ids { $0.label == .int(9_007_199_254_740_993) }, [8])
        expectEqual(ids { $0.content == .double(0.1) }, [12])
        expectEqual(ids { $0.content > .double(0.1) }, [1, 2, 3, 4, 8, 9])
        expectEqual(ids { $0.content > .decimal128("0.1") }, [1, 2, 3, 4, 8, 9, 12])
        expectEqual(ids { $0.content >= .string("1") }, [6, 13])
        expectEqual(ids { $0.content < .date(Date()) }, [17])
        expectEqual(ids { $0.content.in([.float(1), .string("1")]) }, [1, 2, 3, 4, 6])
        expectEqual(ids { $0.label.in([.float(1), .none]) }, [0, 1, 2, 3, 4])
        expectEqual(ids { $0.content == .list(List()) }, [15])
        expectEqual(ids { $0.content == .dictionary(Map()) }, [16])
        expectEqual(ids { $0.content != .int(1) }.count, Self.count - 4)
        expectEqual(ids { $0.content.starts(with: "1") }, [6, 7])
        expectEqual(ids { $0.content.contains("hello", options: .caseInsensitive) }, [13, 14])
        expectEqual(ids { $0.content.like("H*d") }, [13])
        expectEqual(ids { $0.content.notEquals("1") }.count, Self.count - 2)
        expectEqual(ids { $0.content.contains(Data("ell".utf8)) }, [13, 14])
    }

    // Covers 3.36, 3.40, 3.41, 3.43, 3.44, 3.45
    @Test(arguments: [2, 7, AnyQueryTests.count])
    func nothingComparesAsNilHoweverManyRowsThereAre(count: Int) async throws {
        let realm = try await realm { Array(Self.values().prefix(count)) }
        let notes = realm.snapshot().objects(AnyNote.self)
        func ids(_ condition: (Query<AnyNote>) -> Query<Bool>) -> [Int] {
            notes.where(condition).map(\.id)
        }
        let others = Array(1..<count)
        let none = AnyRealmValue.none
        expectTrue(ids { $0.content == none } == [0] && ids { $0.label == none } == [0])
        expectTrue(ids { $0.content != none } == others && ids { $0.label != none } == others)
        expectTrue(ids { !($0.content == none) } == others && ids { !($0.content != none) } == [0])
        expectTrue(ids { $0.content.in([none]) } == [0] && ids { !$0.content.in([none]) } == others)
        expectTrue(ids { $0.content <= none } == [0] && ids { $0.content >= none } == [0])
        expectTrue(ids { $0.content < none } == [] && ids { $0.content > none } == [])
        expectEqual(ids { $0.content != none && $0.id >= 0 }, others)
        expectEqual(ids { $0.id < 0 || $0.content != none }, others)
        expectTrue(ids { $0.map["k"] != none } == others && ids { $0.list != none } == others)
    }

    // Covers 3.47, 3.62, 3.94
    @Test func sortsGoByClassAndValue() async throws {
        let realm = try await realm(Self.values)
        let notes = realm.snapshot().objects(AnyNote.self)
        expectEqual(
            notes.sorted(by: \.content).map(\.id),
            [0, 5, 10, 11, 12, 1, 2, 3, 4, 9, 8, 6, 13, 7, 14, 17, 15, 16])
        expectEqual(
            notes.sorted(by: \.label, ascending: false).map(\.id),
            [16, 15, 17, 14, 7, 13, 6, 8, 9, 1, 2, 3, 4, 12, 11, 10, 5, 0])
        expectEqual(notes.distinct(by: \.content).count, Self.count - 3)
    }

    // Covers 3.2, 3.61
    @Test func objectsAreFoundByTheirRow() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let (a, b) = (AnyPet("a"), AnyPet("b"))
            try tx.add([a, b])
            try tx.add(AnyNote(1, .object(a)))
            try tx.add(AnyNote(2, .object(b)))
            let notes = tx.objects(AnyNote.self)
            expectEqual(notes.where { $0.content == .object(a) }.map(\.id), [1])
            expectEqual(notes.where { $0.content != .object(a) }.map(\.id), [2])
            expectTrue(notes.where { $0.content == .object(AnyPet("c")) }.isEmpty)
        }
    }

    // Covers 3.63
    @Test func anotherTextOfSeveralValuesIsOneThatDiffers() async throws {
        let realm = try await realm { [.string("a"), .int(1), .none] }
        try await realm.write { tx in
            let note = AnyNote(3, .none)
            note.list.append(objectsIn: [.string("a"), .string("A")])
            try tx.add(note)
        }
        let notes = realm.snapshot().objects(AnyNote.self)
        func ids(_ condition: (Query<AnyNote>) -> Query<Bool>) -> [Int] {
            notes.where(condition).map(\.id)
        }
        expectEqual(ids { $0.list.any { $0.notEquals("a") } }, [1, 2, 3])
        expectEqual(ids { $0.map["k"].notEquals("a") }, [1, 2, 3])
        expectEqual(ids { $0.map.values.notEquals("a") }, [1, 2])
        expectEqual(ids { $0.content[0].notEquals("a") }, [0, 1, 2, 3])
        expectEqual(ids { $0.list.any { $0.notEquals("a", options: .caseInsensitive) } }, [1, 2])
    }

    // Covers 3.36, 3.37
    @Test func subscriptsLeadIntoListsAndDictionaries() async throws {
        let realm = try await realm {
            [
                .fromDictionary(["a": .int(1), "list": .fromArray([.int(5), .string("x")])]),
                .fromDictionary(["a": .int(2), "": .int(3)]),
                .fromArray([.int(1), .fromDictionary(["a": .int(1)]), .fromArray([.int(7)])]),
                .int(1), .none, .fromArray([]),
            ]
        }
        let notes = realm.snapshot().objects(AnyNote.self)
        func ids(_ condition: (Query<AnyNote>) -> Query<Bool>) -> [Int] {
            notes.where(condition).map(\.id)
        }
        expectEqual(ids { $0.content["a"] == .int(1) }, [0])
        expectEqual(ids { $0.content["a"] > .double(1.5) }, [1])
        expectEqual(ids { $0.content[""] == .int(3) }, [1])
        expectEqual(ids { $0.content[0] == .int(1) }, [2])
        expectEqual(ids { $0.content[1]["a"] == .double(1) }, [2])
        expectEqual(ids { $0.content["list"][1] == .string("x") }, [0])
        expectEqual(ids { $0.content["list"].any == .int(5) }, [0])
        expectEqual(ids { $0.content.any == .int(1) }, [0, 2])
        expectEqual(ids { $0.content.any.any == .int(7) }, [2])
        expectEqual(ids { $0.content["a"] == .none }, [2, 3, 4, 5])
        expectEqual(ids { $0.content["a"] != .int(1) }, [1, 2, 3, 4, 5])
        expectEqual(ids { $0.content["list"][1].starts(with: "x") }, [0])
        expectEqual(ids { $0.list.any { $0["a"] == .int(2) } }, [1])
        expectEqual(ids { $0.map["k"]["a"] == .int(2) }, [1])
        expectEqual(ids { $0.map.values["a"] == .int(1) }, [0])
        expectEqual(ids { $0.content["list"] == .list(List()) }, [0])
    }

    // Covers 3.12, .invalidQuery
    @Test func objectOfAnotherRealmIsAnError() async throws {
        let types = anyClasses + [TaggedNote.self, Tag.self]
        let realms = [try await Realm.temporary(types), try await Realm.temporary(types)]
        for realm in realms {
            try await realm.write { tx in
                let note = AnyNote(1, .object(AnyPet("Rex")))
                note.list.append(note.content)
                note.map["k"] = note.content
                try tx.add(note)
                let tagged = try tx.create(TaggedNote.self)
                tagged.mark = Mark(content: note.content)
            }
        }
        let realm = realms[0]
        try await realms[1].read { tx in
            let rex = AnyRealmValue.object(try requireValue(tx.objects(AnyPet.self).first))
            let conditions: [(Query<AnyNote>) -> Query<Bool>] = [
                { $0.content == rex }, { $0.content != rex }, { $0.label <= rex },
                { $0.content.in([.none, rex]) }, { $0.content.any == rex },
                { $0.content["a"] == rex }, { $0.list == rex }, { $0.list.contains(rex) },
                { $0.list.containsAny(in: [rex]) }, { $0.list.any { $0 == rex } },
                { $0.list.none { $0.in([rex]) } }, { $0.set.contains(rex) },
                { $0.map["k"] == rex }, { $0.map.values != rex }, { $0.map.contains(rex) },
                { $0.map["k"].in([rex]) },
            ]
            for (number, condition) in conditions.enumerated() {
                let error = failure(realm, condition)
                expectTrue(error?.code == .invalidQuery, "\(number): \(error as Any)")
                expectEqual(error?.className, "AnyPet")
            }
            let error = failure(realm) { (note: Query<TaggedNote>) in
                note.mark == Mark(content: rex)
            }
            expectEqual(error?.code, .invalidQuery)
            expectEqual(tx.objects(AnyNote.self).where { $0.content == rex }.count, 1)
            expectEqual(
                tx.objects(TaggedNote.self).where { $0.mark == Mark(content: rex) }.count, 1)
        }
    }

    /// Returns the error of counting the objects that match a condition.
    private func failure<T: Object>(
        _ realm: Realm, _ condition: (Query<T>) -> Query<Bool>
    ) -> Realm.Error? {
        do {
            _ = try realm.snapshot().read { $0.objects(T.self).where(condition).count }
            return nil
        } catch {
            return error as? Realm.Error
        }
    }
}

/// A value that is stored as an embedded object with a value of any type.
private struct Mark: CustomPersistable {
    let content: AnyRealmValue

    init(content: AnyRealmValue) { self.content = content }
    init(persistedValue: Tag) { content = persistedValue.content }
    var persistableValue: Tag {
        let tag = Tag()
        tag.content = content
        return tag
    }
}

private final class Tag: EmbeddedObject {
    @Persisted var content: AnyRealmValue
}

private final class TaggedNote: Object {
    @Persisted var mark: Mark?
}
