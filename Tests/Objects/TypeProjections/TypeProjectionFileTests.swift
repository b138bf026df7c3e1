import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The file contains only persisted types: a property may change between the two forms.
@Suite struct TypeProjectionFileTests {
    // Covers 6.28, 8.2, 8.6, 8.7, 8.17
    @Test func whatPlainPropertiesWroteProjectedOnesRead() async throws {
        let folder = try RealmFolder()
        let plain = try await Realm.open(folder.configuration("test.realm", AsStored.Station.types))
        try await plain.write { tx in
            try tx.create(
                AsStored.Station.self,
                value: [
                    "id": 7, "word": "a", "heat": 1.5, "place": [1, 2], "exit": nil,
                    "label": ["text": "gate", "place": [3, 4]], "heats": [5, 6],
                    "words": ["b", nil, "Not A Word"], "path": [[7, 8], [9, 10]],
                ])
            try tx.create(AsStored.Station.self, value: ["id": 14, "word": "Not A Word"])
        }
        await plain.close()

        let realm = try await Realm.open(folder.configuration("test.realm", Station.types))
        let stations = realm.snapshot().objects(Station.self)
        expectTrue(stations[0].word == .of("a") && stations[0].heat == Celsius(1.5))
        expectTrue(stations[0].place == Point(1, 2) && stations[0].exit == nil)
        expectEqual(stations[0].label, Label("gate", Point(3, 4)))
        expectEqual(stations[0].heats.array, [Celsius(5), Celsius(6)])
        expectEqual(stations[0].path.array, [Point(7, 8), Point(9, 10)])
        // A value that can't be converted reads as nil if the property is optional.
        expectTrue(stations[0].words.array == [.of("b"), nil, nil] && stations[1].word == nil)
        // A required property whose object is missing has the default.
        expectTrue(stations[1].place == Point(0, 0) && stations[1].label == nil)
        try await realm.write { tx in
            let stations = tx.objects(Station.self)
            expectTrue(stations[1].word == nil && stations[1].place == Point(0, 0))
            expectEqual(Array(stations[0].words), [.of("b"), nil, nil])
            expectTrue(
                stations[1]["word"] as? String == "Not A Word" && stations[1]["place"] == nil)
            expectTrue(stations.where { $0.place == Point(0, 0) }.isEmpty)
            expectTrue(stations.where { $0.word == nil }.isEmpty)
            expectEqual(stations.where { $0.word == "Not A Word" }.count, 1)
            stations[1].place = Point(11, 12)
            stations[1].word = .of("c")
            stations[0].path.append(Point(13, 14))
        }
        await realm.close()

        let again = try await Realm.open(folder.configuration("test.realm", AsStored.Station.types))
        let plains = again.snapshot().objects(AsStored.Station.self)
        expectTrue(plains[1].place?.x == 11 && plains[1].word == "c")
        expectEqual(plains[0].path.map(\.y), [8, 10, 14])
        expectEqual(plains[0].words.array, ["b", nil, "Not A Word"])
        await again.close()
    }

    // Covers 6.28
    @Test func whatProjectedPropertiesWrotePlainOnesRead() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("test.realm", Station.types))
        try await realm.write { tx in
            let station = Station(7)
            (station.word, station.place, station.exit) = (.of("a"), Point(1, 2), nil)
            station.label = Label("gate", nil)
            station.words.append(objectsIn: [.of("b"), nil])
            station.path.append(Point(3, 4))
            try tx.add(station)
        }
        await realm.close()
        let plain = try await Realm.open(folder.configuration("test.realm", AsStored.Station.types))
        let found = try requireValue(
            plain.snapshot().object(AsStored.Station.self, forPrimaryKey: 7))
        expectTrue(
            found.word == "a" && found.place?.y == 2 && found.exit == nil && found.start == 20)
        expectTrue(found.label?.text == "gate" && found.label?.place == nil)
        expectTrue(found.words.array == ["b", nil] && found.path.map(\.x) == [3])
        expectEqual(
            plain.snapshot().objects(AsStored.Station.self).where { $0.word == "a" }.count, 1)
        await plain.close()
    }

    // Covers 8.6
    @Test func aPersistedTypeThatDiffersIsAMismatch() async throws {
        enum Other {
            final class Station: Object {
                @Persisted(primaryKey: true) var id: Serial
                @Persisted var heat: Word?
                @Persisted var place: Celsius?
            }
        }
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("test.realm", Station.types))
        try await realm.write { tx in try tx.add(Station(7)) }
        await realm.close()
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.open(folder.configuration("test.realm", [Other.Station.self]))
        }
        expectEqual(error?.code, .schemaMismatch)
        let text = error?.message ?? ""
        expectTrue(text.contains("Station.heat is declared as String?, but stored as Double."))
        expectTrue(text.contains("Station.place is declared as Double?, but stored as Spot?."))
    }

    // Covers 8.6
    @Test func aNewProjectedPropertyNeedsNoMigration() async throws {
        enum Old {
            final class Station: Object { @Persisted(primaryKey: true) var id: Int }
        }
        let folder = try RealmFolder()
        let old = try await Realm.open(folder.configuration("test.realm", [Old.Station.self]))
        try await old.write { tx in try tx.create(Old.Station.self, value: ["id": 7]) }
        await old.close()
        let realm = try await Realm.open(folder.configuration("test.realm", Station.types))
        let station = try requireValue(realm.snapshot().objects(Station.self).first)
        expectTrue(
            station.heat == Celsius(0) && station.start == Celsius(20) && station.word == nil)
        expectTrue(station.place == Point(0, 0) && station.path.isEmpty && station.heats.isEmpty)
        try await realm.write { tx in
            let station = try requireValue(tx.objects(Station.self).first)
            expectTrue(station.place == Point(0, 0) && station.start == Celsius(20))
            station.place = Point(1, 1)
            expectEqual(station.place, Point(1, 1))
        }
        expectEqual(realm.snapshot().objects(Station.self)[0].place, Point(1, 1))
        await realm.close()
    }
}
