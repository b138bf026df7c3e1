import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The holders of old versions named by the statistics.
@Suite struct HeldPlaceTests {
    @Test func whatHandlesHoldIsShownWithTheLineThatMadeThem() async throws {
        let realm = try await Realm.temporary([Room.self, Person.self])
        try await realm.write { tx in
            try tx.add(Room("general"))
            try tx.add(Person("Ann", age: 1))
        }
        func places() -> Set<String> { Set(realm.stats().snapshots.map(\.place)) }
        let line = #line + 1
        let people = realm.objects(Person.self)
        let current = people.where { $0.age > 0 }.current
        #expect(places() == ["RealmTests/HeldPlaceTests.swift:\(line)"])
        let roomLine = #line + 1
        let room = realm.object(Room.self, forPrimaryKey: "general")
        let frozen = room.current
        let expected = [line, roomLine].map { "RealmTests/HeldPlaceTests.swift:\($0)" }
        #expect(places() == Set(expected))
        withExtendedLifetime((current, frozen)) {}
    }

    @Test func whatStreamsHoldIsShownWithTheLineThatMadeThem() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        let line = #line + 1
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        let first = try await stream.next()
        let places = Set(realm.stats().snapshots.map(\.place))
        #expect(places == ["RealmTests/HeldPlaceTests.swift:\(line)"])
        withExtendedLifetime(first) {}
    }
}
