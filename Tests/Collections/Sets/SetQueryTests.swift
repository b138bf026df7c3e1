import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Queries over sets, in all views, against plain sets.
@Suite struct SetQueryTests {
    private struct Case {
        let text: String
        let condition: @Sendable (Query<Basket>) -> Query<Bool>
        let holds: @Sendable (PlainBasket, [Int: Int]) -> Bool

        init(
            _ text: String, _ condition: @escaping @Sendable (Query<Basket>) -> Query<Bool>,
            _ holds: @escaping @Sendable (PlainBasket, [Int: Int]) -> Bool
        ) {
            self.text = text
            self.condition = condition
            self.holds = holds
        }
    }

    /// Returns conditions with a number and a word, and their meaning. Fruits are represented by
    /// their weights.
    private func cases(_ n: Int, _ word: String?) -> [Case] {
        [
            Case(
                "contains", { $0.numbers.contains(n) },
                { basket, _ in basket.numbers.contains(n) }),
            Case(
                "words contain", { $0.words.contains(word) },
                { basket, _ in basket.words.contains(word) }),
            Case(
                "any of", { $0.numbers.containsAny(in: [n, n + 1]) },
                { basket, _ in !basket.numbers.isDisjoint(with: [n, n + 1]) }),
            Case(
                "any above", { $0.numbers > n },
                { basket, _ in basket.numbers.contains { $0 > n } }),
            Case(
                "all", { $0.numbers.all { $0 < n } },
                { basket, _ in basket.numbers.allSatisfy { $0 < n } }),
            Case(
                "none", { $0.numbers.none { $0 == n || $0 > 5 } },
                { basket, _ in !basket.numbers.contains { $0 == n || $0 > 5 } }),
            Case(
                "any different", { $0.words != word },
                { basket, _ in basket.words.contains { $0 != word } }),
            Case(
                "count", { $0.numbers.count >= n },
                { basket, _ in basket.numbers.count >= n }),
            Case(
                "sum", { $0.numbers.sum > n },
                { basket, _ in basket.numbers.reduce(0, +) > n }),
            Case(
                "max", { $0.numbers.max == n },
                { basket, _ in basket.numbers.max() == n }),
            Case(
                "min", { $0.numbers.min == nil },
                { basket, _ in basket.numbers.isEmpty }),
            Case(
                "range", { $0.numbers.contains(-2...Swift.max(n, -2)) },
                { basket, _ in
                    !basket.numbers.isEmpty
                        && basket.numbers.allSatisfy { $0 >= -2 && $0 <= Swift.max(n, -2) }
                }),
            Case(
                "weight", { $0.fruits.weight > n },
                { basket, weights in basket.fruits.contains { weights[$0, default: 0] > n } }),
            Case(
                "any fruit", { $0.fruits.any { $0.weight == n && $0.id > 1 } },
                { basket, weights in basket.fruits.contains { weights[$0] == n && $0 > 1 } }),
            Case(
                "fruits", { $0.fruits.count == n },
                { basket, _ in basket.fruits.count == n }),
            Case(
                "weights", { $0.fruits.weight.sum < n * 3 },
                { basket, weights in
                    basket.fruits.reduce(0) { $0 + weights[$1, default: 0] } < n * 3
                }),
            Case(
                "not", { !($0.numbers.contains(n) && $0.fruits.count > 1) },
                { basket, _ in !(basket.numbers.contains(n) && basket.fruits.count > 1) }),
        ]
    }

    // Covers 3.13, 3.14, 3.18
    @Test func queriesAgreeWithPlainSets() async throws {
        var random = SeededRandom()
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let words: [String?] = [nil, "", "a", "B"]
        for _ in 0..<6 {
            let realm = try await Realm.temporary(setClasses)
            let weights = Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, number(0...4)) })
            var plain: [String: PlainBasket] = [:]
            for name in 0..<12 {
                plain["\(name)"] = PlainBasket(
                    numbers: Set((0..<number(0...4)).map { _ in number(-3...6) }),
                    words: Set((0..<number(0...3)).map { _ in words[number(0...3)] }),
                    fruits: Set((0..<number(0...3)).map { _ in number(0...5) }))
            }
            let baskets = plain
            try await realm.write { tx in
                try tx.add(weights.keys.sorted().map { Fruit($0, weight: weights[$0] ?? 0) })
                for (name, content) in baskets {
                    let basket = try tx.create(
                        Basket.self,
                        value: ["name": name, "numbers": content.numbers, "words": content.words])
                    basket.fruits.insert(
                        objectsIn: tx.objects(Fruit.self).filter { content.fruits.contains($0.id) })
                }
            }
            let n = number(-3...6)
            for test in cases(n, words[number(0...3)]) {
                let wanted = Set(baskets.filter { test.holds($0.value, weights) }.map(\.key))
                let frozen = realm.snapshot().objects(Basket.self).where(test.condition)
                expectEqual(Set(frozen.map(\.name)), wanted, "\(test.text) \(n)")
                let confined = try await realm.read { tx in
                    Set(tx.objects(Basket.self).where(test.condition).map(\.name))
                }
                expectEqual(confined, wanted, "\(test.text) \(n)")
            }
        }
    }

    // Covers 3.1, 3.15
    @Test func containsAnObjectAndInversesOfSets() async throws {
        let realm = try await Realm.temporary(setClasses)
        try await realm.write { tx in
            let pear = Fruit(1)
            for name in ["a", "b", "c"] {
                let basket = Basket(name)
                if name == "a" { basket.fruits.insert(objectsIn: [pear, Fruit(10)]) }
                if name == "c" { basket.fruits.insert(objectsIn: [Fruit(12), pear]) }
                try tx.add(basket)
            }
            let baskets = tx.objects(Basket.self)
            expectEqual(baskets.where { $0.fruits.contains(pear) }.map(\.name), ["a", "c"])
            expectTrue(baskets.where { $0.fruits.contains(Fruit(1)) }.isEmpty)
            expectEqual(tx.objects(Fruit.self).where { $0.baskets.name == "c" }.map(\.id), [1, 12])
            expectEqual(tx.objects(Fruit.self).where { $0.baskets.count == 2 }.map(\.id), [1])
        }
        let pear = try requireValue(realm.snapshot().object(Fruit.self, forPrimaryKey: 1))
        let found = realm.snapshot().objects(Basket.self).where { $0.fruits.contains(pear) }
        expectTrue(found.map(\.name) == ["a", "c"] && pear.baskets.map(\.name) == ["a", "c"])
        expectEqual(found.where { $0.fruits.id == 12 }.count, 1)
    }
}
