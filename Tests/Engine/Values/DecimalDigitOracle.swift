import RegnumSimulation

@testable import EngineOracle

/// Slow decimal arithmetic with one digit per byte and as many digits as needed, rounded at the
/// end. Shares nothing with the library.
struct DigitDecimal {
    var isNegative: Bool
    /// Most significant digit first, without leading zeros.
    var digits: [UInt8]
    var exponent: Int

    init(isNegative: Bool, digits: [UInt8], exponent: Int) {
        self.isNegative = isNegative
        self.digits = Array(digits.drop { $0 == 0 })
        self.exponent = exponent
    }

    /// Converts a double exactly.
    init(_ double: Double) {
        let exponent = double.isNormal ? Int(double.exponentBitPattern) - 1_075 : -1_074
        let whole = double.significandBitPattern | (double.isNormal ? 1 << 52 : 0)
        self.init(
            isNegative: double < 0, digits: "\(whole)".utf8.map { $0 - 48 },
            exponent: min(exponent, 0))
        // 2^-n is 5^n · 10^-n.
        for _ in 0..<exponent.magnitude {
            digits = Self.product(digits, [exponent < 0 ? 5 : 2])
        }
    }

    /// A text that represents exactly this number.
    var source: String {
        let text = digits.isEmpty ? "0" : digits.map { "\($0)" }.joined()
        return "\(isNegative ? "-" : "")\(text)E\(exponent)"
    }

    // MARK: Operations, not rounded

    static func sum(_ a: DigitDecimal, _ b: DigitDecimal) -> DigitDecimal {
        let (x, y, exponent) = aligned(a, b)
        if a.isNegative == b.isNegative {
            return DigitDecimal(
                isNegative: a.isNegative, digits: sum(x, y), exponent: exponent)
        }
        let order = compare(x, y)
        return DigitDecimal(
            isNegative: order == 0 ? false : (order > 0 ? a : b).isNegative,
            digits: order > 0 ? difference(x, y) : difference(y, x), exponent: exponent)
    }

    static func product(_ a: DigitDecimal, _ b: DigitDecimal) -> DigitDecimal {
        DigitDecimal(
            isNegative: a.isNegative != b.isNegative, digits: product(a.digits, b.digits),
            exponent: a.exponent + b.exponent)
    }

    /// Returns the quotient to 80 digits, followed by a 1 that stands for all further ones; `b` is
    /// not zero.
    static func quotient(_ a: DigitDecimal, _ b: DigitDecimal) -> DigitDecimal {
        let preferred = a.exponent - b.exponent
        var exponent = preferred
        var quotient: [UInt8] = []
        var rest: [UInt8] = []
        var dividend = a.digits[...]
        while true {
            if let digit = dividend.popFirst() {
                rest.append(digit)
            } else if rest.isEmpty || quotient.count > 80 {
                break
            } else {
                rest.append(0)
                exponent -= 1
            }
            rest = Array(rest.drop { $0 == 0 })
            var digit: UInt8 = 0
            while compare(rest, b.digits) >= 0 {
                rest = difference(rest, b.digits)
                digit += 1
            }
            if digit > 0 || !quotient.isEmpty { quotient.append(digit) }
        }
        if !rest.isEmpty {
            quotient.append(1)
            exponent -= 1
        }
        while exponent < preferred, quotient.last == 0 {
            quotient.removeLast()
            exponent += 1
        }
        return DigitDecimal(
            isNegative: a.isNegative != b.isNegative, digits: quotient, exponent: exponent)
    }

    static func compare(_ a: DigitDecimal, _ b: DigitDecimal) -> Int {
        let (x, y, _) = aligned(a, b)
        if x.isEmpty, y.isEmpty { return 0 }
        let signs = (a.isNegative && !x.isEmpty, b.isNegative && !y.isEmpty)
        if signs.0 != signs.1 { return signs.0 ? -1 : 1 }
        return signs.0 ? compare(y, x) : compare(x, y)
    }

