import Foundation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Streams of the same query, which share its result, but each begin with their own version.
@Suite struct SharedQueryTests {
    private func rooms(_ realm: Realm) -> LiveResults<Room> {
        realm.objects(Room.self).where { $0.topic == "open" }
    }

    /// Returns what a stream begins with: the names, and the version.
    private func begin(
        _ stream: inout CollectionChanges<Room>.AsyncIterator
    ) async throws -> ([String], UInt64)? {
        guard case .initial(let rooms)? = try await stream.next(isolation: #isolation) else {
            return nil
        }
        return (rooms.map(\.name), rooms.version)
    }

    @Test func aStreamBegunLaterGetsItsOwnVersion() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { tx in try tx.add(Room("a", topic: "open")) }
        let rooms = rooms(realm)
        var early = rooms.changes.makeAsyncIterator()
        try await realm.write { tx in try tx.add(Room("b", topic: "open")) }
        let first = try await begin(&early)
        expectEqual(first?.0, ["a"])
        var late = rooms.changes.makeAsyncIterator()
        let second = try await begin(&late)
        expectEqual(second?.0, ["a", "b"])

        try await realm.write { tx in try tx.add(Room("c", topic: "open")) }
        for stream in [early, late] {
            var stream = stream
            guard case .update(let now, _)? = try await stream.next() else {
                Issue.record("no update")
                continue
            }
            expectEqual(now.map(\.name), ["a", "b", "c"])
        }
    }

    @Test func streamThatBeginsDoesNotGetTheResultOfOneThatReadsThePast() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("test.realm", [Room.self])
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(60))
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.add(Room("a", topic: "open")) }
        let cursor = realm.snapshot().cursor
        for name in ["b", "c", "d"] {
            try await realm.write { tx in try tx.add(Room(name, topic: "open")) }
        }
        let rooms = rooms(realm)
        var past = rooms.changes(policy: .everyCommit, since: cursor).makeAsyncIterator()
        guard case .update(let two, _)? = try await past.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(two.map(\.name), ["a", "b"])
        var present = rooms.changes(policy: .everyCommit).makeAsyncIterator()
        let first = try await begin(&present)
        expectEqual(first?.0, ["a", "b", "c", "d"])
        expectEqual(first?.1, realm.snapshot().version)
        await realm.close()
    }

    /// A result that only one stream uses is edited in place; one that the consumer retains, or
    /// that is the position of two streams, stays unchanged.
    @Test func onlyResultsThatSomebodyHoldsAreCopied() async throws {
        let realm = try await Realm.temporary([Room.self])
        func add(_ name: String) async throws {
            try await realm.write { tx in try tx.add(Room(name, topic: "open")) }
        }
        func copies() async -> Int { realm.stats().copiedResults }
        for name in ["a", "b"] { try await add(name) }
        let sorted = rooms(realm).sorted(by: \.name, ascending: false)
        var stream = sorted.changes.makeAsyncIterator()
        _ = try await stream.next()
        for name in ["c", "d", "e"] {
            try await add(name)
            try await expectEqual(stream.next()?.collection.first?.name, name)
        }
        await expectEqual(copies(), 0)

        let kept = try await {
            try await add("f")
            return try await stream.next()?.collection
        }()
        try await add("g")
        try await expectEqual(stream.next()?.collection.count, 7)
        await expectEqual(copies(), 1)
        expectEqual(kept?.map(\.name), ["f", "e", "d", "c", "b", "a"])

        var other = sorted.changes.makeAsyncIterator()
        _ = try await other.next()
        try await add("h")
        try await expectEqual(stream.next()?.collection.first?.name, "h")
        try await expectEqual(other.next()?.collection.map(\.name).joined(), "hgfedcba")
        await expectEqual(copies(), 2)
    }

    @Test func streamThatReadsThePastSkipsNothingWhenTheRealmIsClosed() async throws {
        for policy in [ChangePolicy.everyCommit, .coalesce] {
            let folder = try RealmFolder()
            var configuration = folder.configuration("test.realm", [Room.self])
            configuration.historyRetention = Realm.HistoryRetention(age: .seconds(60))
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in try tx.add(Room("a", topic: "open")) }
            let cursor = realm.snapshot().cursor
            for name in ["b", "c", "d"] {
                try await realm.write { tx in try tx.add(Room(name, topic: "open")) }
            }
            var past = rooms(realm).changes(policy: policy, since: cursor).makeAsyncIterator()
            guard case .update(let first, _)? = try await past.next() else {
                Issue.record("no update")
                return
            }
            try await realm.write { tx in try tx.add(Room("e", topic: "open")) }
            await realm.close()
            let second = try await past.next()
            if policy == .everyCommit {
                expectTrue(first.map(\.name) == ["a", "b"] && second == nil)
            } else {
                expectEqual(first.map(\.name), ["a", "b", "c", "d"])
                expectEqual(second?.collection.map(\.name), ["a", "b", "c", "d", "e"])
            }
        }
    }

    // Covers O8
    @Test func endedStreamsKeepNothingWhileTheirIteratorsExist() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { tx in try tx.add(Room("a", topic: "open")) }
        let hub = realm.core.coordinator.hub
        var stream = rooms(realm).changes.makeAsyncIterator()
        var commits = realm.commits.makeAsyncIterator()
        _ = try await begin(&stream)
        await realm.close()
        try await expectNil(stream.next())
        try await expectNil(commits.next())
        expectTrue(hub.isIdle)
        // still ended
        try await expectNil(stream.next())
        try await expectNil(commits.next())
    }
}
