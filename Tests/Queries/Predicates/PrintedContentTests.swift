import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Conditions on the contents of values of any type that need a `SUBQUERY` to be printed.
@Suite struct PrintedContentTests {
    // Covers 3.85
    @Test func subqueriesOfContentsAreReadAndPrinted() async throws {
        let check = try await PrintCheck()
        for text in [
            "SUBQUERY(any['k'], $x, $x.@type == 'list').@count > 0",
            "SUBQUERY(any['k'][*], $x, $x > 0 AND $x < 4).@count == 1",
            "SUBQUERY(any['k'][1]['in'], $x, NOT $x BEGINSWITH 'd').@count > 0",
            "SUBQUERY(any[LAST], $x, $x == 'x' OR $x == 3).@count > 0",
            "SUBQUERY(values['k'][0], $x, $x > 1 AND $x < 3).@count > 0",
            "SUBQUERY(friend.any['k'], $x, $x > 1 AND $x < 3).@count == 0",
        ] {
            try await check(text)
        }
        let found = try await GadgetCheck()
        for (text, ids) in [
            ("SUBQUERY(any['k'], $x, $x.@type == 'list').@count > 0", [5]),
            ("SUBQUERY(any['k'][*], $x, $x > 0 AND $x < 4).@count == 1", [5]),
            ("SUBQUERY(any[0], $x, $x > 2 AND $x < 4).@count > 0", [4]),
            ("SUBQUERY(any['k'][1]['in'], $x, $x BEGINSWITH 'd').@count > 0", [5]),
            ("SUBQUERY(any['k'][1]['in'], $x, NOT $x BEGINSWITH 'd').@count > 0", []),
            ("SUBQUERY(any['x'], $x, TRUEPREDICATE).@count == 0", [0, 1, 2, 3, 4, 5]),
            ("ANY items == nil AND SUBQUERY(items[*][0], $x, $x == 2).@count > 0", [2, 5]),
        ] {
            try await found.finds(text, ids)
        }
    }

    // Covers 3.85
    @Test func combinedConditionsComeBackAsEqualQueries() async throws {
        let realm = try await Gadgets.realm()
        try await realm.write { tx in
            tx.objects(Gadget.self)[0].any = .fromDictionary(["k": .string("s")])
        }
        let conditions: [@Sendable (Query<Gadget>) -> Query<Bool>] = [
            { $0.any["k"].notEquals("s") },
            { !$0.any["k"].notEquals("s") },
            { $0.any["k"].notEquals("s", options: .caseInsensitive) },
            { $0.any["k"][1]["in"].notEquals("deep") },
            { $0.any.any.notEquals("x") },
            { $0.items.any { $0["k"].notEquals("x") } },
            { $0.items.all { $0[0] == .int(2) || $0 == .int(1) } },
            { $0.items.none { $0[0].notEquals("x") } },
            { $0.values["k"]["x"].notEquals("s") },
            { $0.friend.any["k"].notEquals("s") },
            { $0.friends.any { $0.any["k"].notEquals("s") && $0.number > 0 } },
            { $0.any["k"].in([.none, .fromArray([]), .string("s")]) },
            { $0.any.in([.fromDictionary([:]), .int(1)]) },
            { $0.items.any { $0.in([.fromArray([]), .int(7)]) } },
            { $0.any < .fromArray([]) }, { !($0.any["k"] >= .fromDictionary([:])) },
            { !($0.any["k"].in([.string("s"), .fromArray([])]) && $0.any["k"] != .none) },
            { $0.any["k"] == .none || $0.number > 2 },
            { $0.number > 2 || $0.friend.any["k"].notEquals("s") || $0.any["k"] == .none },
            { $0.items.any { $0["k"].notEquals("x") || $0 == .int(7) } },
            { $0.any.in([.fromArray([])]) || $0.number > 2 },
            {
                $0.any.in([.none, .fromArray([])])
                    || $0.any.equals("S", options: .caseInsensitive)
            },
        ]
        func check<Results: Queryable>(_ all: Results, _ ids: (Results) -> [Int])
        where Results.Model == Gadget {
            for (number, condition) in conditions.enumerated() {
                let results = all.where(condition)
                do {
                    let text = try results.predicate
                    let parsed = try all.filter(text)
                    expectEqual(ids(parsed), ids(results), "\(number): \(text)")
                    try expectEqual(parsed.predicate, text, "\(number)")
                } catch {
                    Issue.record("\(number): \(error)")
                }
            }
        }
        check(realm.snapshot().objects(Gadget.self)) { $0.map(\.id) }
        check(realm.objects(Gadget.self)) { $0.current.map(\.id) }
        try await realm.write { check($0.objects(Gadget.self)) { $0.map(\.id) } }
    }

