import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Random histories of objects with projected properties, against a plain model in memory: through
/// transactions, failed transactions, and reopening in either form.
@Suite struct TypeProjectionRandomTests {
    /// The content of a station, as the test knows it.
    private struct Known: Equatable {
        var word: Word?
        var heat = Celsius(0)
        var coldest: Celsius?
        var place = Point(0, 0)
        var exit: Point?
        var label: Label?
        var heats: [Celsius] = []
        var words: [Word?] = []
        var path: [Point] = []
    }

    private struct Stop: Error {}

    @Test(arguments: 0..<8) func storedObjectsAreThoseOfThePlainModel(round: Int) async throws {
        let seed = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(seed)
        let folder = try RealmFolder()
        let configuration = folder.configuration("test.realm", Station.types)
        var realm = try await Realm.open(configuration)
        var known: [Int: Known] = [:]
        for step in 0..<60 {
            let place = "seed \(seed), step \(step)"
            let edits = random.next()
            let isFailing = random.next() % 4 == 0
            let before = known
            do {
                known = try await realm.write { [before] tx in
                    var (random, known) = (SeededRandom(edits), before)
                    for _ in 0...random.next() % 4 { try Self.edit(tx, &known, &random) }
                    Self.check(tx, known, place)
                    if isFailing { throw Stop() }
                    return known
                }
                #expect(!isFailing, "\(place)")
            } catch is Stop {
                #expect(isFailing, "\(place)")
            }
            Self.check(realm.snapshot(), known, place)
            if step % 15 == 14 {
                await realm.close()
                if round % 2 == 0 { try await Self.checkPlain(folder, known, place) }
                realm = try await Realm.open(configuration)
                Self.check(realm.snapshot(), known, "\(place), reopened")
            }
        }
        try await Self.checkQueries(realm, known, &random, "seed \(seed)")
        await realm.close()
    }

    // MARK: Edits

    private static func edit(
        _ tx: Transaction, _ known: inout [Int: Known], _ random: inout SeededRandom
    ) throws {
        let id = 7 * Int(random.next() % 12)
        guard let station = tx.object(Station.self, forPrimaryKey: id), var values = known[id]
        else {
            var values = Known()
            let station = Station()
            station.id = .of(id)
            for _ in 0..<4 { change(station, &values, &random) }
            switch random.next() % 3 {
            case 0: try tx.add(station)
            case 1: try tx.create(Station.self, value: dictionary(id, values, &random))
            default: try tx.add(station, update: random.next() % 2 == 0 ? .modified : .all)
            }
            known[id] = values
            return
        }
        switch random.next() % 8 {
        case 0:
            tx.delete(station)
            known[id] = nil
        case 1:
            var new = Known()
            let other = Station()
            other.id = .of(id)
            for _ in 0..<5 { change(other, &new, &random) }
            try tx.add(other, update: random.next() % 2 == 0 ? .modified : .all)
            known[id] = new
        default:
            change(station, &values, &random)
            known[id] = values
        }
    }

    private static func change(
        _ station: Station, _ known: inout Known, _ random: inout SeededRandom
    ) {
        let isNil = random.next() % 3 == 0
        switch random.next() % 9 {
        case 0:
            known.word = isNil ? nil : word(&random)
            station.word = known.word
        case 1:
            known.heat = celsius(&random)
            station.heat = known.heat
        case 2:
            known.coldest = isNil ? nil : celsius(&random)
            station.coldest = known.coldest
        case 3:
            known.place = point(&random)
            station.place = known.place
        case 4:
            known.exit = isNil ? nil : point(&random)
            station.exit = known.exit
        case 5:
            let place = random.next() % 2 == 0 ? nil : point(&random)
            known.label = isNil ? nil : Label(word(&random).text, place)
            station.label = known.label
        case 6: change(station.heats, &known.heats, celsius(&random), &random)
        case 7: change(station.words, &known.words, isNil ? nil : word(&random), &random)
        default: change(station.path, &known.path, point(&random), &random)
        }
    }

    private static func change<T>(
        _ list: List<T>, _ known: inout [T], _ value: T, _ random: inout SeededRandom
    ) {
        let count = known.count
        switch random.next() % 6 {
        case 0 where count > 0:
            let position = Int(random.next() % UInt64(count))
            list.remove(at: position)
            known.remove(at: position)
        case 1 where count > 0:
            let position = Int(random.next() % UInt64(count))
            list[position] = value
            known[position] = value
        case 2 where count > 1:
            list.move(from: 0, to: count - 1)
            known.append(known.removeFirst())
        case 3 where count > 4:
            list.removeAll()
            known = []
        default:
            let position = Int(random.next() % UInt64(count + 1))
            list.insert(contentsOf: [value, value], at: position)
            known.insert(contentsOf: [value, value], at: position)
        }
    }

    /// Returns the values in either form.
    private static func dictionary(
        _ id: Int, _ known: Known, _ random: inout SeededRandom
    ) -> [String: Any] {
        func either(_ projected: Any, _ persisted: Any) -> Any {
            random.next() % 2 == 0 ? projected : persisted
        }
        func spot(_ point: Point) -> [String: Any] { ["x": point.x, "y": point.y] }
        let label = known.label.map { label -> [String: Any] in
            ["text": label.text, "place": label.place.map { either($0, spot($0)) } as Any]
        }
        return [
            "id": either(Serial.of(id), id),
            "word": either(known.word as Any, known.word?.text as Any),
            "heat": either(known.heat, known.heat.degrees),
            "coldest": either(known.coldest as Any, known.coldest?.degrees as Any),
            "place": either(known.place, spot(known.place)),
            "exit": either(known.exit as Any, known.exit.map(spot) as Any),
            "label": either(known.label as Any, label as Any),
            "heats": either(known.heats, known.heats.map(\.degrees)),
            "words": either(known.words, known.words.map { $0?.text }),
            "path": either(known.path, known.path.map(spot)),
        ]
    }

