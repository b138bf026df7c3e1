extension DecimalBits {
    /// The total order of the numbers: -1, 0 or 1 as `a` comes before, with or after `b`.
    ///
    /// NaN before all others and with each other NaN; -0 with +0; 1.0 with 1.00. This is the order
    /// of doubles in sorts, and not `totalOrder` of the standard.
    package static func compare(_ a: DecimalBits, _ b: DecimalBits) -> Int {
        guard let x = a.finiteParts, let y = b.finiteParts else { return specialOrder(a, b) }
        if x.isNegative != y.isNegative {
            if x.coefficient | y.coefficient == 0 { return 0 }
            return x.isNegative ? -1 : 1
        }
        let order = compareMagnitudes(x, y)
        return x.isNegative ? 0 &- order : order
    }

    /// Whether both are the same number, or both NaN.
    package static func areEqual(_ a: DecimalBits, _ b: DecimalBits) -> Bool {
        a == b || compare(a, b) == 0
    }

    /// The representation that all equal numbers share: of a coefficient without trailing zeros, or
    /// with as few as the greatest exponent leaves it. All zeros give +0, all NaN the quiet one
    /// without sign and payload.
    ///
    /// Two numbers are equal if and only if the bits of these are, so it serves as a key of tables
    /// and for hashing. It takes up to nine divisions where a coefficient is even.
    package var canonical: DecimalBits {
        guard var parts = finiteParts else {
            return isNaN ? .nan : .infinity(isNegative: isNegative)
        }
        guard parts.coefficient != 0 else { return .zero }
        if parts.coefficient & 1 == 0 {
            let trimmed = trimmingDecimalZeros(
                parts.coefficient, atMost: Self.exponentMax - parts.exponent)
            parts.coefficient = trimmed.0
            parts.exponent += trimmed.count
        }
        return DecimalBits(parts)
    }

    /// Hashes the number, so that equal ones give equal hashes.
    package func hashNumber(into hasher: inout Hasher) {
        let bits = canonical
        hasher.combine(bits.high)
        hasher.combine(bits.low)
    }

    /// The order of the numbers without their signs.
    @inline(__always)
    private static func compareMagnitudes(_ x: DecimalParts, _ y: DecimalParts) -> Int {
        if x.exponent == y.exponent { return order(x.coefficient, y.coefficient) }
        return x.exponent > y.exponent ? unequalOrder(x, y) : 0 &- unequalOrder(y, x)
    }

    /// The order of the numbers without their signs where the first has the higher exponent.
    private static func unequalOrder(_ upper: DecimalParts, _ lower: DecimalParts) -> Int {
        if upper.coefficient == 0 { return lower.coefficient == 0 ? 0 : -1 }
        let distance = upper.exponent &- lower.exponent
        // More zeros than this would give it more digits than any coefficient has.
        guard distance <= 38 &- decimalDigitCount(upper.coefficient) else { return 1 }
        return order(upper.coefficient &* powerOfTen(distance), lower.coefficient)
    }

    @inline(__always)
    private static func order(_ a: UInt128, _ b: UInt128) -> Int {
        a < b ? -1 : (a == b ? 0 : 1)
    }

    /// The order where at least one is an infinity or NaN.
    private static func specialOrder(_ a: DecimalBits, _ b: DecimalBits) -> Int {
        (a.rank - b.rank).signum()
    }

    /// -2 for NaN, -1 and 1 for the infinities, 0 for all others.
    private var rank: Int {
        if isNaN { return -2 }
        return isInfinite ? (isNegative ? -1 : 1) : 0
    }
}

// MARK: - Other types of numbers

extension DecimalBits {
    /// The order of a decimal and an integer, by their mathematical values.
    package static func compare(_ a: DecimalBits, _ b: Int64) -> Int {
        compare(a, DecimalBits(b))
    }

    /// The order of a decimal and a double, by their mathematical values: neither is rounded.
    ///
    /// So 0.1 comes before the double 0.1, which is a little more than a tenth. NaN comes before all
    /// others and with the other NaN; zeros with each other.
    package static func compare(_ a: DecimalBits, _ b: Double) -> Int {
        if b.magnitude < 0x1p63, b == b.rounded(.towardZero) { return compare(a, Int64(b)) }
        guard b.isFinite, let parts = a.finiteParts else {
            let rank = b.isNaN ? -2 : (b.isInfinite ? (b < 0 ? -1 : 1) : 0)
            return (a.rank - rank).signum()
        }
        // b is not zero here.
        if parts.coefficient == 0 || parts.isNegative != (b < 0) { return b < 0 ? 1 : -1 }
        let order = compare(parts, magnitude: b.magnitude)
        return b < 0 ? -order : order
    }

    /// The order of the numbers without their signs, neither of which is zero.
    private static func compare(_ parts: DecimalParts, magnitude: Double) -> Int {
        if parts.exponent.magnitude <= 22 {
            // Off by three roundings at most, so by less than 2^-51 of it. It is a normal number.
            let high = Double(UInt64(truncatingIfNeeded: parts.coefficient >> 64))
            let low = Double(UInt64(truncatingIfNeeded: parts.coefficient))
            let whole = high * 0x1p64 + low
            let power = exactPowersOfTen[Int(parts.exponent.magnitude)]
            let estimate = parts.exponent < 0 ? whole / power : whole * power
            if estimate * (1 + 0x1p-48) < magnitude { return -1 }
            if estimate * (1 - 0x1p-48) > magnitude { return 1 }
        }
        // The nearest double of a number below another is that at most, so they only meet when it is
        // that.
        var positive = parts
        positive.isNegative = false
        let nearest = DecimalBits(positive).doubleValue
        if nearest != magnitude { return nearest < magnitude ? -1 : 1 }
        return DecimalLimbs.compare(
            coefficient: parts.coefficient, exponent: parts.exponent, double: magnitude)
    }
}
