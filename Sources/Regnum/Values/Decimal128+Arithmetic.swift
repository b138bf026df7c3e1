import RegnumEngine

// Each result is the exact result, rounded once. Exact results have the digits that the standard
// prefers: 1.20 + 1 is 2.20, 1.20 · 1.0 is 1.200, 1.20 / 2 is 0.60. No operation allocates memory.
extension Decimal128: SignedNumeric {
    /// Returns the sum; NaN for infinities of opposite signs.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.sum(left.bits, right.bits))
    }

    /// Returns the difference; NaN for infinities of the same sign.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.difference(left.bits, right.bits))
    }

    /// Returns the product; NaN for zero times infinity.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.product(left.bits, right.bits))
    }

    /// Returns the quotient; an infinity for a nonzero number divided by zero; NaN for zero divided
    /// by zero and infinity divided by infinity.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.quotient(left.bits, right.bits))
    }

    /// Multiplies by a number.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// Divides by a number.
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }

    /// Returns the number with its sign inverted, including that of zeros and infinities.
    public static prefix func - (number: Decimal128) -> Decimal128 {
        Decimal128(number.bits.negated)
    }

    /// Inverts the sign, including that of zeros and infinities.
    public mutating func negate() { self = -self }

    /// The absolute value.
    public var magnitude: Decimal128 { Decimal128(bits.magnitude) }
}

extension Decimal128: Strideable {
    /// Returns the number that must be added to this one to get `other`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// Returns the sum of this number and `distance`.
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}
