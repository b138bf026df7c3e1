import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Sets of hundreds of values, combined with stored, unmanaged and their own, against plain ones.
@Suite struct LargeSetTests {
    // Covers 2.72, 2.73, 2.75, 2.76, O39
    @Test func largeSetsAgreeWithPlainOnes() async throws {
        let realm = try await Realm.temporary(setClasses)
        try await realm.write { try $0.add([Basket("a"), Basket("b")]) }
        let live = realm.object(Basket.self, forPrimaryKey: "a").numbers
        var stream = live.changes.makeAsyncIterator()
        guard case .initial? = try await stream.next() else {
            Issue.record("no initial set")
            return
        }
        var random = SeededRandom()
        var plain: [Set<Int>] = [[], []]
        for round in 0..<40 {
            let (seed, before) = (random.next(), plain)
            plain = try await realm.write { tx in
                var random = SeededRandom(seed)
                let stored = Array(tx.objects(Basket.self)).map(\.numbers)
                var plain = before
                for _ in 0..<3 { Self.change(stored, &plain, &random) }
                return plain
            }
            expectEqual(realm.snapshot().objects(Basket.self)[1].numbers.array, plain[1].sorted())
            if plain[0] == before[0] { continue }
            guard case .update(let numbers, let delta)? = try await stream.next() else {
                Issue.record("no update in round \(round)")
                return
            }
            var mirror = before[0].sorted()
            for position in delta.deletions.reversed() { mirror.remove(at: position) }
            for position in delta.insertions { mirror.insert(numbers[position], at: position) }
            expectTrue(mirror == plain[0].sorted() && numbers.array == mirror)
            expectTrue(delta.modifications.isEmpty)
        }
    }

    // Covers 2.70, 2.83
    @Test func unmanagedSetsLookUpStoredObjectsByRow() async throws {
        let realm = try await Realm.temporary(setClasses)
        try await realm.write { tx in
            for id in 0..<20_000 { try tx.add(Fruit(id)) }
            let set = MutableSet<Fruit>()
            for _ in 0..<2 { set.insert(objectsIn: tx.objects(Fruit.self)) }
            expectTrue(set.count == 20_000 && set.elements.checkCount == 0)
            expectTrue(set.isSuperset(of: tx.objects(Fruit.self)))

            let fruits = (20_000..<21_000).map { Fruit($0) }
            let mixed = MutableSet(fruits)
            try tx.add(fruits.prefix(500))
            mixed.insert(objectsIn: tx.objects(Fruit.self))
            expectTrue(mixed.count == 21_000 && mixed.elements.checkCount == 1_000)
            try tx.add(fruits[500])
            let added = try requireValue(tx.object(Fruit.self, forPrimaryKey: 20_500))
            expectTrue(mixed.contains(added) && mixed.contains(fruits[500]))
            expectTrue(mixed.contains(fruits[0]) && mixed.contains(fruits[999]))
            expectTrue(!mixed.contains(Fruit(1)) && mixed.elements.checkCount == 1_500)
            mixed.subtract(set)
            expectEqual(mixed.map(\.id), Array(20_000..<21_000))
        }
    }

    /// Makes one change of the first or second set, after comparing what leaves it unchanged.
    private static func change(
        _ stored: [MutableSet<Int>], _ plain: inout [Set<Int>], _ random: inout SeededRandom
    ) {
        let which = Int.random(in: 0...1, using: &random)
        let given = (0..<Int.random(in: 0...200, using: &random)).map { _ in
            Int.random(in: -300...300, using: &random)
        }
        let operands: [(MutableSet<Int>, Set<Int>)] = [
            (stored[0], plain[0]), (stored[1], plain[1]), (MutableSet(given), Set(given)),
        ]
        let (set, mine) = (stored[which], plain[which])
        let (other, theirs) = operands[Int.random(in: 0...2, using: &random)]
        expectEqual(set.isSubset(of: other), mine.isSubset(of: theirs))
        expectEqual(set.isSuperset(of: other), mine.isSuperset(of: theirs))
        expectEqual(set.intersects(other), !mine.isDisjoint(with: theirs))
        expectEqual(Set(set.union(other)), mine.union(theirs))
        expectEqual(Set(set.intersection(other)), mine.intersection(theirs))
        expectEqual(Set(set.subtracting(other)), mine.subtracting(theirs))
        switch Int.random(in: 0...5, using: &random) {
        case 0:
            set.formUnion(other)
            plain[which].formUnion(theirs)
        case 1:
            set.formIntersection(other)
            plain[which].formIntersection(theirs)
        case 2:
            set.subtract(other)
            plain[which].subtract(theirs)
        case 3:
            for value in set where value.isMultiple(of: 3) {
                set.remove(value)
                plain[which].remove(value)
            }
        default:
            set.insert(objectsIn: given)
            plain[which].formUnion(given)
        }
        expectTrue(Array(set) == plain[which].sorted() && set.count == plain[which].count)
        expectEqual(set.sum(), plain[which].reduce(0, +))
    }
}
