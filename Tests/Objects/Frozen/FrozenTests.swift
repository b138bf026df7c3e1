import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct FrozenTests {
    // Covers 5.41, 5.66
    @Test func snapshotDoesNotChange() async throws {
        let realm = try await Realm.temporary([Message.self])
        try await realm.write { try $0.add(Message("general", "one")) }
        let old = realm.snapshot()
        let oldMessage = try requireValue(old.objects(Message.self).first)
        try await realm.write { tx in
            tx.objects(Message.self)[0].text = "changed"
            try tx.add(Message("general", "two"))
        }
        let new = realm.snapshot()
        expectEqual(old.version + 1, new.version)
        expectEqual(old.objects(Message.self).map(\.text), ["one"])
        expectEqual(new.objects(Message.self).map(\.text), ["changed", "two"])
        expectEqual(oldMessage.text, "one")
        try await realm.write { $0.delete($0.objects(Message.self)) }
        expectTrue(oldMessage.text == "one" && new.objects(Message.self).count == 2)
    }

    @Test func everyTaskSeesACommitOnceWriteHasReturned() async throws {
        let realm = try await Realm.temporary([Person.self])
        for age in 0..<100 {
            try await realm.write { try $0.add(Person("p", age: age)) }
            let seen = await Task.detached { realm.snapshot().objects(Person.self).last?.age }.value
            expectEqual(seen, age)
        }
    }

    @Test func snapshotAtLeastWaitsForTheVersion() async throws {
        let realm = try await Realm.temporary([Person.self])
        let target = realm.snapshot().version + 3
        let waiting = Task { try await realm.snapshot(atLeast: target).version }
        for age in 0..<3 { try await realm.write { try $0.add(Person("p", age: age)) } }
        #expect(try await waiting.value >= target)
        let cancelled = Task { try await realm.snapshot(atLeast: .max).version }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let closed = Task { try await realm.snapshot(atLeast: .max).version }
        await realm.close()
        let error = await #expect(throws: Realm.Error.self) { try await closed.value }
        expectEqual(error?.code, .closed)
    }

    @Test func frozenObjectsAreSentAndReadAnywhere() async throws {
        let realm = try await Realm.temporary([Everything.self])
        let uuid = UUID()
        try await realm.write { tx in
            let thing = Everything()
            thing.id = 3
            thing.uuid = uuid
            thing.maybeText = "there"
            try tx.add(thing)
        }
        let frozen = try requireValue(realm.snapshot().object(Everything.self, forPrimaryKey: 3))
        let read = await Task.detached {
            (frozen.id, frozen.uuid, frozen.maybeText, frozen.maybeDate)
        }.value
        expectTrue(read.1 == uuid && read.2 == "there" && read.3 == nil)
        expectNil(realm.snapshot().object(Everything.self, forPrimaryKey: 4))
    }

    @Test func computedPropertiesOfTheModelWork() async throws {
        let realm = try await Realm.temporary()
        try await realm.write { tx in
            let message = Message("general", "hello")
            message.author = "Ann"
            try tx.add(message)
            let dog = Dog()
            dog.name = "Rex"
            try tx.add(dog)
        }
        let snapshot = realm.snapshot()
        let message = try requireValue(snapshot.objects(Message.self).first)
        let dog = try requireValue(snapshot.objects(Dog.self).first)
        // Twice each: the first read of a key path takes a different code path.
        for _ in 0..<2 {
            expectEqual(message.headline, "Ann: hello")
            expectTrue(!message.isEdited)
            expectEqual(message.author, "Ann")
            expectTrue(dog.shout == "REX" && dog.name == "Rex" && dog.legs == 4)
            expectTrue(dog.breed == "mixed" && dog.chip == 0)
        }
        try await realm.write { $0.objects(Dog.self)[0].name = "Max" }
        let renamed = try requireValue(realm.snapshot().objects(Dog.self).first)
        expectTrue(renamed.shout == "MAX" && renamed.name == "Max" && dog.shout == "REX")
    }

    @Test func untouchedRowsOfTwoSnapshotsAreEqual() async throws {
        let realm = try await Realm.temporary([Person.self, Room.self])
        try await realm.write { tx in
            try tx.add([Person("Ann", age: 1), Person("Bob", age: 2)])
        }
        let old = realm.snapshot().objects(Person.self)
        try await realm.write { tx in
            tx.objects(Person.self)[1].age = 3
            try tx.add(Room("general"))
        }
        let new = realm.snapshot().objects(Person.self)
        expectTrue(old[0] == new[0] && old[0].hashValue == new[0].hashValue)
        expectTrue(old[1] != new[1])
        expectTrue(
            old[1].rowIdentity == new[1].rowIdentity
                && old[0].rowIdentity != old[1].rowIdentity)
        expectEqual(Set([old[0], new[0], old[1], new[1]]).count, 3)
    }

    @Test func objectThatIsMadeAgainIsAnotherRow() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general")) }
        let old = realm.snapshot().objects(Room.self)[0]
        try await realm.write { tx in
            tx.delete(tx.objects(Room.self))
            try tx.add(Room("general"))
        }
        let new = realm.snapshot().objects(Room.self)[0]
        expectTrue(old.name == new.name && old.rowIdentity != new.rowIdentity && old != new)
    }

    // Covers 11.12
    @Test func frozenValuesAreEncoded() async throws {
        let realm = try await Realm.temporary([Message.self, Everything.self])
        let id = try ObjectId(string: "00ff1234567890abcdef0042")
        try await realm.write { tx in
            let message = Message("general", "hello")
            message.id = id
            message.sentAt = Date(timeIntervalSinceReferenceDate: 12.5)
            try tx.add(message)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(realm.snapshot().objects(Message.self))
        expectEqual(
            String(decoding: json, as: UTF8.self),
            "[{\"author\":\"nobody\",\"editedAt\":null,\"id\":\"00ff1234567890abcdef0042\","
                + "\"room\":\"general\",\"sentAt\":12.5,\"text\":\"hello\"}]")
    }

    @Test func rowsOlderThanAPropertyReadItsDefault() async throws {
        // Two classes with the same name stand for two versions of a program.
        let identifier = "defaults-\(UUID())"
        let location = Realm.Configuration.Location.inMemory(identifier: identifier)
        enum Old {
            final class Letter: Object { @Persisted(primaryKey: true) var number: Int }
        }
        enum New {
            final class Letter: Object {
                @Persisted(primaryKey: true) var number: Int
                @Persisted var text = "written later"
                @Persisted var stamp: UUID
                @Persisted var made = UUID()
                @Persisted var note: String?
            }
        }
        let old = try await Realm.open(.init(location: location))
        try await old.write { tx in
            let letter = Old.Letter()
            letter.number = 1
            try tx.add(letter)
        }
        let letters = try LaterProgram.core(of: old)
        let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let before = try requireValue(letters.snapshot().objects(New.Letter.self).first)
        expectTrue(before.text == "written later" && before.stamp == zero && before.note == nil)
        try await letters.write { tx in
            let first = try requireValue(tx.object(New.Letter.self, forPrimaryKey: 1))
            expectTrue(first.text == "written later" && first.made == zero)
            first.note = "noted"
            expectTrue(first.note == "noted" && first.text == "written later")
            let second = New.Letter()
            second.number = 2
            try tx.add(second)
        }
        let after = letters.snapshot().objects(New.Letter.self)
        expectEqual(after.map(\.note), ["noted", nil])
        expectEqual(after.map(\.text), ["written later", "written later"])
        expectTrue(after[0].made == zero && after[1].made != zero)
        // The old program continues, and doesn't touch properties that it doesn't know.
        try await old.write { tx in
            let third = Old.Letter()
            third.number = 3
            try tx.add(third)
        }
        let third = try requireValue(letters.snapshot().object(New.Letter.self, forPrimaryKey: 3))
        expectTrue(third.text == "written later" && third.note == nil)
    }
}
