import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Frozen and live sets, their streams, and the reported changes.
@Suite struct SetViewTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(setClasses)
        try await realm.write { tx in
            let values: [String: Any] = [
                "name": "a", "numbers": [3, 1], "words": ["x", nil],
                "fruits": [["id": 1], ["id": 2, "weight": 5]], "stages": ["ripe"],
            ]
            _ = try tx.create(Basket.self, value: values)
        }
        return realm
    }

    private func basket(_ realm: Realm) throws -> Frozen<Basket> {
        try requireValue(realm.snapshot().objects(Basket.self).first)
    }

    private struct Unexpected: Error {}

    // Covers 5.62
    @Test func frozenSetsAreValuesAndResults() async throws {
        let realm = try await realm()
        let before = try basket(realm)
        try await realm.write { tx in
            let basket = tx.objects(Basket.self)[0]
            basket.numbers.insert(2)
            basket.fruits.insert(Fruit(3))
            let (numbers, fruits) = (try basket.numbers.freeze(), try basket.fruits.freeze())
            expectTrue(numbers.array == [1, 3] && fruits.map(\.id) == [1, 2])
            #expect(throws: Realm.Error.self) { try MutableSet([1]).freeze() }
        }
        let after = try basket(realm)
        expectTrue(before.numbers.array == [1, 3] && after.numbers.array == [1, 2, 3])
        expectTrue(before.fruits.map(\.id) == [1, 2] && after.fruits.map(\.id) == [1, 2, 3])
        expectEqual(after.fruits.where { $0.weight > 1 }.map(\.id), [2])
        expectTrue(after.numbers.contains(2) && after.numbers.sum() == 6)
        expectTrue(before != after && before == before && after.stages.array == [.ripe])
        let back = try basket(realm)
        expectTrue(back == after && back.numbers == after.numbers)
    }

    // Covers 11.6
    @Test func setsEncodeAsArrays() async throws {
        let realm = try await realm()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(try basket(realm)), as: UTF8.self)
        expectEqual(
            json,
            #"{"fruits":[1,2],"name":"a","note":"","numbers":[1,3],"reals":[],"#
                + #""stages":["ripe"],"words":[null,"x"]}"#)
        let set = MutableSet<Int?>([2, nil, 1])
        let data = try encoder.encode(set)
        expectEqual(String(decoding: data, as: UTF8.self), "[2,null,1]")
        try expectEqual(JSONDecoder().decode(MutableSet<Int?>.self, from: data), set)
        try await realm.read { tx in
            let basket = tx.objects(Basket.self)[0]
            let numbers = try encoder.encode(basket.numbers)
            expectEqual(String(decoding: numbers, as: UTF8.self), "[1,3]")
        }
    }

    @Test func setsDescribeThemselves() async throws {
        let realm = try await realm()
        try await realm.read { tx in
            let basket = tx.objects(Basket.self)[0]
            expectEqual(basket.numbers.description, "MutableSet<Int> (\n    [0] 1\n    [1] 3\n)")
            expectTrue(basket.description.contains("numbers = MutableSet<Int> (\n"))
            expectTrue(basket.description.contains("reals = MutableSet<Double> ()"))
        }
    }

    // Covers 2.74, 4.28, O39
    @Test func insertingWhatIsThereTellsNothing() async throws {
        let realm = try await realm()
        let before = try basket(realm)
        var stream = realm.object(Basket.self, forPrimaryKey: "a").changes.makeAsyncIterator()
        guard case .initial? = try await stream.next() else { throw Unexpected() }
        try await realm.write { tx in
            let basket = tx.objects(Basket.self)[0]
            basket.numbers.insert(3)
            basket.numbers.formUnion([1, 3])
            basket.numbers = MutableSet([3, 1])
            basket.numbers.remove(9)
            basket.fruits.insert(basket.fruits[1])
            _ = try tx.create(
                Basket.self, value: ["name": "a", "numbers": [3, 1]] as [String: Any],
                update: .modified)
        }
        let same = try basket(realm)
        expectTrue(same == before && realm.snapshot().version == before.numbers.version)
        try await realm.write { tx in
            let basket = tx.objects(Basket.self)[0]
            basket.note = "n"
            basket.words.insert("y")
        }
        guard case .changed(_, _, let properties)? = try await stream.next() else {
            throw Unexpected()
        }
        expectEqual(properties, ["note", "words"])
    }

    // Covers O39
    @Test func streamOfASetOfValuesTellsPositions() async throws {
        let realm = try await realm()
        let numbers = realm.object(Basket.self, forPrimaryKey: "a").numbers
        expectEqual(numbers.current.array, [1, 3])
        var stream = numbers.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else { throw Unexpected() }
        expectEqual(first.array, [1, 3])
        try await realm.write { tx in
            let set = tx.objects(Basket.self)[0].numbers
            set.formUnion([2, 4, 0])
            set.remove(3)
        }
        guard case .update(let next, let delta)? = try await stream.next() else {
            throw Unexpected()
        }
        expectEqual(next.array, [0, 1, 2, 4])
        expectTrue(delta.deletions == [1] && delta.insertions == [0, 2, 3])
        expectTrue(delta.modifications.isEmpty)
    }

    // Covers O39
    @Test func streamOfASetOfObjectsTellsTheirChanges() async throws {
        let realm = try await realm()
        var stream = realm.object(Basket.self, forPrimaryKey: "a").fruits.changes
            .makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else { throw Unexpected() }
        expectEqual(first.map(\.id), [1, 2])
        try await realm.write { tx in
            let basket = tx.objects(Basket.self)[0]
            basket.fruits[1].weight = 6
            basket.fruits.insert(Fruit(3))
            tx.delete(basket.fruits[0])
        }
        guard case .update(let next, let delta)? = try await stream.next() else {
            throw Unexpected()
        }
        expectEqual(next.map(\.id), [2, 3])
        expectTrue(delta.deletions == [0] && delta.insertions == [1] && delta.modifications == [1])
        expectEqual(delta.modified.first?.properties, ["weight"])
    }

    // Covers 4.14, O39
    @Test func keyPathsLeadThroughSets() async throws {
        let realm = try await realm()
        var stream = realm.objects(Basket.self).changes(keyPaths: [\.fruits[0].weight])
            .makeAsyncIterator()
        guard case .initial? = try await stream.next() else { throw Unexpected() }
        try await realm.write { tx in tx.objects(Basket.self)[0].numbers.insert(77) }
        try await realm.write(origin: "weighed") { tx in
            tx.objects(Basket.self)[0].fruits[1].weight += 1
        }
        guard case .update(_, let delta)? = try await stream.next() else { throw Unexpected() }
        expectEqual(delta.modifications, [0])
    }

    // Covers 1.16
    @Test func elementsOfASetThatIsReplacedByNameStay() async throws {
        let realm = try await realm()
        let numbers = realm.object(Basket.self, forPrimaryKey: "a").numbers
        var stream = numbers.changes.makeAsyncIterator()
        _ = try await stream.next()
        for (number, other) in [(5, 3), (6, 5)] {
            try await realm.write { tx in
                let basket = try tx.dynamicObject(ofType: "Basket", forPrimaryKey: "a")
                if number == 5 {
                    try basket?.set([number, 1, number], of: "numbers")
                } else {
                    try basket?.dynamicMutableSet("numbers").replaceAll(with: [1, number])
                }
            }
            guard case .update(let now, let delta)? = try await stream.next() else {
                throw Unexpected()
            }
            expectEqual(now.array, [1, number])
            expectTrue(delta.deleted == [other] && delta.inserted == [number])
            expectTrue(delta.modifications.isEmpty)
        }
    }
}
