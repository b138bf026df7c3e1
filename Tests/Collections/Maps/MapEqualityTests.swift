import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The equality of unmanaged maps: the same keys with the same values.
@Suite struct MapEqualityTests {
    private func map<Value: MapValue>(_ entries: [String: Value]) -> Map<String, Value> {
        let map = Map<String, Value>()
        for (key, value) in entries { map[key] = value }
        return map
    }

    // Covers 2.96
    @Test func valuesOfAnyTypeCount() {
        let pet = AnyPet("Rex")
        func made(_ last: AnyRealmValue) -> Map<String, AnyRealmValue> {
            map([
                "list": .fromArray([.int(1), .fromDictionary(["k": last])]), "pet": .object(pet),
                "none": .none, "dictionary": .fromDictionary(["k": .fromArray([last])]),
            ])
        }
        expectTrue(made(.int(1)) == made(.int(1)) && made(.int(1)) != made(.int(2)))
        expectTrue(made(.int(1)) != made(.double(1)) && made(.object(pet)) == made(.object(pet)))
        expectTrue(map(["a": AnyRealmValue.object(pet)]) != map(["a": .object(AnyPet("Rex"))]))
        expectTrue(map(["a": AnyRealmValue.fromArray([])]) != map(["a": .fromDictionary([:])]))
        expectTrue(map(["a": AnyRealmValue.fromArray([])]) != map(["a": .none]))
    }

    @Test func projectedValuesCount() {
        expectEqual(map(["a": Point(1, 2)]), map(["a": Point(1, 2)]))
        expectTrue(map(["a": Point(1, 2)]) != map(["a": Point(1, 3)]))
        expectEqual(
            map(["a": Label("x", Point(1, 2)), "b": nil]),
            map(["b": nil, "a": Label("x", Point(1, 2))]))
        expectTrue(map(["a": Label("x", nil)]) != map(["a": Optional<Label>.none]))
        expectEqual(map(["a": Celsius(1)]), map(["a": Celsius(1)]))
    }

    @Test func objectsAreComparedAsInstances() {
        let pet = MapPet("Rex")
        expectEqual(map(["a": Optional(pet), "b": nil]), map(["b": nil, "a": Optional(pet)]))
        expectTrue(map(["a": Optional(pet)]) != map(["a": Optional(MapPet("Rex"))]))
        let note = MapNote("x")
        expectEqual(map(["a": Optional(note)]), map(["a": Optional(note)]))
        expectTrue(map(["a": Optional(note)]) != map(["a": Optional(MapNote("x"))]))
    }
}
