import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct Decimal128Tests {
    // MARK: Construction

    @Test func literalsAreExact() {
        expectEqual((5 as Decimal128).description, "5")
        expectEqual((-12.5 as Decimal128).description, "-12.5")
        expectEqual((0.1 as Decimal128).description, "0.1")
        expectEqual(("1.50" as Decimal128).description, "1.50")
        expectEqual(
            (123_456_789_012_345_678_901_234 as Decimal128).description, "123456789012345678901234")
        let many: Decimal128 = "1234567890.123456789012345678901234"
        expectEqual(many.description, "1234567890.123456789012345678901234")
        expectTrue(("no number" as Decimal128).isNaN)
        expectTrue(Decimal128() == 0 && Decimal128.zero == 0)
    }

    @Test func valuesOfAllTypesOfNumbersAreTaken() throws {
        let values: [(Any, Decimal128)] = [
            (7, 7), (Int8(-7), -7), (UInt64.max, "18446744073709551615"), (0.1, "0.1"),
            (Float(0.1), "0.1"), ("1.25", "1.25"), ("?", .nan), (Decimal128("3"), 3),
            (Decimal(string: "2.75") ?? 0, "2.75"), (NSNumber(value: 2.5), "2.5"),
            (NSNumber(value: 42), 42), (Int?.some(3) as Any, 3),
            (Int128.max, Decimal128(Int128.max)),
        ]
        for (value, expected) in values {
            expectEqual(Decimal128(value: value), expected, "\(value)")
        }
        expectTrue(Decimal128(number: 7) == 7 && Decimal128(number: 0.1) == "0.1")
        expectEqual(Decimal128(number: Float(0.1)), "0.1")
        expectEqual(Decimal128(number: Decimal(3)), 3)
    }

    @Test func valueThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Decimal128(value: [1, 2])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("cannot be converted to Decimal128"))
    }

    @Test func textThatIsNoNumberIsNaNOrNil() {
        for text in ["", " 1", "1 ", "1,5", "0x10", "1e", "--1", "sNaN", "١", "1.2.3", "NaN1"] {
            expectTrue(Decimal128(string: text).isNaN, "\(text)")
            expectNil(Decimal128.init(text), "\(text)")
        }
        expectEqual(Decimal128(string: "-iNf"), -.infinity)
        expectEqual(Decimal128.init("nan"), .nan)
    }

    @Test func exactIntegersAreTakenOrRefused() {
        expectEqual(Decimal128(exactly: Int64.min)?.description, "-9223372036854775808")
        expectEqual(Decimal128(exactly: UInt64.max)?.description, "18446744073709551615")
        let digits34 = UInt128(9_999_999_999_999_999_999_999_999_999_999_999)
        expectTrue(Decimal128(exactly: digits34) != nil)
        expectEqual(Decimal128(exactly: digits34 + 1), "1E+34")
        expectNil(Decimal128(exactly: digits34 + 2))
        expectEqual(Decimal128(digits34 + 2), "1E+34")
        expectTrue(
            Int(exactly: Decimal128("12.00")) == 12 && Int(exactly: Decimal128("12.5")) == nil)
        expectTrue(Int(truncating: Decimal128("-12.9")) == -12 && Int(truncating: .infinity) == nil)
    }

    @Test func doublesComeAndGo() {
        var random = SeededRandom()
        for _ in 0..<500 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            expectEqual(Double(Decimal128(double)), double)
            expectEqual(Decimal128(double), Decimal128(string: "\(double)"))
        }
        expectTrue(Double(Decimal128("1E+400")) == .infinity && Double(Decimal128.nan).isNaN)
        expectTrue(Decimal128(Double.nan).isNaN && Decimal128(-Double.infinity) == -.infinity)
    }

    @Test func foundationDecimalsComeAndGo() throws {
        for text in [
            "0", "1.5", "-0.000001", "123456789012345678901234567890.1234", "1E+127", "-1E-128",
            "9999999999999999999999999999999999E+127", "9999999999999999999999999999999999E-128",
            "1E+160", "9.9E+164", "0E+6000",
        ] {
            let number = Decimal128(string: text)
            let decimal = try requireValue(Decimal(exactly: number), "\(text)")
            expectEqual(Decimal128(decimal), number, "\(text)")
        }
        expectEqual(Decimal(exactly: Decimal128("1.25")), Decimal(125) / 100)
        for text in ["1E-129", "1E+165", "1E+166", "1E+6000", "1E-6000", "Infinity", "-Infinity"] {
            expectNil(Decimal(exactly: Decimal128(string: text)), "\(text)")
        }
        try expectTrue(requireValue(Decimal(exactly: Decimal128.nan)).isNaN)
        expectTrue(Decimal128(Decimal.nan).isNaN)
        // 38 digits are rounded to 34.
        let long = try requireValue(Decimal(string: "12345678901234567890123456789012345678"))
        expectEqual(Decimal128(long).description, "1.234567890123456789012345678901235E+37")
        expectEqual(
            Decimal128(Decimal.greatestFiniteMagnitude),
            Decimal128(string: "\(Decimal.greatestFiniteMagnitude)"))
    }

    // MARK: Arithmetic

    // Covers 1.57
    @Test func moneyAddsUpExactly() {
        var total: Decimal128 = 0
        for _ in 0..<1_000 { total += 0.1 }
        expectTrue(total == 100 && total.description == "100.0")
        expectEqual(("1.20" as Decimal128 + 1).description, "2.20")
        expectEqual(("1.20" as Decimal128 * "1.0").description, "1.200")
        expectEqual(("1.20" as Decimal128 / 2).description, "0.60")
        expectEqual((1 as Decimal128 / 3).description, "0.3333333333333333333333333333333333")
    }

    // Covers 1.57
    @Test func assigningOperatorsAndSigns() {
        var number: Decimal128 = 6
        number *= 7
        number -= 2
        number /= 4
        number += 0.5
        expectTrue(number == 10.5 && -number == -10.5)
        number.negate()
        expectTrue(number == "-10.5" && number.magnitude == "10.5")
        expectTrue((-Decimal128.zero).description == "-0" && -Decimal128.zero == 0)
        expectEqual((-Decimal128.infinity).magnitude, .infinity)
        expectEqual([1, 2.5, "3.25"].reduce(0 as Decimal128, +), 6.75)
    }

    // Covers 1.44
    @Test func limitsAndWhatIsBeyond() {
        expectEqual(Decimal128.max.description, "9.999999999999999999999999999999999E+6144")
        expectEqual(Decimal128.min, -Decimal128.max)
        expectTrue(Decimal128.max + 1 == .max && Decimal128.max * 10 == .infinity)
        expectEqual(Decimal128.min * 10, -.infinity)
        expectTrue((1 as Decimal128) / 0 == .infinity && ((0 as Decimal128) / 0).isNaN)
        expectTrue((Decimal128.infinity - .infinity).isNaN && (Decimal128.infinity * 0).isNaN)
        expectTrue(Decimal128("1E-6176") / 10 == 0 && Decimal128("1E-6176") > 0)
        expectTrue(Decimal128.infinity.isInfinite && !Decimal128.infinity.isFinite)
    }

    // Covers 1.57
    @Test func stridesByDecimals() {
        expectEqual((1 as Decimal128).distance(to: 3.5), 2.5)
        expectEqual((1 as Decimal128).advanced(by: -0.25), 0.75)
        let steps = Array(stride(from: 0 as Decimal128, to: 1, by: 0.1))
        expectTrue(steps.count == 10 && steps.last == "0.9")
    }

    // MARK: Order

    // Covers 1.57
    @Test func orderIsTotal() {
        let ascending: [Decimal128] = [
            .nan, -.infinity, .min, -2, "-1E-6176", 0, "1E-6176", "0.9999", 1, 1.5, 100, .max,
            .infinity,
        ]
        expectEqual(ascending.shuffled().sorted(), ascending)
        for (i, a) in ascending.enumerated() {
            for (j, b) in ascending.enumerated() {
                expectTrue((a < b) == (i < j) && (a == b) == (i == j) && (a > b) == (i > j))
                expectTrue((a <= b) == (i <= j) && (a >= b) == (i >= j))
            }
        }
    }

    @Test func equalNumbersHashAlike() throws {
        let rows: [[Decimal128]] = [
            ["1", "1.0", "1.000", 1], ["0", "-0", "0E+6000", "0.00"], [.nan, .signalingNaN, -.nan],
            ["1E+10", 10_000_000_000, "10000000000.000"], ["5E-5", 0.00005], [.infinity, "inf"],
        ]
        for row in rows {
            for number in row { expectEqual(number, row[0], "\(number)") }
            // A set would trap on equal elements with different hashes.
            try #require(Set(row.map(\.hashValue)).count == 1, "\(row)")
            expectEqual(Set(row).count, 1)
        }
        expectEqual(Set(rows.joined()).count, rows.count)
        expectTrue(Decimal128.signalingNaN.isNaN && Decimal128.signalingNaN.isSignalingNaN)
        expectTrue(Decimal128.nan.isNaN && !Decimal128.nan.isSignalingNaN && !Decimal128.zero.isNaN)
        expectTrue(!(Decimal128.signalingNaN + 0).isSignalingNaN)
        expectTrue(
            ("0.1" as Decimal128).doubleValue == 0.1 && Decimal128.max.doubleValue == .infinity)
    }

    // MARK: Text and coding

    // Covers 1.58
    @Test func textIsCanonicalAndStringValueIsTrimmed() {
        for (text, description, trimmed) in [
            ("1.500", "1.500", "1.5"), ("1500", "1500", "1500"), ("15E2", "1.5E+3", "1.5E+3"),
            ("0.0000015", "0.0000015", "0.0000015"), ("0.00000015", "1.5E-7", "1.5E-7"),
            ("-0.00", "-0.00", "-0"), ("+3.", "3", "3"), (".5", "0.5", "0.5"),
            ("inf", "Infinity", "Infinity"), ("-nan", "NaN", "NaN"),
            ("1.0E+20", "1.0E+20", "1E+20"),
        ] {
            let number = Decimal128(string: text)
            expectTrue(number.description == description && number.stringValue == trimmed)
            expectEqual(Decimal128(string: number.stringValue), number)
        }
    }

    // Covers 1.58, 11.11
    @Test func codesAsAString() throws {
        let numbers: [Decimal128] = ["1.50", -3, "1E-6176", .nan, .infinity]
        let json = try JSONEncoder().encode(numbers)
        expectEqual(
            String(decoding: json, as: UTF8.self), #"["1.5","-3","1E-6176","NaN","Infinity"]"#)
        try expectEqual(JSONDecoder().decode([Decimal128].self, from: json), numbers)
        let others = Data(
            #"["2.50", 7, -9223372036854775808, 18446744073709551615, 0.1, 1e300]"#.utf8)
        try expectEqual(
            JSONDecoder().decode([Decimal128].self, from: others),
            ["2.50", 7, "-9223372036854775808", "18446744073709551615", "0.1", "1E+300"])
        for bad in [#"["x"]"#, "[true]", "[null]", "[[]]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([Decimal128].self, from: Data(bad.utf8))
            }
        }
    }
}
