import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Carries objects out of a body, as an error or `nonisolated(unsafe)` can. Guard of the
/// `@unchecked Sendable`: one task uses it, in the body and after it.
private final class Smuggler: @unchecked Sendable {
    var rooms: [Room] = []
}

private struct Refusal: Error {}

/// The effects of a body that returns, throws or is cancelled, and of deletions.
@Suite struct TransactionRuleTests {
    // Covers 1.9, 5.42, 12.21
    @Test func bodyThatThrowsLeavesEverythingAsItWasAndItsAccessorsDead() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add([Room("kept", topic: "old"), Room("deleted")]) }
        let before = realm.snapshot()
        let smuggler = Smuggler()
        await #expect(throws: Refusal.self) {
            try await realm.write { tx in
                let kept = try requireValue(tx.object(Room.self, forPrimaryKey: "kept"))
                kept.topic = "new"
                let deleted = try requireValue(tx.object(Room.self, forPrimaryKey: "deleted"))
                tx.delete(deleted)
                let added = Room("added")
                try tx.add(added)
                smuggler.rooms = [kept, deleted, added]
                throw Refusal()
            }
        }
        expectEqual(smuggler.rooms.map(\.isInvalidated), [true, true, true])
        expectEqual(smuggler.rooms.map(\.isManaged), [true, true, true])
        expectEqual(realm.snapshot().version, before.version)
        let rooms = realm.snapshot().objects(Room.self)
        expectEqual(rooms.map(\.name), ["kept", "deleted"])
        expectEqual(rooms.map(\.topic), ["old", "nothing yet"])
        expectTrue(rooms.elementsEqual(before.objects(Room.self)))
        // Another write continues from there.
        try await realm.write { try $0.add(Room("added")) }
        expectEqual(realm.snapshot().objects(Room.self).count, 3)
    }

    // Covers 5.36
    @Test func writeReturnsTheValueOfItsBody() async throws {
        let realm = try await Realm.temporary([Room.self])
        let count: Int = try await realm.write { tx in
            try tx.add([Room("a"), Room("b")])
            return tx.objects(Room.self).count
        }
        expectEqual(count, 2)
        try await expectEqual(realm.write { _ in "nothing changed" }, "nothing changed")
    }

    // Covers 12.20
    @Test func writeThatIsCancelledWhileItWaitsDoesNotRunItsBody() async throws {
        let realm = try await Realm.temporary([Room.self])
        let (waits, signal) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            for await _ in waits { break }
            try await realm.write { try $0.add(Room("waiting")) }
        }
        try await realm.write { tx in
            try tx.add(Room("first"))
            signal.yield()
            waiting.cancel()
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["first"])
    }

    // Covers 7.59
    @Test func deletionThroughOneAccessorInvalidatesTheOthersAndAKeyMadeAgainIsAnotherRow()
        async throws
    {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { tx in
            let old = Room("general", topic: "old")
            try tx.add(old)
            let other = try requireValue(tx.object(Room.self, forPrimaryKey: "general"))
            tx.delete(other)
            expectTrue(old.isInvalidated && other.isInvalidated)
            let new = Room("general", topic: "new")
            try tx.add(new)
            expectTrue(old.isInvalidated && other.isInvalidated && !new.isInvalidated)
            expectTrue(!new.isSameObject(as: old))
            expectEqual(tx.objects(Room.self).map(\.topic), ["new"])
        }
    }

    // Covers 7.53
    @Test func resultsAreDeletedAsOneAndSequencesInOrder() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            try tx.add((0..<100).map { Person("p", age: $0) })
            tx.delete(tx.objects(Person.self).where { $0.age >= 10 })
            expectEqual(tx.objects(Person.self).map(\.age), Array(0..<10))
            let people = tx.objects(Person.self)
            tx.delete([people[9], people[0], people[5]])
            expectEqual(people.map(\.age), [1, 2, 3, 4, 6, 7, 8])
            tx.delete(people.where { $0.age > 100 })
            expectEqual(people.count, 7)
            tx.delete(people)
            expectTrue(people.isEmpty)
        }
    }

    // Covers 7.29
    @Test func addingADeletedObjectThrows() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { tx in
            let room = Room("general")
            try tx.add(room)
            tx.delete(room)
            let error = #expect(throws: Realm.Error.self) { try tx.add(room) }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains("A deleted Room was passed to add"), true)
            try tx.add(Room("random"))
        }
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["random"])
    }

    // Covers 7.57
    @Test func settingAPropertyOfADeletedObjectFailsTheTransaction() async throws {
        let realm = try await Realm.temporary([Room.self])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let room = Room("general")
                try tx.add(room)
                tx.delete(room)
                room.topic = "too late"
            }
        }
        expectTrue(error?.code == .invalidInput && error?.property == "topic")
        expectEqual(error?.message.contains("Room.topic of a deleted object was used"), true)
    }
}
