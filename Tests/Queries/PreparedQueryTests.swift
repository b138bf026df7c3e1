import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Conditions that are built once and used with different values.
@Suite struct PreparedQueryTests {
    private static let older = PreparedQuery<Person, Int> { $0.age > $1 }
    private static let called = PreparedQuery<Person, String, Int> { person, name, age in
        person.name == name || !(person.age <= age)
    }

    private func makeRealm() async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for age in [5, 3, 9, 1, 7] { try tx.add(Person("\(age)", age: age)) }
        }
        return realm
    }

    // Covers 3.1
    @Test func allViewsUseOneQueryWithDifferentValues() async throws {
        let realm = try await makeRealm()
        let live = realm.objects(Person.self)
        expectEqual(live.where(Self.older, 4).count, 3)
        expectEqual(live.where(Self.older, 8).current.map(\.age), [9])
        let frozen = realm.snapshot().objects(Person.self)
        expectEqual(frozen.where(Self.called, "1", 6).sorted(by: \.age).map(\.age), [1, 7, 9])
        // with other conditions, in both orders
        let some = frozen.where { $0.age != 9 }
        expectEqual(some.where(Self.older, 4).map(\.age), [5, 7])
        expectEqual(frozen.where(Self.older, 4).where { $0.age != 9 }.map(\.age), [5, 7])
        try await realm.write { tx in
            let people = tx.objects(Person.self)
            let older = people.where(Self.older, 4)
            expectEqual(older.count, 3)
            try tx.add(Person("8", age: 8))
            expectTrue(older.count == 4 && people.where(Self.older, 7).count == 2)
        }
        // It prints and explains itself like the query with the values.
        expectEqual(try live.where(Self.older, 4).predicate, "age > 4")
    }

    @Test func streamsFollowAPreparedQuery() async throws {
        let realm = try await makeRealm()
        var stream = realm.objects(Person.self).where(Self.older, 6).changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(first.map(\.age), [9, 7])
        try await realm.write { try $0.add(Person("6", age: 6)) }
        try await realm.write { try $0.add(Person("8", age: 8)) }
        guard case .update(let now, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.map(\.age), [9, 7, 8])
    }

    // Covers .invalidQuery
    @Test func aValueInAnotherPlaceIsAnError() async throws {
        let realm = try await makeRealm()
        let queries: [PreparedQuery<Person, Int>] = [
            PreparedQuery { $0.age > 0 && $1 > 3 }, PreparedQuery { $0.age > 0 || $1 == $1 },
            PreparedQuery { $0.age > 0 && $1.in([1, 2]) },
        ]
        for query in queries {
            let error = #expect(throws: Realm.Error.self) {
                try realm.snapshot().read { _ = $0.objects(Person.self).where(query, 3).count }
            }
            expectEqual(error?.code, .invalidQuery)
            expectEqual(error?.className, "Person")
            expectEqual(error?.message.contains("prepared query"), true)
        }
        let shelves = try await Realm.temporary([PagedShelf.self, PagedItem.self])
        let ofSize = PreparedQuery<PagedShelf, Int> { $0.items.count == $1 }
        let error = #expect(throws: Realm.Error.self) {
            try shelves.snapshot().read { _ = $0.objects(PagedShelf.self).where(ofSize, 3).count }
        }
        expectTrue(error?.code == .invalidQuery && error?.className == "PagedShelf")
    }

    // Covers .invalidQuery
    @Test func aCapturedObjectBelongsToOneRealm() async throws {
        func makeShelves() async throws -> Realm {
            let realm = try await Realm.temporary([PagedShelf.self, PagedItem.self])
            try await realm.write { tx in
                let (shelf, item) = (PagedShelf(), PagedItem(1))
                try tx.add(shelf)
                try tx.add(item)
                shelf.items.append(item)
            }
            return realm
        }
        let (realm, other) = (try await makeShelves(), try await makeShelves())
        let item = try requireValue(realm.snapshot().objects(PagedItem.self).first)
        let query = PreparedQuery<PagedShelf, Int> { $0.items.contains(item) && $0.id >= $1 }
        expectEqual(realm.objects(PagedShelf.self).where(query, 0).count, 1)
        // There, another item has the same row.
        let error = #expect(throws: Realm.Error.self) {
            try other.snapshot().read { _ = $0.objects(PagedShelf.self).where(query, 0).count }
        }
        expectTrue(error?.code == .invalidQuery && error?.className == "PagedItem")
    }

    // Covers 3.1, 10.1
    @Test func preparedQueriesFindTheSameAsFreshOnes() async throws {
        let seed = SeededRandom.seed()
        for number in 0..<UInt64(Effort.count(gate: 4, soak: 100)) {
            let run = try await WorldRun(seed: seed &+ number, nodeCount: 40)
            let snapshot = run.realm.snapshot()
            try await run.realm.read { tx in
                var comparison = PreparedComparison(
                    nodes: tx.objects(WorldNode.self), frozen: snapshot.objects(WorldNode.self),
                    random: SeededRandom(seed &+ number))
                comparison.checkAll()
            }
        }
    }
}

/// Prepared queries and closures with the same random values, on a random realm.
private struct PreparedComparison {
    typealias Path<Value> = any KeyPath<WorldNode, Value> & Sendable

    let nodes: Results<WorldNode>
    let frozen: FrozenResults<WorldNode>
    var random: SeededRandom

