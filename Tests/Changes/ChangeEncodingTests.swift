import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Change sets as JSON, for clients.
@Suite struct ChangeEncodingTests {
    typealias Guest = Cards.Guest

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    // Covers O52
    @Test func collectionsHaveACompactAndAFullForm() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add([Room("a", topic: "1"), Room("b"), Room("c")]) }
        var stream = realm.objects(Room.self).changes.makeAsyncIterator()
        let first = try #require(try await stream.next())
        let start = realm.snapshot().cursor
        let rooms =
            #"[{"name":"a","topic":"1"},{"name":"b","topic":"nothing yet"},"#
            + #"{"name":"c","topic":"nothing yet"}]"#
        try expectEqual(json(first), #"{"cursor":"\#(start)","initial":\#(rooms)}"#)
        try await realm.write(origin: "x") { tx in
            tx.delete(tx.objects(Room.self).where { $0.name == "b" })
            tx.objects(Room.self)[0].topic = "2"
            try tx.add(Room("d", topic: "4"))
        }
        let second = try #require(try await stream.next())
        guard case .update(_, let delta) = second else {
            Issue.record("no update")
            return
        }
        let end = realm.snapshot()
        let places = #""insertions":[2]"#
        let compact =
            #"{"cursor":"\#(end.cursor)","deletions":[1],\#(places),"modifications":[0],"#
            + #""newModifications":[0],"origins":["x"],"version":\#(end.version)}"#
        try expectEqual(json(delta.compact), compact)
        let decoded = try JSONDecoder().decode(CompactChanges<Int>.self, from: Data(compact.utf8))
        expectEqual(decoded, delta.compact)
        expectEqual(ChangeCursor("\(decoded.cursor)"), end.cursor)
        let full =
            #"{"cursor":"\#(end.cursor)","deleted":[{"name":"b","topic":"nothing yet"}],"#
            + #""deletions":[1],"inserted":[{"name":"d","topic":"4"}],\#(places),"#
            + #""modifications":[0],"modified":[{"new":{"name":"a","topic":"2"},"#
            + #""old":{"name":"a","topic":"1"},"properties":["topic"]}],"newModifications":[0],"#
            + #""origins":["x"],"version":\#(end.version)}"#
        try expectEqual(json(delta), full)
        try expectEqual(json(second), #"{"update":\#(full)}"#)
    }

    // Covers O52
    @Test func objectsAreEncodedByTheKindOfChange() async throws {
        let realm = try await Realm.temporary([Room.self])
        let live = realm.object(Room.self, forPrimaryKey: "a")
        var stream = live.changes.makeAsyncIterator()
        try await expectEqual(json(stream.next()), #"{"initial":null}"#)
        try await realm.write { try $0.add(Room("a", topic: "1")) }
        let one = #"{"name":"a","topic":"1"}"#
        try await expectEqual(json(stream.next()), #"{"inserted":\#(one)}"#)
        try await realm.write { $0.objects(Room.self)[0].topic = "2" }
        let two = #"{"name":"a","topic":"2"}"#
        try await expectEqual(
            json(stream.next()),
            #"{"changed":{"new":\#(two),"old":\#(one),"properties":["topic"]}}"#)
        try await realm.write { $0.delete($0.objects(Room.self)) }
        try await expectEqual(json(stream.next()), #"{"deleted":\#(two)}"#)
    }

    // Covers O52
    @Test func valuesAndMapsAreEncoded() async throws {
        let realm = try await Cards.realm()
        var tags = realm.object(Guest.self, forPrimaryKey: 1).tags.changes.makeAsyncIterator()
        let start = realm.snapshot().cursor
        try await expectEqual(
            json(tags.next()), #"{"cursor":"\#(start)","initial":["a","b"]}"#)
        try await realm.write { tx in
            let tags = try requireValue(tx.object(Guest.self, forPrimaryKey: 1)).tags
            tags[0] = "A"
            tags.remove(at: 1)
            tags.append("c")
        }
        let end = realm.snapshot()
        try await expectEqual(
            json(tags.next()),
            #"{"update":{"cursor":"\#(end.cursor)","deleted":["b"],"deletions":[1],"#
                + #""inserted":["c"],"insertions":[1],"modifications":[0],"#
                + #""modified":[{"new":"A","old":"a"}],"newModifications":[0],"origins":[],"#
                + #""version":\#(end.version)}}"#)

        let maps = try await Realm.temporary(mapClasses)
        try await maps.write { try $0.add(MapKeeper(1)) }
        let scores = maps.object(MapKeeper.self, forPrimaryKey: 1).scores
        var stream = scores.changes.makeAsyncIterator()
        let before = maps.snapshot().cursor
        try await expectEqual(json(stream.next()), #"{"cursor":"\#(before)","initial":{}}"#)
        try await maps.write { $0.objects(MapKeeper.self)[0].scores["a"] = 1 }
        let after = maps.snapshot()
        let change = try #require(try await stream.next())
        guard case .update(_, let delta) = change else {
            Issue.record("no update")
            return
        }
        let places =
            #""insertions":["a"],"modifications":[]"#
        try expectEqual(
            json(delta.compact),
            #"{"cursor":"\#(after.cursor)","deletions":[],\#(places),"origins":[],"#
                + #""version":\#(after.version)}"#)
        try expectEqual(
            json(change),
            #"{"update":{"cursor":"\#(after.cursor)","deleted":[],"deletions":[],"inserted":[1],"#
                + #"\#(places),"modified":[],"origins":[],"version":\#(after.version)}}"#)
    }
}