    private static func word(_ random: inout SeededRandom) -> Word {
        .of(
            String(
                repeating: random.next() % 2 == 0 ? "a" : "žb", count: Int(random.next() % 9) + 1))
    }

    private static func celsius(_ random: inout SeededRandom) -> Celsius {
        Celsius([0, 1, -1, 2.5, -0.0, 1e300, .infinity][Int(random.next() % 7)])
    }

    private static func point(_ random: inout SeededRandom) -> Point {
        Point(Double(random.next() % 3), Double(random.next() % 3))
    }

    // MARK: Checks

    private static func check(_ tx: Transaction, _ known: [Int: Known], _ place: String) {
        let stations = tx.objects(Station.self)
        #expect(stations.count == known.count, "\(place)")
        for station in stations {
            var found = Known()
            (found.word, found.heat, found.coldest) = (station.word, station.heat, station.coldest)
            (found.place, found.exit, found.label) = (station.place, station.exit, station.label)
            (found.heats, found.words) = (Array(station.heats), Array(station.words))
            found.path = Array(station.path)
            #expect(found == known[station.id.number], "\(place)")
        }
    }

    private static func check(_ snapshot: Snapshot, _ known: [Int: Known], _ place: String) {
        let stations = snapshot.objects(Station.self)
        #expect(stations.count == known.count, "\(place)")
        for station in stations {
            var found = Known()
            (found.word, found.heat, found.coldest) = (station.word, station.heat, station.coldest)
            (found.place, found.exit, found.label) = (station.place, station.exit, station.label)
            (found.heats, found.words) = (station.heats.array, station.words.array)
            found.path = station.path.array
            #expect(found == known[station.id.number], "\(place)")
        }
        // No embedded object is left behind.
        guard let table = stations.first?.table else { return }
        let owned = known.values.map {
            $0.path.count + 1 + ($0.exit == nil ? 0 : 1) + ($0.label?.place == nil ? 0 : 1)
        }
        #expect(table.other(Spot.self).rowCount == owned.reduce(0, +), "\(place)")
        let labelled = known.values.filter { $0.label != nil }
        #expect(table.other(Caption.self).rowCount == labelled.count, "\(place)")
    }

    private static func checkPlain(
        _ folder: RealmFolder, _ known: [Int: Known], _ place: String
    ) async throws {
        let plain = try await Realm.open(folder.configuration("test.realm", AsStored.Station.types))
        let stations = plain.snapshot().objects(AsStored.Station.self)
        #expect(stations.count == known.count, "\(place)")
        for station in stations {
            let values = known[station.id]
            #expect(station.word == values?.word?.text, "\(place)")
            #expect(station.heat == values?.heat.degrees, "\(place)")
            #expect(station.place?.x == values?.place.x, "\(place)")
            #expect(station.exit?.y == values?.exit?.y, "\(place)")
            #expect(station.label?.place?.x == values?.label?.place?.x, "\(place)")
            #expect(station.heats.array == values?.heats.map(\.degrees), "\(place)")
            #expect(station.words.array == values?.words.map { $0?.text }, "\(place)")
            #expect(station.path.map(\.y) == values?.path.map(\.y), "\(place)")
        }
        await plain.close()
    }

    private static func checkQueries(
        _ realm: Realm, _ known: [Int: Known], _ random: inout SeededRandom, _ place: String
    ) async throws {
        let stations = realm.snapshot().objects(Station.self)
        func check(
            _ condition: (Query<Station>) -> Query<Bool>, _ holds: (Known) -> Bool, _ what: String
        ) {
            let found = Set(stations.where(condition).map(\.id.number))
            let expected = Set(known.filter { holds($0.value) }.keys)
            #expect(found == expected, "\(what), \(place)")
        }
        for _ in 0..<10 {
            let (text, heat, spot) = (word(&random), celsius(&random), point(&random))
            check({ $0.word == text }, { $0.word == text }, "word")
            check({ $0.word == text.text }, { $0.word == text }, "text")
            check({ $0.heat < heat }, { $0.heat < heat }, "heat")
            check({ $0.coldest != heat.degrees }, { $0.coldest != heat }, "coldest")
            check({ $0.place == spot }, { $0.place == spot }, "place")
            check({ $0.place != spot }, { $0.place != spot }, "not place")
            check({ $0.exit == spot }, { $0.exit == spot }, "exit")
            check({ $0.exit != spot }, { $0.exit != spot }, "not exit")
            check({ $0.path == spot }, { $0.path.contains(spot) }, "path")
            check({ $0.path != spot }, { !$0.path.isEmpty && !$0.path.contains(spot) }, "not path")
            check({ $0.heats == heat }, { $0.heats.contains(heat) }, "heats")
            check({ $0.words == text }, { $0.words.contains(text) }, "words")
        }
        #expect(stations.max(of: \.heat) == known.values.map(\.heat).max(), "\(place)")
    }
}
