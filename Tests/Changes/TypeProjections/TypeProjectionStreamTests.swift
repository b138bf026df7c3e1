import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of objects with projected properties, and of lists of them.
@Suite struct TypeProjectionStreamTests {
    @Test func changeSetsNameProjectedProperties() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in try tx.add(Station(7)) }
        var stream = realm.objects(Station.self).changes(depth: 0).makeAsyncIterator()
        guard case .initial(let before)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(before[0].place, Point(0, 0))
        try await realm.write { tx in
            let station = try requireValue(tx.objects(Station.self).first)
            station.heat = Celsius(5)
            station.place = Point(1, 2)
            station.path.append(Point(3, 4))
            station.words.append(nil)
        }
        guard case .update(let after, let change)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(change.modifications, [0])
        let modified = try requireValue(change.modified.first)
        expectEqual(Set(modified.properties), ["heat", "place", "path", "words"])
        expectTrue(modified.old.heat == Celsius(0) && modified.new.place == Point(1, 2))
        expectTrue(after[0].path.array == [Point(3, 4)] && before[0].path.isEmpty)
    }

    // Covers 8.20
    @Test func keyPathsOfProjectedPropertiesFilter() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in try tx.add(Station(7)) }
        var heats = realm.objects(Station.self).changes(keyPaths: [\.heat]).makeAsyncIterator()
        var places = realm.objects(Station.self).changes(keyPaths: [\.place, \.path])
            .makeAsyncIterator()
        _ = try await (heats.next(), places.next())
        try await realm.write { tx in tx.objects(Station.self)[0].word = .of("a") }
        try await realm.write { tx in tx.objects(Station.self)[0].place = Point(1, 2) }
        try await realm.write { tx in tx.objects(Station.self)[0].heat = Celsius(3) }
        guard case .update(let first, _)? = try await places.next() else {
            Issue.record("no update of places")
            return
        }
        expectEqual(first[0].place, Point(1, 2))
        guard case .update(let second, let change)? = try await heats.next() else {
            Issue.record("no update of heats")
            return
        }
        expectTrue(second[0].heat == Celsius(3) && change.modifications == [0])
    }

    @Test func listsOfValuesAreFollowed() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let station = Station(7)
            station.heats.append(objectsIn: [Celsius(1), Celsius(2)])
            try tx.add(station)
        }
        let live = realm.object(Station.self, forPrimaryKey: Serial.of(7))
        var stream = live.heats.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            let heats = tx.objects(Station.self)[0].heats
            heats[1] = Celsius(3)
            heats.append(Celsius(4))
        }
        guard case .update(let new, let change)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(new.array == [1, 3, 4].map { Celsius($0) } && change.insertions == [2])
        expectTrue(change.modifications == [1] && change.modified.map(\.old) == [Celsius(2)])
        expectEqual(change.inserted, [Celsius(4)])
    }

    @Test func listsOfEmbeddedOnesAreFollowed() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let station = Station(7)
            station.path.append(objectsIn: [Point(1, 1), Point(2, 2)])
            try tx.add(station)
        }
        let live = realm.object(Station.self, forPrimaryKey: 7)
        expectEqual(live.path.current.array, [Point(1, 1), Point(2, 2)])
        var stream = live.path.changes.makeAsyncIterator()
        guard case .initial(let old)? = try await stream.next() else {
            Issue.record("no initial list")
            return
        }
        expectEqual(old.array, [Point(1, 1), Point(2, 2)])
        try await realm.write { tx in
            let station = tx.objects(Station.self)[0]
            station.path.remove(at: 0)
            station.path.append(Point(3, 3))
            (station["path"] as? List<Spot>)?[0].x = 5
        }
        guard case .update(let new, let change)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(new.array, [Point(5, 2), Point(3, 3)])
        expectTrue(change.deletions == [0] && change.deleted == [Point(1, 1)])
        expectTrue(change.insertions == [1] && change.inserted == [Point(3, 3)])
        expectEqual(change.modified.map(\.old), [Point(2, 2)])
        expectEqual(change.modified.map(\.new), [Point(5, 2)])
    }

    // Covers 8.16, 11.14
    @Test func frozenValuesEncodeTheProjectedType() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let station = Station(7)
            (station.word, station.heat, station.place) = (.of("a"), Celsius(1), Point(2, 3))
            station.label = Label("gate", nil)
            station.path.append(Point(4, 5))
            station.heats.append(Celsius(6))
            try tx.add(station)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let frozen = realm.snapshot().objects(Station.self)[0]
        let text = String(decoding: try encoder.encode(frozen), as: UTF8.self)
        // Celsius and Point are Encodable; Word, Serial and Label aren't.
        #expect(
            text.contains(
                #""coldest":null,"exit":null,"heat":{"degrees":1},"heats":[{"degrees":6}]"#))
        #expect(text.contains(#""id":7,"label":{"place":null,"text":"gate"},"next":null"#))
        #expect(text.contains(#""path":[{"x":4,"y":5}],"place":{"x":2,"y":3}"#))
        expectTrue(text.contains(#""word":"a""#))
        expectEqual(
            String(decoding: try encoder.encode(frozen.path), as: UTF8.self), #"[{"x":4,"y":5}]"#)
    }
}
