extension DecimalBits {
    /// Returns the rounded sum. If the sum is exact, its exponent is the lower of the two.
    ///
    /// A zero sum is +0 unless both operands are -0. Infinities of opposite sign give NaN.
    package static func sum(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        guard let x = a.finiteParts, let y = b.finiteParts else { return specialSum(a, b) }
        if x.exponent == y.exponent {
            return sum(x, y.coefficient, y.isNegative, x.exponent)
        }
        return x.exponent > y.exponent ? unequalSum(x, y) : unequalSum(y, x)
    }

    /// Returns the rounded difference, computed as the sum of `a` and the negated `b`.
    package static func difference(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        // A NaN keeps its sign.
        sum(a, b.isNaN ? b : b.negated)
    }

    /// Returns the rounded product. If the product is exact, its exponent is the sum of the two.
    ///
    /// Zero times infinity is NaN.
    package static func product(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        guard let x = a.finiteParts, let y = b.finiteParts else { return specialProduct(a, b) }
        var result = UnroundedDecimal(
            isNegative: x.isNegative != y.isNegative, coefficient: 0,
            exponent: x.exponent &+ y.exponent, isSticky: false)
        if (x.coefficient | y.coefficient) >> 64 == 0 {
            result.coefficient = product64(
                UInt64(truncatingIfNeeded: x.coefficient),
                UInt64(truncatingIfNeeded: y.coefficient))
            return result.rounded()
        }
        let wide = DecimalWide.product(x.coefficient, y.coefficient)
        // Reduce to 36 or 37 digits, at least two more than needed, so that rounding happens once.
        let excess = max(0, wide.digitCountEstimate - 37)
        if excess > 0 {
            (result.coefficient, result.isSticky) = wide.dividedByPowerOfTen(excess)
            result.exponent &+= excess
        } else {
            result.coefficient = wide.low
        }
        return result.rounded()
    }

    /// Returns the rounded quotient. If the quotient is exact, its exponent is the difference of
    /// the two, or as close to it as the digits allow.
    ///
    /// A nonzero number divided by zero is an infinity. Zero by zero and infinity by infinity are
    /// NaN.
    package static func quotient(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        guard let x = a.finiteParts, let y = b.finiteParts else { return specialQuotient(a, b) }
        let isNegative = x.isNegative != y.isNegative
        guard y.coefficient != 0 else {
            return x.coefficient == 0 ? .nan : .infinity(isNegative: isNegative)
        }
        let preferred = x.exponent &- y.exponent
        var result = UnroundedDecimal(
            isNegative: isNegative, coefficient: 0, exponent: preferred, isSticky: false)
        let (whole, rest) = x.coefficient.quotientAndRemainder(dividingBy: y.coefficient)
        if rest == 0 {
            result.coefficient = whole
            return result.rounded()
        }
        // Pad the dividend with zeros so that the quotient has 36 or 37 digits: 3 to 69 of them.
        let zeros =
            36 &+ decimalDigitCount(y.coefficient) &- decimalDigitCount(x.coefficient)
        let first = min(zeros, 38 &- decimalDigitCount(x.coefficient))
        let dividend = DecimalWide.product(
            x.coefficient &* powerOfTen(first), powerOfTen(zeros &- first))
        let (coefficient, remainder) = dividend.divided(by: y.coefficient)
        result.coefficient = coefficient
        result.exponent = preferred &- zeros
        result.isSticky = remainder != 0
        if remainder == 0 {
            let trimmed = trimmingDecimalZeros(coefficient, atMost: zeros)
            result.coefficient = trimmed.0
            result.exponent &+= trimmed.count
        }
        return result.rounded()
    }

    // MARK: Sums of finite numbers

    /// Returns the sum of two numbers with the same exponent.
    @inline(__always)
    private static func sum(
        _ x: DecimalParts, _ coefficient: UInt128, _ isNegative: Bool, _ exponent: Int
    ) -> DecimalBits {
        var result = UnroundedDecimal(
            isNegative: x.isNegative, coefficient: 0, exponent: exponent, isSticky: false)
        if x.isNegative == isNegative {
            result.coefficient = x.coefficient &+ coefficient
        } else if x.coefficient > coefficient {
            result.coefficient = x.coefficient &- coefficient
        } else {
            result.coefficient = coefficient &- x.coefficient
            result.isNegative = isNegative && result.coefficient != 0
        }
        return result.rounded()
    }

    /// Returns the sum of two numbers of which the first has the higher exponent.
    private static func unequalSum(_ upper: DecimalParts, _ lower: DecimalParts) -> DecimalBits {
        let distance = upper.exponent &- lower.exponent
        if upper.coefficient == 0 {
            // The result has the lower exponent already; -0 and +0 give +0.
            let isNegative =
                lower.coefficient == 0
                ? upper.isNegative && lower.isNegative : lower.isNegative
            return DecimalBits(
                DecimalParts(
                    isNegative: isNegative, coefficient: lower.coefficient,
                    exponent: lower.exponent))
        }
        // 10^38 plus 10^34 fits in 128 bits.
        let room = 38 &- decimalDigitCount(upper.coefficient)
        if distance <= room {
            var scaled = upper
            scaled.coefficient = upper.coefficient &* powerOfTen(distance)
            return sum(scaled, lower.coefficient, lower.isNegative, lower.exponent)
        }
        if lower.coefficient == 0 {
            let shift = min(distance, room &- 4)
            return DecimalBits(
                DecimalParts(
                    isNegative: upper.isNegative,
                    coefficient: upper.coefficient &* powerOfTen(shift),
                    exponent: upper.exponent &- shift))
        }
        // Scale the upper operand to 38 digits. The lower one overlaps at most the last few.
        let shift = distance &- room
        var tail: (quotient: UInt128, remainder: UInt128) = (0, lower.coefficient)
        if shift < 38 { tail = dividedByPowerOfTen(lower.coefficient, shift) }
        var result = UnroundedDecimal(
            isNegative: upper.isNegative, coefficient: upper.coefficient &* powerOfTen(room),
            exponent: upper.exponent &- room, isSticky: tail.remainder != 0)
        if upper.isNegative == lower.isNegative {
            result.coefficient &+= tail.quotient
        } else {
            // Subtracting one more than the quotient leaves the rest of a unit as the sticky part.
            result.coefficient &-= tail.quotient &+ (result.isSticky ? 1 : 0)
        }
        return result.rounded()
    }

    // MARK: Infinities and NaN

    private static func specialSum(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        if a.isNaN || b.isNaN { return propagatedNaN(a, b) }
        if a.isInfinite, b.isInfinite, a.isNegative != b.isNegative { return .nan }
        return .infinity(isNegative: a.isInfinite ? a.isNegative : b.isNegative)
    }

    private static func specialProduct(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        if a.isNaN || b.isNaN { return propagatedNaN(a, b) }
        if a.isZero || b.isZero { return .nan }
        return .infinity(isNegative: a.isNegative != b.isNegative)
    }

    private static func specialQuotient(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        if a.isNaN || b.isNaN { return propagatedNaN(a, b) }
        let isNegative = a.isNegative != b.isNegative
        if a.isInfinite { return b.isInfinite ? .nan : .infinity(isNegative: isNegative) }
        // A finite number divided by infinity is the zero with the least exponent.
        return DecimalBits(
            DecimalParts(isNegative: isNegative, coefficient: 0, exponent: minimumExponent))
    }
}
