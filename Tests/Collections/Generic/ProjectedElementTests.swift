import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class ProjectedElements: Object {
    @Persisted(primaryKey: true) var key: ElementLabel
    @Persisted var labels: MutableSet<ElementLabel>
    @Persisted var codes: MutableSet<ElementHex?>
    @Persisted var byKey: Map<String, ElementHex>
    @Persisted var places: Map<String, ElementPlace?>
    @Persisted var placeList: List<ElementPlace>
}

private final class RefusedSet: Object {
    @Persisted var number: Int
    @Persisted var places: MutableSet<ElementPlace>
}

/// Sets and maps of projected types.
@Suite struct ProjectedElementTests {
    private static let types: [ObjectBase.Type] = [ProjectedElements.self, ElementSpot.self]

    private func make() async throws -> Realm {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let object = ProjectedElements()
            object.key = ElementLabel("k", note: "first")
            object.labels.insert(objectsIn: [ElementLabel("b"), ElementLabel("a")])
            object.codes.insert(objectsIn: [ElementHex(255), nil, ElementHex(16)])
            object.byKey["x"] = ElementHex(10)
            object.places["home"] = ElementPlace(3)
            object.placeList.append(ElementPlace(5))
            try tx.add(object)
        }
        return realm
    }

    // Covers 8.13, 8.14
    @Test func whatIsStoredDecidesWhetherElementsAreTheSame() async throws {
        let realm = try await make()
        try await realm.write { tx in
            let object = try requireValue(
                tx.object(ProjectedElements.self, forPrimaryKey: ElementLabel("k", note: "other")))
            let noted = ElementLabel("a", note: "different for the program")
            expectTrue(noted != ElementLabel("a") && object.labels.contains(noted))
            object.labels.insert(noted)
            expectTrue(object.labels.count == 2 && object.labels.map(\.text) == ["a", "b"])
            expectTrue(object.labels.allSatisfy { $0.note == "" })
            let plain = MutableSet([ElementLabel("a"), noted, ElementLabel("b")])
            expectTrue(plain.count == 2 && plain.contains(ElementLabel("b", note: "n")))
            object.labels.remove(ElementLabel("b", note: "n"))
            expectEqual(object.labels.map(\.text), ["a"])
            object.labels.formUnion(plain)
            expectEqual(object.labels.map(\.text), ["a", "b"])
            expectEqual(object.codes.map { $0?.number }, [nil, 16, 255])
            #expect(throws: Realm.Error.self) {
                let twin = ProjectedElements()
                twin.key = ElementLabel("k", note: "x")
                try tx.add(twin)
            }
        }
    }

    // Covers 8.4
    @Test func queriesAskByTheProgramsValues() async throws {
        let realm = try await make()
        let all = realm.snapshot().objects(ProjectedElements.self)
        expectEqual(all.where { $0.labels.contains(ElementLabel("b", note: "n")) }.count, 1)
        expectTrue(all.where { $0.codes.contains(ElementHex(17)) }.isEmpty)
        expectEqual(all.where { $0.codes.contains(nil) }.count, 1)
        expectEqual(all.where { $0.byKey["x"] == ElementHex(10) }.count, 1)
        expectTrue(all.where { $0.byKey.values == ElementHex(11) }.isEmpty)
        expectEqual(all.where { $0.byKey.contains(ElementHex(10)) }.count, 1)
        let first = try requireValue(all.first)
        expectEqual(first.labels.array, [ElementLabel("a"), ElementLabel("b")])
        expectEqual(first.codes.array, [nil, ElementHex(16), ElementHex(255)])
        expectEqual(first.byKey.dictionary, ["x": ElementHex(10)])
    }

    @Test func streamsOfSetsAndMapsHaveTheProgramsValues() async throws {
        let realm = try await make()
        let live = realm.object(ProjectedElements.self, forPrimaryKey: ElementLabel("k"))
        var labels = live.labels.changes.makeAsyncIterator()
        var codes = live.byKey.changes.makeAsyncIterator()
        _ = try await (labels.next(), codes.next())
        try await realm.write { tx in
            let object = tx.objects(ProjectedElements.self)[0]
            object.labels.insert(ElementLabel("0"))
            object.byKey["x"] = ElementHex(11)
        }
        guard case .update(_, let set)? = try await labels.next(),
            case .update(_, let map)? = try await codes.next()
        else {
            Issue.record("no update")
            return
        }
        expectTrue(set.inserted == [ElementLabel("0")] && set.insertions == [0])
        expectTrue(map.modifications == ["x"] && map.modified.map(\.new) == [ElementHex(11)])
    }

    @Test func valuesByNameAreThoseThatAreStored() async throws {
        let realm = try await make()
        try await realm.write { tx in
            let object = try tx.create(
                ProjectedElements.self,
                value: [
                    "key": "z", "labels": ["q", "p", "q"], "codes": ["ff", nil] as [Any?],
                    "byKey": ["m": "1f"], "places": ["a": ["x": 4], "b": nil] as [String: Any?],
                ] as [String: Any])
            expectTrue(object.labels.map(\.text) == ["p", "q"] && object.codes.count == 2)
            expectEqual(object.byKey["m"], ElementHex(31))
            expectTrue(object.places["a"] == .some(ElementPlace(4)) && object.places.count == 2)
            // Code that doesn't know the class sees the stored values.
            let set = try requireValue(object["labels"] as? MutableSet<String>)
            expectTrue(Array(set) == ["p", "q"] && object["codes"] is MutableSet<String?>)
            let map = try requireValue(object["byKey"] as? Map<String, String>)
            expectEqual(map["m"], "1f")
            let spots = try requireValue(object["places"] as? Map<String, ElementSpot?>)
            expectEqual(spots["a"]??.x, 4)
            let plain = ProjectedElements()
            plain.labels.insert(ElementLabel("u"))
            plain.byKey["v"] = ElementHex(1)
            expectEqual((plain["labels"] as? MutableSet<String>).map { Array($0) }, ["u"])
            expectEqual((plain["byKey"] as? Map<String, String>)?["v"], "1")
            let copy = ProjectedElements(value: object)
            expectTrue(copy.labels.map(\.text) == ["p", "q"] && copy.byKey["m"] == ElementHex(31))
            expectEqual(copy.places["a"], .some(ElementPlace(4)))
            let refused = #expect(throws: Realm.Error.self) {
                try tx.create(
                    ProjectedElements.self, value: ["key": "y", "codes": ["not hex"]])
            }
            expectTrue(refused?.property == "codes" && refused?.className == "ProjectedElements")
            expectEqual(tx.objects(ProjectedElements.self).count, 2)
        }
    }

    @Test func schemaShowsWhatIsStored() {
        let schema = ProjectedElements().objectSchema
        expectEqual(
            schema.properties.map { "\($0)" },
            [
                "key: String, primary key", "labels: MutableSet<String>",
                "codes: MutableSet<String?>", "byKey: Map<String, String>",
                "places: Map<String, ElementSpot?>", "placeList: List<ElementSpot>",
            ])
    }

    // Covers 8.4
    @Test func setOfWhatIsStoredAsAnEmbeddedObjectIsRefused() async throws {
        let error = await realmError {
            try await Realm.temporary([RefusedSet.self, ElementSpot.self])
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(
            error?.message.contains("RefusedSet.places is of type MutableSet<ElementSpot>: a set"),
            true)
    }
}
