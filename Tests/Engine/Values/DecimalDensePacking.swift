import RegnumSimulation

@testable import EngineOracle
@testable import RegnumEngine

/// The other encoding of decimal128, with densely packed decimal digits, which the General Decimal
/// Arithmetic vectors use for numbers.
///
/// Source: IEEE 754-2008, 3.5.2, tables 3.3 and 3.4.
enum DensePacking {
    /// Returns the text of 32 hexadecimal digits; `nil` for other input.
    static func text(_ hexadecimal: String) -> String? {
        guard hexadecimal.utf8.count == 32, let bits = UInt128(hexadecimal, radix: 16) else {
            return nil
        }
        let sign = bits >> 127 != 0 ? "-" : ""
        let combination = Int(bits >> 122 & 31)
        let continuation = Int(bits >> 110 & 0xFFF)
        if combination == 30 { return sign + "Infinity" }
        var digits = ""
        for index in (0..<11).reversed() {
            let group = decode(Int(bits >> UInt128(10 * index) & 1023))
            digits += String(repeating: "0", count: 3 - "\(group)".count) + "\(group)"
        }
        if combination == 31 {
            let payload = String(digits.drop { $0 == "0" })
            return sign + (continuation >> 11 != 0 ? "sNaN" : "NaN") + payload
        }
        let isLarge = combination >> 3 == 3
        let first = isLarge ? 8 + combination & 1 : combination & 7
        let top = isLarge ? combination >> 1 & 3 : combination >> 3
        return "\(sign)\(first)\(digits)E\(top << 12 | continuation - 6_176)"
    }

    /// Returns the 32 hexadecimal digits of a number.
    static func hexadecimal(_ number: DecimalBits) -> String {
        var bits: UInt128 = number.isNegative ? 1 << 127 : 0
        var digits: UInt128
        if let parts = number.finiteParts {
            digits = parts.coefficient
            let first = Int(digits / powerOfTen(33))
            let exponent = parts.exponent + 6_176
            let top = exponent >> 12
            let combination = first < 8 ? top << 3 | first : 24 | top << 1 | first & 1
            bits |= UInt128(combination) << 122 | UInt128(exponent & 0xFFF) << 110
        } else if number.isInfinite {
            return String(bits | 30 << 122, radix: 16)
        } else {
            digits = UInt128(number.high & 0x3FFF_FFFF_FFFF) << 64 | UInt128(number.low)
            bits |= 31 << 122 | (number.isSignalingNaN ? 1 << 121 : 0)
        }
        for index in 0..<11 {
            bits |= UInt128(encoding[Int(digits % 1_000)]) << UInt128(10 * index)
            digits /= 1_000
        }
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: 32 - text.count) + text
    }

    /// The smallest of the patterns for each three digits; the others are redundant.
    private static let encoding: [Int] = {
        var patterns = [Int](repeating: 0, count: 1_000)
        for pattern in (0..<1_024).reversed() { patterns[decode(pattern)] = pattern }
        return patterns
    }()

    /// Decodes three digits from ten bits, p to y.
    private static func decode(_ bits: Int) -> Int {
        let (pq, r, st, u) = (bits >> 8 & 3, bits >> 7 & 1, bits >> 5 & 3, bits >> 4 & 1)
        let (wx, y) = (bits >> 1 & 3, bits & 1)
        let (pqr, stu) = (pq << 1 | r, st << 1 | u)
        func number(_ a: Int, _ b: Int, _ c: Int) -> Int { 100 * a + 10 * b + c }
        if bits & 8 == 0 { return number(pqr, stu, wx << 1 | y) }
        switch (wx, st) {
        case (0, _): return number(pqr, stu, 8 + y)
        case (1, _): return number(pqr, 8 + u, st << 1 | y)
        case (2, _): return number(8 + r, stu, pq << 1 | y)
        case (_, 0): return number(8 + r, 8 + u, pq << 1 | y)
        case (_, 1): return number(8 + r, pq << 1 | u, 8 + y)
        case (_, 2): return number(pqr, 8 + u, 8 + y)
        default: return number(8 + r, 8 + u, 8 + y)
        }
    }
}
