extension DecimalBits {
    /// Compares the numeric values: -1, 0 or 1 if `a` orders before, equal to or after `b`. The
    /// order is total.
    ///
    /// NaN orders before all other values and equals NaN; -0 equals +0; 1.0 equals 1.00. Doubles
    /// sort in the same order, which isn't `totalOrder` of the standard.
    package static func compare(_ a: DecimalBits, _ b: DecimalBits) -> Int {
        guard let x = a.finiteParts, let y = b.finiteParts else { return specialOrder(a, b) }
        if x.isNegative != y.isNegative {
            if x.coefficient | y.coefficient == 0 { return 0 }
            return x.isNegative ? -1 : 1
        }
        let order = compareMagnitudes(x, y)
        return x.isNegative ? 0 &- order : order
    }

    /// Whether both have the same numeric value, or both are NaN.
    package static func areEqual(_ a: DecimalBits, _ b: DecimalBits) -> Bool {
        a == b || compare(a, b) == 0
    }

    /// The representation shared by all equal numbers: the coefficient without trailing zeros, or
    /// with as few as the greatest exponent allows. All zeros become +0, all NaNs the quiet NaN
    /// without sign and payload.
    ///
    /// Two numbers are equal if and only if their canonical bits are, so these bits serve as
    /// dictionary keys and for hashing. Takes up to nine divisions if the coefficient is even.
    package var canonical: DecimalBits {
        guard var parts = finiteParts else {
            return isNaN ? .nan : .infinity(isNegative: isNegative)
        }
        guard parts.coefficient != 0 else { return .zero }
        if parts.coefficient & 1 == 0 {
            let trimmed = trimmingDecimalZeros(
                parts.coefficient, atMost: Self.maximumExponent - parts.exponent)
            parts.coefficient = trimmed.0
            parts.exponent += trimmed.count
        }
        return DecimalBits(parts)
    }

    /// Hashes the numeric value, so that equal numbers have equal hashes.
    package func hashNumber(into hasher: inout Hasher) {
        let bits = canonical
        hasher.combine(bits.high)
        hasher.combine(bits.low)
    }

    /// Compares absolute values.
    @inline(__always)
    private static func compareMagnitudes(_ x: DecimalParts, _ y: DecimalParts) -> Int {
        if x.exponent == y.exponent { return order(x.coefficient, y.coefficient) }
        return x.exponent > y.exponent ? unequalOrder(x, y) : 0 &- unequalOrder(y, x)
    }

    /// Compares the absolute values of two numbers of which the first has the higher exponent.
    private static func unequalOrder(_ upper: DecimalParts, _ lower: DecimalParts) -> Int {
        if upper.coefficient == 0 { return lower.coefficient == 0 ? 0 : -1 }
        let distance = upper.exponent &- lower.exponent
        // With more zeros it would have more digits than any coefficient.
        guard distance <= 38 &- decimalDigitCount(upper.coefficient) else { return 1 }
        return order(upper.coefficient &* powerOfTen(distance), lower.coefficient)
    }

    @inline(__always)
    private static func order(_ a: UInt128, _ b: UInt128) -> Int {
        a < b ? -1 : (a == b ? 0 : 1)
    }

    /// Compares two values of which at least one is an infinity or NaN.
    private static func specialOrder(_ a: DecimalBits, _ b: DecimalBits) -> Int {
        (a.rank - b.rank).signum()
    }

    /// The order of special values: -2 for NaN, -1 and 1 for the infinities, 0 for finite numbers.
    private var rank: Int {
        if isNaN { return -2 }
        return isInfinite ? (isNegative ? -1 : 1) : 0
    }
}

// MARK: - Comparison with other number types

extension DecimalBits {
    /// Compares a decimal and an integer by their mathematical values.
    package static func compare(_ a: DecimalBits, _ b: Int64) -> Int {
        compare(a, DecimalBits(b))
    }

    /// Compares a decimal and a double by their exact mathematical values, without rounding.
    ///
    /// For example, the decimal 0.1 orders before the double 0.1, which is slightly more than a
    /// tenth. NaN orders before all other values and equals NaN; zeros are equal.
    package static func compare(_ a: DecimalBits, _ b: Double) -> Int {
        if b.magnitude < 0x1p63, b == b.rounded(.towardZero) { return compare(a, Int64(b)) }
        guard b.isFinite, let parts = a.finiteParts else {
            let rank = b.isNaN ? -2 : (b.isInfinite ? (b < 0 ? -1 : 1) : 0)
            return (a.rank - rank).signum()
        }
        // `b` is nonzero here.
        if parts.coefficient == 0 || parts.isNegative != (b < 0) { return b < 0 ? 1 : -1 }
        let order = compare(parts, magnitude: b.magnitude)
        return b < 0 ? -order : order
    }

    /// Compares absolute values, neither of which is zero.
    private static func compare(_ parts: DecimalParts, magnitude: Double) -> Int {
        if parts.exponent.magnitude <= 22 {
            // At most three roundings, so the relative error is below 2^-51. The estimate is a
            // normal number.
            let high = Double(UInt64(truncatingIfNeeded: parts.coefficient >> 64))
            let low = Double(UInt64(truncatingIfNeeded: parts.coefficient))
            let whole = high * 0x1p64 + low
            let power = exactPowersOfTen[Int(parts.exponent.magnitude)]
            let estimate = parts.exponent < 0 ? whole / power : whole * power
            if estimate * (1 + 0x1p-48) < magnitude { return -1 }
            if estimate * (1 - 0x1p-48) > magnitude { return 1 }
        }
        // Rounding to the nearest double is monotonic, so the exact values can only be equal if the
        // nearest double is `magnitude`.
        var positive = parts
        positive.isNegative = false
        let nearest = DecimalBits(positive).doubleValue
        if nearest != magnitude { return nearest < magnitude ? -1 : 1 }
        return DecimalLimbs.compare(
            coefficient: parts.coefficient, exponent: parts.exponent, double: magnitude)
    }
}
