import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Queries printed as predicate strings.
@Suite struct PredicatePrintingTests {
    // Covers 3.85
    @Test func stringsArePrintedAsTheyAre() async throws {
        let check = try await PrintCheck()
        for text in [
            "number == 2", "number != 2", "number < 2", "number <= 2", "number > -2", "number >= 2",
            "maybeNumber == nil", "maybeText > nil", "number IN {1, 7}", "maybeNumber IN {nil, 12}",
            "number IN {}", "ratio BETWEEN {-1.5, 2.0}", "text BEGINSWITH 'A'",
            "text ENDSWITH[c] 'A'", "text CONTAINS[d] 'n'", "text LIKE[cd] '?nn*'",
            "text ==[c] 'anna'", "text !=[cd] 'anna'", "text IN[c] {'anna', 'BOB'}",
            "text ==[c] maybeText", "text CONTAINS maybeText", "number >= friend.number",
            "friend == friend.friend", "friend == nil", "part.label == nil",
            "flag == true AND (number > 0 OR NOT text == 'bob')",
            "number > 0 AND flag == true OR text == 'bob'", "NOT (number > 0 OR flag == true)",
            "number > 0 AND (flag == true AND first == 1)", "TRUEPREDICATE", "FALSEPREDICATE",
            "größe == 4", "\\like == 1", "\\not == 1", "first == 1", "limit == 1", "yes == 1",
        ] {
            try await check(text)
        }
    }

    // Covers 3.85
    @Test func conditionsOnCollectionsArePrinted() async throws {
        let check = try await PrintCheck()
        for text in [
            "ANY numbers > 1", "ALL numbers > 1", "NONE numbers IN {1, 2}",
            "ANY friends.number == 2", "ALL friends.friend.number == 2", "numbers[0] == 1",
            "numbers[LAST] != 1", "friends[0].number != 1", "ALL friends.numbers[0] > 0",
            "ANY friends.numbers[0] != 1", "friends[0].numbers[0] != 1",
            "friends[0].scores['a'] != 1", "friends[0].scores['a'] == 1",
            "friends[0].friends.@count != 1", "friends[0].friends.@count == 1",
            "friends[0].numbers.@max == nil", "friends[0].named['a'] == nil",
            "ANY words IN[c] {nil, 'A'}", "ANY words == nil",
            "scores['a'] == 2", "scores['c d'] != 2", "ANY scores.@keys == 'b'",
            "ANY scores.@values > 1", "named['a'].number == 7", "named['a'] == nil",
            "ANY named.@values.number > 1", "ANY named.@values == nil",
            "ANY friends.scores['a'] == 1", "NONE friends.scores['a'] != 1", "friends.@count > 1",
            "ANY friends.numbers.@count == 2", "friends.number.@max == 7", "numbers.@sum > 3",
            "numbers.@avg >= 1.5", "numbers.@min == nil", "items.@min == 1",
            "scores.@values.@max > 3", "named.@count == 1", "ANY admirers.number > 2",
            "@links.Gadget.friend.@count == 1", "@links.Gadget.named.@count == 1",
            "@links.@count > 1", "friend.@links.@count == 2",
            "SUBQUERY(friends, $x, $x.number > 1 AND $x.flag == true).@count > 0",
            "SUBQUERY(friends, $x, "
                + "SUBQUERY($x.friends, $x2, $x2.number == 7).@count > 0).@count == 1",
            "SUBQUERY(numbers, $x, $x > 1 AND $x < 7).@count == 1",
            "SUBQUERY(scores, $x, $x.@keys == 'a' AND $x.@values > 1).@count == 1",
        ] {
            try await check(text)
        }
    }

    // Covers 3.85
    @Test func conditionsOnValuesOfAnyTypeArePrinted() async throws {
        let check = try await PrintCheck()
        for text in [
            "any == 3", "any == decimal(0.1)", "any != 'bob'", "any == nil", "any CONTAINS 'o'",
            "any CONTAINS B64\"bw==\"", "any['k'][1]['in'] == 'deep'", "any[0] != 3",
            "any[LAST] == 'x'", "any[*] == 'x'", "any['k'][*] == 1", "ALL any[*] == 3",
            "ALL any['k'][*] > 0", "any['it\\'s'] == nil", "ANY items[*][0] == 2",
            "ANY items == 1", "values['k'] == 's'", "values['k']['x'][0] == nil",
            "any['k'][1]['in'] CONTAINS[c] 'EE'", "any['k'] IN {1, 2}", "any[0] BETWEEN {1, 3}",
            "any[0] !=[c] 'X'", "any.@type == 'numeric'", "any['k'].@type != 'list'",
            "any.@type IN {'int', 'null'}", "ANY items.@type == 'list'",
            "friends[0].any['k'] != 1", "friends[0].values['k'] != 1",
            "friends[0].values['k']['x'] == nil", "friends[0].any[0] == 3",
            "SUBQUERY(any[*], $x, $x > 2 AND $x < 4).@count == 1", "ALL any[*]['k'] == 1",
            "ALL items[*]['k'] == 1", "ALL items[*][0] != 2", "ALL friends.any['k'] < 1",
            "ALL items[*]['k'] IN[c] {1, 'x'}", "ALL items[*][*] > 1",
            "NOT ANY friends.values['k']['x'] != 1",
        ] {
            try await check(text)
        }
    }

