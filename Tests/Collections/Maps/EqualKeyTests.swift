import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Keys that are equal in Swift although their bytes differ: neither is lost without an error.
@Suite struct EqualKeyTests {
    private static let keys = ["caf\u{E9}", "cafe\u{301}"]

    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(mapClasses + anyClasses)
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            let note = AnyNote(1)
            let dictionary = Map<String, AnyRealmValue>()
            for (number, key) in Self.keys.enumerated() {
                keeper.scores[key] = number
                keeper.pets[key] = MapPet(key)
                note.map[key] = .int(number)
                dictionary[key] = .int(number)
            }
            note.content = .dictionary(dictionary)
            note.list.append(.dictionary(dictionary))
            try tx.add(keeper)
            try tx.add(note)
        }
        return realm
    }

    // Covers 2.84, .invalidValue
    @Test func dictionariesAndEncodingsRefuseThem() async throws {
        let snapshot = try await realm().snapshot()
        let keeper = snapshot.objects(MapKeeper.self)[0]
        let note = snapshot.objects(AnyNote.self)[0]
        let reads: [(String?, String, () throws -> Void)] = [
            ("scores", "MapKeeper", { _ = keeper.scores.dictionary }),
            ("scores", "MapKeeper", { _ = try keeper["scores"] }),
            ("pets", "MapKeeper", { _ = try keeper["pets"] }),
            ("scores", "MapKeeper", { _ = try JSONEncoder().encode(keeper.scores) }),
            ("scores", "MapKeeper", { _ = try JSONEncoder().encode(keeper) }),
            ("map", "AnyNote", { _ = note.map.dictionary }),
            ("map", "AnyNote", { _ = try note["map"] }),
            ("map", "AnyNote", { _ = try JSONEncoder().encode(note.map) }),
            ("content", "AnyNote", { _ = note.content }),
            ("content", "AnyNote", { _ = try note["content"] }),
            ("content", "AnyNote", { _ = try JSONEncoder().encode(note) }),
            (nil, "AnyNote", { _ = note.list.array }),
        ]
        for (number, (property, className, read)) in reads.enumerated() {
            let error = #expect(throws: Realm.Error.self, "\(number)") {
                try snapshot.read { _ in try read() }
            }
            expectTrue(error?.code == .invalidValue && error?.className == className, "\(number)")
            expectEqual(error?.property, property, "\(number)")
            expectEqual(error?.message.contains("caf"), true, "\(number)")
        }
        // individually, both can be read
        expectTrue(Self.keys.map { keeper.scores[$0] } == [0, 1] && keeper.scores.count == 2)
        expectEqual(keeper.scores.map(\.value).sorted(), [0, 1])
        expectEqual(Self.keys.map { note.map[$0] }, [.int(0), .int(1)])
    }

    @Test func mapOfABodyIsNotEncodedWithout() async throws {
        let realm = try await realm()
        try await realm.read { tx in
            let scores = tx.objects(MapKeeper.self)[0].scores
            let error = #expect(throws: Realm.Error.self) { try JSONEncoder().encode(scores) }
            expectTrue(error?.className == "MapKeeper" && error?.property == "scores")
        }
        let unmanaged = Map<String, Int>()
        for key in Self.keys { unmanaged[key] = 1 }
        let error = #expect(throws: Realm.Error.self) { try JSONEncoder().encode(unmanaged) }
        expectEqual(error?.code, .invalidValue)
        unmanaged.removeObject(for: Self.keys[0])
        try expectTrue(!JSONEncoder().encode(unmanaged).isEmpty)
    }

    /// The Kelvin sign equals an ASCII letter in Swift.
    @Test func keysOfOtherAlphabetsAreToldApart() {
        expectEqual(EqualKeys.first(in: ["K", "\u{212A}"]), "\u{212A}")
        expectNil(EqualKeys.first(in: ["", "a", "\u{E9}", "\u{301}e", "ключ"]))
        expectNil(EqualKeys.first(in: ["a", "b", "A"]))
    }
}
