import RegnumEngine

/// A decimal number of up to 34 digits, for money and other quantities that are counted in tenths:
/// 0.1 is exact.
///
///     let price: Decimal128 = "19.90"
///     let total = price * 3                   // 59.70
///     print(total, total.stringValue)         // 59.70 59.7
///
/// It is the decimal128 of IEEE 754-2008: (-1)^sign · coefficient · 10^exponent, with a coefficient
/// below 10^34 and an exponent of -6176 to 6111, so numbers of 10^-6176 up to nearly 10^6145; +0 and
/// -0; infinities; quiet and signalling NaN. 16 bytes without references. Bits and rules are those of
/// decimal128 in BSON.
///
/// A number has its digits: 1.0 and 1.00 are equal, hash alike and print differently. Results that
/// do not fit are rounded to nearest, ties to the even digit; what is too large is an infinity, and
/// what is too small loses digits and then is zero. Nothing traps and nothing is reported.
///
/// Unlike that of doubles, `==` and `<` are a total order: NaN equals NaN and comes before all other
/// numbers, -infinity included; -0 equals 0. So decimals can be sorted and be keys.
public struct Decimal128: Sendable {
    let bits: DecimalBits

    init(_ bits: DecimalBits) {
        self.bits = bits
    }

    /// Zero.
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

    /// More than all finite numbers.
    public static var infinity: Decimal128 { Decimal128(DecimalBits.infinity) }

    /// A quiet NaN: no number.
    public static var nan: Decimal128 { Decimal128(DecimalBits.nan) }

    /// A signalling NaN. Operations make it a quiet one; nothing else tells the two apart but
    /// `isSignalingNaN`.
    public static var signalingNaN: Decimal128 { Decimal128(DecimalBits.signalingNaN) }

    /// Whether this is no number: a quiet or signalling NaN.
    public var isNaN: Bool { bits.isNaN }

    /// Whether this is a signalling NaN.
    public var isSignalingNaN: Bool { bits.isSignalingNaN }

    /// Whether this is a number and no infinity.
    public var isFinite: Bool { bits.isFinite }

    /// Whether this is an infinity of either sign.
    public var isInfinite: Bool { bits.isInfinite }
}

extension Decimal128: Hashable, Comparable {
    /// Whether both are the same number, whatever their trailing zeros, or both NaN.
    public static func == (left: Decimal128, right: Decimal128) -> Bool {
        DecimalBits.areEqual(left.bits, right.bits)
    }

    /// Whether the left one is less; NaN is less than every number, and NaN not less than NaN.
    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        DecimalBits.compare(left.bits, right.bits) < 0
    }

    /// Hashes the number: equal ones alike.
    public func hash(into hasher: inout Hasher) {
        bits.hashNumber(into: &hasher)
    }
}