    // Covers 3.85
    @Test func nansArePrintedWithoutTheirBits() async throws {
        let all = try await Gadgets.realm().snapshot().objects(Gadget.self)
        for number in [.nan, -.nan, .signalingNaN, Double(nan: 5, signaling: false)] {
            let float = Float(number)
            for (results, text) in [
                (all.where { $0.ratio == number }, "ratio == nan"),
                (all.where { $0.single != float }, "single != nan"),
                (all.where { $0.any == .double(number) }, "any == nan"),
                (all.where { $0.any == .float(float) }, "any == float(nan)"),
            ] {
                try expectEqual(results.predicate, text)
                try expectEqual(all.filter(text).map(\.id), results.map(\.id), "\(text)")
            }
        }
    }

    // Covers 3.85
    @Test func literalsAndCalculationsArePrinted() async throws {
        let check = try await PrintCheck()
        for text in [
            "bytes == B64\"AQI=\"", "bytes BEGINSWITH B64\"AQ==\"",
            "uuid == uuid(01234567-89AB-CDEF-0123-456789000003)",
            "oid == oid(5f1b2c3d4e5f60718293a4b2)", "date == 2023-11-14T22:13:20.5Z",
            "date > 2023-11-14T22:13:20Z", "date > date(1e-10)", "date < date(inf)",
            "price == 0.10", "price < 1.5E+40", "price > -Infinity", "ratio == inf",
            "ratio > -inf", "ratio != nan", "ratio < 1e+300", "single == 0.10000000149011612",
            "kind == 'toy'", "rank == 9", "number > -9223372036854775808",
            "text == 'it\\'s \\\\ \\n\\u0000\\u001f\u{1F600}e\u{301}'",
            "number + 2 * (\\like - first) / 3 >= ratio * 1.5 - 1.0", "price * 2 > 10",
            "price > int(7) / int(2)", "number + decimal(0.1) > 1", "price > double(0.1) + 0",
            "number - (\\like - 1) == 1", "text.@size + 1 == bytes.@size", "text.@size > 3",
            "ANY words[*].@size == 1", "ALL friends.number * 2 > 10", "limit == friends.@count - 1",
            "number - -3 > 2", "number / 0 == nil",
        ] {
            try await check(text)
        }
    }

    // Covers 3.85
    @Test func otherSpellingsArePrintedInOneWay() async throws {
        let check = try await PrintCheck()
        for (text, printed) in [
            ("2 < number && flag = YES", "number > 2 AND flag == true"),
            ("stored\\ name = 8", "renamed == 8"),
            ("numbers == 1", "ANY numbers == 1"), ("numbers[FIRST] = 1", "numbers[0] == 1"),
            ("@links.Gadget.friends.number > 2", "ANY admirers.number > 2"),
            ("friends.@max.number == 7", "friends.number.@max == 7"),
            ("scores[*] > 1", "ANY scores.@values > 1"), ("scores.a == 2", "scores['a'] == 2"),
            ("date = T1700000000:0", "date == 2023-11-14T22:13:20Z"),
            ("number > 2.5", "number > 2"), ("2 IN numbers", "ANY numbers == 2"),
            ("any.k[1].in == 'deep'", "any['k'][1]['in'] == 'deep'"),
            ("ALL items['k'] > 1", "ALL items[*]['k'] > 1"),
        ] {
            try await check(text, prints: printed)
        }
    }

