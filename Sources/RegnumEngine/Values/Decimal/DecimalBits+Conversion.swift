// MARK: - From and to integers

extension DecimalBits {
    /// The integer, exactly, with the exponent 0.
    package init(_ integer: Int64) {
        self.init(isNegative: integer < 0, whole: integer.magnitude)
    }

    /// The integer, exactly, with the exponent 0.
    package init(_ integer: UInt64) {
        self.init(isNegative: false, whole: integer)
    }

    @inline(__always)
    private init(isNegative: Bool, whole: UInt64) {
        self.init(
            high: (isNegative ? 1 << 63 : 0) | Self.zero.high, low: whole)
    }

    /// The integer, rounded where it has more than 34 digits that are not trailing zeros.
    package init(_ integer: Int128) {
        self = UnroundedDecimal(
            isNegative: integer < 0, coefficient: integer.magnitude, exponent: 0, isSticky: false
        ).rounded()
    }

    /// The same number as an integer, or nil if it has a fraction, does not fit or is no number.
    package var exactInt64: Int64? {
        guard let (whole, hasFraction) = truncated, !hasFraction else { return nil }
        return whole
    }

    /// The number without its fraction, or nil if that does not fit or this is no number.
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
            // No coefficient has more than 34 digits.
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

// MARK: - From and to doubles

extension DecimalBits {
    /// The number with the fewest digits that gives the double back, and of those the nearest to it:
    /// 0.1 for the double 0.1.
    ///
    /// The exponent is 0 for a whole number below 2^53, otherwise such that the coefficient has no
    /// trailing zeros. A NaN of any sort gives the quiet one without sign. A double with up to 15
    /// digits of which at most 10 are behind the point takes some divisions, others are written as
    /// text and read.
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

    /// The number with the fewest digits that gives the float back, and of those the nearest to it;
    /// a whole number below 2^24 with the exponent 0.
    package init(_ float: Float) {
        if !float.isFinite || float.magnitude < 0x1p24 && float == float.rounded(.towardZero) {
            self.init(Double(float))
        } else {
            self.init(shortestText: float.description)
        }
    }

    /// The number of a text with a point or exponent, without trailing zeros.
    private init(shortestText: String) {
        guard var parts = DecimalBits(text: shortestText)?.finiteParts, parts.coefficient != 0
        else {
            assertionFailure("the description of a finite number is no number")
            self = .nan
            return
        }
        let trimmed = trimmingDecimalZeros(parts.coefficient, atMost: 38)
        parts.coefficient = trimmed.0
        parts.exponent += trimmed.count
        self.init(parts)
    }

    /// The number nearest to this one, the even one of two; infinities beyond the greatest.
    ///
    /// A NaN gives the quiet one without sign and payload. Up to 53 bits and 22 places behind the
    /// point or zeros before it take one division or multiplication, others are written as text and
    /// read.
    package var doubleValue: Double {
        guard let parts = finiteParts else {
            return isNaN ? .nan : (isNegative ? -.infinity : .infinity)
        }
        let magnitude: Double
        if parts.coefficient < 1 << 53, parts.exponent.magnitude <= 22 {
            // Both operands are exact, so the one operation rounds right (Clinger, 1990).
            let whole = Double(UInt64(truncatingIfNeeded: parts.coefficient))
            let power = exactPowersOfTen[Int(parts.exponent.magnitude)]
            magnitude = parts.exponent < 0 ? whole / power : whole * power
        } else if parts.coefficient == 0 || parts.exponent < -400 {
            // Below 10^-366, where the least double is above 10^-324.
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

    /// The shortest number of a double that has up to 15 digits, 1 to 10 of them behind the point,
    /// or nil.
    private static func shortDecimal(_ double: Double) -> DecimalBits? {
        let magnitude = double.magnitude
        guard magnitude < 1e14 else { return nil }
        for places in 1...10 {
            let scaled = (magnitude * exactPowersOfTen[places]).rounded()
            guard scaled < 1e15 else { return nil }
            // No two numbers of 15 digits give one double, so the first is the shortest. A whole
            // number and a power of ten are exact, so the division rounds right.
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

/// The powers of ten that are doubles.
let exactPowersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]