    mutating func checkAll() {
        checkOrder(\.intX)
        checkOrder(\.optIntX)
        checkOrder(\.tinyX)
        checkOrder(\.optMedium)
        checkOrder(\.double)
        checkOrder(\.optDouble)
        checkOrder(\.float)
        checkOrder(\.optDecimal)
        checkOrder(\.stringX)
        checkOrder(\.optString)
        checkOrder(\.dateX)
        checkOrder(\.optDate)
        checkOrder(\.uuidX)
        checkOrder(\.optOid)
        checkEquality(\.boolX)
        checkEquality(\.optBool)
        checkEquality(\.data)
        checkEquality(\.level)
        checkEquality(\.optKindX)
        checkEquality(\.any)
        checkText()
        checkPaths()
    }

    private func compare(
        _ prepared: (Results<WorldNode>, FrozenResults<WorldNode>), _ fresh: Results<WorldNode>,
        _ what: String
    ) {
        let expected = fresh.map(\.id)
        expectEqual(prepared.0.count, expected.count, "\(what)")
        expectEqual(prepared.0.map(\.id), expected, "\(what)")
        expectEqual(prepared.1.count, expected.count, "\(what)")
        expectEqual(prepared.1.map(\.id), expected, "\(what)")
    }

    private mutating func values<V>(_ path: Path<V>) -> [V] {
        var values: [V] = []
        for _ in 0..<3 {
            let position = random.below(nodes.count)
            values.append(nodes[position][keyPath: path])
        }
        return values
    }

    private mutating func checkEquality<V: ScalarValue & SendableMetatype>(_ path: Path<V>) {
        let equal = PreparedQuery<WorldNode, V> { $0[dynamicMember: path] == $1 }
        let differs = PreparedQuery<WorldNode, V> { $1 != $0[dynamicMember: path] }
        for value in values(path) {
            compare(
                (nodes.where(equal, value), frozen.where(equal, value)),
                nodes.where { $0[dynamicMember: path] == value }, "\(path) == \(value)")
            compare(
                (nodes.where(differs, value), frozen.where(differs, value)),
                nodes.where { $0[dynamicMember: path] != value }, "\(path) != \(value)")
        }
    }

    private mutating func checkOrder<V: ScalarValue & SendableMetatype>(
        _ path: Path<V>
    ) where V._Basis: OrderedValue {
        checkEquality(path)
        let less = PreparedQuery<WorldNode, V> { $0[dynamicMember: path] < $1 }
        let most = PreparedQuery<WorldNode, V> { $0[dynamicMember: path] <= $1 }
        let greater = PreparedQuery<WorldNode, V> { $0[dynamicMember: path] > $1 }
        let least = PreparedQuery<WorldNode, V> { $1 <= $0[dynamicMember: path] }
        for value in values(path) {
            compare(
                (nodes.where(less, value), frozen.where(less, value)),
                nodes.where { $0[dynamicMember: path] < value }, "\(path) < \(value)")
            compare(
                (nodes.where(most, value), frozen.where(most, value)),
                nodes.where { $0[dynamicMember: path] <= value }, "\(path) <= \(value)")
            compare(
                (nodes.where(greater, value), frozen.where(greater, value)),
                nodes.where { $0[dynamicMember: path] > value }, "\(path) > \(value)")
            compare(
                (nodes.where(least, value), frozen.where(least, value)),
                nodes.where { $0[dynamicMember: path] >= value }, "\(path) >= \(value)")
        }
    }

    private mutating func checkText() {
        let contains = PreparedQuery<WorldNode, String?> {
            $0.string.contains($1, options: .caseInsensitive)
        }
        let starts = PreparedQuery<WorldNode, String?> { $0.next.optString.starts(with: $1) }
        let equals = PreparedQuery<WorldNode, String?> {
            $0.optStringX.equals($1, options: .diacriticInsensitive)
        }
        for value in values(\.optString) {
            compare(
                (nodes.where(contains, value), frozen.where(contains, value)),
                nodes.where { $0.string.contains(value, options: .caseInsensitive) }, "contains")
            compare(
                (nodes.where(starts, value), frozen.where(starts, value)),
                nodes.where { $0.next.optString.starts(with: value) }, "starts")
            compare(
                (nodes.where(equals, value), frozen.where(equals, value)),
                nodes.where { $0.optStringX.equals(value, options: .diacriticInsensitive) },
                "equals")
        }
    }

    private mutating func checkPaths() {
        let both = PreparedQuery<WorldNode, Int, Int?, Bool> { node, a, b, flag in
            let isFollowed = node.fans.any { $0.int < a || $0.optInt != b }
            let isOther = !(node.next.optIntX == b)
            let hasMore = node.nodes.int >= a
            return (flag && hasMore) || (isOther && isFollowed)
        }
        let wanted = values(\.int)
        let others = values(\.optInt)
        for (a, b) in zip(wanted, others) {
            for flag in [false, true] {
                compare(
                    (nodes.where(both, a, b, flag), frozen.where(both, a, b, flag)),
                    nodes.where { node in
                        let isFollowed = node.fans.any { $0.int < a || $0.optInt != b }
                        let isOther = !(node.next.optIntX == b)
                        let hasMore = node.nodes.int >= a
                        return flag ? hasMore || (isOther && isFollowed) : isOther && isFollowed
                    }, "paths with \(a), \(String(describing: b)), \(flag)")
            }
        }
    }
}
