/// A decimal number of 34 digits: the 16 bytes of IEEE 754-2008 decimal128 in the encoding with a
/// binary integer significand, which is also that of BSON.
///
/// From the most significant bit on: 1 bit sign, 14 bits exponent + 6176, 113 bits coefficient. The
/// value is coefficient · 10^exponent, with a coefficient below 10^34 and an exponent of -6176 to
/// 6111. The five bits behind the sign are 11110 for an infinity and 11111 for a NaN, of which the
/// next bit is set for a signalling one; the low 110 bits of a NaN are its payload, below 10^33.
///
/// Every pattern of 128 bits means something: a coefficient of 10^34 or more means zero, a payload
/// of 10^33 or more means none, and what else is in an infinity or NaN means nothing. All
/// operations read such patterns and make none.
///
/// One number has many representations (1.0 and 1.00). `==` and `hash` go by the bits, as they do
/// in `Value`; `compare` and `canonical` go by the number. Operations round to nearest, ties to the
/// even digit, give the exponents that the standard prefers, and raise no flags. Nothing here
/// allocates but texts and the conversions that go through them.
///
/// Source: IEEE 754-2008, 3.5 and 5; "General Decimal Arithmetic Specification" 1.70 (Cowlishaw);
/// the BSON decimal128 specification.
package struct DecimalBits: Hashable, Sendable, BitwiseCopyable {
    /// The more significant 8 bytes.
    package var high: UInt64
    /// The less significant 8 bytes.
    package var low: UInt64

    @inline(__always)
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// How many digits a coefficient has at most.
    package static let digitCountMax = 34
    /// The least exponent of the last digit.
    package static let exponentMin = -6176
    /// The greatest exponent of the last digit.
    package static let exponentMax = 6111

    /// 0 with the exponent 0.
    package static let zero = DecimalBits(high: 0x3040_0000_0000_0000, low: 0)
    package static let infinity = DecimalBits(high: 0x7800_0000_0000_0000, low: 0)
    /// The quiet NaN without sign and payload.
    package static let nan = DecimalBits(high: 0x7C00_0000_0000_0000, low: 0)
    package static let signalingNaN = DecimalBits(high: 0x7E00_0000_0000_0000, low: 0)
    /// The greatest finite number, (10^34 - 1) · 10^6111.
    package static let greatestFinite = DecimalBits(
        DecimalParts(isNegative: false, coefficient: decimalCoefficientMax, exponent: exponentMax))
    /// The least number above zero, 10^-6176.
    package static let leastPositive = DecimalBits(high: 0, low: 1)
}

extension DecimalBits {
    /// Whether the sign bit is set: also of a zero or NaN.
    @inline(__always)
    package var isNegative: Bool { high >> 63 != 0 }

    /// Whether this is neither an infinity nor a NaN.
    @inline(__always)
    package var isFinite: Bool { high & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000 }

    package var isInfinite: Bool { high & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }

    /// Whether this is a NaN, quiet or signalling.
    @inline(__always)
    package var isNaN: Bool { high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }

    package var isSignalingNaN: Bool { high & 0x7E00_0000_0000_0000 == 0x7E00_0000_0000_0000 }

    /// Whether this is a zero of either sign.
    package var isZero: Bool {
        guard let parts = finiteParts else { return false }
        return parts.coefficient == 0
    }

    /// The same with the other sign, also of a zero or NaN.
    package var negated: DecimalBits { DecimalBits(high: high ^ 1 << 63, low: low) }

    /// The same without sign, also of a NaN.
    package var magnitude: DecimalBits { DecimalBits(high: high & ~(1 << 63), low: low) }
}

/// The parts of a finite number: (-1)^isNegative · coefficient · 10^exponent.
package struct DecimalParts: Sendable {
    package var isNegative: Bool
    /// Below 10^34.
    package var coefficient: UInt128
    /// -6176 to 6111.
    package var exponent: Int
}

extension DecimalBits {
    /// The number of the parts, which must be within their limits.
    @inline(__always)
    init(_ parts: DecimalParts) {
        assert(parts.coefficient <= decimalCoefficientMax, "coefficient of more than 34 digits")
        assert(
            parts.exponent >= Self.exponentMin && parts.exponent <= Self.exponentMax,
            "exponent out of range")
        let biased = UInt64(truncatingIfNeeded: parts.exponent &- Self.exponentMin)
        self.init(
            high: (parts.isNegative ? 1 << 63 : 0) | biased << 49
                | UInt64(truncatingIfNeeded: parts.coefficient >> 64),
            low: UInt64(truncatingIfNeeded: parts.coefficient))
    }

    /// The parts, or nil for an infinity or NaN.
    @inline(__always)
    package var finiteParts: DecimalParts? {
        if high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 { return unusualParts }
        let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return DecimalParts(
            isNegative: high >> 63 != 0,
            coefficient: coefficient <= decimalCoefficientMax ? coefficient : 0,
            exponent: Int(truncatingIfNeeded: high >> 49 & 0x3FFF) &+ Self.exponentMin)
    }

    /// The parts where the two bits behind the sign are set: the encoding for coefficients of 2^113
    /// and more, which are above the greatest and so mean zero.
    private var unusualParts: DecimalParts? {
        guard isFinite else { return nil }
        return DecimalParts(
            isNegative: isNegative, coefficient: 0,
            exponent: Int(truncatingIfNeeded: high >> 47 & 0x3FFF) + Self.exponentMin)
    }

    /// The infinity of the sign.
    static func infinity(isNegative: Bool) -> DecimalBits {
        isNegative ? infinity.negated : infinity
    }

    /// What an operation gives of which at least one operand is a NaN: the first signalling one,
    /// else the first, made quiet, with its sign and payload (IEEE 754-2008, 6.2.3; which of two
    /// is the rule of General Decimal Arithmetic).
    static func propagatedNaN(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        assert(a.isNaN || b.isNaN, "no operand is a NaN")
        if a.isSignalingNaN { return a.quieted }
        if b.isSignalingNaN { return b.quieted }
        return (a.isNaN ? a : b).quieted
    }

    /// A NaN as a quiet one with the same sign and payload.
    private var quieted: DecimalBits {
        var payload = UInt128(high & 0x3FFF_FFFF_FFFF) << 64 | UInt128(low)
        if payload >= powerOfTen(33) { payload = 0 }
        return DecimalBits(
            high: high & 1 << 63 | Self.nan.high | UInt64(truncatingIfNeeded: payload >> 64),
            low: UInt64(truncatingIfNeeded: payload))
    }
}
