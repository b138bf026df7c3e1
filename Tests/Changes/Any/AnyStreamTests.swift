import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of values of any type, of their contents, and of their objects.
@Suite struct AnyStreamTests {
    // Covers 4.38, O42
    @Test func changesWithinAreModificationsOfTheValue() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(1, .fromArray([.int(1), .fromDictionary(["k": .fromArray([])])]))
            note.list.append(objectsIn: [.int(1), .fromArray([.fromArray([.int(2)])])])
            try tx.add(note)
        }
        let live = realm.object(AnyNote.self, forPrimaryKey: 1)
        var list = live.list.changes.makeAsyncIterator()
        var nested = live.content.changes.makeAsyncIterator()
        var objects = realm.objects(AnyNote.self).changes.makeAsyncIterator()
        guard case .initial(let first)? = try await list.next(),
            case .initial(let inner)? = try await nested.next(),
            case .initial? = try await objects.next()
        else {
            Issue.record("no initial values")
            return
        }
        expectEqual(Array(first), [.int(1), .list([.list([.int(2)])])])
        expectEqual(Array(inner), [.int(1), .dictionary(["k": .list([])])])
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            note.list[1].listValue?[0].listValue?[0] = .int(3)
            note.content.listValue?[1].dictionaryValue?["k"]?.listValue?.append(.bool(true))
            note.content.listValue?.insert(.string("new"), at: 0)
        }
        guard case .update(let values, let delta)? = try await list.next(),
            case .update(let content, let change)? = try await nested.next(),
            case .update(_, let object)? = try await objects.next()
        else {
            Issue.record("no update")
            return
        }
        expectEqual(values[1], .list([.list([.int(3)])]))
        expectTrue(delta.insertions.isEmpty && delta.deletions.isEmpty)
        expectEqual(delta.modifications, [1])
        expectEqual(
            Array(content), [.string("new"), .int(1), .dictionary(["k": .list([.bool(true)])])])
        expectTrue(change.insertions == [0] && change.deletions.isEmpty)
        expectEqual(change.modifications.count, 1)
        expectEqual(object.modifications, [0])
        // The value is removed: all of its contents are deleted.
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            note.content = .int(1)
        }
        guard case .update(let rest, let gone)? = try await nested.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(rest.isEmpty && gone.deletions == [0, 1, 2])
        expectEqual(Array(live.list.current), Array(values))
    }

    // Covers O42
    @Test func deletedObjectsModifyTheValue() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            try tx.add(AnyNote(1, .object(AnyPet("Rex"))))
            try tx.add(AnyNote(2, .int(1)))
        }
        var stream = realm.objects(AnyNote.self).changes.makeAsyncIterator()
        guard case .initial? = try await stream.next() else { return }
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(AnyPet.self, forPrimaryKey: "Rex")))
        }
        guard case .update(let notes, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.modifications == [0] && notes[0].content == .none)
    }

    /// A link nested deep in a value becomes nil: the value counts as modified, and so does its
    /// object.
    @Test func deletedObjectsModifyTheValuesThatTheyLieIn() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let pet = AnyPet("Rex")
            let note = AnyNote(1, .fromArray([.int(1), .fromArray([.none, .object(pet)])]))
            note.map["k"] = .fromDictionary(["in": .fromDictionary(["pet": .object(pet)])])
            try tx.add(note)
            let other = AnyNote(2)
            other.list.append(objectsIn: [.int(1), .fromDictionary(["pet": .object(pet)])])
            try tx.add(other)
            try tx.add(AnyNote(3, .fromArray([.fromArray([])])))
        }
        var notes = realm.objects(AnyNote.self).changes.makeAsyncIterator()
        var content = realm.object(AnyNote.self, forPrimaryKey: 1).content.changes
            .makeAsyncIterator()
        var list = realm.object(AnyNote.self, forPrimaryKey: 2).list.changes.makeAsyncIterator()
        guard case .initial? = try await notes.next(), case .initial? = try await content.next(),
            case .initial? = try await list.next()
        else {
            Issue.record("no initial values")
            return
        }
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(AnyPet.self, forPrimaryKey: "Rex")))
        }
        guard case .update(let now, let all)? = try await notes.next(),
            case .update(_, let inner)? = try await content.next(),
            case .update(_, let elements)? = try await list.next()
        else {
            Issue.record("no update")
            return
        }
        expectEqual(all.modifications, [0, 1])
        expectTrue(inner.modifications == [1] && elements.modifications == [1])
        expectEqual(now[0].content, .list([.int(1), .list([.none, .none])]))
        expectEqual(now[0].map["k"]?["in"]?["pet"], FrozenAnyValue.none)
    }

    /// Where versions are compared, a change within a value is reported as a change of the value,
    /// too.
    // Covers O42
    @Test func comparisonsTellWhatChangedWithin() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let deep = AnyRealmValue.fromDictionary(["k": .fromArray([.int(1)])])
            try tx.add(AnyNote(1, .fromArray([.int(1), deep])))
            try tx.add(AnyNote(2, .fromArray([.int(1), deep])))
            try tx.add(AnyNote(3, .int(1)))
        }
        let results = realm.objects(AnyNote.self)
        var paths = results.changes(keyPaths: [\.content], policy: .newest).makeAsyncIterator()
        var all = results.changes(policy: .newest).makeAsyncIterator()
        var one = realm.object(AnyNote.self, forPrimaryKey: 1).changes(policy: .newest)
            .makeAsyncIterator()
        guard case .initial? = try await paths.next(), case .initial? = try await all.next(),
            case .initial? = try await one.next()
        else {
            Issue.record("no initial elements")
            return
        }
        try await realm.write { tx in
            let notes = tx.objects(AnyNote.self)
            notes[0].content.listValue?[1].dictionaryValue?["k"]?.listValue?[0] = .int(2)
            notes[1].content.listValue?.append(.int(3))
            notes[2].list.append(.int(1))
        }
        guard case .update(_, let named)? = try await paths.next(),
            case .update(_, let reported)? = try await all.next(),
            case .changed(_, let after, let properties)? = try await one.next()
        else {
            Issue.record("no update")
            return
        }
        expectEqual(named.modifications, [0, 1])
        expectEqual(named.modified.map(\.properties), [["content"], ["content"]])
        expectEqual(reported.modified.map(\.properties), [["content"], ["content"], ["list"]])
        expectTrue(properties == ["content"] && after.content[1]?["k"]?[0] == .int(2))
    }
}
