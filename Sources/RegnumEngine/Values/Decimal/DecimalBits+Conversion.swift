// MARK: - Conversion from and to integers

extension DecimalBits {
    /// Creates a decimal with the exact value of the integer and the exponent 0.
    package init(_ integer: Int64) {
        self.init(isNegative: integer < 0, whole: integer.magnitude)
    }

    /// Creates a decimal with the exact value of the integer and the exponent 0.
    package init(_ integer: UInt64) {
        self.init(isNegative: false, whole: integer)
    }

    @inline(__always)
    private init(isNegative: Bool, whole: UInt64) {
        self.init(
            high: (isNegative ? 1 << 63 : 0) | Self.zero.high, low: whole)
    }

    /// Creates a decimal from the integer, rounded if it has more than 34 significant digits.
    package init(_ integer: Int128) {
        self = UnroundedDecimal(
            isNegative: integer < 0, coefficient: integer.magnitude, exponent: 0, isSticky: false
        ).rounded()
    }

    /// The value as an integer, or `nil` if it has a fraction, doesn't fit or isn't a number.
    package var exactInt64: Int64? {
        guard let (whole, hasFraction) = truncated, !hasFraction else { return nil }
        return whole
    }

    /// The integer part of the value, or `nil` if it doesn't fit or the value isn't a number.
    package var truncatedInt64: Int64? { truncated?.whole }

    private var truncated: (whole: Int64, hasFraction: Bool)? {
        guard let parts = finiteParts else { return nil }
        var coefficient = parts.coefficient
        var hasFraction = false
        if coefficient == 0 { return (0, false) }
        if parts.exponent > 0 {
            guard parts.exponent <= 18, coefficient >> 64 == 0 else { return nil }
            coefficient &*= powerOfTen(parts.exponent)
        } else if parts.exponent < 0 {
            // A coefficient has at most 34 digits.
            let (whole, fraction) = dividedByPowerOfTen(coefficient, min(-parts.exponent, 35))
            coefficient = whole
            hasFraction = fraction != 0
        }
        guard let magnitude = UInt64(exactly: coefficient) else { return nil }
        if parts.isNegative {
            guard magnitude <= 1 << 63 else { return nil }
            return (Int64(truncatingIfNeeded: 0 &- magnitude), hasFraction)
        }
        return Int64(exactly: magnitude).map { ($0, hasFraction) }
    }
}

// MARK: - Conversion from and to doubles

extension DecimalBits {
    /// Creates the decimal with the fewest digits that converts back to the double, and of those
    /// the nearest to it: 0.1 for the double 0.1.
    ///
    /// The exponent is 0 for an integer below 2^53; otherwise the coefficient has no trailing
    /// zeros. Every NaN becomes the quiet NaN without sign and payload. A double with up to 15
    /// digits, at most 10 of them after the point, takes a few divisions; others are formatted and
    /// parsed as text.
    package init(_ double: Double) {
        if double.magnitude < 0x1p53, double == double.rounded(.towardZero) {
            self.init(isNegative: double.sign == .minus, whole: UInt64(double.magnitude))
        } else if let short = Self.shortDecimal(double) {
            self = short
        } else if double.isFinite {
            self.init(shortestText: double.description)
        } else {
            self = double.isNaN ? .nan : .infinity(isNegative: double < 0)
        }
    }

    /// Creates the decimal with the fewest digits that converts back to the float, and of those the
    /// nearest to it. Integers below 2^24 have the exponent 0.
    package init(_ float: Float) {
        if !float.isFinite || float.magnitude < 0x1p24 && float == float.rounded(.towardZero) {
            self.init(Double(float))
        } else {
            self.init(shortestText: float.description)
        }
    }

    /// Creates a decimal without trailing zeros from text with a point or exponent.
    private init(shortestText: String) {
        guard var parts = DecimalBits(text: shortestText)?.finiteParts, parts.coefficient != 0
        else {
            assertionFailure("the description of a finite number is not a number")
            self = .nan
            return
        }
        let trimmed = trimmingDecimalZeros(parts.coefficient, atMost: 38)
        parts.coefficient = trimmed.0
        parts.exponent += trimmed.count
        self.init(parts)
    }

    /// The nearest double, ties to even; an infinity beyond the greatest finite double.
    ///
    /// Every NaN becomes the quiet NaN without sign and payload. A coefficient of up to 53 bits
    /// with an exponent of -22 to 22 takes one division or multiplication; others are formatted and
    /// parsed as text.
    package var doubleValue: Double {
        guard let parts = finiteParts else {
            return isNaN ? .nan : (isNegative ? -.infinity : .infinity)
        }
        let magnitude: Double
        if parts.coefficient < 1 << 53, parts.exponent.magnitude <= 22 {
            // Both operands are exact, so the operation is correctly rounded (Clinger, 1990).
            let whole = Double(UInt64(truncatingIfNeeded: parts.coefficient))
            let power = exactPowersOfTen[Int(parts.exponent.magnitude)]
            magnitude = parts.exponent < 0 ? whole / power : whole * power
        } else if parts.coefficient == 0 || parts.exponent < -400 {
            // Below 10^-366, while the least positive double is above 10^-324.
            magnitude = 0
        } else if parts.exponent > 400 {
            magnitude = .infinity
        } else {
            var text = decimalDigits(parts.coefficient)
            text += "e\(parts.exponent)".utf8
            magnitude = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
        }
        return parts.isNegative ? -magnitude : magnitude
    }

    /// Returns the shortest decimal for a double with up to 15 digits, 1 to 10 of them after the
    /// point, or `nil` for other doubles.
    private static func shortDecimal(_ double: Double) -> DecimalBits? {
        let magnitude = double.magnitude
        guard magnitude < 1e14 else { return nil }
        for places in 1...10 {
            let scaled = (magnitude * exactPowersOfTen[places]).rounded()
            guard scaled < 1e15 else { return nil }
            // Decimals of up to 15 digits convert to distinct doubles, so the first match is the
            // shortest. The integer and the power of ten are exact, so the division is correctly
            // rounded.
            if scaled / exactPowersOfTen[places] == magnitude {
                return DecimalBits(
                    DecimalParts(
                        isNegative: double < 0, coefficient: UInt128(UInt64(scaled)),
                        exponent: -places))
            }
        }
        return nil
    }
}

/// The powers of ten that are exactly representable as doubles.
let exactPowersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]
