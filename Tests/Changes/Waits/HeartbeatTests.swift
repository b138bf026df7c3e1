import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

@Suite struct HeartbeatTests {
    /// A commit that the stream hasn't examined yet may arrive before the position is read.
    // Covers O50
    @Test func theNextCommitDoesNotMoveThePositionBack() async throws {
        let realm = try await Realm.temporary([Person.self, Room.self])
        try await realm.write { try $0.add(Room("general")) }
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { try $0.add(Room("random")) }
        let position = realm.snapshot().cursor
        guard case .timedOut = try await stream.next(within: .zero) else {
            Issue.record("no time-out")
            return
        }
        expectEqual(stream.cursor, position)
        try await realm.write { try $0.add(Person("a", age: 1)) }
        expectEqual(stream.cursor, position)
        _ = try await stream.next()
        expectEqual(stream.cursor, realm.snapshot().cursor)
    }

    // Covers O50
    @Test func aQuietStreamBeats() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(
            .init(location: .file(folder["a.realm"]), objectTypes: [Person.self, Room.self]))
        let clock = ManualClock()
        let people = realm.objects(Person.self)
        var events = people.changes.heartbeats(every: .seconds(15), clock: clock)
            .makeAsyncIterator()
        guard case .change(.initial, let start)? = try await events.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(start, realm.snapshot().cursor)
        // does not concern the stream, but moves its position
        try await realm.write { try $0.add(Room("general")) }
        let position = realm.snapshot().cursor
        let time = Task {
            try await clock.sleeps(1)
            clock.advance(by: .seconds(14))
            expectEqual(clock.sleeperCount, 1)
            clock.advance(by: .seconds(1))
            try await clock.sleeps(2)
            clock.advance(by: .seconds(15))
        }
        for _ in 0..<2 {
            guard case .heartbeat(let cursor)? = try await events.next() else {
                Issue.record("no heartbeat")
                return
            }
            expectTrue(cursor == position && cursor != start)
        }
        try await time.value
        try await realm.write { try $0.add(Person("a", age: 1)) }
        let event = try await events.next()
        guard case .update(_, let delta)? = event?.change else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.insertions == [0] && event?.cursor == delta.cursor)
        expectEqual(clock.sleeperCount, 0)

        var resumed = people.changes(since: position).makeAsyncIterator()
        expectEqual(resumed.cursor, position)
        guard case .update(_, let again)? = try await resumed.next() else {
            Issue.record("nothing since the heartbeat")
            return
        }
        expectEqual(again.insertions, [0])
        expectEqual(resumed.cursor, delta.cursor)
        await realm.close()
        expectTrue(try await events.next() == nil)
    }

    // Covers O50, O24
    @Test func aReplacedObjectHasItsPositionAfterTheSecondElement() async throws {
        let realm = try await Realm.temporary([Room.self, Person.self])
        try await realm.write { try $0.add(Room("general", topic: "old")) }
        let live = realm.object(Room.self, forPrimaryKey: "general")
        let clock = ManualClock()
        var events = live.changes.heartbeats(every: .seconds(1), clock: clock).makeAsyncIterator()
        _ = try await events.next()
        // A commit that doesn't wake the waiting stream still moves its position, which doesn't go
        // back.
        let time = Task {
            try await clock.sleeps(1)
            var commits = realm.commits.makeAsyncIterator()
            try await realm.write { try $0.add(Person("a", age: 1)) }
            _ = try await commits.next()
            clock.advance(by: .seconds(1))
        }
        guard case .heartbeat(let start)? = try await events.next() else {
            Issue.record("no heartbeat")
            return
        }
        try await time.value
        expectEqual(start, realm.snapshot().cursor)
        try await realm.write { tx in
            tx.delete(tx.objects(Room.self))
            try tx.add(Room("general", topic: "new"))
        }
        guard case .change(.deleted, let between)? = try await events.next(),
            case .change(.inserted, let after)? = try await events.next()
        else {
            Issue.record("not a deletion and an insertion")
            return
        }
        expectEqual(between, start)
        expectEqual(after, realm.snapshot().cursor)
    }

    // Covers O50
    @Test func anyStreamIsHandledByOneFunction() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        try await expectEqual(firstBeat(realm.commits, clock), realm.snapshot().cursor)
    }

    /// Returns the position of the first heartbeat, like a route that takes any stream.
    private func firstBeat(
        _ stream: some ChangeStream, _ clock: ManualClock
    ) async throws -> ChangeCursor? {
        let time = Task {
            try await clock.sleeps(1)
            clock.advance(by: .seconds(1))
        }
        defer { time.cancel() }
        var events = stream.heartbeats(every: .seconds(1), clock: clock).makeAsyncIterator()
        guard case .heartbeat(let cursor)? = try await events.next() else { return nil }
        return cursor
    }
}
