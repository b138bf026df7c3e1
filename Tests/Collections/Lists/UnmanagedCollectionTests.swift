import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Unmanaged sets and maps against plain Swift collections, growing from empty to many elements and
/// shrinking again.
@Suite struct UnmanagedCollectionTests {
    @Test func mapIsADictionary() {
        var random = SeededRandom()
        for _ in 0..<200 {
            let map = Map<String, Int?>()
            var dictionary: [String: Int?] = [:]
            // Few keys or many, so that entries come and go at every size.
            let keys = (0..<Int.random(in: 1...40, using: &random)).map { "key \($0)" }
            for _ in 0..<300 {
                let key = keys.randomElement(using: &random) ?? ""
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let value = Int.random(in: 0...9, using: &random)
                    let stored = value == 0 ? nil : value
                    map.updateValue(stored, forKey: key)
                    dictionary.updateValue(stored, forKey: key)
                case 5..<9:
                    map.removeObject(for: key)
                    dictionary.removeValue(forKey: key)
                default:
                    let copy = Map<String, Int?>()
                    copy.merge(map) { $1 }
                    expectEqual(copy, map)
                }
                expectEqual(map[key], dictionary[key])
                expectEqual(map.count, dictionary.count)
            }
            let sorted = dictionary.sorted { $0.key < $1.key }
            expectEqual(map.keys, sorted.map(\.key))
            expectEqual(map.values, sorted.map(\.value))
            for key in keys { expectEqual(map[key], dictionary[key]) }
            map.removeAll()
            expectTrue(map.isEmpty && map.keys.isEmpty)
        }
    }

    @Test func setKeepsTheOrderInWhichElementsCame() {
        var random = SeededRandom()
        for _ in 0..<200 {
            let set = MutableSet<String?>()
            var array: [String?] = []
            let pool: [String?] =
                [nil] + (0..<Int.random(in: 1...40, using: &random)).map { "element \($0)" }
            for _ in 0..<200 {
                let element = pool.randomElement(using: &random) ?? nil
                if Int.random(in: 0..<10, using: &random) < 6 {
                    set.insert(element)
                    if !array.contains(element) { array.append(element) }
                } else {
                    set.remove(element)
                    array.removeAll { $0 == element }
                }
                expectEqual(set.contains(element), array.contains(element))
            }
            expectEqual(Array(set), array)
        }
    }

    @Test func instancesOfObjectsAreElementsOnce() {
        let baskets = (0..<40).map { Basket("\($0)") }
        let fruits = (0..<40).map { Fruit($0) }
        let basket = baskets[0]
        for _ in 0..<2 { basket.fruits.insert(objectsIn: fruits) }
        expectEqual(basket.fruits.map(\.id), Array(0..<40))
        for fruit in fruits where fruit.id % 2 == 0 { basket.fruits.remove(fruit) }
        expectTrue(basket.fruits.map(\.id) == (0..<40).filter { $0 % 2 == 1 })
        expectTrue(!basket.fruits.contains(fruits[2]) && basket.fruits.contains(fruits[3]))
        expectTrue(!basket.fruits.contains(Fruit(3)))
    }
}
