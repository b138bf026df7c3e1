import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Quantifiers over the contents of values of any type.
@Suite struct PredicateContentTests {
    // Covers 3.70
    @Test func noElementMeetsAConditionWhereThereAreNone() async throws {
        let same = try await GadgetCheck()
        let everywhere = [0, 1, 2, 3, 4, 5]
        try await same("any[*] != 3") { $0.any.any != .int(3) }
        let found: [(String, [Int])] = [
            ("any[*] != 3", [4, 5]), ("NOT any[*] != 3", [0, 1, 2, 3]),
            ("NONE any[*] != 3", [0, 1, 2, 3]), ("ALL any[*] != 3", [0, 1, 2, 3, 5]),
            ("any[*] == nil", []), ("NONE any[*] == nil", everywhere),
            ("ALL any[*] == nil", [0, 1, 2, 3]), ("any[*] IN {nil, 3}", [4]),
            ("any[*] !=[c] 'X'", [4, 5]), ("any[*].@type != 'int'", [4, 5]),
            ("ALL any[*].@type == 'list'", [0, 1, 2, 3, 5]), ("any['k'][*] != 1", [5]),
            ("ALL any['k'][*] != 1", [0, 1, 2, 3, 4]), ("NONE any['k'][*] == 7", everywhere),
            ("values['k'][*] != 1", []), ("NONE values['k'][*] != 1", everywhere),
            ("friends[LAST].any[*] != 1", [3]), ("friend.any[*] != 1", []),
            ("NONE friends[LAST].any[*] != 1", [0, 1, 2, 4, 5]),
        ]
        for (text, ids) in found { try await same.finds(text, ids) }
    }

    /// As for a list property.
    // Covers 3.70
    @Test func whatAnElementDoesNotHaveIsNil() async throws {
        let same = try await GadgetCheck()
        try await same.finds("any[*][0] != 1", [4])
        try await same.finds("any[*][0] == nil", [4])
        try await same.finds("ALL any[*][0] == 1", [0, 1, 2, 3, 5])
        try await same.finds("NONE any[*][0] == nil", [0, 1, 2, 3, 5])
        try await same.realm.write { tx in
            let (one, two) = (AnyRealmValue.int(1), AnyRealmValue.int(2))
            let contents: [[AnyRealmValue]] = [
                [], [one], [.fromDictionary(["k": one])],
                [.fromDictionary(["k": .fromArray([two, one])]), .none],
                [.fromDictionary(["k": one]), .fromDictionary(["k": two])],
                [.fromDictionary([:]), .fromArray([one])],
            ]
            for (gadget, values) in zip(tx.objects(Gadget.self), contents) {
                gadget.any = .fromArray(values)
                gadget.items.removeAll()
                gadget.items.append(objectsIn: values)
            }
        }
        let all = same.realm.snapshot().objects(Gadget.self)
        for quantifier in ["", "ANY ", "ALL ", "NONE ", "NOT "] {
            for condition in [
                "['k'] == 1", "['k'] != 1", "['k'] == nil", "['k'] IN {1, nil}", "['k'] > 1",
                "['k'][0] != 2", "['k'][*] != 2", "['k'][LAST] == 1", "[0] != 1", "[*] == 1",
                "['k'].@type != 'int'", " != 1", " == nil",
            ] {
                let expected = try all.filter("\(quantifier)items[*]\(condition)").map(\.id)
                try await same.finds("\(quantifier)any[*]\(condition)", expected)
            }
        }
    }

    /// A position in the lists of several objects leads to several values.
    // Covers 3.70
    @Test func quantifiersApplyToTheElementsOfSeveralLists() async throws {
        let same = try await GadgetCheck()
        try await same.finds("ANY friends.friends[0].any[0] == 3", [1])
        try await same.finds("ALL friends.friends[0].any[0] == 3", [1, 2, 4])
        try await same.finds("NONE friends.friends[0].any[0] != 3", [1, 2, 4])
        try await same.finds("ALL friends.friends[0].values['k']['x'] == nil", [0, 1, 2, 3, 4, 5])
    }

    // Covers 3.85
    @Test func quantifiedConditionsArePrinted() async throws {
        let check = try await PrintCheck()
        for text in [
            "any[*] != 3", "NOT any[*] != 3", "ALL any[*] != 3", "any['k'][*] IN {nil, 1}",
            "any[*] == nil", "any[*] !=[c] 'x'", "any[*].@type != 'int'", "any[*][*] != 1",
            "any[*]['k'] != 1", "any[*]['k'] == 1", "ALL any[*]['k'] != 1", "any[*][0] == nil",
            "ALL any[*][0] == nil", "any['k'][*][1]['in'] != 'x'", "ALL any[*]['k'][*] != 1",
            "ALL any[*].@type == 'list'", "values['k'][*] != 1", "friends[LAST].any[*] != 1",
            "friend.any[*] != 1", "ANY friends.any[*] != 1", "ALL friends.any[*] != 1",
            "ALL friends.friends[0].any['k'] != 1", "ALL friends[0].any[*] == 3",
            "any[*] != 3 AND any[*] == 4", "number > 2 OR any[*] != 3 OR any['k'] != 1",
        ] {
            try await check(text)
        }
    }

    // Covers 3.81
    @Test func valuesOfMapsAreComparedWithObjectsGivenByTheirKeys() async throws {
        let same = try await GadgetCheck()
        try await same.finds("named['a'] == obj('Gadget', 2)", [2])
        try await same.finds("obj('Gadget', 2) == named.a", [2])
        try await same.finds("named['a'] != obj('Gadget', 2)", [0, 1, 3, 4, 5])
        try await same.finds("named['b'] != obj('Gadget', 0)", [0, 1, 2, 4, 5])
        try await same.finds("named['a'].friend == obj('Gadget', 1)", [2])
        try await same.finds("ANY friends.named['a'] != obj('Gadget', 4)", [0, 1, 3, 5])
    }
}
