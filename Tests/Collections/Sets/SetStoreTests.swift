import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The stored content of sets that are added, created from values and updated.
@Suite struct SetStoreTests {
    private func realm() async throws -> Realm { try await Realm.temporary(setClasses) }

    // Covers 2.80
    @Test func twoUnmanagedObjectsOfOneKeyFailTheTransaction() async throws {
        let realm = try await realm()
        let error = await realmError {
            try await realm.write { tx in
                let basket = try tx.create(Basket.self, value: ["name": "a"])
                basket.fruits.insert(objectsIn: [Fruit(1), Fruit(1)])
            }
        }
        expectTrue(error?.code == .duplicatePrimaryKey && error?.className == "Fruit")
        try await realm.write { tx in
            let basket = Basket("a")
            basket.fruits.insert(objectsIn: [Fruit(1), Fruit(1)])
            #expect(throws: Realm.Error.self) { try tx.add(basket) }
            expectTrue(tx.objects(Fruit.self).isEmpty && !basket.isManaged)
            try tx.add(basket, update: .modified)
            expectEqual(basket.fruits.map(\.id), [1])
        }
    }

    // Covers 2.74, 2.75, 7.8
    @Test func ofEqualValuesTheFirstIsStored() async throws {
        let realm = try await Realm.temporary(anyClasses + [EverySet.self])
        let values: [Decimal128?] = ["1.50", "1.5", "1.500", nil, "2.0", "2"]
        try await realm.write { tx in
            let inserted = EverySet()
            try tx.add(inserted)
            inserted.decimals.insert(objectsIn: values)
            expectEqual(inserted.decimals.map { $0.map { "\($0)" } }, [nil, "1.50", "2.0"])
            // Existing elements stay.
            inserted.decimals.insert("1.5")
            inserted.decimals.insert(objectsIn: ["2.000", "1"])
            expectEqual(inserted.decimals.map { $0.map { "\($0)" } }, [nil, "1", "1.50", "2.0"])
            let created = try tx.create(EverySet.self, value: ["decimals": values])
            expectEqual(created.decimals.map { $0.map { "\($0)" } }, [nil, "1.50", "2.0"])
            let added = EverySet()
            added.decimals.insert(objectsIn: values)
            try tx.add(added)
            expectEqual(added.decimals.map { $0.map { "\($0)" } }, [nil, "1.50", "2.0"])
            let note = AnyNote(1, .none)
            try tx.add(note)
            note.set.insert(objectsIn: [.double(1), .int(1), .bool(true), .float(1)])
            expectEqual(Array(note.set), [.bool(true), .double(1)])
        }
    }

    @Test func valueThatCannotBeStoredFailsTheTransaction() async throws {
        let realm = try await realm()
        let long = longText(16 << 20)
        let error = await realmError {
            try await realm.write { tx in
                let basket = try tx.create(Basket.self, value: ["name": "a"])
                basket.words.insert(objectsIn: ["a", long])
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectTrue(error?.className == "Basket" && error?.property == "words")
        expectEqual(error?.message.contains("Basket.words cannot hold"), true)
        try await realm.write { tx in
            let basket = Basket("a")
            basket.words.insert(objectsIn: ["a", long])
            #expect(throws: Realm.Error.self) { try tx.add(basket) }
            expectTrue(tx.objects(Basket.self).isEmpty && basket.words.count == 2)
        }
    }

    // Covers 7.8
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatesAddElementsOrReplaceThem(policy: Realm.UpdatePolicy) async throws {
        let realm = try await realm()
        try await realm.write { tx in
            func create(_ value: [String: Any]) throws -> Basket {
                try tx.create(Basket.self, value: value, update: policy)
            }
            let isAll = policy == .all
            let fruits = [["id": 1], ["id": 2]]
            _ = try create(["name": "a", "numbers": [1, 2], "fruits": fruits])
            _ = try create(["name": "a", "note": "x"])
            let basket = try create(["name": "a", "numbers": Set([2, 3]), "words": ["w", nil]])
            expectTrue(Array(basket.numbers) == (isAll ? [2, 3] : [1, 2, 3]))
            expectTrue(Array(basket.words) == [nil, "w"] && basket.fruits.map(\.id) == [1, 2])
            _ = try create(["name": "a", "fruits": [["id": 2], ["id": 2, "weight": 8]]])
            expectTrue(basket.fruits.map(\.id) == (isAll ? [2] : [1, 2]))
            expectEqual(basket.fruits.last?.weight, 8)
            let error = #expect(throws: Realm.Error.self) {
                try create(["name": "a", "numbers": ["seven"]])
            }
            expectTrue(error?.className == "Basket" && error?.property == "numbers")
            let other = Basket("a")
            other.numbers.insert(9)
            try tx.add(other, update: policy)
            expectTrue(Array(basket.numbers) == (isAll ? [9] : [1, 2, 3, 9]))
            expectEqual(other.numbers, basket.numbers)
        }
    }

    @Test func dynamicAssignmentReplacesTheElements() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let basket = try tx.create(
                Basket.self, value: ["name": "a", "numbers": [1, 7]] as [String: Any])
            basket["numbers"] = [7, 7, 8]
            expectEqual((basket["numbers"] as? MutableSet<Int>).map { Array($0) }, [7, 8])
            let copy = Basket(value: basket)
            expectTrue(Array(copy.numbers) == [7, 8] && !copy.numbers.isManaged)
        }
    }
}
