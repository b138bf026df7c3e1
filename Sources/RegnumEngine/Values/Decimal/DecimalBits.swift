/// A decimal number of 34 digits: the 16 bytes of an IEEE 754-2008 decimal128 in the encoding with
/// a binary integer significand, which BSON also uses.
///
/// From the most significant bit: 1 bit sign, 14 bits exponent + 6176, 113 bits coefficient. The
/// value is coefficient · 10^exponent, with a coefficient below 10^34 and an exponent of -6176 to
/// 6111. The five bits after the sign are 11110 for an infinity and 11111 for a NaN, whose next bit
/// is set if it is signaling. The low 110 bits of a NaN are its payload, below 10^33.
///
/// Every 128-bit pattern is valid: a coefficient of 10^34 or more means zero, a payload of 10^33 or
/// more means no payload, and all other bits of an infinity or NaN are ignored. All operations
/// accept such non-canonical patterns and never produce them.
///
/// A number has several representations (1.0 and 1.00). `==` and `hash` compare the bits, as in
/// `Value`; `compare` and `canonical` use the numeric value. Operations round to nearest, ties to
/// even, return the preferred exponents of the standard, and raise no flags. Only text conversions
/// and the conversions based on them allocate.
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

    /// The maximum number of digits of a coefficient.
    package static let maximumDigitCount = 34
    /// The least exponent.
    package static let minimumExponent = -6176
    /// The greatest exponent.
    package static let maximumExponent = 6111

    /// Zero with the exponent 0.
    package static let zero = DecimalBits(high: 0x3040_0000_0000_0000, low: 0)
    package static let infinity = DecimalBits(high: 0x7800_0000_0000_0000, low: 0)
    /// The quiet NaN without sign and payload.
    package static let nan = DecimalBits(high: 0x7C00_0000_0000_0000, low: 0)
    package static let signalingNaN = DecimalBits(high: 0x7E00_0000_0000_0000, low: 0)
    /// The greatest finite number, (10^34 - 1) · 10^6111.
    package static let greatestFinite = DecimalBits(
        DecimalParts(
            isNegative: false, coefficient: maximumDecimalCoefficient, exponent: maximumExponent))
}

extension DecimalBits {
    /// Whether the sign bit is set, also for zeros and NaNs.
    @inline(__always)
    package var isNegative: Bool { high >> 63 != 0 }

    /// Whether the value is neither an infinity nor a NaN.
    @inline(__always)
    package var isFinite: Bool { high & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000 }

    package var isInfinite: Bool { high & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }

    /// Whether the value is a NaN, quiet or signaling.
    @inline(__always)
    package var isNaN: Bool { high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }

    package var isSignalingNaN: Bool { high & 0x7E00_0000_0000_0000 == 0x7E00_0000_0000_0000 }

    /// Whether the value is a zero of either sign.
    package var isZero: Bool {
        guard let parts = finiteParts else { return false }
        return parts.coefficient == 0
    }

    /// The value with the opposite sign, also for zeros and NaNs.
    package var negated: DecimalBits { DecimalBits(high: high ^ 1 << 63, low: low) }

    /// The value without its sign, also for NaNs.
    package var magnitude: DecimalBits { DecimalBits(high: high & ~(1 << 63), low: low) }
}

/// The components of a finite number: (-1)^isNegative · coefficient · 10^exponent.
package struct DecimalParts: Sendable {
    package var isNegative: Bool
    /// The coefficient, below 10^34.
    package var coefficient: UInt128
    /// The exponent, from -6176 to 6111.
    package var exponent: Int
}

extension DecimalBits {
    /// Creates a number from its components, which must be in range.
    @inline(__always)
    init(_ parts: DecimalParts) {
        assert(parts.coefficient <= maximumDecimalCoefficient, "coefficient of more than 34 digits")
        assert(
            parts.exponent >= Self.minimumExponent && parts.exponent <= Self.maximumExponent,
            "exponent out of range")
        let biased = UInt64(truncatingIfNeeded: parts.exponent &- Self.minimumExponent)
        self.init(
            high: (parts.isNegative ? 1 << 63 : 0) | biased << 49
                | UInt64(truncatingIfNeeded: parts.coefficient >> 64),
            low: UInt64(truncatingIfNeeded: parts.coefficient))
    }

    /// The components, or `nil` for an infinity or NaN.
    @inline(__always)
    package var finiteParts: DecimalParts? {
        if high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 { return unusualParts }
        let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return DecimalParts(
            isNegative: high >> 63 != 0,
            coefficient: coefficient <= maximumDecimalCoefficient ? coefficient : 0,
            exponent: Int(truncatingIfNeeded: high >> 49 & 0x3FFF) &+ Self.minimumExponent)
    }

    /// The components if the two bits after the sign are set. That encoding is for coefficients of
    /// 2^113 and more, which exceed the maximum and therefore mean zero.
    private var unusualParts: DecimalParts? {
        guard isFinite else { return nil }
        return DecimalParts(
            isNegative: isNegative, coefficient: 0,
            exponent: Int(truncatingIfNeeded: high >> 47 & 0x3FFF) + Self.minimumExponent)
    }

    /// Returns the infinity with the given sign.
    static func infinity(isNegative: Bool) -> DecimalBits {
        isNegative ? infinity.negated : infinity
    }

    /// Returns the result of an operation with a NaN operand: the first signaling NaN, or else the
    /// first NaN, made quiet, with its sign and payload (IEEE 754-2008, 6.2.3; General Decimal
    /// Arithmetic defines which operand takes precedence).
    static func propagatedNaN(_ a: DecimalBits, _ b: DecimalBits) -> DecimalBits {
        assert(a.isNaN || b.isNaN, "no operand is a NaN")
        if a.isSignalingNaN { return a.quieted }
        if b.isSignalingNaN { return b.quieted }
        return (a.isNaN ? a : b).quieted
    }

    /// The NaN as a quiet NaN with the same sign and payload.
    private var quieted: DecimalBits {
        var payload = UInt128(high & 0x3FFF_FFFF_FFFF) << 64 | UInt128(low)
        if payload >= powerOfTen(33) { payload = 0 }
        return DecimalBits(
            high: high & 1 << 63 | Self.nan.high | UInt64(truncatingIfNeeded: payload >> 64),
            low: UInt64(truncatingIfNeeded: payload))
    }
}