    private typealias Condition = @Sendable (Query<Gadget>) -> Query<Bool>

    /// Conditions that consist of several terms, but are printed as one comparison.
    private static let compounds: [Condition] = [
        { $0.number.contains(0...2) }, { $0.friend.number.contains(0...2) },
        { $0.numbers.contains(0...2) }, { $0.numbers.any { $0 > 1 && $0 < 7 } },
        { $0.scores["a"] != 1 }, { $0.scores["a"].contains(1...3) }, { $0.notes["a"] == nil },
        { $0.notes["a"].notEquals("note", options: .caseInsensitive) },
        { $0.values["k"] != .int(1) }, { $0.values["k"]["x"] == .none },
        { $0.values["k"].in([.none, .int(1)]) },
        { $0.text.equals($0.maybeText, options: .caseInsensitive) },
        { $0.text.notEquals($0.maybeText, options: .caseInsensitive) },
        { $0.any["k"] == .none }, { $0.any[0] != .int(3) }, { $0.any[0] == .int(3) },
        { $0.any["k"][1]["in"] == .string("deep") }, { $0.any.any.notEquals("x") },
        { $0.friend.any["k"] != .int(1) }, { $0.any["k"].in([.none, .fromArray([])]) },
        { $0.any.in([.fromArray([]), .int(1)]) },
        { $0.any >= .int(1) && $0.any <= .int(3) },
        { $0.any >= .int(1) && $0.any <= .fromArray([]) },
        { $0.any.in([.int(1)]) || $0.any.equals("BOB", options: .caseInsensitive) },
        { $0.any.in([.fromArray([])]) || $0.any.equals("BOB", options: .caseInsensitive) },
        { $0.items.any { $0["k"] == .none } }, { $0.items.all { $0[0] != .int(2) } },
    ]

    /// Conditions that contain another one.
    private static let contexts: [@Sendable (Query<Gadget>, Condition) -> Query<Bool>] = [
        { $1($0) || $0.number > 2 }, { $0.number > 2 || $1($0) },
        { $0.flag == true || $1($0) || $0.number > 2 }, { $1($0) && $0.number > 0 },
        { $0.number > 0 && $1($0) && $0.flag }, { !$1($0) }, { !($1($0) || $0.number > 2) },
        { !($0.number > 0 && $1($0)) }, { $1($0) || !$1($0) && $0.flag },
        { $1($0) && ($0.number > 0 || $1($0) || $0.flag) },
        { gadget, condition in gadget.friends.any { condition($0) && $0.number > 0 } },
        { gadget, condition in gadget.friends.all { $0.number > 2 || condition($0) } },
        { gadget, condition in gadget.friends.none { condition($0) || $0.flag } },
        { gadget, condition in !gadget.friends.any(condition) },
    ]

    // Covers 3.85
    @Test func compoundConditionsArePrintedWithinOthers() async throws {
        let all = try await Gadgets.realm().snapshot().objects(Gadget.self)
        for (number, condition) in Self.compounds.enumerated() {
            for (context, combined) in Self.contexts.enumerated() {
                let results = all.where { combined($0, condition) }
                do {
                    let text = try results.predicate
                    let parsed = try all.filter(text)
                    expectEqual(
                        parsed.map(\.id), results.map(\.id), "\(number) in \(context): \(text)")
                    let printed = try parsed.predicate
                    try expectEqual(all.filter(printed).predicate, printed, "\(text)")
                } catch {
                    Issue.record("\(number) in \(context): \(error)")
                }
            }
        }
    }
}
