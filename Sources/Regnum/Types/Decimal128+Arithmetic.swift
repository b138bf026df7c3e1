import RegnumEngine

// Each result is the exact one rounded once. Exact ones keep the digits that the standard prefers:
// 1.20 + 1 is 2.20, 1.20 · 1.0 is 1.200, 1.20 / 2 is 0.60. None of this allocates.
extension Decimal128: SignedNumeric {
    /// The sum. Infinities of both signs have none: NaN.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.sum(left.bits, right.bits))
    }

    /// The difference. Infinities of one sign have none: NaN.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.difference(left.bits, right.bits))
    }

    /// The product. Zero and an infinity have none: NaN.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.product(left.bits, right.bits))
    }

    /// The quotient. A number by zero is an infinity; zero by zero and infinity by infinity have
    /// none: NaN.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(DecimalBits.quotient(left.bits, right.bits))
    }

    /// Adds.
    public static func += (left: inout Decimal128, right: Decimal128) { left = left + right }

    /// Subtracts.
    public static func -= (left: inout Decimal128, right: Decimal128) { left = left - right }

    /// Multiplies.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// Divides.
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }

    /// The number with the other sign, also of a zero or infinity.
    public static prefix func - (number: Decimal128) -> Decimal128 {
        Decimal128(number.bits.negated)
    }

    /// Changes the sign, also of a zero or infinity.
    public mutating func negate() { self = -self }

    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(bits.magnitude) }
}

extension Decimal128: Strideable {
    /// How much must be added to this to get the other.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The sum of this and the given number.
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}
