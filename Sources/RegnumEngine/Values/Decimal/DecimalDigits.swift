/// 10^0 to 10^19, all that fit in 64 bits.
let powersOfTen64: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

/// The greatest coefficient, 10^34 - 1.
let decimalCoefficientMax: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

/// 10^n, for n of 0 to 38.
@inline(__always)
func powerOfTen(_ n: Int) -> UInt128 {
    n < 20 ? UInt128(powersOfTen64[n]) : product64(powersOfTen64[19], powersOfTen64[n &- 19])
}

/// The product of two words, which always fits.
@inline(__always)
func product64(_ a: UInt64, _ b: UInt64) -> UInt128 {
    let product = a.multipliedFullWidth(by: b)
    return UInt128(product.high) << 64 | UInt128(product.low)
}

/// How many decimal digits a number has; 0 for zero.
@inline(__always)
func decimalDigitCount(_ number: UInt128) -> Int {
    // log10(2) as 1233 / 4096 gives the count or one less, for up to 128 bits.
    let least = ((128 &- number.leadingZeroBitCount) &* 1233) >> 12
    return number >= powerOfTen(least) ? least &+ 1 : least
}

/// A number divided by a power of ten: of 0 to 38 digits.
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

/// A number above zero without its trailing decimal zeros, of which at most `countMax` are taken
/// off, and how many were.
func trimmingDecimalZeros(_ number: UInt128, atMost countMax: Int) -> (UInt128, count: Int) {
    var number = number
    var count = 0
    var step = 16
    while step > 0 {
        // What 10^step divides, 2^step divides.
        guard step <= countMax &- count, number.trailingZeroBitCount >= step else {
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

/// The result of an operation before it is rounded: a little more than coefficient · 10^exponent if
/// it is sticky, that and no more otherwise.
struct UnroundedDecimal {
    var isNegative: Bool
    /// Of 36 digits at least if the result is sticky.
    var coefficient: UInt128
    var exponent: Int
    /// Whether digits that are not all zero follow those of the coefficient.
    var isSticky: Bool

    /// The nearest number, the one with the even digit of two (IEEE 754-2008, 4.3.1); with the
    /// exponent of this one where it is exact and can have that.
    ///
    /// What exceeds the greatest finite number by half a unit of its last digit is an infinity.
    @inline(__always)
    func rounded() -> DecimalBits {
        if coefficient <= decimalCoefficientMax, !isSticky,
            exponent >= DecimalBits.exponentMin, exponent <= DecimalBits.exponentMax
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
        let excess = max(digitCount - DecimalBits.digitCountMax, DecimalBits.exponentMin - exponent)
        if excess > 0 {
            exponent += excess
            if excess > min(digitCount, 38) {
                // Below a half of the least unit: 2^128 is less than that of 10^39.
                coefficient = 0
            } else {
                coefficient = Self.shifted(coefficient, right: excess, isSticky: isSticky)
                if coefficient > decimalCoefficientMax {
                    coefficient /= 10
                    exponent += 1
                }
            }
        }
        if exponent > DecimalBits.exponentMax {
            let padding = exponent - DecimalBits.exponentMax
            if coefficient != 0 {
                guard decimalDigitCount(coefficient) + padding <= DecimalBits.digitCountMax else {
                    return .infinity(isNegative: isNegative)
                }
                coefficient *= powerOfTen(padding)
            }
            exponent = DecimalBits.exponentMax
        }
        return DecimalBits(
            DecimalParts(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
    }

    /// The coefficient without its last `count` digits, of which it has as many, rounded.
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
