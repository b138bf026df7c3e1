import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Dictionaries, arrays and dynamic access with values of projected types.
@Suite struct TypeProjectionCreateTests {
    private func expectRefusal(
        _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ value: @Sendable () -> [String: Any]
    ) async throws {
        let realm = try await Realm.temporary(Station.types)
        let error = await #expect(throws: Realm.Error.self, sourceLocation: sourceLocation) {
            try await realm.write { tx in try tx.create(Station.self, value: value()) }
        }
        expectEqual(error?.code, .invalidValue, sourceLocation: sourceLocation)
        #expect(
            error?.message.contains(sentence) ?? false, "\(error?.message ?? "")",
            sourceLocation: sourceLocation)
    }

    @Test func eitherFormIsTaken() async throws {
        let projected: [String: Any] = [
            "id": Serial.of(7), "word": Word.of("a"), "heat": Celsius(1), "place": Point(1, 2),
            "label": Label("b", Point(3, 4)), "heats": [Celsius(5)], "words": [Word.of("c"), nil],
            "path": [Point(6, 7)],
        ]
        let persisted: [String: Any] = [
            "id": 7, "word": "a", "heat": 1, "place": ["x": 1, "y": 2.0],
            "label": ["text": "b", "place": [3, 4]], "heats": [5], "words": ["c", nil],
            "path": [["x": 6, "y": 7]],
        ]
        func check(_ station: Station) {
            expectTrue(
                station.id == .of(7) && station.word == .of("a") && station.heat == Celsius(1))
            expectTrue(station.place == Point(1, 2) && station.label == Label("b", Point(3, 4)))
            expectEqual(Array(station.heats), [Celsius(5)])
            expectEqual(Array(station.words), [.of("c"), nil])
            expectTrue(Array(station.path) == [Point(6, 7)] && station.start == Celsius(20))
        }
        for value in [projected, persisted] {
            check(Station(value: value))
            let boxed = Boxed(value: value)
            let realm = try await Realm.temporary(Station.types)
            try await realm.write { tx in
                check(try tx.create(Station.self, value: boxed.value))
            }
            try await realm.read { tx in check(try requireValue(tx.objects(Station.self).first)) }
        }
        check(Station(value: Station(value: projected)))
        let embedded = Station(value: [
            "place": Spot(value: [1, 2]), "path": [Spot(value: [3, 4])],
        ])
        expectTrue(embedded.place == Point(1, 2) && Array(embedded.path) == [Point(3, 4)])
    }

    /// Carries a dictionary into a transaction. The guard: nobody changes it or its contents.
    private struct Boxed: @unchecked Sendable {
        let value: [String: Any]
    }

    @Test func whatCannotBeConvertedIsRefused() async throws {
        try await expectRefusal("Station.word is of type Word? and cannot hold \"Not A Word\"") {
            ["word": "Not A Word"]
        }
        try await expectRefusal("Station.id is of type Serial and cannot hold 8") { ["id": 8] }
        try await expectRefusal("Station.heat is of type Celsius and cannot hold nil") {
            ["heat": Int?.none as Any]
        }
        try await expectRefusal("Station.heat is of type Celsius and cannot hold \"warm\"") {
            ["heat": "warm"]
        }
        try await expectRefusal("Station.place is of type Point and cannot hold 3") { ["place": 3] }
        try await expectRefusal("Station.place is of type Point and cannot hold nil") {
            ["place": Int?.none as Any]
        }
        try await expectRefusal("cannot contain \"Not A Word\"") {
            ["words": ["fine", "Not A Word"]]
        }
        try await expectRefusal("Station.label is of type Label? and cannot hold") {
            ["label": ["text": "forbidden"]]
        }
    }

    // Covers 8.9, 8.10
    @Test func dynamicReadsGiveWhatIsStoredAndWritesTakeBoth() async throws {
        func check(_ station: Station) throws {
            expectTrue(station["id"] as? Int == 7 && station["word"] as? String == "a")
            expectTrue(station["heat"] as? Double == 1 && station["coldest"] == nil)
            expectTrue((station["place"] as? Spot)?.y == 2 && station["exit"] == nil)
            expectEqual(Array(try requireValue(station["heats"] as? List<Double>)), [5])
            expectEqual(Array(try requireValue(station["words"] as? List<String?>)), ["c", nil])
            try expectEqual(requireValue(station["path"] as? List<Spot>).map(\.x), [6])
        }
        func set(_ station: Station) throws {
            station["word"] = Word.of("b")
            station["heat"] = 2
            station["place"] = [8, 9]
            station["exit"] = Point(10, 11)
            station["path"] = [Point(1, 1)]
            station["heats"] = [1.5, Celsius(2)] as [Any]
            expectTrue(station.word == .of("b") && station.heat == Celsius(2))
            expectTrue(station.place == Point(8, 9) && station.exit == Point(10, 11))
            expectEqual(Array(station.path), [Point(1, 1)])
            expectEqual(Array(station.heats), [Celsius(1.5), Celsius(2)])
        }
        @Sendable func value() -> [String: Any] {
            [
                "id": 7, "word": "a", "heat": 1, "place": [1, 2], "heats": [5],
                "words": ["c", nil], "path": [Point(6, 7)],
            ]
        }
        let unmanaged = Station(value: value())
        try check(unmanaged)
        try set(unmanaged)
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let station = try tx.create(Station.self, value: value())
            try check(station)
            try set(station)
            try tx.objects(Station.self).setValue(Point(0, 9), forKey: "place")
            expectEqual(station.place, Point(0, 9))
        }
    }

    @Test func objectsOfOtherClassesAreCopiedByWhatTheyStore() async throws {
        let plain = AsStored.Station(value: [
            "id": 7, "word": "a", "place": [1, 2], "path": [[3, 4]],
        ])
        let station = Station(value: plain)
        expectTrue(station.word == .of("a") && station.place == Point(1, 2))
        expectEqual(Array(station.path), [Point(3, 4)])
        let back = AsStored.Station(value: station)
        expectTrue(back.word == "a" && back.place?.y == 2 && back.path.map(\.x) == [3])
    }

    @Test func descriptionsShowWhatIsStored() async throws {
        let station = Station(value: ["id": 7, "word": "a", "place": [1, 2]])
        expectTrue(station.description.contains("word = a\n"))
        #expect(station.description.contains("place = Spot {\n        x = 1.0\n"))
        expectTrue(station.description.contains("exit = nil"))
    }

    // Covers 7.9, 8.7
    @Test func partialValuesAreConvertedAsAWholeInUpdates() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            for number in 1...20 {
                try tx.create(
                    Station.self,
                    value: ["id": 7 * number, "place": [1, 2], "path": [[3, 4], [5, 6]]])
            }
            for number in 1...20 {
                // the addresses of the given objects may be used again for those that are stored
                let station = try tx.create(
                    Station.self,
                    value: ["id": 7 * number, "place": ["x": 8], "path": [["x": 9], ["y": 9]]],
                    update: .modified)
                expectEqual(station.place, Point(8, 0))
                expectEqual(Array(station.path), [Point(9, 0), Point(0, 9)])
            }
        }
    }
}
