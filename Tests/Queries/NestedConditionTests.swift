import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Conditions on the objects of collections of objects of collections, and so on: the number of
/// ways along the collections grows exponentially with the nesting.
@Suite struct NestedConditionTests {
    private static let count = 11

    /// Returns the identities of a gadget's friends.
    private func friends(_ id: Int) -> [Int] {
        id < Self.count ? (1...8).map { (id + $0) % Self.count } : []
    }

    /// A realm of gadgets with eight friends each, and one that is alone.
    private func makeRealm() async throws -> Realm {
        let realm = try await Realm.temporary([Gadget.self, GadgetPart.self])
        try await realm.write { tx in
            let gadgets = (0...Self.count).map { id in
                let gadget = Gadget()
                gadget.id = id
                gadget.number = id % 2
                return gadget
            }
            try tx.add(gadgets)
            for gadget in gadgets {
                gadget.friends.append(objectsIn: friends(gadget.id).map { gadgets[$0] })
            }
        }
        return realm
    }

    /// Checks a query for all gadgets, and for the friends of one of them.
    private func check(
        _ realm: Realm, _ text: String, _ isMatch: @escaping @Sendable (Int) -> Bool
    ) async throws {
        let all = try realm.snapshot().objects(Gadget.self).filter(text)
        expectEqual(all.map(\.id), (0...Self.count).filter(isMatch), "\(text.prefix(200))")
        let found = try await realm.read { tx in
            try tx.object(Gadget.self, forPrimaryKey: 3)?.friends.filter(text).map(\.id)
        }
        expectEqual(found, friends(3).filter(isMatch), "\(text.prefix(200))")
        let count = try await realm.read { tx in
            try tx.object(Gadget.self, forPrimaryKey: 3)?.friends.filter(text).count
        }
        expectEqual(count, found?.count, "\(text.prefix(200))")
    }

    /// 8^16 ways can't be followed one by one.
    // Covers 3.13
    @Test(.timeLimit(.minutes(8)), arguments: ["> 4", "== 4", "+ 1 > 5", "> 0", "== 0"])
    func subqueriesMayBeNestedInEachOther(comparison: String) async throws {
        let realm = try await makeRealm()
        func text(_ level: Int) -> String {
            let object = level == 0 ? "" : "$x\(level)."
            if level == 16 { return "\(object)id > 5" }
            return "SUBQUERY(\(object)friends, $x\(level + 1), \(text(level + 1))).@count "
                + comparison
        }
        var matching = Set((0...Self.count).filter { $0 > 5 })
        for _ in 0..<16 {
            matching = Set(
                (0...Self.count).filter { id in
                    let count = friends(id).count { matching.contains($0) }
                    return switch comparison {
                    case "== 4": count == 4
                    case "> 0": count > 0
                    case "== 0": count == 0
                    default: count > 4
                    }
                })
        }
        let expected = matching
        try await check(realm, text(0)) { expected.contains($0) }
    }

