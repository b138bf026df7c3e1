import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Invalid predicate strings. `‸` marks the place that the error names.
@Suite struct PredicateErrorTests {
    struct Case {
        let text: String
        let words: String
        let values: [Any?]

        init(_ text: String, _ words: String, _ values: [Any?] = []) {
            (self.text, self.words, self.values) = (text, words, values)
        }
    }

    func check(
        _ cases: [Case], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let realm = try await Gadgets.realm()
        let frozen = realm.snapshot().objects(Gadget.self)
        for one in cases {
            let parts = one.text.split(separator: "‸", omittingEmptySubsequences: false)
            let text = parts.joined()
            do {
                let found = try frozen.filter(text, list: one.values)
                Issue.record("\(text) finds \(found.count)", sourceLocation: sourceLocation)
            } catch let error as Realm.Error {
                let comment: Comment = "\(text): \(error.message)"
                expectEqual(error.code, .invalidQuery, comment, sourceLocation: sourceLocation)
                expectEqual(error.className, "Gadget", comment, sourceLocation: sourceLocation)
                expectTrue(
                    error.message.contains(one.words), "\(comment), without \(one.words)",
                    sourceLocation: sourceLocation)
                expectTrue(
                    error.message.contains(" at column \(parts[0].count + 1): "), comment,
                    sourceLocation: sourceLocation)
            }
        }
    }

    // Covers 3.87, .invalidQuery
    @Test func mistakesInTheSyntaxAreLocated() async throws {
        try await check([
            Case("‸", "Expected a property or a value, but the string ends here"),
            Case("   ‸", "the string ends here"),
            Case("number‸", "Expected an operator"),
            Case("number ==‸", "Expected a property or a value"),
            Case("number ‸is 3", "Expected an operator such as == or CONTAINS, but found is"),
            Case("number == 3 ‸number", "Expected AND, OR, SORT"),
            Case("number == 3 ‸)", "Expected AND, OR, or the end, but found )"),
            Case("(number == 3‸", "Expected ), but the string ends here"),
            Case("((number == 3)‸", "Expected )"),
            Case("number == 3 AND‸", "Expected a property"),
            Case("‸&& number == 3", "found &&"),
            Case("number == 3 ||‸", "Expected a property"),
            Case("NOT (‸)", "found )"),
            Case("number = ‸= 3", "found ="),
            Case("text == ‸'Anna", "The string has no closing '"),
            Case("text == ‸\"Anna'", "The string has no closing \""),
            Case("text == 'a‸\\u12'", "four hexadecimal digits"),
            Case("text == 'a‸\\uD800'", "isn't a Unicode character"),
            Case("text == 'a‸\\uDE00'", "isn't a Unicode character"),
            Case("number == ‸12x", "12x is neither a number nor a name"),
            Case("number == ‸0x", "isn't a hexadecimal number"),
            Case("number == ‸0x12345678901234567", "hexadecimal number of up to 64 bits"),
            Case("number == -‸text", "Expected a number"),
            Case("number ‸; 3", "; can't be used here"),
            Case("number ‸& 3", "& can't be used here"),
            Case("number == ‸^", "^ can't be used here"),
            Case("number IN {1‸", "Expected }"),
            Case("number IN {1,‸}", "Expected a property or a value, but found }"),
            Case("number IN {‸{1}}", "Expected a value, but found {"),
            Case("number IN {‸obj('Gadget', 1)}", "Expected a value, but found obj"),
            Case("number IN {1 ‸2}", "Expected }, but found 2"),
            Case("bytes == ‸B64'x'", "isn't valid Base64"),
            Case("bytes == ‸binary(1)", "binary() needs a string or B64 data"),
            Case("uuid == ‸uuid(12", "uuid( has no closing )"),
            Case("uuid == ‸uuid(12)", "uuid(12) is malformed"),
            Case("oid == ‸oid(xyz)", "oid(xyz) is malformed"),
            Case("date == ‸2023-13-01@00:00:00", "isn't a date"),
            Case("date == ‸2023-01-01", "is neither a number nor a name"),
            Case("date == ‸T1:9999999999", "up to 999999999 nanoseconds"),
            Case("date == ‸2023-01-01@00:00:00:1000000000", "up to 999999999 nanoseconds"),
            Case("date == ‸T-9223372036854775808:0", "A timestamp is T"),
            Case("numbers[‸", "Expected a position, a key in quotes"),
            Case("numbers[‸-1] == 1", "Expected a position"),
            Case("numbers[‸1.5] == 1", "1.5 isn't a position"),
            Case("numbers[0 ‸== 1", "Expected ], but found =="),
            Case("friend. ‸== 1", "Expected the name of a property"),
            Case("friend.‸5 == 1", "Expected the name of a property"),
            Case("number == ‸%x", "%x isn't a placeholder"),
            Case("number == $‸", "Expected a number or a name after $"),
            Case("@‸ == 1", "Expected a name such as count after @"),
            Case("‸\\", "Expected"),
            Case("SUBQUERY(friends‸)", "Expected ,"),
            Case("SUBQUERY(friends, ‸f, f == 1).@count > 0", "Expected a variable such as $x"),
            Case(
                "SUBQUERY(friends, ‸$0, number == 1).@count > 0", "Expected a variable such as $x"),
            Case("SUBQUERY(friends, $f, $f.number == 1) ‸> 0", "Expected .@count after a SUBQUERY"),
            Case("SUBQUERY(friends, $f, $f.number == 1).‸@min > 0", "Expected .@count"),
            Case(
                "SUBQUERY(friends, $f, SUBQUERY($f.friends, ‸$f, $f.id > 0).@count > 0).@count > 0",
                "The variable $f is already used by an enclosing SUBQUERY"),
            Case("friend == ‸obj(Gadget, 1)", "obj() needs the name of a class, in quotes"),
            Case("number > 0 SORT‸", "Expected ("),
            Case("number > 0 SORT(‸)", "Expected the name of a property"),
            Case("number > 0 SORT(number ‸UP)", "Expected ), but found UP"),
            Case("number > 0 LIMIT(‸x)", "Expected the maximum number of objects"),
            Case("number > 0 LIMIT(‸-1)", "Expected the maximum number of objects"),
            Case("number > 0 LIMIT(1) ‸AND number < 3", "Expected SORT, DISTINCT"),
        ])
    }

