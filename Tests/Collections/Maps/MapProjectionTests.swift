import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

struct MapTemperature: FailableCustomPersistable, Equatable {
    var d: Int
    typealias PersistedType = Int
    init(d: Int) { self.d = d }
    init?(persistedValue: Int) { d = persistedValue }
    var persistableValue: Int { d }
}
struct MapSpot: CustomPersistable, Equatable {
    var t: String
    typealias PersistedType = MapNote
    init(t: String) { self.t = t }
    init(persistedValue: MapNote) { t = persistedValue.text }
    var persistableValue: MapNote { MapNote(t) }
}
final class MapOfProjected: Object {
    @Persisted var temps: Map<String, MapTemperature>
    @Persisted var opt: Map<String, MapTemperature?>
    @Persisted var places: Map<String, MapSpot?>
}
@Suite struct MapProjectionTests {
    // Covers 8.4
    @Test func valuesOfAProjectedTypeAreKept() async throws {
        let realm = try await Realm.temporary([MapOfProjected.self, MapNote.self])
        try await realm.write { tx in
            let p = MapOfProjected()
            p.temps["a"] = MapTemperature(d: 4)
            p.opt["n"] = .some(nil)
            try tx.add(p)
            p.temps["b"] = MapTemperature(d: 5)
            expectTrue(p.temps["a"] == MapTemperature(d: 4) && p.temps.values.map(\.d) == [4, 5])
            let q = MapOfProjected(value: p)
            expectEqual(q.temps["b"]?.d, 5)
            let r = try tx.create(MapOfProjected.self, value: ["temps": ["x": 3]] as [String: Any])
            expectEqual(r.temps["x"]?.d, 3)
        }
        let frozen = try requireValue(realm.snapshot().objects(MapOfProjected.self).first)
        expectTrue(frozen.temps["b"] == MapTemperature(d: 5) && frozen.opt["n"] == .some(nil))
    }

    // Covers 8.12
    @Test func aggregatesAreValuesOfTheProjectedType() async throws {
        let realm = try await Realm.temporary([MapOfProjected.self, MapNote.self])
        func check(_ p: MapOfProjected) {
            expectTrue(p.temps.sum() == MapTemperature(d: 9) && p.temps.average() == 3)
            expectTrue(p.temps.min() == MapTemperature(d: -1) && p.temps.max()?.d == 6)
            expectTrue(p.opt.sum().d == 5 && p.opt.average() == 5)
            expectTrue(p.opt.min()?.d == 5 && p.opt.max()?.d == 5)
        }
        try await realm.write { tx in
            let p = MapOfProjected()
            expectTrue(p.temps.sum().d == 0 && p.temps.average() == nil && p.temps.min() == nil)
            for (key, d) in [("a", 4), ("b", 6), ("c", -1)] { p.temps[key] = MapTemperature(d: d) }
            p.opt["a"] = MapTemperature(d: 5)
            p.opt["b"] = .some(nil)
            check(p)
            try tx.add(p)
            check(p)
            p.temps.removeAll()
            expectTrue(p.temps.sum().d == 0 && p.temps.average() == nil && p.temps.max() == nil)
        }
    }

    @Test func objectsOfAProjectedTypeBelongToTheirKey() async throws {
        let realm = try await Realm.temporary([MapOfProjected.self, MapNote.self])
        try await realm.write { tx in
            let p = MapOfProjected()
            p.places["a"] = MapSpot(t: "q")
            try tx.add(p)
            expectEqual(p.places["a"], .some(MapSpot(t: "q")))
            p.places["a"] = MapSpot(t: "r")
            p.places["b"] = MapSpot(t: "s")
            p.places["c"] = .some(nil)
            expectEqual(p.places.values.map { $0?.t }, ["r", "s", nil])
        }
        let frozen = try requireValue(realm.snapshot().objects(MapOfProjected.self).first)
        expectEqual(frozen.places.values, [MapSpot(t: "r"), MapSpot(t: "s"), nil])
        expectTrue(frozen.places["b"] == .some(MapSpot(t: "s")) && frozen.places["c"] == .some(nil))
        expectTrue(frozen.places["d"] == nil && frozen.places == frozen.places)
    }

