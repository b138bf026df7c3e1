import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class TwoKeys: Object {
    @Persisted(primaryKey: true) var first: Int
    @Persisted(primaryKey: true) var second: String
}

private final class Nothing: Object {
    var plain = 1
}

private final class ClassWithANameOfMoreThanFiftySevenBytesInItsUtf8FormWhichIsTheLimit: Object {
    @Persisted var number: Int
}

private final class `With.Dot`: Object {
    @Persisted var number: Int
}

private final class LongProperty: Object {
    @Persisted var propertyWithANameOfMoreThanSixtyThreeBytesInItsUtf8FormWhichIsTheLimit: Int
}

/// Versions of a program's class.
private enum First {
    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var text: String
        @Persisted var price: Double?
    }
}

private enum OtherTypes {
    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var text: Int
        @Persisted var price: Double
    }
}

private enum OtherKey {
    final class Item: Object {
        @Persisted var number: Int
        @Persisted(primaryKey: true) var text: String
        @Persisted var price: Double?
    }
}

private enum NoKey {
    final class Item: Object {
        @Persisted var text: String
    }
}

private enum Less {
    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int
    }
}

/// Returns what the next element of a stream throws.
private func errorOfNext<Iterator: AsyncIteratorProtocol>(
    _ iterator: inout Iterator
) async -> Realm.Error? {
    do {
        _ = try await iterator.next(isolation: #isolation)
        Issue.record("the stream did not throw")
        return nil
    } catch {
        return error as? Realm.Error
    }
}

@Suite struct SchemaTests {
    // Covers 1.61, 1.69, 1.74, 1.76, 1.77, 12.29, .invalidInput
    @Test func mistakesOfAllClassesAreToldTogether() async throws {
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.temporary([
                TwoKeys.self, Nothing.self, LongProperty.self, Room.self, Object.self,
                `With.Dot`.self,
                ClassWithANameOfMoreThanFiftySevenBytesInItsUtf8FormWhichIsTheLimit.self,
            ])
        }
        let lines = error?.message.split(separator: "\n").map(String.init) ?? []
        expectEqual(error?.code, .invalidInput)
        expectTrue(lines.contains { $0.contains("TwoKeys has 2 primary keys: first, second") })
        expectTrue(lines.contains { $0.contains("Nothing has no @Persisted properties") })
        expectTrue(lines.contains { $0.contains("LongProperty.propertyWith") && $0.contains("63") })
        expectTrue(lines.contains { $0.contains("ClassWithAName") && $0.contains("57") })
        expectTrue(lines.contains { $0.contains("With.Dot") && $0.contains("reserved") })
        expectTrue(lines.contains { $0.contains("Object is not a model class") })
        expectTrue(!lines.contains { $0.contains("Room") })
    }

    // Covers 1.69
    @Test func mistakeInAClassThatJoinsLaterIsThrownByWriteReadAndStream() async throws {
        let realm = try await Realm.temporary()
        let added = await #expect(throws: Realm.Error.self) {
            try await realm.write { try $0.add(TwoKeys()) }
        }
        expectTrue(added?.code == .invalidInput && added?.className == "TwoKeys")
        let read = await #expect(throws: Realm.Error.self) {
            try await realm.read { $0.objects(Nothing.self).count }
        }
        expectEqual(read?.code, .invalidInput)
        var stream = realm.objects(Nothing.self).changes.makeAsyncIterator()
        let streamed = await errorOfNext(&stream)
        expectEqual(streamed?.code, .invalidInput)
        try await expectNil(stream.next())
    }

    // Covers 1.18
    @Test func classesOfOneNameClash() async throws {
        let listed = await #expect(throws: Realm.Error.self) {
            try await Realm.temporary([First.Item.self, Less.Item.self])
        }
        expectEqual(listed?.code, .invalidInput)
        expectEqual(listed?.message.contains("Item"), true)
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(First.Item()) }
        let joined = await #expect(throws: Realm.Error.self) {
            try await realm.write { try $0.add(Less.Item()) }
        }
        expectEqual(joined?.code, .invalidInput)
        try await realm.write { $0.objects(First.Item.self)[0].text = "still fine" }
    }

    // Covers 1.74, 5.10, 6.2, 12.12, .schemaMismatch
    @Test func listedClassThatDiffersIsRefusedAtOpen() async throws {
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(First.Item()) }
        let error = #expect(throws: Realm.Error.self) {
            try LaterProgram.core(of: realm, [OtherTypes.Item.self])
        }
        expectEqual(error?.code, .schemaMismatch)
        expectTrue(error?.className == "Item" && error?.property == "text")
        let message = error?.message ?? ""
        expectTrue(message.contains("Item.text is declared as Int, but stored as String"))
        expectTrue(message.contains("Item.price is declared as Double, but stored as Double?"))
        _ = try LaterProgram.core(of: realm, [Less.Item.self])
    }

    @Test func classThatDiffersIsRefusedByWriteReadAndStreamWhenItJoinsLater() async throws {
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(First.Item()) }
        let version = realm.snapshot().version
        let later = try LaterProgram.core(of: realm)
        let errors = [
            await #expect(throws: Realm.Error.self) {
                try await later.write { try $0.add(OtherTypes.Item()) }
            },
            await #expect(throws: Realm.Error.self) {
                try await later.write { tx in
                    for item in tx.objects(OtherTypes.Item.self) { item.text = 1 }
                }
            },
            await #expect(throws: Realm.Error.self) {
                try await later.read { $0.objects(OtherTypes.Item.self).count }
            },
            await #expect(throws: Realm.Error.self) {
                var stream = later.objects(OtherTypes.Item.self).changes.makeAsyncIterator()
                _ = try await stream.next()
            },
            await #expect(throws: Realm.Error.self) {
                let handle = later.object(OtherTypes.Item.self, forPrimaryKey: 1)
                var stream = handle.changes.makeAsyncIterator()
                _ = try await stream.next()
            },
        ]
        for error in errors {
            expectEqual(error?.code, .schemaMismatch)
            expectTrue(error?.className == "Item" && error?.property == "text")
        }
        #expect(throws: Realm.Error.self) {
            try later.snapshot().read { $0.objects(OtherTypes.Item.self).isEmpty }
        }
        expectEqual(realm.snapshot().version, version)
    }

    // Covers 6.2
    @Test func primaryKeyThatDiffersIsAMismatch() async throws {
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(First.Item()) }
        let moved = #expect(throws: Realm.Error.self) {
            try LaterProgram.core(of: realm, [OtherKey.Item.self])
        }
        expectEqual(moved?.code, .schemaMismatch)
        expectEqual(moved?.message.contains("Item.number is stored as the primary key"), true)
        expectEqual(moved?.message.contains("Item.text is declared as the primary key"), true)
        let missing = #expect(throws: Realm.Error.self) {
            try LaterProgram.core(of: realm, [NoKey.Item.self])
        }
        expectEqual(missing?.message.contains("primary key number"), true)
    }

    // Covers 6.2
    @Test func whatTheClassLacksIsLeftAlone() async throws {
        let realm = try await Realm.temporary()
        try await realm.write { tx in
            let item = First.Item()
            item.text = "kept"
            item.price = 2
            try tx.add(item)
        }
        let later = try LaterProgram.core(of: realm)
        try await later.write { tx in
            expectTrue(tx.object(Less.Item.self, forPrimaryKey: 0) != nil)
            let item = Less.Item()
            item.number = 1
            try tx.add(item)
        }
        let items = realm.snapshot().objects(First.Item.self)
        expectTrue(items.map(\.text) == ["kept", ""] && items.map(\.price) == [2, nil])
    }

    // Covers 5.29
    @Test func openingAgainGivesTheSameActor() async throws {
        let configuration = Realm.Configuration(
            location: .inMemory(identifier: "same-\(UUID())"), objectTypes: [Room.self])
        let first = try await Realm.open(configuration)
        let second = try await Realm.open(configuration)
        expectTrue(first === second)
        var other = configuration
        other.objectTypes = [Room.self, Person.self]
        let error = await #expect(throws: Realm.Error.self) { try await Realm.open(other) }
        expectEqual(error?.code, .alreadyOpen)
        await first.close()
        let reopened = try await Realm.open(other)
        expectTrue(reopened !== first && !reopened.isClosed)
    }

    // Covers 5.3, 13.8
    @Test func memoryOfARealmIsGoneWhenNobodyHoldsIt() async throws {
        let configuration = Realm.Configuration(location: .inMemory(identifier: "gone-\(UUID())"))
        try await Realm.open(configuration).write { try $0.add(Room("general")) }
        #expect(try await Realm.open(configuration).snapshot().objects(Room.self).isEmpty)
    }

    @Test func closedRealmThrowsAndItsFrozenValuesStay() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general")) }
        let frozen = try requireValue(realm.snapshot().objects(Room.self).first)
        let live = realm.object(Room.self, forPrimaryKey: "general")
        await realm.close()
        await realm.close()
        expectTrue(realm.isClosed)
        let write = await #expect(throws: Realm.Error.self) {
            try await realm.write { try $0.add(Room("other")) }
        }
        let read = await #expect(throws: Realm.Error.self) { try await realm.read { $0.version } }
        var stream = live.changes.makeAsyncIterator()
        let streamed = await errorOfNext(&stream)
        expectEqual([write?.code, read?.code, streamed?.code], [.closed, .closed, .closed])
        expectTrue(frozen.name == "general" && live.current?.topic == "nothing yet")
        expectEqual(realm.snapshot().objects(Room.self).count, 1)
    }
}