    // Covers 3.57, 3.58, 3.59, 3.60, 3.76, 3.77, .invalidQuery
    @Test func namesAndTypesAreChecked() async throws {
        try await check([
            Case("‸numbr == 3", "Gadget has no property \"numbr\"; did you mean \"number\"?"),
            Case("‸NUMBER == 3", "did you mean \"number\"?"),
            Case("friend.‸txt == 'a'", "Gadget has no property \"txt\"; did you mean \"text\"?"),
            Case(
                "part.‸colour == 'a'", "has no property \"colour\": it has size, label."),
            Case("‸nothing.text == 'a'", "has no property \"nothing\""),
            Case("‸%K == 3", "has no property \"numbr\"", ["numbr"]),
            Case("number.‸text == 'a'", "Gadget.number is of type Int and has no property"),
            Case("friends.@count.‸x == 1", "is a number and has no property"),
            Case(
                "‸number == 'x'",
                "Gadget.number is of type Int and can't be compared with the string \"x\""),
            Case("‸number == 2.5", "can't be compared with the number 2.5"),
            Case("‸number < nan", "can't be compared with the number nan"),
            Case("‸number == 99999999999999999999", "can't be compared with"),
            Case("‸number == true", "can't be compared with true (Bool)"),
            Case("‸maybeNumber IN {1, 'x'}", "is of type Int? and can't be compared"),
            Case("‸text == 3", "Gadget.text is of type String and can't be compared"),
            Case("‸text == true", "is of type String"),
            Case("‸flag == 2", "is of type Bool"),
            Case("‸flag > true", "has no ordering"),
            Case("‸bytes < B64'AQ=='", "has no ordering"),
            Case("‸ratio == true", "is of type Double"),
            Case("‸single == 1e300", "is of type Float"),
            Case("‸price == 'x'", "is of type Decimal128"),
            Case("‸date == 3", "is of type Date"),
            Case("‸date == '2023-01-01'", "is of type Date"),
            Case("‸uuid == 'x'", "is of type UUID"),
            Case("‸oid == 'x'", "is of type ObjectId"),
            Case("‸number CONTAINS 'x'", "isn't a string, as CONTAINS requires"),
            Case("‸number ==[c] 3", "isn't a string, as ==[c] requires"),
            Case("‸bytes LIKE 'x'", "LIKE can't be used with"),
            Case("text <[‸c] 'a'", "< can't ignore case"),
            Case("‸text CONTAINS 3", "CONTAINS can't be used with the number 3"),
            Case("‸number == text", "is of a different type than Gadget.text"),
            Case("‸number == friend", "is of a different type"),
            Case("‸number == ratio", "is of a different type"),
            Case("‸number == numbers", "which belongs to other objects: use SUBQUERY"),
            Case("‸text == friends.@count", "can't be used in a calculation"),
            Case("‸number LIKE like", "isn't a string"),
            Case("‸number IN like", "needs a list of values after IN"),
            Case("‸flag < maybeFlag", "has no ordering"),
            Case(
                "‸friend == 3", "Gadget.friend is a Gadget and can't be compared with the number"),
            Case("‸friend > nil", "is an object and has no ordering"),
            Case("‸friends == nil", "compare its @count with 0"),
            Case("‸SELF == nil", "is never nil"),
            Case("‸scores == 1", "is a map"),
            Case("‸scores IN {1}", "is a map"),
            Case("friend == ‸obj('Nobody', 1)", "There is no class Nobody"),
            Case("part == ‸obj('GadgetPart', 1)", "has no primary key of this type"),
            Case("friend == ‸obj('Gadget', 'x')", "has no primary key of this type"),
            Case("‸part == obj('Gadget', 1)", "isn't a Gadget"),
            Case("‸friend < obj('Gadget', 1)", "only be compared with an object by == and !="),
            Case("‸1 == 1", "one side must be a property"),
            Case("‸{1} == {1}", "one side must be a property"),
            Case("'a' ‸CONTAINS text", "The property must be on the left of CONTAINS"),
            Case("number IN {‸text}", "A list in braces can only contain values"),
            Case("‸number == {1, 2}", "can't be compared with a list by ==: use IN"),
            Case("‸number IN 1", "needs a list of values after IN"),
            Case("‸number IN ALL {1, 2}", "without ANY, ALL or NONE after IN"),
            Case("‸number BETWEEN {1}", "needs two values after BETWEEN"),
            Case("‸number BETWEEN {1, 2, 3}", "needs two values after BETWEEN"),
            Case("‸number BETWEEN {1, nil}", "can't be between nil and a value"),
            Case("‸flag BETWEEN {true, false}", "has no ordering"),
            Case("‸ANY number == 1", "is a single value: ANY, ALL and NONE require several"),
            Case("‸ALL any.k == 1", "is a single value"),
            Case("‸NONE scores.a == 1", "is a single value"),
            Case("ANY numbers == ‸ALL {1}", "Only one side can have ANY, ALL or NONE"),
            Case(
                "number.‸@count == 1",
                "isn't a collection, string or data, as @count requires"),
            Case("number.‸@min == 1", "isn't a collection"),
            Case("friend.‸@max.number == 1", "isn't a collection"),
            Case("words.‸@max == 'a'", "has no such aggregate"),
            Case("friends.@sum.‸date == 1", "has no such aggregate"),
            Case("‸friends.@max == 1", "must be followed by the name of a property"),
            Case("friends.@max.‸friends == 1", "needs a property with a single value"),
            Case("numbers.‸@keys == 'a'", "isn't a map, as @keys requires"),
            Case("numbers.‸@first == 1", "There is no function @first"),
            Case("tags‸[0] == 'a'", "has no positions: only lists do"),
            Case("number‸[0] == 1", "has no keys or positions"),
            Case("friends‸['a'] == 1", "has no keys or positions"),
            Case("numbers‸[$0] == 1", "A position can't be negative", [-1]),
            Case("numbers‸[$0] == 1", "must be a string or an integer", [1.5]),
            Case("@links.‸Nobody.friend.@count == 1", "There is no class Nobody"),
            Case("@links.Gadget.‸frend.@count == 1", "did you mean \"friend\"?"),
            Case("‸@links.Gadget.number.@count == 1", "isn't a link to Gadget"),
            Case("SUBQUERY(‸friend, $f, $f.number == 1).@count > 0", "as SUBQUERY requires"),
            Case("SUBQUERY(scores, $f, ‸$f == 1).@count > 0", "is a map: compare its @keys"),
            Case("SUBQUERY(friends, $f, ‸number == 1).@count > 0", "can only use its variable $f"),
            Case("number > 0 SORT(‸friends)", "can't be used in SORT or DISTINCT"),
            Case("number > 0 SORT(‸friends.number)", "can't be used in SORT or DISTINCT"),
            Case("number > 0 DISTINCT(‸friend)", "can't be used in SORT or DISTINCT"),
            Case("number > 0 SORT(‸numbr)", "did you mean \"number\"?"),
        ])
    }

