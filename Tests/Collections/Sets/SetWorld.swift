import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Random changes of baskets in writes, and the same on plain ones. One task uses it.
final class SetWorld {
    static let names = ["a", "b", "c"]
    private static let letters: [String?] = [
        nil, "", "a", "B", "b", "ab", "\u{e9}", "z", "\u{1f600}",
        "a text that is too long to lie in its cell",
    ]

    private(set) var baskets: [String: PlainBasket] = [:]
    /// The keys of the stored fruits.
    private var fruits: Set<Int> = []
    private var nextFruit = 0
    private var random: SeededRandom

    struct Stop: Error {}

    init(_ random: SeededRandom) {
        self.random = random
    }

    /// Makes one write; some writes fail.
    func runWrite(_ realm: Realm) async throws {
        let (baskets, fruits) = (baskets, fruits)
        // Guard: used by the body only, while this task waits for it.
        nonisolated(unsafe) let world = self
        let fails = chance(6)
        do {
            try await realm.write { tx in
                for _ in 0..<world.number(1...8) { try world.change(tx) }
                if fails { throw Stop() }
            }
        } catch is Stop {
            (self.baskets, self.fruits) = (baskets, fruits)
        }
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func chance(_ of: Int) -> Bool { number(1...of) == 1 }

    private func change(_ tx: Transaction) throws {
        guard chance(8) else { return try edit(tx) }
        let (baskets, fruits) = (baskets, fruits)
        let fails = chance(2)
        do {
            try tx.savepoint {
                for _ in 0..<number(1...4) { try edit(tx) }
                if fails { throw Stop() }
            }
        } catch is Stop {
            (self.baskets, self.fruits) = (baskets, fruits)
        }
        try check(tx)
    }

    private func edit(_ tx: Transaction) throws {
        let name = Self.names[number(0...2)]
        guard let basket = tx.object(Basket.self, forPrimaryKey: name) else {
            return try add(name, tx)
        }
        switch number(0...19) {
        case 0:
            tx.delete(basket)
            baskets[name] = nil
        case 1:
            if let fruit = tx.objects(Fruit.self).randomElement(using: &random) {
                fruits.remove(fruit.id)
                for name in baskets.keys { baskets[name]?.fruits.remove(fruit.id) }
                tx.delete(fruit)
            }
        case 2: try update(name, tx)
        case 3...8: editNumbers(basket, name, tx)
        case 9...13: editWords(basket, name)
        default: editFruits(basket, name, tx)
        }
        try check(tx)
    }

    private func add(_ name: String, _ tx: Transaction) throws {
        let basket = Basket(name)
        var plain = PlainBasket()
        for _ in 0..<number(0...9) {
            let value = number(-9...9)
            basket.numbers.insert(value)
            plain.numbers.insert(value)
            let word = word()
            basket.words.insert(word)
            plain.words.insert(word)
        }
        for _ in 0..<number(0...3) { basket.fruits.insert(newFruit(&plain.fruits)) }
        for id in plain.fruits { fruits.insert(id) }
        try tx.add(basket)
        baskets[name] = plain
    }

    private func update(_ name: String, _ tx: Transaction) throws {
        let numbers = (0..<number(0...6)).map { _ in number(-9...9) }
        let ids = Array(fruits.shuffled(using: &random).prefix(number(0...3)))
        let policy: Realm.UpdatePolicy = chance(2) ? .modified : .all
        let values: [String: Any] = [
            "name": name, "numbers": numbers, "fruits": ids.map { ["id": $0] },
        ]
        _ = try tx.create(Basket.self, value: values, update: policy)
        if policy == .all {
            baskets[name]?.numbers = []
            baskets[name]?.fruits = []
        }
        baskets[name]?.numbers.formUnion(numbers)
        baskets[name]?.fruits.formUnion(ids)
    }

    private func editNumbers(_ basket: Basket, _ name: String, _ tx: Transaction) {
        let given = (0..<number(0...5)).map { _ in number(-30...30) }
        let other = Self.names[number(0...2)]
        let stored = chance(2) ? tx.object(Basket.self, forPrimaryKey: other)?.numbers : nil
        let set = stored ?? MutableSet(given)
        let plain = stored == nil ? Set(given) : baskets[other]?.numbers ?? []
        var mine = baskets[name]?.numbers ?? []
        #expect(basket.numbers.isSubset(of: set) == mine.isSubset(of: plain))
        #expect(basket.numbers.intersects(set) == !mine.isDisjoint(with: plain))
        #expect(Set(basket.numbers.union(set)) == mine.union(plain))
        #expect(Set(basket.numbers.subtracting(set)) == mine.subtracting(plain))
        switch number(0...7) {
        case 0:
            basket.numbers.formUnion(set)
            mine.formUnion(plain)
        case 1:
            basket.numbers.formIntersection(set)
            mine.formIntersection(plain)
        case 2:
            basket.numbers.subtract(set)
            mine.subtract(plain)
        case 3:
            basket.numbers = set
            mine = plain
        case 4:
            let many = (0..<200).map { _ in number(-500...500) }
            basket.numbers.insert(objectsIn: many)
            mine.formUnion(many)
        case 5:
            for value in given {
                basket.numbers.insert(value)
                mine.insert(value)
            }
        default:
            for value in basket.numbers where chance(2) {
                basket.numbers.remove(value)
                mine.remove(value)
            }
        }
        baskets[name]?.numbers = mine
    }

    private func editWords(_ basket: Basket, _ name: String) {
        let word = word()
        #expect(basket.words.contains(word) == baskets[name]?.words.contains(word))
        switch number(0...4) {
        case 0:
            basket.words.remove(word)
            baskets[name]?.words.remove(word)
        case 1 where chance(4):
            basket.words.removeAll()
            baskets[name]?.words = []
        default:
            basket.words.insert(word)
            baskets[name]?.words.insert(word)
        }
    }

    private func editFruits(_ basket: Basket, _ name: String, _ tx: Transaction) {
        let all = Array(tx.objects(Fruit.self))
        guard chance(3) == false, let fruit = all.randomElement(using: &random) else {
            var ids = baskets[name]?.fruits ?? []
            basket.fruits.insert(newFruit(&ids))
            baskets[name]?.fruits = ids
            return fruits.formUnion(ids)
        }
        #expect(basket.fruits.contains(fruit) == baskets[name]?.fruits.contains(fruit.id))
        if chance(3) {
            basket.fruits.remove(fruit)
            baskets[name]?.fruits.remove(fruit.id)
        } else if chance(3) {
            basket.fruits.formIntersection(all.prefix(all.count / 2))
            baskets[name]?.fruits.formIntersection(all.prefix(all.count / 2).map(\.id))
        } else {
            basket.fruits.insert(fruit)
            baskets[name]?.fruits.insert(fruit.id)
        }
    }

    private func newFruit(_ ids: inout Set<Int>) -> Fruit {
        defer { nextFruit += 1 }
        ids.insert(nextFruit)
        return Fruit(nextFruit)
    }

    private func word() -> String? { Self.letters[number(0...Self.letters.count - 1)] }

    // MARK: Comparing; the first difference ends the test

    private func check(_ tx: Transaction) throws {
        try #require(Set(tx.objects(Basket.self).map(\.name)) == Set(baskets.keys))
        for (name, plain) in baskets {
            let basket = try #require(tx.object(Basket.self, forPrimaryKey: name))
            try #require(Array(basket.numbers) == plain.sortedNumbers)
            try #require(Array(basket.words) == plain.sortedWords)
            try #require(basket.fruits.map(\.id) == plain.sortedFruits)
            try #require(basket.numbers.count == plain.numbers.count)
            try #require(basket.numbers.sum() == plain.numbers.reduce(0, +))
        }
    }

    func check(_ snapshot: Snapshot, _ baskets: [String: PlainBasket]) throws {
        try #require(snapshot.objects(Basket.self).count == baskets.count)
        for (name, plain) in baskets {
            let basket = try #require(snapshot.object(Basket.self, forPrimaryKey: name))
            try #require(basket.numbers.array == plain.sortedNumbers)
            try #require(basket.words.array == plain.sortedWords)
            try #require(basket.fruits.map(\.id) == plain.sortedFruits)
        }
        for fruit in snapshot.objects(Fruit.self) {
            let owners = baskets.filter { $0.value.fruits.contains(fruit.id) }.map(\.key)
            try #require(Set(fruit.baskets.map(\.name)) == Set(owners))
        }
    }
}
