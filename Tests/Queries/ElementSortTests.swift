import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Sorts by the values of maps, the elements of lists, and the contents of values of any type.
@Suite struct ElementSortTests {
    // Covers 3.96
    @Test func stringsSortByValuesWithinCollections() async throws {
        let check = try await GadgetCheck()
        for (path, ids) in [
            ("scores['a']", [0, 3, 4, 5, 1, 2]), ("scores.b", [0, 1, 4, 5, 3, 2]),
            ("scores['c d']", [0, 1, 2, 3, 5, 4]), ("scores['none']", [0, 1, 2, 3, 4, 5]),
            ("values['k']", [0, 4, 5, 1, 3, 2]), ("values['k']['x']", [0, 1, 2, 3, 4, 5]),
            ("any['k'][0]", [0, 1, 2, 3, 4, 5]), ("any[0]", [0, 1, 2, 3, 5, 4]),
            ("any['k'][1]['in']", [0, 1, 2, 3, 4, 5]),
            ("any['k'][LAST]['in']", [0, 1, 2, 3, 4, 5]),
            ("friend.scores['a']", [0, 1, 3, 4, 2, 5]), ("named['a'].number", [0, 3, 4, 5, 2, 1]),
            ("numbers[0]", [0, 3, 1, 2, 4, 5]), ("numbers[LAST]", [0, 5, 1, 2, 4, 3]),
            ("items[0]", [0, 3, 1, 4, 2, 5]), ("items[0][0]", [0, 1, 3, 4, 2, 5]),
        ] {
            try await check.finds("TRUEPREDICATE SORT(\(path) ASC)", ids)
            let descending = try await check.realm.write { tx in
                let all = tx.objects(Gadget.self)
                let ascending = try all.filter("TRUEPREDICATE SORT(\(path) ASC, id DESC)")
                return Array(ascending.map(\.id).reversed())
            }
            try await check.finds("TRUEPREDICATE SORT(\(path) DESC, id ASC)", descending)
        }
        try await check.finds("scores['a'] != nil SORT(scores['a'] DESC) LIMIT(2)", [2, 1])
        try await check.finds(
            "TRUEPREDICATE SORT(scores['b'] ASC, scores['a'] DESC)", [1, 5, 0, 4, 3, 2])
    }

    // Covers 3.96
    @Test func distinctValuesWithinCollectionsCountMissingOnesAsNil() async throws {
        let check = try await GadgetCheck()
        for (path, ids) in [
            ("scores['a']", [0, 1, 2, 5]), ("friend.scores['a']", [1, 2, 5]),
            ("named['a'].number", [1, 2]), ("numbers[0]", [0, 1, 3, 4, 5]),
            ("any['k'][0]", [0, 5]), ("values['k']", [0, 1, 2, 5]),
        ] {
            try await check.finds("TRUEPREDICATE DISTINCT(\(path))", ids)
        }
    }

    // Covers 3.96
    @Test func typedOrdersTakeTheValueAsInAWhere() async throws {
        let realm = try await Gadgets.realm()
        func check<Results: Queryable>(_ all: Results, _ ids: (Results) -> [Int])
        where Results.Model == Gadget {
            func expect(
                _ order: SortOrder<Gadget>, _ expected: [Int],
                sourceLocation: SourceLocation = #_sourceLocation
            ) {
                expectEqual(ids(all.sorted(by: order)), expected, sourceLocation: sourceLocation)
            }
            expect(.ascending { $0.scores["a"] }, [0, 3, 4, 5, 1, 2])
            expect(.descending { $0.scores["a"] }, [2, 1, 5, 0, 3, 4])
            expect(.ascending { $0.scores["a"] }.reversed(), [2, 1, 5, 0, 3, 4])
            expect(.ascending { $0.friend.scores["a"] }, [0, 1, 3, 4, 2, 5])
            expect(.ascending { $0.values["k"] }, [0, 4, 5, 1, 3, 2])
            expect(.descending { $0.any["k"][0] }, [5, 0, 1, 2, 3, 4])
            expect(.descending { $0.any[0] }, [4, 0, 1, 2, 3, 5])
            expect(.descending { $0.friend.number }, [3, 5, 2, 1, 0, 4])
            let several = all.where { $0.id < 5 }.sorted(
                by: .ascending { $0.scores["b"] }, .descending(\.id))
            expectEqual(ids(several), [4, 1, 0, 3, 2])
            expectEqual(ids(several.limited(to: 2)), [4, 1])
        }
        check(realm.snapshot().objects(Gadget.self)) { $0.map(\.id) }
        check(realm.objects(Gadget.self)) { $0.current.map(\.id) }
        try await realm.write { check($0.objects(Gadget.self)) { $0.map(\.id) } }
    }