    // Covers 3.82, .invalidQuery
    @Test func argumentsAreChecked() async throws {
        try await check([
            Case("number == ‸%@", "Value number 0 is missing: no values were given"),
            Case("number == %@ AND text == ‸%@", "number 1 is missing: 1 was given", [1]),
            Case("number == ‸$2", "Value number 2 is missing: 2 were given", [1, 2]),
            Case("number == ‸$\(Int.max)", "Value number \(Int.max) is missing: 1 was", [1]),
            Case("‸$K\(Int.max) == 3", "Value number \(Int.max) is missing"),
            Case("‸number == 3", "Too many values were given: 1 instead of 0", [1]),
            Case("‸number == %@", "Too many values were given: 3 instead of 1", [1, 2, 3]),
            Case("‸number == '%@'", "Too many values", [1]),
            Case("number == ‸$x", "No value was given for $x: pass values by name"),
            Case("number == ‸$-1", "No value was given for $-1", []),
            Case("‸%K == 3", "The argument for a path must be a string", [3]),
            Case("‸$K0 == 3", "Value number 0 is missing"),
            Case("‸number == %@", "can't be compared with the string \"x\"", ["x"]),
            Case("‸number == %@", "can't be compared with", [Date(timeIntervalSince1970: 0)]),
            Case("‸text == %@", "can't be compared with", [3]),
            Case("‸number IN %@", "can't be compared with", [[1, "x"] as [Any]]),
            Case("‸number == %@", "with a list by ==: use IN", [[1]]),
            Case("‸number IN %@", "needs a list of values", [1]),
            Case("‸number IN %@", "needs a list of values", [18...]),
            Case("‸number BETWEEN %@", "needs a list of values", [18...]),
            Case("number IN ‸%@", "A range of more than 1048576 values", [0...Int.max]),
            Case("number IN ‸%@", "A range of more than 1048576 values", [Int.min..<Int.max]),
            Case(
                "number IN ‸%@", "A sequence of more than 1048576 values",
                [sequence(first: 1) { $0 }]),
            Case("‸number IN %@", "can't be compared with", [["a": 1]]),
            Case("‸friend == %@", "is a Gadget and can't be compared with a Room", [Room("a")]),
            Case("‸text == %@", "can't be compared with", [Gadget()]),
        ])
        let frozen = try await Gadgets.realm().snapshot().objects(Gadget.self)
        for (text, words) in [
            ("number == $a", "No value was given for $a"), ("number == %@", "given by name"),
        ] {
            let error = await realmError { try frozen.filter(text, named: ["b": 1]) }
            expectEqual(error?.code, .invalidQuery)
            expectTrue(error?.message.contains(words) == true)
        }
    }

