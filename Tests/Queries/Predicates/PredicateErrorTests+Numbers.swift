import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

extension PredicateErrorTests {
    // Covers .invalidQuery
    @Test func calculationsAreChecked() async throws {
        try await check([
            Case("number +‸", "Expected a property or a value, but the string ends here"),
            Case("number + ‸* 2 == 3", "Expected a property or a value, but found *"),
            Case("(number + 1 == 3‸", "Expected ), but the string ends here"),
            Case("(number + 1‸)", "Expected an operator"),
            Case("number + 1‸", "Expected an operator"),
            Case("number + ‸text > 1", "Gadget.text can't be used in a calculation"),
            Case("number + ‸friend > 1", "Gadget.friend can't be used in a calculation"),
            Case("number + ‸numbers.@max > 1", "can't be used in a calculation"),
            Case("number + ‸'a' > 1", "Expected a number, not the string \"a\""),
            Case("number + 1 > ‸true", "Expected a number"),
            Case("‸1 + 2 == 3", "Can't compare two values"),
            Case("number + 1 ‸CONTAINS 2", "CONTAINS can't compare a number with another one"),
            Case("number + 1 ‸==[c] 2", "==[c] can't compare"),
            Case("number + 1 ‸IN 2", "IN can't compare a number with another one"),
            Case("number + 1 ‸== {1, 2}", "== can't compare a number with a list"),
            Case("number + 1 ‸BETWEEN {1}", "BETWEEN needs two values"),
            Case("number + ‸{1} > 2", "can only have numbers as operands"),
            Case("number + ‸friends.number > 2", "which belongs to other objects"),
            Case("‸ANY number + 1 > 2", "is a single value: ANY, ALL and NONE require several"),
            Case("number.‸@size == 3", "isn't a collection, string or data, as @size requires"),
            Case("text.@size.‸x == 3", "is a number and has no property"),
            Case("text.@size ‸CONTAINS 3", "CONTAINS can't compare"),
        ])
        func sum(_ count: Int) -> String {
            [String](repeating: "number", count: count).joined(separator: " + ")
        }
        let all = try await Gadgets.realm().snapshot().objects(Gadget.self)
        // Each operator is a level unless parentheses make them operands of one.
        for text in [sum(40), sum(63), sum(64), "(\(sum(33))) + (\(sum(32)))"] {
            try expectEqual(all.filter(text + " > 0").count, 4)
        }
        for (text, words) in [
            (sum(65), "more than 64 levels"), (sum(66), "more than 64 operators"),
            ("(\(sum(33))) + (\(sum(33)))", "more than 64 operators"),
            (sum(100_000), "more than 64 operators"),
        ] {
            let error = await realmError { try all.filter(text + " > 0") }
            let message = error?.message ?? ""
            expectTrue(message.contains(words), "\(text.prefix(40)): \(message)")
        }
        let parentheses = String(repeating: "(", count: 100_000) + "number"
        let deep = await realmError {
            try all.filter(parentheses + String(repeating: ")", count: 100_000) + " > 0")
        }
        expectTrue(deep?.message.contains("more than 64 levels") == true)
    }

    /// Read as an infinity or rounded, they would equal other values.
    // Covers 3.83, .invalidQuery
    @Test func numbersBeyondTheirTypesAreRefused() async throws {
        let precise = "0.10000000000000000000000000000000000001"
        try await check([
            Case("‸ratio == 1e400", "Double and can't be compared with the number 1e400"),
            Case("‸ratio > -1e400", "can't be compared with the number -1e400"),
            Case("‸ratio < '1e400'", "can't be compared with the string \"1e400\""),
            Case("‸ratio IN {1, 1e400}", "can't be compared with the number 1e400"),
            Case("‸ratio BETWEEN {0, 1e400}", "can't be compared with the number 1e400"),
            Case("‸single > 1e39", "Float and can't be compared with the number 1e39"),
            Case("‸single > 1e400", "Float and can't be compared with the number 1e400"),
            Case("‸price < 1e7000", "Decimal128 and can't be compared with the number 1e7000"),
            Case("‸price == \(precise)", "Decimal128 and can't be compared with the number 0.1"),
            Case("‸price == '\(precise)'", "Decimal128 and can't be compared with the string"),
            Case("‸any == 1e400", "AnyRealmValue and can't be compared with the number 1e400"),
            Case("ratio == ‸double(1e400)", "The number isn't a double"),
            Case("single == ‸float(1e39)", "The number isn't a float"),
            Case("price == ‸decimal(\(precise))", "The number isn't a decimal"),
            Case("date < ‸date(1e400)", "The number isn't a date"),
            Case("ratio + ‸1e400 > 1", "the number 1e400 is beyond the range or precision"),
            Case("price + ‸1e7000 > 1", "the number 1e7000 is beyond the range or precision"),
            Case("price * ‸\(precise) > 1", "is beyond the range or precision"),
        ])
    }

    // Covers .invalidQuery
    @Test func namesOfTypesAreChecked() async throws {
        try await check([
            Case("any.@type == ‸'text'", "the string \"text\" isn't the name of a type"),
            Case("any.@type == ‸3", "isn't the name of a type"),
            Case("number.‸@type == 'int'", "isn't an AnyRealmValue, as @type requires"),
            Case("any.@type ‸> 'int'", "can only be compared by ==, != and IN"),
            Case("any.@type ‸!= ANY {'int', 'bool'}", "can't be compared with ANY type by !="),
            Case("any.@type.‸x == 'int'", "is a type and has no property"),
            Case("‸any.@type == text", "can only be compared with type names"),
            Case("‸ANY any.@type == 'int'", "is a single value"),
        ])
    }
}