    // Covers 3.96
    @Test func sortsByListsElementsOfObjectsToo() async throws {
        let realm = try await Gadgets.realm()
        try await realm.write { tx in
            let friends = tx.objects(Gadget.self)[3].friends
            let sorted = friends.sorted(by: .descending { $0.scores["a"] })
            expectEqual(sorted.map(\.id), [5, 4, 4])
        }
    }

    // Covers 3.96
    @Test func ordersAndQueriesArePrintedWithTheKey() async throws {
        let check = try await PrintCheck()
        for text in [
            "TRUEPREDICATE SORT(scores['a'] ASC, id DESC)",
            "TRUEPREDICATE SORT(scores['it\\'s'] ASC)",
            "TRUEPREDICATE SORT(any['k'][1]['in'] DESC)", "TRUEPREDICATE SORT(any[LAST] ASC)",
            "TRUEPREDICATE SORT(values['k'][0] ASC)", "TRUEPREDICATE SORT(named['a'].number ASC)",
            "TRUEPREDICATE SORT(friend.scores['a'] ASC)", "TRUEPREDICATE SORT(numbers[0] ASC)",
            "TRUEPREDICATE SORT(items[0]['x'] ASC)", "TRUEPREDICATE DISTINCT(scores['a'], flag)",
        ] {
            try await check(text)
        }
        let order = SortOrder<Gadget>.ascending { $0.friend.scores["a"] }
        expectEqual(order.description, "ascending(friend.scores['a'])")
        let contained = SortOrder<Gadget>.descending { $0.any["k"][1] }
        expectEqual(contained.description, "descending(any['k'][1])")
    }

    // Covers 3.96
    @Test func aStreamFollowsTheEntries() async throws {
        let realm = try await Gadgets.realm()
        let sorted = realm.objects(Gadget.self).where { $0.id < 4 }
            .sorted(by: .descending { $0.scores["a"] }, .ascending(\.id))
        var stream = sorted.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial results")
            return
        }
        expectEqual(first.map(\.id), [2, 1, 0, 3])
        let steps: [(@Sendable (Gadget, Gadget) -> Void, [Int])] = [
            ({ first, _ in first.scores["a"] = 9 }, [0, 2, 1, 3]),
            ({ _, last in last.scores["a"] = 7 }, [0, 3, 2, 1]),
            ({ first, _ in first.scores["a"] = nil }, [3, 2, 1, 0]),
            ({ first, _ in first.scores["a"] = 8 }, [0, 3, 2, 1]),
        ]
        for (change, ids) in steps {
            try await realm.write { tx in
                let all = tx.objects(Gadget.self)
                change(all[0], all[3])
            }
            guard case .update(let results, _)? = try await stream.next() else {
                Issue.record("no update")
                return
            }
            expectEqual(results.map(\.id), ids)
        }
    }

    // Covers 3.96
    @Test func aStreamFollowsContentsOfAnyType() async throws {
        let realm = try await Gadgets.realm()
        let sorted = realm.objects(Gadget.self).where { $0.id < 3 }
            .sorted(by: .descending { $0.any["list"][0] })
        var stream = sorted.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial results")
            return
        }
        expectEqual(first.map(\.id), [0, 1, 2])
        let steps: [(@Sendable (Gadget, Gadget) -> Void, [Int])] = [
            ({ _, b in b.any = .fromDictionary(["list": .fromArray([.int(1)])]) }, [2, 0, 1]),
            ({ a, _ in a.any = .fromDictionary(["list": .fromArray([.int(4)])]) }, [1, 2, 0]),
            ({ a, _ in a.any = .fromArray([.int(4)]) }, [2, 0, 1]),
        ]
        for (change, ids) in steps {
            try await realm.write { tx in
                let all = tx.objects(Gadget.self)
                change(all[1], all[2])
            }
            guard case .update(let results, _)? = try await stream.next() else {
                Issue.record("no update")
                return
            }
            expectEqual(results.map(\.id), ids)
        }
        try await realm.write { tx in
            let any = tx.objects(Gadget.self)[2].any
            guard case .dictionary(let map) = any, case .list(let list)? = map["list"] else {
                Issue.record("no list")
                return
            }
            list[0] = .string("last")
        }
        try await realm.write { $0.objects(Gadget.self)[0].any = .fromDictionary(["list": .none]) }
        guard case .update(let results, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(results.first?.id, 2)
    }
}
