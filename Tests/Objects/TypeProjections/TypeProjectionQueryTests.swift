import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Queries, sorts and aggregates over projected types.
@Suite struct TypeProjectionQueryTests {
    private static func fill() async throws -> Realm {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let city = City()
            city.name = "Brno"
            for number in 0..<4 {
                let station = Station(7 * number)
                station.word = number == 3 ? nil : .of(["b", "a", "ab"][number])
                station.heat = Celsius(Double(number) - 1)
                station.coldest = number % 2 == 0 ? Celsius(Double(-number)) : nil
                station.place = Point(Double(number), 1)
                station.exit = number < 2 ? Point(0, 0) : nil
                station.label = number == 1 ? Label("gate", nil) : nil
                station.heats.append(objectsIn: (0..<number).map { Celsius(Double($0)) })
                station.words.append(objectsIn: number == 1 ? [.of("x"), nil] : [])
                station.path.append(objectsIn: (0..<number).map { Point(Double($0), 2) })
                city.stations.append(station)
            }
            city.main = city.stations[1]
            try tx.add(city)
        }
        return realm
    }

    private func numbers(
        _ realm: Realm, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @Sendable (Query<Station>) -> Query<Bool>
    ) async throws -> [Int] {
        let frozen = realm.snapshot().objects(Station.self).where(condition).map {
            $0.id.number / 7
        }
        let confined = try await realm.read { tx in
            tx.objects(Station.self).where(condition).map { $0.id.number / 7 }
        }
        expectEqual(frozen, confined, sourceLocation: sourceLocation)
        return confined
    }

    // Covers 3.2, 3.5, 3.32, 8.11
    @Test func argumentsOfEitherFormFindTheSame() async throws {
        let realm = try await Self.fill()
        try await expectEqual(numbers(realm) { $0.id == .of(14) }, [2])
        try await expectEqual(numbers(realm) { $0.id == 14 }, [2])
        try await expectEqual(numbers(realm) { $0.id != 14 }, [0, 1, 3])
        try await expectEqual(numbers(realm) { $0.word == .of("a") }, [1])
        try await expectEqual(numbers(realm) { $0.word == "a" }, [1])
        try await expectEqual(numbers(realm) { $0.word == nil }, [3])
        try await expectEqual(numbers(realm) { $0.word != nil }, [0, 1, 2])
        try await expectEqual(numbers(realm) { $0.word > "a" }, [0, 2])
        try await expectEqual(numbers(realm) { $0.word <= .of("ab") }, [1, 2])
        try await expectEqual(numbers(realm) { $0.word.in([.of("a"), .of("b")]) }, [0, 1])
        try await expectEqual(numbers(realm) { $0.word.in(["a", nil]) }, [1, 3])
        try await expectEqual(numbers(realm) { $0.heat < Celsius(1) }, [0, 1])
        try await expectEqual(numbers(realm) { $0.heat >= 1.0 }, [2, 3])
        try await expectEqual(numbers(realm) { $0.heat.contains(0.0..<2.0) }, [1, 2])
        try await expectEqual(
            numbers(realm) { $0.heat.contains(Celsius(0)...Celsius(2)) }, [1, 2, 3])
        try await expectEqual(numbers(realm) { $0.coldest.contains(-2.0...(-1)) }, [2])
        try await expectEqual(
            numbers(realm) { $0.coldest == $0.coldest && $0.coldest != nil }, [0, 2])
        try await expectEqual(numbers(realm) { $0.heat < $0.start }, [0, 1, 2, 3])
        try await expectEqual(
            numbers(realm) { $0.word.persistableValue.starts(with: "a") }, [1, 2])
        try await expectEqual(numbers(realm) { $0.id.persistableValue.in([0, 21]) }, [0, 3])
        try await expectEqual(numbers(realm) { $0.word.starts(with: "a") }, [1, 2])
        try await expectEqual(numbers(realm) { $0.word.like("?b") }, [2])
        try await expectEqual(
            numbers(realm) { $0.word.contains("B", options: .caseInsensitive) }, [0, 2])
        try await expectEqual(
            numbers(realm) { $0.word.equals("a") || $0.word.ends(with: "x") }, [1])
        try await expectEqual(numbers(realm) { $0.word.notEquals(nil) }, [0, 1, 2])
        try await expectEqual(numbers(realm) { $0.word.contains($0.word) }, [0, 1, 2])
    }

    // Covers 3.32, 8.20, 8.21
    @Test func embeddedOnesAreComparedMemberByMember() async throws {
        let realm = try await Self.fill()
        try await expectEqual(numbers(realm) { $0.place == Point(2, 1) }, [2])
        try await expectEqual(numbers(realm) { $0.place != Point(2, 1) }, [0, 1, 3])
        try await expectEqual(numbers(realm) { $0.place == Point(2, 2) }, [])
        try await expectEqual(numbers(realm) { $0.exit == Point(0, 0) }, [0, 1])
        try await expectEqual(numbers(realm) { $0.exit != Point(0, 0) }, [2, 3])
        try await expectEqual(numbers(realm) { $0.exit == nil }, [2, 3])
        try await expectEqual(numbers(realm) { $0.exit != nil }, [0, 1])
        try await expectEqual(numbers(realm) { $0.place.in([Point(0, 1), Point(3, 1)]) }, [0, 3])
        try await expectEqual(numbers(realm) { $0.label == Label("gate", nil) }, [1])
        try await expectEqual(numbers(realm) { $0.label == Label("gate", Point(0, 0)) }, [])
        try await realm.write { tx in
            let stations = tx.objects(Station.self)
            stations[2].label = Label("stop", Point(5, 6))
            stations[3].label = Label("stop", Point(5, 7))
        }
        for label in [Label("stop", Point(5, 6)), Label("stop", Point(6, 6)), Label("stop", nil)] {
            let found = label.place == Point(5, 6) ? [2] : []
            try await expectEqual(numbers(realm) { $0.label == label }, found)
            try await expectEqual(
                numbers(realm) { $0.label != label }, [0, 1, 2, 3].filter { !found.contains($0) })
            try await expectEqual(numbers(realm) { $0.label.in([label, nil]) }, [0] + found)
        }
        try await expectEqual(numbers(realm) { $0.place.persistableValue.x > 1 }, [2, 3])
        try await expectEqual(numbers(realm) { $0.label.persistableValue.text == "gate" }, [1])
        try await expectEqual(numbers(realm) { $0.label.persistableValue.place == Point(0, 0) }, [])
        try await expectEqual(
            numbers(realm) { $0.label.persistableValue.place == Point(5, 7) }, [3])
    }

    // Covers 3.32, 8.11, 8.21
    @Test func listsAreSearchedInEitherForm() async throws {
        let realm = try await Self.fill()
        try await expectEqual(numbers(realm) { $0.heats == Celsius(1) }, [2, 3])
        try await expectEqual(numbers(realm) { $0.heats.contains(1.0) }, [2, 3])
        try await expectEqual(numbers(realm) { $0.heats.containsAny(in: [2.0, 9]) }, [3])
        try await expectEqual(numbers(realm) { $0.heats > Celsius(1) }, [3])
        try await expectEqual(numbers(realm) { $0.heats.all { $0 < Celsius(1) } }, [0, 1])
        try await expectEqual(numbers(realm) { $0.heats.count == 2 }, [2])
        try await expectEqual(numbers(realm) { $0.heats.contains(0.0...1) }, [1, 2])
        try await expectEqual(numbers(realm) { $0.heats.contains(0.0..<2) }, [1, 2])
        try await expectEqual(numbers(realm) { $0.heats.contains(Celsius(0)...Celsius(0)) }, [1])
        try await expectEqual(
            numbers(realm) { $0.heats.contains(Celsius(0)..<Celsius(9)) }, [1, 2, 3])
        try await expectEqual(numbers(realm) { $0.path.any { $0 == Point(1, 2) } }, [2, 3])
        try await expectEqual(numbers(realm) { $0.path.all { $0 == Point(0, 2) } }, [0, 1])
        try await expectEqual(
            numbers(realm) { $0.path.none { $0.persistableValue.x > 1 } }, [0, 1, 2])
        try await expectEqual(numbers(realm) { $0.words == nil }, [1])
        try await expectEqual(numbers(realm) { $0.words == "x" }, [1])
        try await expectEqual(numbers(realm) { $0.heats.max == Celsius(2) }, [3])
        try await expectEqual(numbers(realm) { $0.heats.min == 0.0 }, [1, 2, 3])
        try await expectEqual(numbers(realm) { $0.heats.sum > 1 }, [3])
        try await expectEqual(numbers(realm) { $0.heats.avg == 0.5 }, [2])
        try await expectEqual(numbers(realm) { $0.path == Point(1, 2) }, [2, 3])
        try await expectEqual(numbers(realm) { $0.path != Point(1, 2) }, [1])
        try await expectEqual(numbers(realm) { $0.path.contains(Point(2, 2)) }, [3])
        try await expectEqual(
            numbers(realm) { $0.path.containsAny(in: [Point(2, 2), Point(0, 2)]) },
            [
                1, 2, 3,
            ])
        try await expectEqual(numbers(realm) { $0.path.count > 1 }, [2, 3])
        try await expectEqual(numbers(realm) { $0.path.persistableValue.x == 2 }, [3])
    }

    // Covers 8.11
    @Test func linksLeadToProjectedProperties() async throws {
        let realm = try await Self.fill()
        let cities = realm.snapshot().objects(City.self)
        func count(_ condition: (Query<City>) -> Query<Bool>) -> Int {
            cities.where(condition).count
        }
        expectTrue(count { $0.main.word == .of("a") } == 1 && count { $0.main.word == "b" } == 0)
        expectEqual(count { $0.main.place == Point(1, 1) }, 1)
        expectEqual(count { $0.main.place == Point(0, 1) }, 0)
        expectEqual(count { $0.stations.place == Point(3, 1) }, 1)
        expectEqual(count { $0.stations.place == Point(3, 2) }, 0)
        expectTrue(count { $0.stations.heat > 1.5 } == 1 && count { $0.stations.heat > 2.0 } == 0)
        expectEqual(count { $0.stations.heat.max == Celsius(2) }, 1)
        expectEqual(count { $0.stations.heat.sum == 2 }, 1)
        expectEqual(count { $0.stations.any { $0.path == Point(2, 2) && $0.word == nil } }, 1)
        expectEqual(cities.sorted(by: \.main?.word).count, 1)
        expectEqual(cities[0].main?.place, Point(1, 1))
        expectEqual(cities[0].stations.where { $0.exit == nil }.count, 2)
        expectEqual(cities[0].stations.max(of: \.heat), Celsius(2))
    }

    // Covers 8.21
    @Test func aListInThePersistedTypeIsAnError() async throws {
        let realm = try await Realm.temporary([Route.self, Stops.self])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in
                _ = tx.objects(Route.self).where { $0.line == Line(names: ["a"]) }.count
            }
        }
        expectEqual(error?.code, .invalidQuery)
        expectTrue(error?.message.contains("whose names is of type List<String>") ?? false)
    }

    @Test func sortsAndAggregatesGoByWhatIsStored() async throws {
        let realm = try await Self.fill()
        let frozen = realm.snapshot().objects(Station.self)
        expectEqual(frozen.sorted(by: \.word).map { $0.word?.text }, [nil, "a", "ab", "b"])
        expectEqual(frozen.sorted(by: \.heat, ascending: false).map(\.id.number), [21, 14, 7, 0])
        expectEqual(frozen.distinct(by: \.coldest).count, 3)
        expectTrue(frozen.min(of: \.heat) == Celsius(-1) && frozen.max(of: \.coldest) == Celsius(0))
        expectTrue(frozen.sum(of: \.heat) == Celsius(2) && frozen.average(of: \.heat) == 0.5)
        expectTrue(frozen.sum(of: \.coldest) == Celsius(-2) && frozen.sum(of: \.id) == .of(42))
        expectNil(frozen.where { $0.id == 700 }.min(of: \.heat))
        expectTrue(frozen[3].heats.sum() == Celsius(3) && frozen[3].heats.average() == 1)
        expectTrue(frozen[3].heats.max() == Celsius(2) && frozen[3].heats.min() == Celsius(0))
        expectEqual(frozen[3].heats.sorted(ascending: false).first, Celsius(2))
        expectTrue(frozen[3].path.index(of: Point(1, 2)) == 1 && frozen[3].path == frozen[3].path)
        expectTrue(frozen[3].path != frozen[2].path && !frozen[2].path.contains(Point(2, 2)))
        try await realm.read { tx in
            let stations = tx.objects(Station.self)
            expectEqual(stations.max(of: \.heat), Celsius(2))
            let list = tx.objects(City.self)[0].stations
            expectTrue(list.sum(of: \.heat) == Celsius(2) && list.average(of: \.coldest) == -1)
            expectEqual(list.min(of: \.coldest), Celsius(-2))
            expectTrue(list[3].heats.sum() == Celsius(3) && list[3].heats.max() == Celsius(2))
            expectEqual(list[3].heats.sorted(ascending: false), [2, 1, 0].map { Celsius($0) })
        }
        let unmanaged = City()
        for heat in [1.0, 2.5] {
            let station = Station()
            station.heat = Celsius(heat)
            station.heats.append(Celsius(heat))
            unmanaged.stations.append(station)
        }
        expectEqual(unmanaged.stations.sum(of: \.heat), Celsius(3.5))
        expectEqual(unmanaged.stations.max(of: \.heat), Celsius(2.5))
        expectNil(unmanaged.stations.average(of: \.coldest))
        expectEqual(unmanaged.stations[1].heats.sum(), Celsius(2.5))
    }

    // Covers 1.70, 8.4, 10.1
    @Test func anIndexAnswersAsNoneDoes() async throws {
        let realm = try await Self.fill()
        // `word` has an index, which its persisted view uses too.
        expectEqual(realm.snapshot().objects(Station.self).where { $0.word == .of("ab") }.count, 1)
        expectEqual(
            realm.snapshot().objects(Station.self).where { $0.word.persistableValue == "ab" }.count,
            1)
    }
}

/// Stored as an object with a list.
struct Line: CustomPersistable, Equatable, Sendable {
    var names: [String]

    init(names: [String]) { self.names = names }
    init(persistedValue: Stops) { names = Array(persistedValue.names) }
    var persistableValue: Stops { Stops(value: ["names": names]) }
}

final class Stops: EmbeddedObject {
    @Persisted var names: List<String>
}

final class Route: Object {
    @Persisted var line: Line
}
