import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Sets: managed, unmanaged, and added to a realm.
@Suite struct SetTests {
    private func realm() async throws -> Realm { try await Realm.temporary(setClasses) }

    // Covers 2.70, 2.74, 2.75, 2.76, 2.77, 2.81
    @Test func elementsAreThereOnceAndAscending() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let basket = try tx.create(Basket.self, value: ["name": "a"])
            for number in [5, -1, 5, 3, 3] { basket.numbers.insert(number) }
            expectTrue(Array(basket.numbers) == [-1, 3, 5] && basket.numbers.count == 3)
            basket.words.insert(objectsIn: ["b", nil, "a", "ä", "B", nil])
            expectEqual(Array(basket.words), [nil, "B", "a", "b", "ä"])
            basket.numbers.remove(4)
            basket.numbers.remove(3)
            expectTrue(basket.numbers.first == -1 && basket.numbers.last == 5)
            expectTrue(basket.numbers.contains(5) && !basket.numbers.contains(3))
            expectTrue(basket.words.contains(nil) && !basket.words.contains("c"))
            expectTrue(basket.numbers.index(of: 5) == 1 && basket.numbers.firstIndex(of: 3) == nil)
            basket.numbers.removeAll()
            expectTrue(basket.numbers.isEmpty && basket.numbers.first == nil)
        }
    }

    // Covers 2.70
    @Test func zerosAreOneValueAndSoIsNaN() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            for basket in [try tx.create(Basket.self, value: ["name": "a"]), Basket("b")] {
                let (nan, infinity) = (Double.nan, Double.infinity)
                basket.reals.insert(objectsIn: [0.0, -0.0, nan, -nan, infinity, -infinity])
                expectEqual(basket.reals.count, 4)
                expectTrue(basket.reals.contains(-0.0) && basket.reals.contains(nan))
                basket.reals.insert(-0.0)
                expectEqual(basket.reals.map(\.sign).filter { $0 == .minus }.count, 1)
                basket.reals.remove(-0.0)
                basket.reals.remove(-nan)
                expectEqual(Set(basket.reals), Set([infinity, -infinity]))
            }
        }
    }

    // Covers 1.34, 1.37, 1.39, 2.81
    @Test func everyTypeOfValueIsHeldInItsOrder() async throws {
        let realm = try await Realm.temporary([EverySet.self])
        let (low, high) = (UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), UUID())
        let (old, new) = (Date(timeIntervalSince1970: -5), Date(timeIntervalSince1970: 5))
        let id = ObjectId.generate()
        try await realm.write { tx in
            let sets = EverySet()
            sets.bools.insert(objectsIn: [true, false, true])
            sets.optionalBools.insert(objectsIn: [true, nil, false])
            sets.bytes.insert(objectsIn: [.max, .min, .max])
            sets.longs.insert(objectsIn: [.max, nil, .min, nil])
            sets.floats.insert(objectsIn: [1.5, 0.25])
            sets.datas.insert(objectsIn: [[2], [], [1, 2], [2]].map { Data($0) })
            sets.optionalDatas.insert(objectsIn: [Data([2]), nil])
            sets.dates.insert(objectsIn: [new, old, new])
            sets.uuids.insert(objectsIn: [high, low, high])
            sets.decimals.insert(objectsIn: ["1.50", nil, "1.5", "-2", "0", "-0"])
            sets.ids.insert(objectsIn: [id, nil, id])
            sets.stages.insert(objectsIn: [.ripe, nil, .green, .ripe])
            try tx.add(sets)
            expectEqual(Array(sets.bools), [false, true])
            expectTrue(sets.decimals.contains("1.500") && sets.decimals.contains("0"))
            expectTrue(sets.decimals.sum() == "-0.5" && sets.decimals.max() == "1.5")
            expectTrue(sets.bools.contains(true) && sets.datas.contains(Data([1, 2])))
        }
        let sets = try requireValue(realm.snapshot().objects(EverySet.self).first)
        expectTrue(
            sets.bools.array == [false, true] && sets.optionalBools.array == [nil, false, true])
        expectTrue(sets.bytes.array == [.min, .max] && sets.longs.array == [nil, .min, .max])
        expectEqual(sets.floats.array, [0.25, 1.5])
        expectEqual(sets.datas.array, [Data(), Data([1, 2]), Data([2])])
        expectTrue(sets.optionalDatas.array == [nil, Data([2])] && sets.dates.array == [old, new])
        expectEqual(sets.decimals.array, [nil, "-2", "0", "1.50"])
        expectTrue(sets.uuids.array == [low, high] && sets.ids.array == [nil, id])
        expectEqual(sets.stages.array, [nil, .green, .ripe])
    }

    // Covers 2.83
    @Test func unmanagedSetIsInTheOrderOfInsertion() {
        let set = MutableSet([3, 1, 3, 2])
        expectTrue(Array(set) == [3, 1, 2] && set[1] == 1 && !set.isManaged && !set.isInvalidated)
        set.remove(1)
        set.insert(1)
        set.insert(3)
        expectTrue(Array(set) == [3, 2, 1] && set.contains(2) && !set.contains(4))
        expectTrue(set == MutableSet([1, 2, 3]) && set != MutableSet([1, 2]))
        expectTrue(set.sorted() == [1, 2, 3] && set.sorted(ascending: false) == [3, 2, 1])
        let fruits = MutableSet<Fruit>()
        let fruit = Fruit(1)
        fruits.insert(objectsIn: [fruit, fruit, Fruit(1)])
        expectTrue(fruits.count == 2 && fruits.contains(fruit) && !fruits.contains(Fruit(1)))
        expectEqual(fruits.index(of: fruit), 0)
    }

    // Covers 2.72, 2.73, 2.78
    @Test func setsAreCombinedInPlaceAndAsNewOnes() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let stored = try tx.create(
                Basket.self, value: ["name": "a", "numbers": [1, 2, 3, 4]] as [String: Any])
            let other = try tx.create(
                Basket.self, value: ["name": "b", "numbers": [3, 4, 5]] as [String: Any])
            for left in [stored.numbers, MutableSet([1, 2, 3, 4])] {
                for right in [other.numbers, MutableSet([5, 4, 3])] {
                    expectEqual(left.union(right).sorted(), [1, 2, 3, 4, 5])
                    expectEqual(left.intersection(right).sorted(), [3, 4])
                    expectEqual(left.subtracting(right).sorted(), [1, 2])
                    expectTrue(left.intersects(right) && !left.subtracting(right).intersects(right))
                    expectTrue(!left.isSubset(of: right) && !left.isSuperset(of: right))
                    expectTrue(left.intersection(right).isSubset(of: left))
                    expectTrue(left.isSuperset(of: [1, 4]) && left.isSubset(of: 0...9))
                    expectTrue(left.count == 4 && right.count == 3)
                    left.formUnion(right)
                    expectEqual(left.sorted(), [1, 2, 3, 4, 5])
                    left.subtract(right)
                    expectEqual(left.sorted(), [1, 2])
                    left.insert(objectsIn: [3, 4, 7])
                    left.formIntersection([4, 3, 2, 1, 0])
                    expectEqual(left.sorted(), [1, 2, 3, 4])
                }
            }
            stored.numbers.formUnion(stored.numbers)
            stored.numbers.formIntersection(stored.numbers)
            expectEqual(Array(stored.numbers), [1, 2, 3, 4])
            stored.numbers.subtract(stored.numbers)
            expectTrue(stored.numbers.isEmpty)
        }
    }

    // Covers 1.28
    @Test func setTakenBeforeAddingBecomesThatOfTheObject() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let basket = Basket("a")
            let (numbers, fruits) = (basket.numbers, basket.fruits)
            numbers.insert(objectsIn: [2, 1])
            let pear = Fruit(1)
            fruits.insert(objectsIn: [pear, Fruit(0), pear])
            try tx.add(basket)
            expectTrue(numbers.isManaged && numbers == basket.numbers && Array(numbers) == [1, 2])
            expectTrue(fruits.isManaged && fruits[0].isManaged && fruits.count == 2)
            numbers.insert(0)
            expectEqual(Array(basket.numbers), [0, 1, 2])
            expectTrue(numbers != basket.union([]) && basket.numbers != MutableSet([0, 1, 2]))
        }
    }

    // Covers 1.27
    @Test func assignmentCopiesTheElements() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let loose = MutableSet([1, 2])
            let basket = Basket("a")
            basket.numbers = loose
            loose.insert(3)
            expectEqual(Array(basket.numbers), [1, 2])
            let instance = basket.numbers
            basket.numbers = MutableSet([9, 8])
            expectTrue(instance === basket.numbers && Array(instance) == [9, 8])
            basket.numbers = basket.numbers
            expectEqual(Array(basket.numbers), [9, 8])
            try tx.add(basket)
            let other = Basket("b")
            other.numbers.insert(objectsIn: [8, 7])
            try tx.add(other)
            basket.numbers = other.numbers
            expectTrue(Array(instance) == [7, 8] && basket.numbers != other.numbers)
            basket.numbers = basket.numbers
            expectTrue(Array(basket.numbers) == [7, 8] && Array(other.numbers) == [7, 8])
        }
    }

    // Covers 2.70, 2.71, 2.80, 2.82, 7.55
    @Test func objectsAreInOrderOfCreationAndGoWithTheirDeletion() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let fruits = (0..<4).map { Fruit($0) }
            try tx.add(fruits)
            let basket = try tx.create(Basket.self, value: ["name": "a"])
            let other = try tx.create(Basket.self, value: ["name": "b"])
            basket.fruits.insert(objectsIn: [fruits[3], fruits[1], fruits[3], Fruit(9)])
            other.fruits.insert(fruits[1])
            expectTrue(basket.fruits.map(\.id) == [1, 3, 9] && fruits[1].baskets.count == 2)
            let again = tx.object(Fruit.self, forPrimaryKey: 3)
            expectEqual(again.map { basket.fruits.contains($0) }, true)
            expectTrue(!basket.fruits.contains(fruits[0]) && !basket.fruits.contains(Fruit(3)))
            basket.fruits.remove(Fruit(3))
            expectEqual(basket.fruits.count, 3)
            tx.delete(fruits[1])
            expectTrue(basket.fruits.map(\.id) == [3, 9] && other.fruits.isEmpty)
            expectEqual(basket.fruits.where { $0.id > 3 }.map(\.id), [9])
            expectEqual(basket.fruits.sorted(by: \.id, ascending: false).map(\.id), [9, 3])
            expectTrue(basket.fruits.max(of: \.id) == 9 && basket.fruits.sum(of: \.id) == 12)
            try basket.fruits.setValue(7, forKey: "weight")
            expectTrue(fruits[3].weight == 7 && fruits[0].weight == 0)
            tx.delete(basket.fruits)
            expectTrue(basket.fruits.isEmpty && tx.objects(Fruit.self).map(\.id) == [0, 2])
        }
    }

    // Covers 2.7
    @Test func loopWalksWhatTheSetHadAtItsStart() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let basket = try tx.create(
                Basket.self, value: ["name": "a", "numbers": [1, 2, 3]] as [String: Any])
            var seen: [Int] = []
            for number in basket.numbers {
                seen.append(number)
                basket.numbers.insert(number + 10)
                basket.numbers.remove(2)
            }
            expectTrue(seen == [1, 3] && Array(basket.numbers) == [1, 3, 11, 13])
        }
    }

    @Test func valuesAreFolded() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let basket = try tx.create(
                Basket.self,
                value: ["name": "a", "numbers": [4, 6, 2], "reals": [0.5, 1]] as [String: Any])
            for set in [basket.numbers, MutableSet([6, 4, 2])] {
                expectTrue(
                    set.sum() == 12 && set.average() == 4 && set.min() == 2 && set.max() == 6)
                expectTrue(set.sorted(ascending: false) == [6, 4, 2] && set.distinct().count == 3)
            }
            expectTrue(basket.reals.sum() == 1.5 && basket.reals.max() == 1)
            basket.numbers.removeAll()
            expectTrue(basket.numbers.sum() == 0 && basket.numbers.min() == nil)
            expectNil(basket.numbers.average())
        }
    }
}

extension Basket {
    fileprivate func union(_ others: [Int]) -> MutableSet<Int> { numbers.union(others) }
}
