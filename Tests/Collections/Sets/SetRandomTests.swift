import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Sets through transactions, savepoints, failed transactions, reopening, snapshots and streams,
/// against plain sets.
@Suite struct SetRandomTests {
    // Covers 2.70, 2.75, 2.76, 2.77, 2.82, O39
    @Test(arguments: [false, true])
    func setsAgreeWithPlainOnes(isFile: Bool) async throws {
        let seed = SeededRandom.seed("setsAgreeWithPlainOnes(\(isFile))")
        let folder = try RealmFolder()
        func open() async throws -> Realm {
            if !isFile { return try await Realm.temporary(setClasses) }
            return try await Realm.open(folder.configuration("sets.realm", setClasses))
        }
        let world = SetWorld(SeededRandom(seed))
        var realm = try await open()
        var mirror = try await SetMirror(realm)
        var kept: [(Snapshot, [String: PlainBasket])] = []
        for round in 0..<(isFile ? 25 : 80) {
            try await world.runWrite(realm)
            let snapshot = realm.snapshot()
            try world.check(snapshot, world.baskets)
            try await mirror.follow(world.baskets)
            if round % 9 == 0 { kept.append((snapshot, world.baskets)) }
            if kept.count > 4 { kept.removeFirst() }
            for (snapshot, baskets) in kept { try world.check(snapshot, baskets) }
            if isFile, round % 10 == 9 {
                kept = []
                await realm.close()
                realm = try await open()
                try world.check(realm.snapshot(), world.baskets)
                mirror = try await SetMirror(realm)
            }
        }
        await realm.close()
    }
}

/// Mirrors of the sets of two baskets, built by applying the changes that the streams report.
private struct SetMirror {
    private var numbers: [(name: String, stream: ValueChanges<Int>.AsyncIterator, mirror: [Int])]
    private var words:
        [(name: String, stream: ValueChanges<String?>.AsyncIterator, mirror: [String?])]
    private var fruits:
        [(name: String, stream: CollectionChanges<Fruit>.AsyncIterator, mirror: [Int])]

    private struct Unexpected: Error {}

    init(_ realm: Realm) async throws {
        numbers = []
        words = []
        fruits = []
        for name in SetWorld.names.prefix(2) {
            let basket = realm.object(Basket.self, forPrimaryKey: name)
            var ints = basket.numbers.changes.makeAsyncIterator()
            var texts = basket.words.changes.makeAsyncIterator()
            var objects = basket.fruits.changes.makeAsyncIterator()
            guard case .initial(let number)? = try await ints.next(isolation: #isolation),
                case .initial(let word)? = try await texts.next(isolation: #isolation),
                case .initial(let fruit)? = try await objects.next(isolation: #isolation)
            else { throw Unexpected() }
            numbers.append((name, ints, number.array))
            words.append((name, texts, word.array))
            fruits.append((name, objects, fruit.map(\.id)))
        }
    }

    /// If the content changed, takes a change, applies it to the mirror, and compares.
    mutating func follow(_ baskets: [String: PlainBasket]) async throws {
        for index in numbers.indices {
            let wanted = baskets[numbers[index].name]?.sortedNumbers ?? []
            if numbers[index].mirror == wanted { continue }
            guard
                case .update(let new, let delta)? = try await numbers[index].stream
                    .next(isolation: #isolation)
            else { throw Unexpected() }
            apply(delta.deletions, delta.insertions, new.array, to: &numbers[index].mirror)
            #expect(numbers[index].mirror == wanted && new.array == wanted)
            #expect(delta.modifications.isEmpty)
        }
        for index in words.indices {
            let wanted = baskets[words[index].name]?.sortedWords ?? []
            if words[index].mirror == wanted { continue }
            guard
                case .update(let new, let delta)? = try await words[index].stream
                    .next(isolation: #isolation)
            else { throw Unexpected() }
            apply(delta.deletions, delta.insertions, new.array, to: &words[index].mirror)
            #expect(words[index].mirror == wanted && new.array == wanted)
        }
        for index in fruits.indices {
            let wanted = baskets[fruits[index].name]?.sortedFruits ?? []
            if fruits[index].mirror == wanted { continue }
            guard
                case .update(let new, let delta)? = try await fruits[index].stream
                    .next(isolation: #isolation)
            else { throw Unexpected() }
            apply(delta.deletions, delta.insertions, new.map(\.id), to: &fruits[index].mirror)
            #expect(fruits[index].mirror == wanted && new.map(\.id) == wanted)
        }
    }

    private func apply<T>(
        _ deletions: [Int], _ insertions: [Int], _ new: [T], to mirror: inout [T]
    ) {
        for position in deletions.reversed() { mirror.remove(at: position) }
        for position in insertions { mirror.insert(new[position], at: position) }
    }
}
