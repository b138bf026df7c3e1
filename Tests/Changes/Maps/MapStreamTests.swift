import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct MapStreamTests {
    private func realm(_ folder: RealmFolder? = nil) async throws -> Realm {
        let realm =
            if let folder {
                try await Realm.open(folder.configuration("maps.realm", mapClasses))
            } else {
                try await Realm.temporary(mapClasses)
            }
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            keeper.scores["b"] = 2
            keeper.pets["rex"] = MapPet("Rex")
            keeper.pets["max"] = MapPet("Max")
            keeper.notes["n"] = MapNote("hi")
            try tx.add(keeper)
        }
        return realm
    }

    private typealias Reported = (
        deletions: [String], insertions: [String], modifications: [String]
    )

    private func next<V>(
        _ iterator: inout MapChanges<String, V>.AsyncIterator
    ) async throws -> Reported? {
        guard case .update(_, let delta)? = try await iterator.next(isolation: #isolation) else {
            return nil
        }
        return (delta.deletions, delta.insertions, delta.modifications)
    }

    // Covers 4.39, 4.40, O40
    @Test func changesAreToldByKeys() async throws {
        let realm = try await realm()
        var stream = realm.object(MapKeeper.self, forPrimaryKey: 1).scores.changes
            .makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial map")
            return
        }
        expectEqual(first.dictionary, ["a": 1, "b": 2])
        try await realm.write { tx in
            let keeper = tx.objects(MapKeeper.self)[0]
            keeper.scores["a"] = nil
            keeper.scores["b"] = 2
            keeper.scores["d"] = 4
            keeper.scores["c"] = 3
        }
        guard case .update(let map, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(map.dictionary == ["b": 2, "c": 3, "d": 4] && delta.old == first)
        expectTrue(delta.deletions == ["a"] && delta.insertions == ["c", "d"])
        expectTrue(delta.modifications == ["b"] && delta.version == map.version)
        expectTrue(delta.deleted == [1] && delta.inserted == [3, 4])
        expectEqual(delta.modified.map(\.new), [2])
    }

    // Covers 4.42, O40
    @Test func keyThatIsRemovedAndMadeAgainIsInBoth() async throws {
        let realm = try await realm()
        var stream = realm.object(MapKeeper.self, forPrimaryKey: 1).scores.changes
            .makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            tx.objects(MapKeeper.self)[0].scores["a"] = nil
            tx.objects(MapKeeper.self)[0].scores["a"] = 5
        }
        let reported = try #require(try await next(&stream))
        expectTrue(
            reported.deletions == ["a"] && reported.insertions == ["a"]
                && reported.modifications.isEmpty)
    }

    // Covers 4.28, 4.40, 4.41, O40
    @Test func objectThatChangesOrIsDeletedModifiesItsKey() async throws {
        let realm = try await realm()
        let live = realm.object(MapKeeper.self, forPrimaryKey: 1)
        var pets = live.pets.changes.makeAsyncIterator()
        var notes = live.notes.changes.makeAsyncIterator()
        _ = try await pets.next()
        _ = try await notes.next()
        try await realm.write { $0.object(MapPet.self, forPrimaryKey: "Rex")?.age = 4 }
        try await expectEqual(next(&pets)?.modifications, ["rex"])
        try await realm.write { tx in
            let friends = (0..<4).map { MapPet("friend \($0)") }
            for (a, b) in zip(friends, friends.dropFirst()) { a.friend = b }
            tx.object(MapPet.self, forPrimaryKey: "Max")?.friend = friends[0]
        }
        try await expectEqual(next(&pets)?.modifications, ["max"])
        // Three links from Max are followed, the fourth isn't.
        try await realm.write { $0.object(MapPet.self, forPrimaryKey: "friend 2")?.age = 1 }
        try await expectEqual(next(&pets)?.modifications, ["max"])
        try await realm.write { tx in
            tx.object(MapPet.self, forPrimaryKey: "friend 3")?.age = 1
            tx.delete(tx.object(MapPet.self, forPrimaryKey: "Rex")!)
        }
        let reported = try #require(try await next(&pets))
        expectTrue(reported.modifications == ["rex"] && reported.deletions.isEmpty)
        expectEqual(live.pets["rex"], .some(nil))
        try await realm.write { $0.objects(MapKeeper.self)[0].notes["n"]??.text = "ho" }
        try await expectEqual(next(&notes)?.modifications, ["n"])
    }

    // Covers 4.43, O40
    @Test func deletedOwnerDeletesAllKeysAndTheNextOneInserts() async throws {
        let realm = try await realm()
        let live = realm.object(MapKeeper.self, forPrimaryKey: 1)
        var stream = live.scores.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { $0.delete($0.objects(MapKeeper.self)) }
        try await expectEqual(next(&stream)?.deletions, ["a", "b"])
        expectTrue(live.scores.current.isEmpty && live.scores.count == 0)
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["z"] = 1
            try tx.add(keeper)
        }
        try await expectEqual(next(&stream)?.insertions, ["z"])
    }

    // Covers O40
    @Test func streamGoesOnFromACursor() async throws {
        let folder = try RealmFolder()
        let realm = try await realm(folder)
        let live = realm.object(MapKeeper.self, forPrimaryKey: 1)
        let cursor = live.scores.current.cursor
        try await realm.write { $0.objects(MapKeeper.self)[0].scores["a"] = 3 }
        try await realm.write { $0.objects(MapKeeper.self)[0].scores["q"] = 3 }
        var stream = live.scores.changes(since: cursor).makeAsyncIterator()
        let reported = try #require(try await next(&stream))
        expectTrue(reported.insertions == ["q"] && reported.modifications == ["a"])
        var every = live.scores.changes(policy: .everyCommit, since: cursor).makeAsyncIterator()
        try await expectEqual(next(&every)?.modifications, ["a"])
        try await expectEqual(next(&every)?.insertions, ["q"])
        await realm.close()
    }

    // Covers 4.28, O40
    @Test func mapIsAPropertyOfItsObjectInOtherStreams() async throws {
        let realm = try await realm()
        var deep = realm.objects(MapKeeper.self).changes.makeAsyncIterator()
        var paths = realm.objects(MapKeeper.self).changes(keyPaths: [\.scores]).makeAsyncIterator()
        _ = try await deep.next()
        _ = try await paths.next()
        func properties(
            _ iterator: inout CollectionChanges<MapKeeper>.AsyncIterator
        ) async throws -> [String] {
            guard case .update(_, let delta)? = try await iterator.next(isolation: #isolation)
            else { return [] }
            return delta.modified.flatMap(\.properties)
        }
        try await realm.write { $0.objects(MapKeeper.self)[0].scores["a"] = 9 }
        try await expectEqual(properties(&deep), ["scores"])
        try await expectEqual(properties(&paths), ["scores"])
        try await realm.write { $0.object(MapPet.self, forPrimaryKey: "Rex")?.age = 9 }
        try await expectEqual(properties(&deep), ["pets"])
        try await realm.write { $0.objects(MapKeeper.self)[0].notes["n"]??.text = "x" }
        try await expectEqual(properties(&deep), ["notes"])
        try await realm.write { $0.objects(MapKeeper.self)[0].scores["x"] = 9 }
        try await expectEqual(properties(&paths), ["scores"])
    }
}