    @Test(.timeLimit(.minutes(8))) func closuresMayBeNestedInEachOther() async throws {
        let realm = try await makeRealm()
        func leads(_ gadget: Query<Gadget>, to id: Int, _ depth: Int) -> Query<Bool> {
            depth == 0
                ? gadget.id == id : gadget.friends.any { leads($0, to: id, depth - 1) }
        }
        let all = realm.objects(Gadget.self)
        expectEqual(all.where { leads($0, to: 5, 60) }.current.map(\.id), Array(0..<Self.count))
        let none = all.where { leads($0, to: Self.count, 60) }
        expectEqual(none.current.map(\.id), [])
        var stream = none.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            let last = try requireValue(tx.object(Gadget.self, forPrimaryKey: Self.count))
            tx.object(Gadget.self, forPrimaryKey: 5)?.friends.append(last)
        }
        guard case .update(let now, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.map(\.id), Array(0..<Self.count))
    }

    @Test func nestedConditionsMayBeCombined() async throws {
        let realm = try await makeRealm()
        func text(_ level: Int) -> String {
            let object = level == 0 ? "" : "$x\(level)."
            if level == 4 { return "\(object)id > 5" }
            let count = "SUBQUERY(\(object)friends, $x\(level + 1), \(text(level + 1))).@count"
            return "(\(object)id != 2 AND (\(count) > 6 OR NOT (\(object)id < 7 AND \(count) > 4)))"
        }
        @Sendable func isMatch(_ id: Int, _ level: Int) -> Bool {
            if level == 4 { return id > 5 }
            let count = friends(id).count { isMatch($0, level + 1) }
            return id != 2 && (count > 6 || !(id < 7 && count > 4))
        }
        try await check(realm, text(0)) { isMatch($0, 0) }
        // Those with a number are looked up.
        try await check(realm, "number == 1 AND \(text(0))") { $0 % 2 == 1 && isMatch($0, 0) }
    }

    /// The objects lead to each other, so that the conditions are evaluated once for all of them,
    /// also if they are found in an index or have changed. Once for each takes many minutes.
    @Test(.timeLimit(.minutes(8))) func nestedConditionsAreEvaluatedForManyObjects() async throws {
        let realm = try await Realm.temporary([Gadget.self, GadgetPart.self])
        let count = 2_000
        try await realm.write { tx in
            let gadgets = (0..<count).map { id in
                let gadget = Gadget()
                gadget.id = id
                gadget.number = id % 4
                return gadget
            }
            try tx.add(gadgets)
            for gadget in gadgets {
                let friends = (1...60).map { gadgets[(gadget.id + $0) % count] }
                gadget.friends.append(objectsIn: friends)
            }
        }
        func leads(_ gadget: Query<Gadget>, _ depth: Int) -> Query<Bool> {
            depth == 0 ? gadget.id == 5 : gadget.friends.any { leads($0, depth - 1) }
        }
        let found = realm.objects(Gadget.self).where { $0.number == 1 && leads($0, 60) }
        expectEqual(found.current.map(\.id), Array(stride(from: 1, to: count, by: 4)))
        var stream = found.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            for gadget in tx.objects(Gadget.self) where gadget.id > 1 && gadget.number == 1 {
                gadget.number = 2
            }
        }
        guard case .update(let now, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.map(\.id), [1])
        // For each of those that don't match, everything would be searched.
        let half = 2_000
        let halves = try await makeHalves(of: half, friendCount: 60)
        func leaves(_ gadget: Query<Gadget>, _ depth: Int) -> Query<Bool> {
            depth == 0 ? gadget.id >= half : gadget.friends.any { leaves($0, depth - 1) }
        }
        let others = halves.objects(Gadget.self).where { $0.number == 1 && leaves($0, 60) }
        expectEqual(others.current.map(\.id), Array(stride(from: half + 1, to: 2 * half, by: 5)))
    }

    /// As above, for the objects of a list, of which some change.
    @Test(.timeLimit(.minutes(8))) func nestedConditionsAreEvaluatedForALiveList() async throws {
        let realm = try await makeHalves(of: 1_000, friendCount: 60)
        try await realm.write { tx in
            let gadgets = Array(tx.objects(Gadget.self))
            gadgets[0].friends.append(objectsIn: gadgets[61..<1_000])
        }
        func leads(_ gadget: Query<Gadget>, _ depth: Int) -> Query<Bool> {
            depth == 0 ? gadget.id >= 1_000 : gadget.friends.any { leads($0, depth - 1) }
        }
        let gadget = realm.object(Gadget.self, forPrimaryKey: 0)
        var stream = gadget.friends.where { leads($0, 60) }.changes.makeAsyncIterator()
        guard case .initial(let none)? = try await stream.next() else {
            Issue.record("no list")
            return
        }
        expectEqual(none.map(\.id), [])
        try await realm.write { tx in
            let gadgets = Array(tx.objects(Gadget.self))
            gadgets[5].friends.append(gadgets[1_000])
        }
        guard case .update(let all, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(all.map(\.id), Array(1..<1_000))
    }

    /// A realm of gadgets in two halves, each of which only has friends in the same half.
    private func makeHalves(of half: Int, friendCount: Int) async throws -> Realm {
        let realm = try await Realm.temporary([Gadget.self, GadgetPart.self])
        try await realm.write { tx in
            let gadgets = (0..<2 * half).map { id in
                let gadget = Gadget()
                gadget.id = id
                gadget.number = id % 5
                return gadget
            }
            try tx.add(gadgets)
            for gadget in gadgets {
                let start = gadget.id < half ? 0 : half
                let friends = (1...friendCount).map { gadgets[start + (gadget.id + $0) % half] }
                gadget.friends.append(objectsIn: friends)
            }
        }
        return realm
    }

    /// That one of the halves leads to no matching object takes long to find out: minutes if each
    /// object evaluates the conditions at the end of all ways through three lists.
    @Test(.timeLimit(.minutes(8))) func nestedConditionsAreEvaluatedInDenseGraphs() async throws {
        let half = 150
        let realm = try await makeHalves(of: half, friendCount: half)
        func leads(_ gadget: Query<Gadget>, _ depth: Int) -> Query<Bool> {
            depth == 0 ? gadget.id < 60 : gadget.friends.any { leads($0, depth - 1) }
        }
        let found = realm.objects(Gadget.self).where { leads($0, 5) }
        expectEqual(found.current.map(\.id), Array(0..<half))
    }

    /// As above, with the ways from each object along a path.
    @Test(.timeLimit(.minutes(8))) func longPathsAreFollowedForManyObjects() async throws {
        let half = 1_000
        let realm = try await makeHalves(of: half, friendCount: 60)
        let all = realm.objects(Gadget.self)
        let long = String(repeating: "friends.", count: 50)
        expectEqual(try all.filter("\(long)id < 100").current.map(\.id), Array(0..<half))
        expectEqual(
            try all.filter("NONE \(long)id < 100").current.map(\.id), Array(half..<2 * half))
        // Those with a number are looked up. Ten steps lead up to 600 objects further.
        let path = String(repeating: "friends.", count: 10)
        expectEqual(
            try all.filter("number == 1 AND \(path)id < 100").current.map(\.id),
            (0..<half).filter { id in
                id % 5 == 1 && (0..<100).contains { (10...600).contains(($0 - id + half) % half) }
            })
    }

    /// Only the last of the ways that a search tries leads to the object.
    @Test func longPathsAreFollowedFromOneObject() async throws {
        let realm = try await makeHalves(of: 2_000, friendCount: 20)
        let path = String(repeating: "friends.", count: 60)
        for (id, isMatch) in [(1_200, true), (1_201, false)] {
            let found = try await realm.read { tx in
                let first = try requireValue(tx.object(Gadget.self, forPrimaryKey: 0))
                return try tx.objects(Gadget.self).filter("\(path)id == \(id)").contains(first)
            }
            expectEqual(found, isMatch)
        }
    }

    /// As above, with conditions on the objects along the ways.
    @Test(.timeLimit(.minutes(8))) func nestedConditionsAreEvaluatedForOneObject() async throws {
        let realm = try await makeHalves(of: 2_000, friendCount: 60)
        func leads(_ gadget: Query<Gadget>, to id: Int, _ depth: Int) -> Query<Bool> {
            depth == 0
                ? gadget.id == id
                : gadget.id != 60 && gadget.friends.any { leads($0, to: id, depth - 1) }
        }
        // Thirty steps lead up to 1,800 objects further, but only over the excluded one.
        for (depth, id, isMatch) in [
            (3, 179, true), (3, 180, false), (30, 31, true), (30, 1_799, true),
            (30, 1_800, false), (30, 1_801, false),
        ] {
            let found = try await realm.read { tx in
                let first = try requireValue(tx.object(Gadget.self, forPrimaryKey: 0))
                return tx.objects(Gadget.self).where { leads($0, to: id, depth) }.contains(first)
            }
            expectEqual(found, isMatch, "\(id)")
        }
    }

    /// Each value repeats the condition.
    // Covers .invalidQuery
    @Test func nestedListsOfCountsAreLimited() async throws {
        let realm = try await makeRealm()
        func text(_ comparison: String, _ depth: Int, _ level: Int = 0) -> String {
            let object = level == 0 ? "" : "$x\(level)."
            if level == depth { return "\(object)id > 5" }
            let inner = text(comparison, depth, level + 1)
            let count = "SUBQUERY(\(object)friends, $x\(level + 1), \(inner)).@count"
            return comparison.replacing("_", with: count)
        }
        let gadgets = realm.snapshot().objects(Gadget.self)
        for comparison in [
            "_ IN {3, 4, 5, 8}", "_ + 0 IN {3, 4, 5, 8}", "ANY {3, 4, 5, 8} == _",
            "_ BETWEEN {3, 8}",
        ] {
            let counts = comparison.contains("BETWEEN") ? Array(3...8) : [3, 4, 5, 8]
            let inner = (0...Self.count).filter { id in
                counts.contains(friends(id).count { $0 > 5 })
            }
            let expected = (0...Self.count).filter { id in
                counts.contains(friends(id).count { inner.contains($0) })
            }
            expectEqual(
                try gadgets.filter(text(comparison, 2)).map(\.id), expected, "\(comparison)")
            let error = #expect(throws: Realm.Error.self) {
                try gadgets.filter(text(comparison, 16))
            }
            expectEqual(error?.code, .invalidQuery, "\(comparison)")
        }
        let many = Array(0..<200_000)
        expectEqual(
            try gadgets.filter("friends.@count IN %@", many).count, Self.count + 1)
    }
}