    // Covers 3.25, 3.32, 8.11, 8.21
    @Test func queriesAskForValuesOfAProjectedType() async throws {
        let realm = try await Realm.temporary([MapOfProjected.self, MapNote.self])
        try await realm.write { tx in
            for number in 0..<3 {
                let map = MapOfProjected()
                for temperature in 0..<number {
                    map.temps["\(temperature)"] = MapTemperature(d: temperature)
                    map.opt["\(temperature)"] = .some(MapTemperature(d: temperature))
                    map.places["\(temperature)"] = MapSpot(t: "\(temperature)")
                }
                map.opt["nil"] = .some(nil)
                if number == 1 { map.places["nil"] = .some(nil) }
                try tx.add(map)
            }
        }
        let maps = realm.snapshot().objects(MapOfProjected.self)
        func counts(_ condition: (Query<MapOfProjected>) -> Query<Bool>) -> [Int] {
            maps.where(condition).map { $0.temps.count }
        }
        expectEqual(counts { $0.temps.values == MapTemperature(d: 1) }, [2])
        expectEqual(counts { $0.temps.persistableValue.values > 0 }, [2])
        expectEqual(counts { $0.temps.persistableValue["0"] == 0 }, [1, 2])
        expectEqual(counts { $0.temps["0"] == MapTemperature(d: 0) }, [1, 2])
        expectEqual(counts { $0.temps.contains(1) && $0.temps.containsAny(in: [5, 0]) }, [2])
        expectEqual(counts { $0.temps.contains(MapTemperature(d: 0)) }, [1, 2])
        expectEqual(counts { $0.temps.min == MapTemperature(d: 0) }, [1, 2])
        expectEqual(counts { $0.temps.max == nil }, [0])
        expectEqual(counts { $0.opt.sum == 1 && $0.opt.avg == 0.5 }, [2])
        expectEqual(counts { $0.temps.contains(0...0) }, [1])
        expectEqual(counts { $0.opt.contains(0..<2) }, [1, 2])
        expectEqual(counts { $0.opt.persistableValue.values == nil }, [0, 1, 2])
        // Stored as embedded objects.
        expectEqual(counts { $0.places.values == MapSpot(t: "0") }, [1, 2])
        expectEqual(counts { $0.places.values == nil }, [1])
        expectEqual(counts { $0.places["1"] == MapSpot(t: "1") }, [2])
        expectEqual(counts { $0.places["1"] == MapSpot(t: "0") }, [])
        expectEqual(counts { $0.places["0"] != MapSpot(t: "0") }, [0])
        expectEqual(counts { $0.places["1"] == nil }, [0, 1])
        expectEqual(counts { $0.places["nil"] == nil }, [0, 1, 2])
        expectEqual(counts { $0.places["1"].in([MapSpot(t: "1"), nil]) }, [0, 1, 2])
        expectEqual(counts { $0.places.contains(MapSpot(t: "1")) }, [2])
        expectEqual(
            counts { $0.places.containsAny(in: [MapSpot(t: "1"), MapSpot(t: "0")]) }, [1, 2])
        expectEqual(counts { $0.places.persistableValue.objects().text == "1" }, [2])
        expectEqual(counts { $0.places.values.persistableValue.text.starts(with: "0") }, [1, 2])
        expectEqual(counts { $0.places.count == 2 }, [1, 2])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in
                _ =
                    tx.objects(MapOfProjected.self)
                    .where { $0.places["0"].persistableValue.text == "0" }.count
            }
        }
        expectEqual(error?.code, .invalidQuery)
        expectEqual(error?.message.contains("A property of a map's entry"), true)
    }

    @Test func dictionariesBecomeObjectsOfAProjectedType() async throws {
        let realm = try await Realm.temporary([MapOfProjected.self, MapNote.self])
        try await realm.write { tx in
            let given: [String: Any?] = ["a": ["text": "q"], "b": MapSpot(t: "r"), "c": nil]
            let made = try tx.create(MapOfProjected.self, value: ["places": given])
            expectEqual(made.places.values, [MapSpot(t: "q"), MapSpot(t: "r"), nil])
        }
    }
}