    // MARK: Rounded to decimal128

    /// The canonical text of the nearest number with 34 digits; of two, the even one.
    var rounded: String {
        var (digits, exponent) = (digits, exponent)
        let excess = max(digits.count - 34, -6_176 - exponent)
        if excess > 0 {
            let padded = [UInt8](repeating: 0, count: max(0, excess - digits.count)) + digits
            var kept = Array(padded.dropLast(excess).drop { $0 == 0 })
            let dropped = padded.suffix(excess)
            let half = [5] + [UInt8](repeating: 0, count: excess - 1)
            let isTie = dropped.elementsEqual(half)
            let isAbove = !isTie && !dropped.lexicographicallyPrecedes(half)
            if isAbove || isTie && (kept.last ?? 0) % 2 == 1 { kept = Self.sum(kept, [1]) }
            exponent += excess
            if kept.count > 34 {
                kept.removeLast()
                exponent += 1
            }
            digits = kept
        }
        if exponent > 6_111 {
            if !digits.isEmpty {
                if digits.count + exponent - 6_111 > 34 {
                    return isNegative ? "-Infinity" : "Infinity"
                }
                digits += [UInt8](repeating: 0, count: exponent - 6_111)
            }
            exponent = 6_111
        }
        return Self.text(isNegative, digits.isEmpty ? [0] : digits, exponent)
    }

    private static func text(_ isNegative: Bool, _ digits: [UInt8], _ exponent: Int) -> String {
        var text = digits.map { "\($0)" }.joined()
        let adjusted = exponent + digits.count - 1
        if exponent <= 0, adjusted >= -6 {
            if exponent < 0 {
                text = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + text
                text.insert(".", at: text.index(text.endIndex, offsetBy: exponent))
            }
        } else {
            if digits.count > 1 { text.insert(".", at: text.index(after: text.startIndex)) }
            text += adjusted < 0 ? "E\(adjusted)" : "E+\(adjusted)"
        }
        return (isNegative ? "-" : "") + text
    }

    // MARK: Digits

    private static func aligned(
        _ a: DigitDecimal, _ b: DigitDecimal
    ) -> ([UInt8], [UInt8], exponent: Int) {
        let exponent = min(a.exponent, b.exponent)
        func padded(_ number: DigitDecimal) -> [UInt8] {
            if number.digits.isEmpty { return [] }
            return number.digits + [UInt8](repeating: 0, count: number.exponent - exponent)
        }
        return (padded(a), padded(b), exponent)
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        if a.count != b.count { return a.count < b.count ? -1 : 1 }
        for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
        return 0
    }

    private static func sum(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var (result, carry): ([UInt8], UInt8) = ([], 0)
        let (x, y) = (Array(a.reversed()), Array(b.reversed()))
        for index in 0..<max(x.count, y.count) {
            let digit =
                (index < x.count ? x[index] : 0) + (index < y.count ? y[index] : 0) + carry
            result.append(digit % 10)
            carry = digit / 10
        }
        if carry > 0 { result.append(carry) }
        return result.reversed()
    }

    /// `a` is not less than `b`.
    private static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var (result, borrow): ([UInt8], UInt8) = ([], 0)
        let (x, y) = (Array(a.reversed()), Array(b.reversed()))
        for index in x.indices {
            let taken = (index < y.count ? y[index] : 0) + borrow
            borrow = x[index] < taken ? 1 : 0
            result.append(x[index] + 10 * borrow - taken)
        }
        return Array(result.reversed().drop { $0 == 0 })
    }

    private static func product(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var columns = [Int](repeating: 0, count: a.count + b.count)
        for (i, x) in a.enumerated() {
            for (j, y) in b.enumerated() { columns[i + j + 1] += Int(x) * Int(y) }
        }
        for index in columns.indices.reversed() where index > 0 {
            columns[index - 1] += columns[index] / 10
            columns[index] %= 10
        }
        return Array(columns.map { UInt8($0) }.drop { $0 == 0 })
    }
}