    // Covers .invalidQuery
    @Test func whatIsNotSupportedIsRefusedClearly() async throws {
        try await check([
            Case("‸text TEXT 'a'", "Gadget.text has no full-text index"),
            Case("text ‸MATCHES 'a'", "MATCHES isn't supported"),
            Case("friend == ‸O1", "Row numbers aren't supported"),
            Case("friend == L1‸:2", "Row numbers such as L1:2 aren't supported"),
            Case(
                "SUBQUERY(friends, $f, $f.number > ‸number).@count > 0", "can only use its variable"
            ),
            Case(
                "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, ‸$f.id > 0).@count > 0).@count > 0",
                "can only use its own variable"),
        ])
        let frozen = try await Gadgets.realm().snapshot().objects(Gadget.self)
        let limited = await realmError { try frozen.limited(to: 2).filter("id > 0 SORT(id)") }
        expectTrue(limited?.message.contains("must come before a limit") == true)
        let position = await realmError { try frozen.index(matching: "id > 0 LIMIT(1)") }
        expectTrue(position?.message.contains("can't be used to find a position") == true)
    }

    // Covers .invalidQuery
    @Test func depthAndLengthAreLimited() async throws {
        let realm = try await Gadgets.realm()
        let all = realm.snapshot().objects(Gadget.self)
        func parenthesized(_ count: Int, _ open: String = "(", _ close: String = ")") -> String {
            String(repeating: open, count: count) + "number > 0"
                + String(repeating: close, count: count)
        }
        try expectEqual(all.filter(parenthesized(64)).count, 4)
        try expectEqual(all.filter(parenthesized(64, "!", "")).count, 4)
        try expectEqual(all.filter(parenthesized(32, "NOT (")).count, 4)
        let path = String(repeating: "friend.", count: 62)
        try expectEqual(all.filter(path + "number == 2").map(\.id), [3])
        try expectEqual(all.filter(path + "friend.number == 2").map(\.id), [3])
        for count in [63, 64] {
            let ids = [String](repeating: "id", count: count).joined(separator: ",")
            try expectEqual(all.filter("id > 0 SORT(\(ids))").map(\.id), [1, 2, 3, 4, 5])
            let limited = "id > 0" + String(repeating: " LIMIT(2)", count: count)
            try expectEqual(all.filter(limited).count, 2)
        }
        func subqueries(_ count: Int) -> String {
            let start = (1..<count).map { "SUBQUERY($v\($0 - 1).friends, $v\($0), " }.joined()
            return "SUBQUERY(friends, $v0, " + start + "$v\(count - 1).number > 0"
                + String(repeating: ").@count > 0", count: count)
        }
        try expectEqual(all.filter(subqueries(2)).map(\.id), [0, 1, 5])
        // The cycle 0, 1, 3, 5 leads from 1, 3 and 5 to 2, 3 and 4.
        try expectEqual(all.filter(subqueries(16)).map(\.id), [1, 3, 5])
        let long = String(repeating: "v", count: 5_000)
        for (text, words) in [
            (parenthesized(65), "nested more than 64 levels deep"),
            (parenthesized(65, "!", ""), "nested more than 64 levels deep"),
            (parenthesized(33, "NOT ("), "nested more than 64 levels deep"),
            (parenthesized(100_000), "nested more than 64 levels deep"),
            (parenthesized(100_000, "NOT ", ""), "nested more than 64 levels deep"),
            (path + "friend.friend.number == 2", "more than 64 steps"),
            (path + "friend.number == 2 AND id > 0", "nested more than 64 levels deep"),
            (String(repeating: "friend.", count: 50_000) + "id == 1", "more than 64 steps"),
            ("any" + String(repeating: "[0]", count: 50_000) + " == 1", "more than 64 steps"),
            (
                "SUBQUERY(friends, $" + long + ", number == 1).@count > 0",
                "can only use its variable $vvv"
            ),
            (
                "SUBQUERY(friends, $" + long + ", $" + long + " > 1).@count > 0",
                "is an object and has no ordering"
            ),
            (subqueries(17), "SUBQUERY is nested more than 16 levels deep"),
            (subqueries(5_000), "SUBQUERY is nested more than 16 levels deep"),
            (
                "friend == " + String(repeating: "obj('Gadget', ", count: 50_000),
                "Expected a primary key"
            ),
            ("id IN " + String(repeating: "{", count: 50_000), "Expected a value, but found {"),
            (
                "id > 0 SORT(" + Array(repeating: "id", count: 65).joined(separator: ",") + ")",
                "SORT has more than 64 properties"
            ),
            (
                "id > 0" + String(repeating: " LIMIT(1)", count: 65),
                "more than 64 SORT, DISTINCT and LIMIT clauses"
            ),
        ] {
            let error = await realmError { try all.filter(text) }
            expectEqual(error?.code, .invalidQuery)
            let message = error?.message ?? ""
            expectTrue(message.contains(words), "\(text.prefix(40)): \(message)")
            // Long text is truncated in the message.
            expectTrue(message.utf8.count < 2_000)
        }
        let friends = Array(repeating: "friend", count: 40).joined(separator: ".")
        for text in ["id > 0 SORT(%K.%K.id)", "id > 0 DISTINCT(%K.%K.id)", "%K.%K.id == 1"] {
            let error = await realmError { try all.filter(text, friends, friends) }
            expectTrue(error?.message.contains("more than 64 steps") ?? false, "\(text)")
        }
        // A wide condition isn't deep.
        let wide = (0..<10_000).map { "number == \($0 + 2)" }.joined(separator: " OR ")
        try expectEqual(all.filter(wide).map(\.id), [3, 4, 5])
        let list = (0..<10_000).map { "\($0 + 2)" }.joined(separator: ",")
        try expectEqual(all.filter("number IN {\(list)}").map(\.id), [3, 4, 5])
    }
}
