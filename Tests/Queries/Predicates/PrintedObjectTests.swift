import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Queries for objects printed as predicate strings, and those that can't be printed.
@Suite struct PrintedObjectTests {
    // Covers 3.85
    @Test func objectsAreGivenByTheirPrimaryKeys() async throws {
        let realm = try await Gadgets.realm()
        let all = realm.snapshot().objects(Gadget.self)
        for (text, value, printed): (String, any Sendable, String) in [
            ("friend == %@", all[0], "friend.id == 0"),
            ("friend != %@", all[0], "NOT friend.id == 0"),
            ("friend IN %@", [all[0], all[3]], "friend.id IN {0, 3}"),
            ("friend IN %@", [nil, all[3]], "friend == nil OR friend.id == 3"),
            ("SELF == %@", all[3], "id == 3"), ("ANY friends == %@", all[4], "ANY friends.id == 4"),
            ("NONE friends == %@", all[4], "NONE friends.id == 4"),
            ("friends[0] == %@", all[1], "friends[0].id == 1"),
            ("named['a'] == %@", all[2], "named['a'].id == 2"),
            ("named['a'] != %@", all[2], "named['a'].id != 2"),
            ("friend == obj('Gadget', %@)", 0, "friend.id == 0"),
        ] {
            let results = try all.filter(text, value)
            try expectEqual(results.predicate, printed)
            try expectEqual(all.filter(printed).map(\.id), results.map(\.id), "\(text)")
        }
        let (text, ids) = try await realm.write { tx in
            let all = tx.objects(Gadget.self)
            let (friend, deleted) = (all[3], all[4])
            let results = all.where { $0.friend == friend || $0.friends.containsAny(in: [deleted]) }
            tx.delete(deleted)
            return (try results.predicate, results.map(\.id))
        }
        expectEqual(text, "friend.id == 3 OR ANY friends.id IN {}")
        try expectEqual(realm.objects(Gadget.self).filter(text).current.map(\.id), ids)
    }

    // Covers 3.85
    @Test func objectsInValuesOfAnyTypeAreGivenByTheirPrimaryKeys() async throws {
        let realm = try await Gadgets.realm()
        let conditions: [(@Sendable (Query<Gadget>, Gadget) -> Query<Bool>, String, [Int])] = [
            ({ $0.any == .object($1) }, "any == obj('Gadget', 4)", [1]),
            ({ $0.any != .object($1) }, "any != obj('Gadget', 4)", [0, 2, 3, 4, 5]),
            ({ !($0.any == .object($1)) }, "NOT any == obj('Gadget', 4)", [0, 2, 3, 4, 5]),
            ({ $0.any["k"] == .object($1) }, "any['k'] == obj('Gadget', 4)", [2]),
            (
                { $0.any.any != .object($1) && $0.any.any == .int(7) },
                "any[*] != obj('Gadget', 4) AND any[*] == 7", [2]
            ),
            (
                { $0.any.in([.none, .object($1)]) }, "any IN {nil} OR any == obj('Gadget', 4)",
                [0, 1]
            ),
            ({ $0.any < .object($1) }, "any IN {}", []),
            (
                { $0.any.in([.object($1)]) || $0.number > 6 },
                "(any IN {} OR any == obj('Gadget', 4)) OR number > 6", [1, 4]
            ),
        ]
        try await realm.write { tx in
            let all = tx.objects(Gadget.self)
            let target = all[4]
            all[1].any = .object(target)
            all[2].any = .fromDictionary(["k": .object(target), "n": .int(7)])
            let found = conditions.map { condition, _, _ in all.where { condition($0, target) } }
            for (results, (_, text, ids)) in zip(found, conditions) {
                expectEqual(results.map(\.id), ids, "\(text)")
                try expectEqual(results.predicate, text)
                try expectEqual(all.filter(text).map(\.id), ids, "\(text)")
            }
            tx.delete(target)
            try expectEqual(found[0].predicate, "FALSEPREDICATE")
            try expectEqual(found[1].predicate, "TRUEPREDICATE")
            try expectEqual(found[7].predicate, "any IN {} OR number > 6")
            try expectEqual(all.filter("any == obj('Gadget', 4)").count, 0)
        }
    }

    // Covers 3.85
    @Test func queriesWithoutAStringAreErrors() async throws {
        let realm = try await Gadgets.realm()
        let all = realm.snapshot().objects(Gadget.self)
        let part = all[1].part
        try expectRefused(
            all.filter("part == %@", part), "it compares a GadgetPart, which has no primary key")
        expectRefused(all.where { nested($0, 20) }, "SUBQUERY is nested more than 16 levels deep")
        expectRefused(all.limited(to: -1), "The limit of results can't be negative")
    }

    private func nested(_ gadget: Query<Gadget>, _ depth: Int) -> Query<Bool> {
        if depth == 0 { return gadget.number > 0 && gadget.like > 0 }
        return gadget.friends.all { nested($0, depth - 1) }
    }
}

private func expectRefused(
    _ results: some Queryable<Gadget>, _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    do {
        let text = try results.predicate
        Issue.record("\(text) was printed", sourceLocation: sourceLocation)
    } catch {
        expectEqual(error.code, .invalidQuery, sourceLocation: sourceLocation)
        expectTrue(
            error.message.contains(reason), "\(error.message)", sourceLocation: sourceLocation)
    }
}
