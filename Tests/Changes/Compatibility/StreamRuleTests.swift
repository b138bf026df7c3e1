import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The start and end of streams, and their interaction with writes.
@Suite struct StreamRuleTests {
    // Covers 4.18, O6
    @Test func streamInACancelledTaskEndsAtOnce() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general")) }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for try await _ in realm.objects(Room.self).changes { count += 1 }
            for try await _ in realm.object(Room.self, forPrimaryKey: "general").changes {
                count += 1
            }
            for try await _ in realm.commits { count += 1 }
            return count
        }
        try await expectEqual(task.value, 0)
        expectEqual(realm.stats().streams, 0)
    }

    @Test func writeInTheLoopComesWithTheNextElement() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 0)) }
        var received: [[Int]] = []
        for try await change in realm.objects(Person.self).changes {
            switch change {
            case .initial(let people): received.append(people.map(\.age))
            case .update(let people, let delta):
                expectEqual(delta.modifications, [0])
                received.append(people.map(\.age))
            }
            if received.count == 4 { break }
            let age = received.count
            try await realm.write { $0.objects(Person.self)[0].age = age }
        }
        expectEqual(received, [[0], [1], [2], [3]])
    }

    @Test func streamThatStartsInAnothersLoopBeginsWithItsOwnInitial() async throws {
        let realm = try await Realm.temporary([Person.self])
        var outer = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&outer)
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        try await expectEqual(nextUpdate(&outer).1.insertions, [0])
        var inner = realm.objects(Person.self).changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&inner).count, 1)
    }

    // Covers 4.26, O12
    @Test func deletionAndReCreationWithOneKeyIsADeletionAndAnInsertion() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add([Room("a"), Room("b"), Room("c")]) }
        let byName = realm.objects(Room.self).sorted(by: \.name)
        var sorted = byName.changes.makeAsyncIterator()
        var unsorted = realm.objects(Room.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&sorted)
        _ = try await nextInitial(&unsorted)
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(Room.self, forPrimaryKey: "b")))
            try tx.add(Room("b", topic: "new"))
        }
        let (rooms, delta) = try await nextUpdate(&sorted)
        expectEqual(rooms.map(\.name), ["a", "b", "c"])
        expectTrue(delta.deletions == [1] && delta.insertions == [1] && delta.modifications == [])
        expectEqual(delta.deleted.map(\.topic), ["nothing yet"])
        expectEqual(delta.inserted.map(\.topic), ["new"])
        let (_, other) = try await nextUpdate(&unsorted)
        expectTrue(other.deletions == [1] && other.insertions == [2] && other.modifications == [])
    }

    // Covers 4.37
    @Test func streamGoesOnWhenAnotherProgramAddsAProperty() async throws {
        enum Old {
            final class Note: Object { @Persisted var text: String }
        }
        enum New {
            final class Note: Object {
                @Persisted var text: String
                @Persisted var stars: Int
            }
        }
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(Old.Note()) }
        var stream = realm.objects(Old.Note.self).sorted(by: \.text).changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).count, 1)
        let later = try LaterProgram.core(of: realm)
        try await later.write { tx in
            let note = New.Note()
            note.text = "later"
            note.stars = 3
            try tx.add(note)
        }
        let (notes, delta) = try await nextUpdate(&stream)
        expectTrue(notes.map(\.text) == ["", "later"] && delta.insertions == [1])
        expectTrue(delta.deletions == [] && delta.modifications == [])
        try await later.write { tx in
            let note = tx.objects(New.Note.self)[0]
            note.stars = 5
            note.text = "first"
        }
        let (changed, change) = try await nextUpdate(&stream)
        expectEqual(changed.map(\.text), ["first", "later"])
        expectEqual(change.modified.map(\.properties), [["text"]])
    }

    @Test func actorIteratesInATaskOfItsOwn() async throws {
        actor Screen {
            var shown: [Int] = []

            func show(_ realm: Realm, until count: Int) async throws {
                for try await change in realm.objects(Person.self).changes {
                    assertIsolated()
                    switch change {
                    case .initial(let people), .update(let people, _): shown = people.map(\.age)
                    }
                    if shown.count == count { break }
                }
            }
        }
        let realm = try await Realm.temporary([Person.self])
        let screen = Screen()
        let task = Task { try await screen.show(realm, until: 20) }
        for age in 0..<20 { try await realm.write { try $0.add(Person("p", age: age)) } }
        try await task.value
        await expectEqual(screen.shown, Array(0..<20))
    }
}
