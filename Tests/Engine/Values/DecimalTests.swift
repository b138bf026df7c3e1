import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct DecimalTests {
    /// Each row is less than the next; the numbers of one row are equal.
    private static let ascending: [[String]] = [
        ["NaN"], ["-Infinity"], ["-9.999999999999999999999999999999999E+6144"],
        ["-1E+6112", "-1.0E+6112", "-1.000E+6112"], ["-100", "-1E+2", "-100.00"], ["-0.1"],
        ["-1E-6176"], ["0", "-0", "0E+6111", "-0E-6176", "0.00"], ["1E-6176"],
        ["1E-6143", "1.000E-6143"], ["0.3333333333333333333333333333333333"], ["0.5", "0.50"],
        ["1", "1.0", "1.00", "1.000000000000000000000000000000000"],
        ["1.000000000000000000000000000000001"], ["10", "1E+1"],
        ["9999999999999999999999999999999999"], ["1E+34", "10E+33"],
        ["1.000000000000000000000000000000000E+6144", "1E+6144"], ["Infinity"],
    ]

    @Test func orderIsThatOfTheNumbers() throws {
        let rows = try Self.ascending.map { try $0.map { try requireValue(DecimalBits(text: $0)) } }
        for (i, row) in rows.enumerated() {
            for (j, other) in rows.enumerated() {
                for (a, b) in row.flatMap({ a in other.map { (a, $0) } }) {
                    let order = i < j ? -1 : (i == j ? 0 : 1)
                    expectEqual(DecimalBits.compare(a, b), order, "\(a.text) \(b.text)")
                    expectTrue(DecimalBits.areEqual(a, b) == (order == 0))
                    expectTrue((a.canonical == b.canonical) == (order == 0), "\(a.text) \(b.text)")
                }
            }
        }
    }

    @Test func allNaNAreOne() {
        let sorts = [
            DecimalBits.nan, .nan.negated, .signalingNaN, DecimalBits(high: 0x7C00 << 48, low: 7),
        ]
        for a in sorts {
            expectTrue(a.isNaN && !a.isFinite && !a.isInfinite && a.canonical == .nan)
            expectTrue(a.text == "NaN" && a.trimmedText == "NaN")
            expectTrue(a.doubleValue.isNaN && a.exactInt64 == nil && a.truncatedInt64 == nil)
            for b in sorts { expectEqual(DecimalBits.compare(a, b), 0) }
            expectEqual(DecimalBits.compare(a, Double.nan), 0)
            expectEqual(DecimalBits.compare(a, -Double.infinity), -1)
            expectEqual(DecimalBits.compare(a, Int64.min), -1)
        }
        expectEqual(sorts.map(\.isSignalingNaN), [false, false, true, false])
        expectTrue(DecimalBits(Double.signalingNaN) == .nan && DecimalBits(-Float.nan) == .nan)
    }

    /// Bit patterns that no operation produces are read according to the standard, and never occur
    /// in results.
    @Test func patternsThatAreNotCanonicalAreRead() {
        // A coefficient of 10^34, and one in the form for larger ones.
        let tooLarge = DecimalBits(high: 0x3041_ED09_BEAD_87C0, low: 0x378D_8E64_0000_0000)
        let largeForm = DecimalBits(high: 0xEC10_0000_0000_0000, low: 1)
        expectTrue(tooLarge.text == "0" && tooLarge.isZero && tooLarge.canonical == .zero)
        expectTrue(largeForm.isFinite && largeForm.isZero && largeForm.isNegative)
        expectTrue(largeForm.text == "-0" && largeForm.canonical == .zero)
        expectEqual(DecimalBits.sum(tooLarge, DecimalBits(5 as Int64)), DecimalBits(5 as Int64))
        let infinity = DecimalBits(high: 0x7812_3456_789A_BCDE, low: 99)
        expectTrue(infinity.isInfinite && infinity.text == "Infinity")
        expectTrue(DecimalBits.sum(infinity, .zero) == .infinity && infinity.canonical == .infinity)
        // A payload of 10^33, which is invalid, and the largest valid one.
        let payload = DecimalBits(high: 0x7C00_314D_C644_8D93, low: 0x38C1_5B0A_0000_0000)
        expectEqual(DecimalBits.sum(payload, .zero), .nan)
        let largest = DecimalBits(high: payload.high, low: payload.low - 1)
        expectEqual(DecimalBits.sum(.zero, largest), largest)
        let noisy = DecimalBits(high: 0xFFFF_C000_0000_0000, low: 3)
        expectTrue(noisy.isSignalingNaN)
        expectEqual(
            DecimalBits.product(.nan, noisy), DecimalBits(high: 0xFC00_0000_0000_0000, low: 3))
    }

    @Test func everyPatternIsRead() {
        var generator = SeededRandom("DecimalTests.everyPatternIsRead")
        for _ in 0..<3_000 {
            let a = DecimalBits(high: generator.next(), low: generator.next())
            let b = DecimalBits(high: a.high ^ generator.next() >> 20, low: generator.next())
            for result in [
                DecimalBits.sum(a, b), .difference(a, b), .product(a, b), .quotient(a, b),
                a.canonical,
            ] {
                if result.isNaN {
                    expectEqual(result.high & 0x03FF_C000_0000_0000, 0)
                } else {
                    expectEqual(DecimalBits(exactText: result.text), result)
                }
            }
            expectEqual(DecimalBits.compare(a, b), -DecimalBits.compare(b, a))
            expectEqual(DecimalBits.compare(a, a.canonical), 0)
            expectTrue(
                DecimalBits.compare(a, a.doubleValue) == -DecimalBits.compare(
                    a.negated, -a.doubleValue) || a.isNaN)
        }
    }

    @Test func powersAndDigitCountsAreRight() {
        var power: UInt128 = 1
        for n in 0...38 {
            expectEqual(powerOfTen(n), power)
            expectTrue(decimalDigitCount(power) == n + 1 && decimalDigitCount(power - 1) == n)
            if n < 38 { power *= 10 }
        }
        expectTrue(decimalDigitCount(.max) == 39 && decimalDigitCount(0) == 0)
    }

    @Test func wideDivisionIsThatOfTheStandardLibrary() {
        var generator = SeededRandom("DecimalTests.wideDivision")
        for round in 0..<4_000 {
            // With words of ones and zeros, the estimate of a digit of the quotient can be off.
            func word() -> UInt64 {
                [0, 1, .max, .max - 1, 1 << 63, generator.next()][generator.below(6)]
            }
            let divisor = UInt128(word()) << 64 | UInt128(word())
            let (x, y) = (
                UInt128(word()) << 64 | UInt128(word()), UInt128(word()) << 64 | UInt128(word())
            )
            let product = DecimalWide.product(x, y)
            let expected = x.multipliedFullWidth(by: y)
            expectTrue(product.high == expected.high && product.low == expected.low)
            guard divisor > x else { continue }
            let (quotient, remainder) = DecimalWide(high: x, low: y).divided(by: divisor)
            let exact = divisor.dividingFullWidth((x, y))
            expectTrue(
                quotient == exact.quotient && remainder == exact.remainder,
                "\(x) \(y) \(divisor), round \(round), seed \(generator.seed)")
        }
    }

    /// Digits far after a tie, beyond those kept for intermediate results, still round it up.
    @Test func restFarBehindATieCounts() throws {
        func number(_ text: String) throws -> DecimalBits {
            try requireValue(DecimalBits(text: text))
        }
        // (10^33 + p)(10^33 + q) ends in p · q, here 5 · 10^32 + 2 · 10^16; p + q is even.
        let product = DecimalBits.product(
            try number("1000000000000000010000000000000000"),
            try number("1000000000000000050000000000000002"))
        expectEqual(product.text, "1.000000000000000060000000000000003E+66")
        let half = try number("0.5000000000000000000000000000000001")
        let even = try number("1000000000000000000000000000000002")
        expectEqual(DecimalBits.sum(even, half).text, "1000000000000000000000000000000003")
        expectEqual(DecimalBits.difference(even, half).text, "1000000000000000000000000000000001")
        // Half of the least number rounds to zero; a little more than half rounds to the least.
        let least = DecimalBits(high: 0, low: 1)
        expectEqual(DecimalBits.product(least, try number("0.5")).text, "0E-6176")
        expectEqual(DecimalBits.product(least, half), least)
        expectEqual(DecimalBits.quotient(least, try number("1.999")), least)
        expectEqual(DecimalBits.quotient(least, try number("2.001")).text, "0E-6176")
    }

    @Test func integersComeAndGoExactly() throws {
        let integers: [Int64] = [.min, .min + 1, -1, 0, 1, 10, 1_000_000, 1 << 53, .max - 1, .max]
        for integer in integers {
            let number = DecimalBits(integer)
            expectTrue(number.text == "\(integer)" && number.exactInt64 == integer)
            expectEqual(DecimalBits.compare(number, integer), 0)
            let half = DecimalBits.sum(number, try requireValue(DecimalBits(text: "0.5")))
            expectTrue(half.exactInt64 == nil && DecimalBits.compare(half, integer) == 1)
            // Toward zero.
            expectTrue(half.truncatedInt64 == (integer < 0 ? integer + 1 : integer))
        }
        expectEqual(DecimalBits(UInt64.max).text, "18446744073709551615")
        expectEqual(DecimalBits(Int128.min).text, "-1.701411834604692317316873037158841E+38")
        for (text, exact, truncated) in [
            ("9223372036854775808", nil, nil), ("-9223372036854775809", nil, nil),
            ("9223372036854775807.9", nil, Int64.max), ("-9223372036854775808.9", nil, Int64.min),
            ("9E+18", 9_000_000_000_000_000_000, 9_000_000_000_000_000_000), ("9E+19", nil, nil),
            ("1E+6144", nil, nil), ("0E+6111", 0, 0), ("-0.00", 0, 0), ("1.00", 1, 1),
            ("1E-6176", nil, 0), ("-0.9", nil, 0), ("-Infinity", nil, nil), ("NaN", nil, nil),
            ("9999999999999999999999999999999999E-34", nil, 0), ("12300E-2", 123, 123),
        ] as [(String, Int64?, Int64?)] {
            let number = try requireValue(DecimalBits(text: text))
            expectEqual(number.exactInt64, exact, "\(text)")
            expectEqual(number.truncatedInt64, truncated, "\(text)")
        }
    }

    @Test func doublesCompareWithoutRounding() throws {
        for (text, double, order) in [
            ("0.1", 0.1, -1), ("0.1000000000000000055511151231257827", 0.1, -1),
            ("0.1000000000000000055511151231257828", 0.1, 1), ("0.5", 0.5, 0), ("-0.5", -0.5, 0),
            ("9007199254740993", 9_007_199_254_740_992, 1), ("1E+23", 1e23, 1),
            ("99999999999999991611392", 1e23, 0), ("1E+400", .greatestFiniteMagnitude, 1),
            ("1E+400", .infinity, -1), ("Infinity", .infinity, 0), ("-Infinity", -.infinity, 0),
            ("1E-400", .leastNonzeroMagnitude, -1), ("1E-400", 0, 1), ("-1E-400", -0.0, -1),
            ("-0", 0, 0), ("4.9E-324", .leastNonzeroMagnitude, -1), ("0", .nan, 1),
            ("5E-324", .leastNonzeroMagnitude, 1), ("2", -2, 1), ("-3", -2.5, -1),
        ] as [(String, Double, Int)] {
            let number = try requireValue(DecimalBits(text: text))
            expectEqual(DecimalBits.compare(number, double), order, "\(text) \(double)")
        }
    }

    @Test func doublesBecomeTheirShortestNumbers() {
        for (double, text) in [
            (0.1, "0.1"), (-2.5, "-2.5"), (0, "0"), (-0.0, "-0"), (100, "100"),
            (1e15, "1000000000000000"),
            (1e22, "1E+22"), (123456.789, "123456.789"), (1.0 / 3, "0.3333333333333333"),
            (.leastNonzeroMagnitude, "5E-324"), (.infinity, "Infinity"), (-.infinity, "-Infinity"),
            (.greatestFiniteMagnitude, "1.7976931348623157E+308"), (1e-7, "1E-7"),
            (9_007_199_254_740_992, "9007199254740992"), (1e23, "1E+23"),
        ] as [(Double, String)] {
            expectEqual(DecimalBits(double).text, text)
        }
        expectTrue(DecimalBits(0.1 as Float).text == "0.1" && DecimalBits(3 as Float).text == "3")
        expectEqual(DecimalBits(Float.greatestFiniteMagnitude).text, "3.4028235E+38")
        expectEqual(DecimalBits(-0.0 as Float).text, "-0")
    }

    @Test func zerosAtTheEndAreTrimmed() {
        for (text, trimmed) in [
            ("1.500", "1.5"), ("100", "100"), ("100.00", "100"), ("1.00E+7", "1E+7"),
            ("0.000", "0"), ("-0E+5", "-0"), ("1.0E-7", "1E-7"), ("10E-6", "0.00001"),
            ("1E+6144", "1E+6144"), ("1.20E+6144", "1.2E+6144"), ("-Infinity", "-Infinity"),
        ] {
            expectEqual(DecimalBits(text: text)?.trimmedText, trimmed)
            expectEqual(DecimalBits(text: trimmed).map { $0.trimmedText }, trimmed)
        }
    }
}
