import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Random decimals against arithmetic on digit arrays.
@Suite struct DecimalOracleTests {
    private let count = Effort.count(gate: 1_000, soak: 20_000)

    @Test func operationsAgreeWithDigitArrays() throws {
        var generator = SeededRandom("DecimalOracleTests.operations")
        for _ in 0..<count {
            let a = generator.decimal()
            let b = generator.oneIn(3) ? generator.decimal(near: a) : generator.decimal()
            let (x, y) = (try bits(a), try bits(b))
            let message: Comment = "\(a.source) \(b.source), seed \(generator.seed)"
            expectEqual(DecimalBits.sum(x, y).text, DigitDecimal.sum(a, b).rounded, message)
            var minusB = b
            minusB.isNegative.toggle()
            expectEqual(
                DecimalBits.difference(x, y).text, DigitDecimal.sum(a, minusB).rounded, message)
            expectEqual(DecimalBits.product(x, y).text, DigitDecimal.product(a, b).rounded, message)
            if !b.digits.isEmpty {
                expectEqual(
                    DecimalBits.quotient(x, y).text, DigitDecimal.quotient(a, b).rounded, message)
            }
            expectEqual(DecimalBits.compare(x, y), DigitDecimal.compare(a, b), message)
        }
    }

    @Test func textsOfAnyLengthAreRoundedOnce() throws {
        var generator = SeededRandom("DecimalOracleTests.texts")
        for _ in 0..<count {
            var number = generator.decimal()
            let tail: [[UInt8]] = [
                [], [5], [5, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0, 1], [4, 9, 9, 9],
            ]
            number.digits += tail[generator.below(tail.count)]
            number.digits += [UInt8](
                repeating: UInt8(generator.below(10)), count: generator.below(9))
            number.digits = Array(number.digits.drop { $0 == 0 })
            let text = try requireValue(DecimalBits(text: number.source)).text
            expectEqual(text, number.rounded, "\(number.source), seed \(generator.seed)")
            // The canonical text gives the same bits.
            expectEqual(DecimalBits(text: text)?.text, text)
        }
    }

    @Test func equalNumbersShareOneCanonicalFormAndHash() throws {
        var generator = SeededRandom("DecimalOracleTests.canonical")
        for _ in 0..<count {
            let a = generator.decimal()
            var b = a
            if !a.digits.isEmpty {
                // The same number with more trailing zeros, as far as there is room for them.
                let count = generator.below(max(1, min(35 - a.digits.count, a.exponent + 6_177)))
                b.digits += [UInt8](repeating: 0, count: count)
                b.exponent -= count
            } else {
                b.exponent = 3
                b.isNegative.toggle()
            }
            let (x, y) = (try bits(a), try bits(b))
            let message: Comment = "\(a.source) \(b.source), seed \(generator.seed)"
            expectEqual(DecimalBits.compare(x, y), 0, message)
            expectTrue(DecimalBits.areEqual(x, y), message)
            expectEqual(x.canonical, y.canonical, message)
            expectEqual(DecimalBits.compare(x, x.canonical), 0, message)
            expectEqual(hash(x), hash(y), message)
            let z = try bits(generator.decimal(near: a))
            expectTrue(
                (x.canonical == z.canonical) == (DecimalBits.compare(x, z) == 0), message)
        }
    }

    @Test func doublesCompareByTheirExactValues() throws {
        var generator = SeededRandom("DecimalOracleTests.doubles")
        for _ in 0..<count / 2 {
            // In half of them 34 digits have an exponent near zero, for which there is a fast path.
            let scale = generator.oneIn(2) ? generator.below(240) - 120 : generator.below(110) + 40
            let double = Double(
                sign: generator.oneIn(2) ? .plus : .minus, exponent: scale,
                significand: .random(in: 1..<2, using: &generator))
            let exact = DigitDecimal(double)
            // The double truncated to 34 digits or to 17, or one unit away from that.
            var near = exact
            let kept = min(exact.digits.count, generator.oneIn(2) ? 34 : 17)
            near.digits = Array(exact.digits.prefix(kept))
            near.exponent += exact.digits.count - kept
            if generator.oneIn(3) {
                let unit = DigitDecimal(
                    isNegative: generator.oneIn(2), digits: [1], exponent: near.exponent)
                near = DigitDecimal.sum(near, unit)
            }
            let number = try requireValue(DecimalBits(text: near.source))
            expectEqual(
                DecimalBits.compare(number, double), DigitDecimal.compare(rounded(near), exact),
                "\(near.source) \(double), seed \(generator.seed)")
            // The shortest number for the double converts back to it.
            let shortest = DecimalBits(double)
            expectEqual(shortest.doubleValue, double, "\(double), seed \(generator.seed)")
            expectEqual(shortest.canonical, DecimalBits(text: "\(double)")?.canonical)
        }
    }

    /// Returns a number with at most 34 digits, as after the addition of a unit.
    private func rounded(_ number: DigitDecimal) -> DigitDecimal {
        guard number.digits.count > 34 else { return number }
        var rounded = number
        rounded.digits.removeLast(number.digits.count - 34)
        rounded.exponent += number.digits.count - 34
        return rounded
    }

    private func bits(_ number: DigitDecimal) throws -> DecimalBits {
        try requireValue(DecimalBits(exactText: number.source), "\(number.source)")
    }

    private func hash(_ number: DecimalBits) -> Int {
        var hasher = Hasher()
        number.hashNumber(into: &hasher)
        return hasher.finalize()
    }
}

extension SeededRandom {
    /// Returns a number that decimal128 can represent, often an edge case: few or all digits,
    /// nines, fives, trailing zeros, the least and greatest exponents.
    fileprivate mutating func decimal() -> DigitDecimal {
        let count = [1, 1, 2, 5, 9, 16, 17, 18, 19, 20, 21, 33, 34, 34][below(14)]
        var digits = (0..<count).map { _ in UInt8(below(10)) }
        let tail = below(count + 1)
        switch below(8) {
        case 0: digits = [UInt8](repeating: 9, count: count)
        case 1: digits = [1] + [UInt8](repeating: 0, count: count - 1)
        case 2: digits = [5] + [UInt8](repeating: 0, count: count - 1)
        case 3: digits.replaceSubrange((count - tail)..., with: [UInt8](repeating: 0, count: tail))
        case 4: digits.replaceSubrange((count - tail)..., with: [UInt8](repeating: 9, count: tail))
        case 5 where oneIn(3): digits = []
        default: break
        }
        let exponent =
            switch below(10) {
            case 0: -6_176 + below(60)
            case 1: 6_111 - below(60)
            case 2: below(6_000) - 3_000
            case 3: below(100) - 3_088 - 17
            case 4: below(100) + 3_055 - 50
            default: below(60) - 30
            }
        return DigitDecimal(isNegative: oneIn(2), digits: digits, exponent: exponent)
    }

    /// Returns a number whose digits end near those of the other, or begin where those end, so that
    /// sums have ties, cancel or carry.
    fileprivate mutating func decimal(near other: DigitDecimal) -> DigitDecimal {
        var number = decimal()
        let shift = below(5) - 2
        let exponent =
            oneIn(2)
            ? other.exponent + shift
            : other.exponent + other.digits.count - 34 - number.digits.count + shift
        number.exponent = min(6_111, max(-6_176, exponent))
        if oneIn(3) {
            number.digits = other.digits
            if oneIn(2), let last = number.digits.last, last < 9 {
                number.digits[number.digits.count - 1] = last + 1
            }
        }
        return number
    }
}
