import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// An element type with values of it that all differ in their stored form.
struct ElementCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let holder: Object.Type
    let run: @Sendable () async throws -> Void

    init<H: ElementHolder>(_ holder: H.Type, _ values: [H.Element]) {
        self.holder = holder
        testDescription = "\(H.Element.self)"
        run = { try await checkElements(holder, values) }
    }

    static let all: [ElementCase] = [
        ElementCase(OfBool.self, [true, false]),
        ElementCase(OfInt.self, [.min, -1, 0, .max]),
        ElementCase(OfInt8.self, [.min, -1, 0, .max]),
        ElementCase(OfInt16.self, [.min, -1, 0, .max]),
        ElementCase(OfInt32.self, [.min, -1, 0, .max]),
        ElementCase(OfInt64.self, [.min, -1, 0, .max]),
        ElementCase(OfFloat.self, [-.infinity, -1.5, 0, .greatestFiniteMagnitude, .infinity]),
        ElementCase(OfDouble.self, [-.infinity, -1.5, 0, .leastNonzeroMagnitude, .infinity]),
        ElementCase(OfString.self, ["", "a", "ä", "a\u{308}", "\0", "日本"]),
        ElementCase(OfData.self, [Data(), Data([0]), Data([255, 1])]),
        ElementCase(
            OfDate.self, [.distantPast, Date(timeIntervalSince1970: 0.123), .distantFuture]),
        ElementCase(OfDecimal.self, ["-1E+6000", "0", "1.5", "Infinity"]),
        ElementCase(OfObjectId.self, [ObjectId.generate(), ObjectId.generate()]),
        ElementCase(OfUUID.self, [UUID(), UUID()]),
        ElementCase(OfGrade.self, [.high, .low]),
        ElementCase(OfTone.self, [.soft, .loud]),
        ElementCase(OfHex.self, [255, 16, -1].map { ElementHex($0) }),
        ElementCase(OfLabel.self, ["b", "a"].map { ElementLabel($0) }),
        ElementCase(OfOptBool.self, [true, nil, false]),
        ElementCase(OfOptInt.self, [.min, nil, .max]),
        ElementCase(OfOptInt8.self, [.min, nil, .max]),
        ElementCase(OfOptInt16.self, [.min, nil, .max]),
        ElementCase(OfOptInt32.self, [.min, nil, .max]),
        ElementCase(OfOptInt64.self, [.min, nil, .max]),
        ElementCase(OfOptFloat.self, [-1.5, nil, .infinity]),
        ElementCase(OfOptDouble.self, [-1.5, nil, .infinity]),
        ElementCase(OfOptString.self, ["", nil, "x"]),
        ElementCase(OfOptData.self, [Data(), nil, Data([1])]),
        ElementCase(OfOptDate.self, [Date(timeIntervalSince1970: 5), nil]),
        ElementCase(OfOptDecimal.self, ["1.5", nil, "-2"]),
        ElementCase(OfOptObjectId.self, [ObjectId.generate(), nil]),
        ElementCase(OfOptUUID.self, [UUID(), nil]),
        ElementCase(OfOptGrade.self, [.high, nil, .low]),
        ElementCase(OfOptTone.self, [.soft, nil]),
        ElementCase(OfOptHex.self, [ElementHex(255), nil]),
        ElementCase(OfOptLabel.self, [ElementLabel("b"), nil]),
    ]
}

/// Whether both have the same stored values.
private func same<V: RealmCollectionValue>(_ a: some Sequence<V>, _ b: some Sequence<V>) -> Bool {
    a.elementsEqual(b, by: V._areSame)
}

/// Checks what holds for every element type, in every container: managed, unmanaged, in a file and
/// frozen.
private func checkElements<H: ElementHolder>(_ type: H.Type, _ values: [H.Element]) async throws {
    let folder = try RealmFolder()
    let realm = try await Realm.open(folder.configuration("e.realm", [type]))
    let keys = values.indices.map { "k\($0)" }
    try await realm.write { tx in
        let object = H()
        for pass in 0..<2 {
            object.list.removeAll()
            object.list.append(objectsIn: values + values)
            object.set.insert(objectsIn: values + values)
            for (key, value) in zip(keys, values) { object.map[key] = value }
            expectTrue(same(object.list, values + values), "\(pass)")
            expectEqual(object.list.index(of: values[1]), 1)
            expectEqual(object.set.count, values.count)
            expectTrue(values.allSatisfy { object.set.contains($0) })
            expectEqual(object.map.count, values.count)
            for (key, value) in zip(keys, values) {
                expectEqual(object.map[key].map { same([$0], [value]) }, true)
            }
            if pass == 0 { try tx.add(object) }
        }
        object.list[0] = values[1]
        object.list.remove(at: 1)
        object.set.remove(values[0])
        object.map["k0"] = values[1]
        expectTrue(same(object.list.prefix(1), [values[1]]))
        expectTrue(!object.set.contains(values[0]) && object.set.count == values.count - 1)
        let copy = try tx.create(type, value: object)
        expectTrue(same(copy.list, object.list) && same(copy.set, object.set))
        expectEqual(copy.map.keys, object.map.keys)
        tx.delete(copy)
    }
    await realm.close()
    let again = try await Realm.open(folder.configuration("e.realm", [type]))
    let frozen = try requireValue(again.snapshot().objects(type).first)
    let list: FrozenValues<H.Element> = frozen[dynamicMember: \.list]
    let set: FrozenValues<H.Element> = frozen[dynamicMember: \.set]
    let map: FrozenMap<String, H.Element> = frozen[dynamicMember: \.map]
    expectTrue(same(list, [values[1]] + values.dropFirst(2) + values))
    expectTrue(same(set.sorted(), set) && set.count == values.count - 1)
    expectTrue(values.dropFirst().allSatisfy { set.contains($0) })
    expectEqual(map["k0"].map { same([$0], [values[1]]) }, true)
    expectTrue(map.keys == keys && list.distinct().count == values.count)
    await again.close()
}

/// Every value type in every container.
@Suite struct ElementTypeTests {
    // Covers 1.32, 1.33, 1.40, 1.41, 1.42, 1.45, 1.46, 1.51, 2.106, 8.4
    @Test(arguments: ElementCase.all)
    func everyTypeIsHeldByEveryContainer(element: ElementCase) async throws {
        try await element.run()
    }

    // Covers 2.106
    @Test func tableHasEveryTypeThatAPropertyCanHave() {
        let types = ElementCase.all.flatMap { $0.holder.init().objectSchema.properties }
        expectEqual(types.filter(\.isOptional).count, types.count / 2)
        let missing = Set(PropertyType.allCases).subtracting(types.map(\.type))
        // Values of any type are never optional: `AtlasTests` covers them in every container.
        expectEqual(missing, [.any, .object, .linkingObjects], "\(missing)")
    }
}
