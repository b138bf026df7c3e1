/// 10^0 to 10^19, the powers of ten that fit in 64 bits.
let powersOfTen64: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

/// The greatest coefficient, 10^34 - 1.
let maximumDecimalCoefficient: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

/// Returns 10^n for `n` in 0...38.
@inline(__always)
func powerOfTen(_ n: Int) -> UInt128 {
    n < 20 ? UInt128(powersOfTen64[n]) : product64(powersOfTen64[19], powersOfTen64[n &- 19])
}

/// Returns the full product of two words.
@inline(__always)
func product64(_ a: UInt64, _ b: UInt64) -> UInt128 {
    let product = a.multipliedFullWidth(by: b)
    return UInt128(product.high) << 64 | UInt128(product.low)
}

/// Returns the number of decimal digits; 0 for zero.
@inline(__always)
func decimalDigitCount(_ number: UInt128) -> Int {
    // log10(2) ≈ 1233 / 4096 gives the count or one less for up to 128 bits.
    let least = ((128 &- number.leadingZeroBitCount) &* 1233) >> 12
    return number >= powerOfTen(least) ? least &+ 1 : least
}

/// Divides by 10^n for `n` in 0...38.
@inline(__always)
func dividedByPowerOfTen(_ number: UInt128, _ n: Int) -> (quotient: UInt128, remainder: UInt128) {
    let divisor = powerOfTen(n)
    if number >> 64 == 0, n < 20 {
        let word = UInt64(truncatingIfNeeded: number)
        let quotient = word / powersOfTen64[n]
        return (UInt128(quotient), UInt128(word &- quotient &* powersOfTen64[n]))
    }
    let quotient = number / divisor
    return (quotient, number &- quotient &* divisor)
}

/// Removes up to `maximumCount` trailing decimal zeros from a nonzero number. Returns the number
/// and the count of zeros removed.
func trimmingDecimalZeros(_ number: UInt128, atMost maximumCount: Int) -> (UInt128, count: Int) {
    var number = number
    var count = 0
    var step = 16
    while step > 0 {
        // A multiple of 10^step is also a multiple of 2^step.
        guard step <= maximumCount &- count, number.trailingZeroBitCount >= step else {
            step >>= 1
            continue
        }
        let (quotient, remainder) = dividedByPowerOfTen(number, step)
        if remainder == 0 {
            number = quotient
            count &+= step
        } else {
            step >>= 1
        }
    }
    return (number, count)
}

/// The result of an operation before rounding: coefficient · 10^exponent exactly, or slightly more
/// if it is sticky.
struct UnroundedDecimal {
    var isNegative: Bool
    /// At least 36 digits if the result is sticky.
    var coefficient: UInt128
    var exponent: Int
    /// Whether the digits after those of the coefficient aren't all zero.
    var isSticky: Bool

    /// Rounds to the nearest number, ties to even (IEEE 754-2008, 4.3.1). An exact result keeps its
    /// exponent if that is in range.
    ///
    /// A result that exceeds the greatest finite number by at least half a unit in its last place
    /// becomes an infinity.
    @inline(__always)
    func rounded() -> DecimalBits {
        if coefficient <= maximumDecimalCoefficient, !isSticky,
            exponent >= DecimalBits.minimumExponent, exponent <= DecimalBits.maximumExponent
        {
            return DecimalBits(
                DecimalParts(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
        }
        return roundedSlowly()
    }

    @inline(never)
    private func roundedSlowly() -> DecimalBits {
        var coefficient = coefficient
        var exponent = exponent
        let digitCount = decimalDigitCount(coefficient)
        let excess = max(
            digitCount - DecimalBits.maximumDigitCount, DecimalBits.minimumExponent - exponent)
        if excess > 0 {
            exponent += excess
            if excess > min(digitCount, 38) {
                // Less than half the least unit: 2^128 is less than half of 10^39.
                coefficient = 0
            } else {
                coefficient = Self.shifted(coefficient, right: excess, isSticky: isSticky)
                if coefficient > maximumDecimalCoefficient {
                    coefficient /= 10
                    exponent += 1
                }
            }
        }
        if exponent > DecimalBits.maximumExponent {
            let padding = exponent - DecimalBits.maximumExponent
            if coefficient != 0 {
                guard decimalDigitCount(coefficient) + padding <= DecimalBits.maximumDigitCount
                else {
                    return .infinity(isNegative: isNegative)
                }
                coefficient *= powerOfTen(padding)
            }
            exponent = DecimalBits.maximumExponent
        }
        return DecimalBits(
            DecimalParts(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
    }

    /// Returns the coefficient rounded to drop its last `count` digits; it has at least that many.
    private static func shifted(
        _ coefficient: UInt128, right count: Int, isSticky: Bool
    ) -> UInt128 {
        let (quotient, remainder) = dividedByPowerOfTen(coefficient, count)
        let half = powerOfTen(count) / 2
        let isUp =
            remainder == half ? isSticky || quotient & 1 != 0 : remainder > half
        return isUp ? quotient + 1 : quotient
    }
}
