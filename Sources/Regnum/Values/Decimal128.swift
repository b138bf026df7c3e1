import RegnumEngine

/// A decimal number with up to 34 digits, for money and other quantities that need exact decimal
/// fractions, such as 0.1.
///
///     let price: Decimal128 = "19.90"
///     let total = price * 3                   // 59.70
///     print(total, total.stringValue)         // 59.70 59.7
///
/// This is decimal128 as defined by IEEE 754-2008: (-1)^sign · coefficient · 10^exponent, with a
/// coefficient below 10^34 and an exponent from -6176 to 6111, which gives magnitudes from 10^-6176
/// to nearly 10^6145; +0 and -0; infinities; quiet and signaling NaN. It takes 16 bytes and
/// contains no references. Its bits and rules are those of decimal128 in BSON.
///
/// A number preserves its digits: 1.0 and 1.00 are equal and have the same hash, but print
/// differently. Results that don't fit are rounded to nearest, ties to even. Overflow results in an
/// infinity. Underflow gradually loses digits, until the result is zero. No operation traps or
/// reports a status.
///
/// Unlike those of `Double`, `==` and `<` define a total order: NaN equals NaN and is less
/// than all other numbers, including -infinity; -0 equals 0. Decimals can therefore be
/// sorted and used as keys.
public struct Decimal128: Sendable {
    let bits: DecimalBits

    init(_ bits: DecimalBits) {
        self.bits = bits
    }

    /// Creates zero.
    public init() {
        self.init(DecimalBits.zero)
    }
}

extension Decimal128 {
    /// Zero.
    public static var zero: Decimal128 { Decimal128() }

    /// The least finite number, -9.999999999999999999999999999999999E+6144.
    public static var min: Decimal128 { Decimal128(DecimalBits.greatestFinite.negated) }

    /// The greatest finite number, 9.999999999999999999999999999999999E+6144.
    public static var max: Decimal128 { Decimal128(DecimalBits.greatestFinite) }

    /// Positive infinity.
    public static var infinity: Decimal128 { Decimal128(DecimalBits.infinity) }

    /// A quiet NaN ("not a number").
    public static var nan: Decimal128 { Decimal128(DecimalBits.nan) }

    /// A signaling NaN. Operations convert it to a quiet NaN. Only `isSignalingNaN`
    /// distinguishes the two.
    public static var signalingNaN: Decimal128 { Decimal128(DecimalBits.signalingNaN) }

    /// Whether this is a quiet or signaling NaN.
    public var isNaN: Bool { bits.isNaN }

    /// Whether this is a signaling NaN.
    public var isSignalingNaN: Bool { bits.isSignalingNaN }

    /// Whether this is neither an infinity nor NaN.
    public var isFinite: Bool { bits.isFinite }

    /// Whether this is a positive or negative infinity.
    public var isInfinite: Bool { bits.isInfinite }
}

extension Decimal128: Hashable, Comparable {
    /// Returns whether both values are the same number, regardless of trailing zeros, or both are
    /// NaN.
    public static func == (left: Decimal128, right: Decimal128) -> Bool {
        DecimalBits.areEqual(left.bits, right.bits)
    }

    /// Returns whether the left number is less than the right one. NaN is less than every number,
    /// but not less than NaN.
    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        DecimalBits.compare(left.bits, right.bits) < 0
    }

    /// Hashes the numeric value: equal numbers have the same hash.
    public func hash(into hasher: inout Hasher) {
        bits.hashNumber(into: &hasher)
    }
}
