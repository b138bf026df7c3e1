import RegnumEngine
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
        expectEqual(places(), ["RealmTests/HeldPlaceTests.swift:\(line)"])
        let roomLine = #line + 1
        let room = realm.object(Room.self, forPrimaryKey: "general")
        let frozen = room.current
        let expected = [line, roomLine].map { "RealmTests/HeldPlaceTests.swift:\($0)" }
        expectEqual(places(), Set(expected))
        withExtendedLifetime((current, frozen)) {}
    }

    @Test func whatStreamsHoldIsShownWithTheLineThatMadeThem() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        let line = #line + 1
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        let first = try await stream.next()
        let places = Set(realm.stats().snapshots.map(\.place))
        expectEqual(places, ["RealmTests/HeldPlaceTests.swift:\(line)"])
        withExtendedLifetime(first) {}
    }

    /// After the realm has switched to a checkpoint, a snapshot from before alone keeps the memory
    /// of everything that was written until then.
    @Test func whatASnapshotHoldsIsShownAfterAReload() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration())
        let byteCount = 6_000_000
        let text = String(repeating: "x", count: 1_000)
        let old = try await realm.snapshot(afterWriting: { tx in
            for number in 0..<byteCount / 1_000 { try tx.add(Room("\(number) \(text)")) }
        }).snapshot
        let deadline = ContinuousClock.now + .seconds(400)
        while realm.core.coordinator.statistics.reloads == 0, ContinuousClock.now < deadline {
            await Task.yield()
        }
        let statistics = realm.stats()
        expectEqual(statistics.snapshots.map(\.version), [old.version])
        expectTrue(statistics.snapshots.allSatisfy { $0.heldByteCount > byteCount })
        expectTrue(statistics.heapByteCount > byteCount)
        _ = consume old
        expectTrue(realm.stats().heapByteCount < byteCount)
        await realm.close()
    }
}
