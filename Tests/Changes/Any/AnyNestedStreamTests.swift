import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of lists and dictionaries in values of any type, and of maps of such values.
@Suite struct AnyNestedStreamTests {
    private typealias Reported = (deletions: [Int], insertions: [Int], modifications: [Int])

    private func realm(_ folder: RealmFolder? = nil) async throws -> Realm {
        let realm =
            if let folder {
                try await Realm.open(folder.configuration("any.realm", anyClasses))
            } else {
                try await Realm.temporary(anyClasses)
            }
        try await realm.write { tx in
            let note = AnyNote(1)
            note.content = .fromDictionary([
                "tags": .fromArray([.string("a"), .string("b")]),
                "rooms": .fromArray([.fromDictionary(["doors": .int(2)])]),
            ])
            note.map["k"] = .fromArray([.int(1)])
            note.map["é"] = .int(5)
            try tx.add(note)
        }
        return realm
    }

    private func next(
        _ iterator: inout ValueChanges<FrozenAnyValue>.AsyncIterator
    ) async throws -> Reported? {
        guard case .update(_, let delta)? = try await iterator.next(isolation: #isolation) else {
            return nil
        }
        return (delta.deletions, delta.insertions, delta.modifications)
    }

    private func change(
        _ realm: Realm, _ body: @Sendable (AnyNote, Transaction) throws -> Void
    ) async throws {
        try await realm.write { tx in
            try body(try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1)), tx)
        }
    }

    // Covers 4.38, O43
    @Test func nestedListTellsItsOwnPositions() async throws {
        let realm = try await realm()
        let tags = realm.object(AnyNote.self, forPrimaryKey: 1).content.at("tags")
        expectEqual(Array(tags.current), [.string("a"), .string("b")])
        var stream = tags.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial values")
            return
        }
        expectEqual(Array(first), [.string("a"), .string("b")])
        try await change(realm) { note, _ in
            let tags = note.content.dictionaryValue?["tags"]?.listValue
            tags?.insert(.string("new"), at: 0)
            tags?[2] = .int(7)
            // Outside of it.
            note.content.dictionaryValue?["rooms"]?.listValue?.append(.none)
        }
        guard case .update(let now, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(Array(now), [.string("new"), .string("a"), .int(7)])
        expectTrue(delta.insertions == [0] && delta.deletions.isEmpty)
        expectTrue(delta.modifications == [1] && delta.newModifications == [2])
        expectTrue(delta.modified[0].old == .string("b") && delta.modified[0].new == .int(7))
        // Changes outside of it aren't reported.
        try await change(realm) { note, _ in
            note.content.dictionaryValue?["rooms"]?.listValue?.removeAll()
        }
        try await change(realm) { note, _ in
            note.content.dictionaryValue?["tags"]?.listValue?.remove(at: 1)
        }
        let reported = try #require(try await next(&stream))
        expectTrue(
            reported.deletions == [1] && reported.insertions.isEmpty
                && reported.modifications.isEmpty)
    }

    // Covers 4.38, O43
    @Test func nestedDictionaryTellsItsKeys() async throws {
        let realm = try await realm()
        let room = realm.object(AnyNote.self, forPrimaryKey: 1).content.at("rooms").at(0).dictionary
        expectTrue(room.current.dictionary == ["doors": .int(2)] && room["doors"] == .int(2))
        var stream = room.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await change(realm) { note, _ in
            let room = note.content.dictionaryValue?["rooms"]?.listValue?[0].dictionaryValue
            room?["doors"] = .int(3)
            room?["name"] = .string("hall")
        }
        guard case .update(let now, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.dictionary, ["doors": .int(3), "name": .string("hall")])
        expectTrue(delta.insertions == ["name"] && delta.modifications == ["doors"])
        expectTrue(delta.deletions.isEmpty && delta.modified[0].old == .int(2))
        expectEqual(delta.old.dictionary, ["doors": .int(2)])
        // A nested dictionary is followed by its key.
        try await change(realm) { note, _ in
            let room = note.content.dictionaryValue?["rooms"]?.listValue?[0].dictionaryValue
            room?["name"] = nil
            room?["floor"] = .fromDictionary(["color": .string("red")])
        }
        guard case .update(_, let next)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(next.deletions == ["name"] && next.insertions == ["floor"])
        expectEqual(room.at("floor").dictionary["color"], .string("red"))
    }

    // Covers 4.38, O43
    @Test func replacedOrDeletedCollectionIsEmptiedAndFilledByTheNext() async throws {
        let realm = try await realm()
        let live = realm.object(AnyNote.self, forPrimaryKey: 1)
        var tags = live.content.at("tags").changes.makeAsyncIterator()
        var keys = live.content.dictionary.changes.makeAsyncIterator()
        _ = try await tags.next()
        _ = try await keys.next()
        try await change(realm) { note, _ in note.content = .int(1) }
        try expectEqual(#require(try await next(&tags)).deletions, [0, 1])
        guard case .update(let none, let gone)? = try await keys.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(none.isEmpty && gone.deletions == ["rooms", "tags"])
        // A list has no keys.
        try await change(realm) { note, _ in note.content = .fromArray([.int(1)]) }
        try await change(realm) { note, _ in
            note.content = .fromDictionary(["tags": .fromDictionary(["x": .int(1)])])
        }
        try expectEqual(#require(try await next(&tags)).insertions, [0])
        guard case .update(let new, let came)? = try await keys.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(new.keys == ["tags"] && came.insertions == ["tags"])
        // Another list replaces it in one commit.
        try await change(realm) { note, _ in
            note.content.dictionaryValue?["tags"] = .fromArray([.int(1), .int(2)])
        }
        let reported = try #require(try await next(&tags))
        expectTrue(reported.deletions == [0] && reported.insertions == [0, 1])
        // The owner is deleted, and another one is added.
        try await realm.write { $0.delete($0.objects(AnyNote.self)) }
        try expectEqual(#require(try await next(&tags)).deletions, [0, 1])
        expectTrue(live.content.at("tags").isEmpty && live.content.at("tags").count == 0)
        expectTrue(live.content.dictionary.isEmpty && live.content.dictionary.keys.isEmpty)
        try await realm.write { tx in
            try tx.add(AnyNote(1, .fromDictionary(["tags": .fromArray([.none])])))
        }
        try expectEqual(#require(try await next(&tags)).insertions, [0])
    }

    // Covers O43
    @Test func placeIsFollowedAndNotTheListThatLiesThere() async throws {
        let realm = try await realm()
        try await change(realm) { note, _ in
            note.list.append(objectsIn: [.fromArray([.int(1)]), .fromArray([.int(2), .int(3)])])
        }
        var stream = realm.object(AnyNote.self, forPrimaryKey: 1).list.at(0).changes
            .makeAsyncIterator()
        _ = try await stream.next()
        try await change(realm) { note, _ in note.list.remove(at: 0) }
        guard case .update(let now, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(Array(now), [.int(2), .int(3)])
        expectTrue(delta.deletions == [0] && delta.insertions == [0, 1])
        try await change(realm) { note, _ in note.list[0].listValue?.append(.int(4)) }
        try expectEqual(#require(try await next(&stream)).insertions, [2])
    }

    // Covers O43
    @Test func mapOfAnyTypeIsFrozenAndLiveAsOtherMaps() async throws {
        let realm = try await realm()
        let live = realm.object(AnyNote.self, forPrimaryKey: 1).map
        let frozen = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1)).map
        expectTrue(frozen.keys == ["k", "é"] && frozen.count == 2)
        expectTrue(frozen["k"] == .list([.int(1)]) && frozen["e\u{301}"] == nil)
        expectTrue(frozen == live.current && live["é"] == .int(5))
        expectEqual(frozen.values, [.list([.int(1)]), .int(5)])
        var keys = live.changes.makeAsyncIterator()
        var inner = live.at("k").changes.makeAsyncIterator()
        _ = try await keys.next()
        _ = try await inner.next()
        try await change(realm) { note, _ in
            note.map["k"]?.listValue?.append(.bool(true))
            note.map["x"] = AnyRealmValue.none
            note.map["é"] = nil
        }
        guard case .update(let now, let delta)? = try await keys.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.dictionary, ["k": .list([.int(1), .bool(true)]), "x": .none])
        expectTrue(delta.deletions == ["é"] && delta.insertions == ["x"])
        expectEqual(delta.modifications, ["k"])
        try expectEqual(#require(try await next(&inner)).insertions, [1])
        expectTrue(frozen["é"] == .int(5) && frozen.count == 2)
        #expect(
            String(decoding: try JSONEncoder().encode(now), as: UTF8.self).contains("[1,true]"))
    }

    // Covers O42
    @Test func deletedObjectModifiesAllValuesAroundItsLink() async throws {
        let realm = try await realm()
        try await change(realm) { note, tx in
            let pet = AnyPet("Rex")
            try tx.add(pet)
            note.content.dictionaryValue?["rooms"] = .fromArray([.fromArray([.object(pet)])])
        }
        let live = realm.object(AnyNote.self, forPrimaryKey: 1)
        var notes = realm.objects(AnyNote.self).changes.makeAsyncIterator()
        var keys = live.content.dictionary.changes.makeAsyncIterator()
        var rooms = live.content.at("rooms").changes.makeAsyncIterator()
        var inner = live.content.at("rooms").at(0).changes.makeAsyncIterator()
        _ = try await notes.next()
        _ = try await keys.next()
        _ = try await rooms.next()
        _ = try await inner.next()
        try await realm.write { $0.delete($0.objects(AnyPet.self)) }
        guard case .update(_, let note)? = try await notes.next(),
            case .update(let map, let reported)? = try await keys.next()
        else {
            Issue.record("no update")
            return
        }
        expectEqual(note.modified[0].properties, ["content"])
        expectTrue(reported.modifications == ["rooms"] && map["rooms"] == .list([.list([.none])]))
        try expectEqual(#require(try await next(&rooms)).modifications, [0])
        try expectEqual(#require(try await next(&inner)).modifications, [0])
    }

    // Covers O43
    @Test func streamOfANestedListGoesOnFromACursor() async throws {
        let folder = try RealmFolder()
        var realm = try await realm(folder)
        let path = { (realm: Realm) in
            realm.object(AnyNote.self, forPrimaryKey: 1).content.at("tags")
        }
        let cursor = path(realm).current.cursor
        try await change(realm) { note, _ in
            note.content.dictionaryValue?["tags"]?.listValue?.append(.int(1))
        }
        await realm.close()
        realm = try await Realm.open(folder.configuration("any.realm", anyClasses))
        var stream = path(realm).changes(policy: .everyCommit, since: cursor).makeAsyncIterator()
        try await change(realm) { note, _ in
            note.content.dictionaryValue?["tags"]?.listValue?.remove(at: 0)
        }
        try expectEqual(#require(try await next(&stream)).insertions, [2])
        try expectEqual(#require(try await next(&stream)).deletions, [0])
        await realm.close()
    }
}