    // Covers 3.85
    @Test func sortsDistinctValuesAndLimitsArePrinted() async throws {
        let check = try await PrintCheck()
        for text in [
            "number > 0 SORT(friend.number DESC, text ASC) DISTINCT(flag) SORT(id ASC) LIMIT(3)",
            "TRUEPREDICATE LIMIT(5) SORT(id DESC) LIMIT(2)",
            "TRUEPREDICATE DISTINCT(flag, friend.flag)", "TRUEPREDICATE LIMIT(0)",
        ] {
            try await check(text)
        }
        let typed = check.realm.objects(Gadget.self).where { $0.number > 0 }
            .sorted(by: \.text).distinct(by: \.flag).limited(to: 2).where { $0.like < 5 }
        let text = try typed.predicate
        expectEqual(text, "number > 0 AND \\like < 5 SORT(text ASC) DISTINCT(flag) LIMIT(2)")
        let parsed = try check.realm.objects(Gadget.self).filter(text)
        expectEqual(parsed._plan.plan, typed._plan.plan)
        try expectEqual(check.realm.objects(Gadget.self).predicate, "TRUEPREDICATE")
    }

    // Covers 3.85
    @Test func namesOfAllCharactersCanBeRead() throws {
        var random = SeededRandom()
        for _ in 0..<500 {
            let name = text(&random)
            if name.isEmpty { continue }
            for word in [
                name, "not", "like", "true", "NULL", "9", "-a", "a b", "a.b", "nan", "geoWithin",
                "between", "text", "sort", "limit",
            ] {
                let statement = try PredicateParser.parse("\(word.pathStart).\(word.pathStep) == 1")
                guard case .comparison(let operand, _, _) = statement.condition,
                    case .path(let path) = operand.kind
                else {
                    Issue.record("\(word.pathStart) isn't a path")
                    return
                }
                let names = path.steps.map { step -> [UInt8] in
                    if case .name(let name) = step.kind { Array(name.utf8) } else { [] }
                }
                expectEqual(names, [Array(word.utf8), Array(word.utf8)])
                let quantified = try PredicateParser.parse("ANY \(word.pathStart) IN {1}")
                guard case .comparison(let left, _, _) = quantified.condition else {
                    Issue.record("ANY \(word.pathStart) isn't compared")
                    return
                }
                expectTrue(left.quantifier != nil, "\(word)")
            }
        }
    }

    // Covers 3.85
    @Test func allValuesComeBack() async throws {
        let realm = try await Gadgets.realm()
        let all = realm.snapshot().objects(Gadget.self)
        var random = SeededRandom()
        for _ in 0..<500 {
            let number = Double(bitPattern: random.next())
            var values: [(String, Any)] = [
                ("text", text(&random)),
                ("notes['\(plainText(&random))']", "x"),
                ("number", Int(truncatingIfNeeded: random.next())),
                ("bytes", Data(text(&random).utf8)),
                ("price", Decimal128(string: "\(random.next())E\(Int(random.next() % 80) - 40)")),
                ("any", AnyRealmValue.string(text(&random))),
            ]
            if !number.isNaN {
                values += [("ratio", number), ("any", number)]
                values.append(("date", Date(timeIntervalSinceReferenceDate: number)))
            }
            for (path, value) in values {
                let results = try all.filter("\(path) == %@", value)
                let printed = try results.predicate
                let parsed = try all.filter(printed)
                expectEqual(parsed._plan.plan, results._plan.plan, "\(printed)")
            }
        }
    }

    /// Returns a text without quotation marks and backslashes.
    private func plainText(_ random: inout SeededRandom) -> String {
        let scalars = text(&random).unicodeScalars.filter { $0 != "'" && $0 != "\\" }
        return String(String.UnicodeScalarView(scalars))
    }

    private func text(_ random: inout SeededRandom) -> String {
        let signs: [Unicode.Scalar] = [
            "'", "\"", "\\", "\n", "\0", "$", " ", ".", "[", "-", "\u{301}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<random.below(6) {
            let number = UInt32(random.below(random.oneIn(2) ? 0x300 : 0x110000))
            let scalar = Unicode.Scalar(number) ?? "a"
            text.append(random.oneIn(3) ? random.oneOf(signs) : scalar)
        }
        return String(text)
    }
}

/// Checks that a predicate string is printed as expected and comes back as the same query.
struct PrintCheck {
    let realm: Realm

    init() async throws { realm = try await Gadgets.realm() }

    func callAsFunction(
        _ text: String, prints expected: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        func check<Results: Queryable>(_ all: Results) where Results.Model == Gadget {
            do {
                let results = try all.filter(text)
                let printed = try results.predicate
                expectEqual(printed, expected ?? text, sourceLocation: sourceLocation)
                let parsed = try all.filter(printed)
                let (plan, found) = (results._plan.plan, parsed._plan.plan)
                expectEqual(found, plan, "\(text)", sourceLocation: sourceLocation)
            } catch {
                Issue.record("\(text): \(error)", sourceLocation: sourceLocation)
            }
        }
        check(realm.snapshot().objects(Gadget.self))
        check(realm.objects(Gadget.self))
        try await realm.write { check($0.objects(Gadget.self)) }
    }
}
