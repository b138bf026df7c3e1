// MARK: - Parsing

extension DecimalBits {
    /// Parses a decimal number. Returns `nil` for text that isn't a number.
    ///
    /// The text consists of digits with at most one point and at least one digit, an optional
    /// leading sign and an optional exponent; or it is `Inf`, `Infinity` or `NaN` with an optional
    /// sign (which is dropped for NaN). Letters may be in either case; no other characters are
    /// allowed. A number that doesn't fit is rounded like any result, possibly to an infinity or
    /// zero. The result has the exponent of the last digit given. Linear time.
    ///
    /// Source: the BSON decimal128 specification, which rejects numbers that don't fit.
    package init?(text: String) {
        guard let number = withUTF8(text, Self.read) else { return nil }
        self = number.bits
    }

    /// Parses a decimal number. Returns `nil` for text that isn't a number, or whose number would
    /// have to be rounded.
    package init?(exactText text: String) {
        guard let number = withUTF8(text, Self.read), number.isExact else { return nil }
        self = number.bits
    }

    private static func read(
        _ text: UnsafeRawBufferPointer
    ) -> (bits: DecimalBits, isExact: Bool)? {
        var reader = DecimalReader(text: text)
        if let special = reader.special() { return (special, true) }
        guard let number = reader.number() else { return nil }
        let bits = number.rounded()
        return (bits, !number.isSticky && number.isSame(as: bits))
    }
}

extension UnroundedDecimal {
    /// Returns whether `bits` is exactly this number, which must not be sticky.
    fileprivate func isSame(as bits: DecimalBits) -> Bool {
        guard let parts = bits.finiteParts else { return false }
        guard coefficient != 0, parts.coefficient != 0 else {
            return coefficient == parts.coefficient
        }
        let (mine, mineCount) = trimmingDecimalZeros(coefficient, atMost: 38)
        let (other, otherCount) = trimmingDecimalZeros(parts.coefficient, atMost: 38)
        return mine == other && exponent + mineCount == parts.exponent + otherCount
    }
}

/// A parser for one number in ASCII.
private struct DecimalReader {
    let text: UnsafeRawBufferPointer
    var position = 0

    /// The byte at the position, or 0 at the end (which isn't part of any number).
    private var next: UInt8 { position < text.count ? text[position] : 0 }

    /// The digit at the position, or `nil`.
    private var digit: UInt64? {
        let value = next &- UInt8(ascii: "0")
        return value < 10 ? UInt64(value) : nil
    }

    /// Parses an infinity or NaN. Returns `nil` and keeps the position if the text is neither.
    mutating func special() -> DecimalBits? {
        let start = position
        let isNegative = sign()
        if isRest("nan") { return .nan }
        if isRest("inf") || isRest("infinity") { return .infinity(isNegative: isNegative) }
        position = start
        return nil
    }

    /// Parses a finite number that extends to the end of the text.
    mutating func number() -> UnroundedDecimal? {
        let isNegative = sign()
        var coefficient: UInt128 = 0
        var digitCount = 0
        var exponent = 0
        var isSticky = false
        var hasDigits = false
        var hasPoint = false
        while true {
            if let digit {
                hasDigits = true
                if digitCount < 38 {
                    coefficient = coefficient &* 10 &+ UInt128(digit)
                    if coefficient != 0 { digitCount += 1 }
                } else {
                    isSticky = isSticky || digit != 0
                    exponent += 1
                }
                if hasPoint { exponent -= 1 }
            } else if next == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            position += 1
        }
        guard hasDigits else { return nil }
        if next | 0x20 == UInt8(ascii: "e") {
            position += 1
            guard let written = writtenExponent() else { return nil }
            exponent += written
        }
        guard position == text.count else { return nil }
        return UnroundedDecimal(
            isNegative: isNegative, coefficient: coefficient, exponent: exponent,
            isSticky: isSticky)
    }

    private mutating func sign() -> Bool {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative || next == UInt8(ascii: "+") { position += 1 }
        return isNegative
    }

    /// Parses the signed digits of an exponent. The magnitude is capped at 10^17, which no text is
    /// long enough to offset.
    private mutating func writtenExponent() -> Int? {
        let isNegative = sign()
        var magnitude = 0
        var hasDigits = false
        while let digit {
            hasDigits = true
            magnitude = min(magnitude * 10 + Int(digit), 100_000_000_000_000_000)
            position += 1
        }
        guard hasDigits else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    /// Returns whether the rest of the text is `word`, ignoring case.
    private func isRest(_ word: StaticString) -> Bool {
        guard text.count - position == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { letters in
            letters.indices.allSatisfy { text[position + $0] | 0x20 == letters[$0] }
        }
    }
}

// MARK: - Formatting

extension DecimalBits {
    /// The canonical text. Parsing it returns the same bits, except for a NaN, which is always
    /// `NaN`, and for non-canonical encodings, which no operation produces.
    ///
    /// Plain digits with a point if the exponent is -6176 to 0 and at most five zeros follow the
    /// point; otherwise one digit before the point and a signed exponent, as in `1.50E+7`. At most
    /// 42 bytes.
    ///
    /// Source: General Decimal Arithmetic Specification, to-scientific-string.
    package var text: String {
        guard let parts = finiteParts else {
            return isNaN ? "NaN" : (isNegative ? "-Infinity" : "Infinity")
        }
        return Self.text(parts)
    }

    /// The canonical text without trailing zeros in its fraction: `1.5` for 1.50, `1E+7` for
    /// 1.00E+7, `0` or `-0` for all zeros.
    package var trimmedText: String {
        guard var parts = finiteParts else { return text }
        guard parts.coefficient != 0 else { return parts.isNegative ? "-0" : "0" }
        // In scientific notation all digits but the first are part of the fraction.
        let isPlain = Self.isPlain(parts, digitCount: decimalDigitCount(parts.coefficient))
        let trimmed = trimmingDecimalZeros(
            parts.coefficient, atMost: isPlain ? -parts.exponent : Self.maximumDigitCount)
        parts.coefficient = trimmed.0
        parts.exponent += trimmed.count
        return Self.text(parts)
    }

    /// Returns whether a number is formatted without an exponent.
    private static func isPlain(_ parts: DecimalParts, digitCount: Int) -> Bool {
        parts.exponent <= 0 && parts.exponent + digitCount - 1 >= -6
    }

    private static func text(_ parts: DecimalParts) -> String {
        let digits = decimalDigits(parts.coefficient)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48)
        if parts.isNegative { bytes.append(UInt8(ascii: "-")) }
        // The number of digits before the point.
        let wholeCount: Int
        let isPlain = isPlain(parts, digitCount: digits.count)
        if isPlain {
            wholeCount = digits.count + parts.exponent
            if wholeCount <= 0 {
                bytes += "0.".utf8
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -wholeCount))
            }
        } else {
            wholeCount = 1
        }
        for (index, digit) in digits.enumerated() {
            if index == wholeCount, index > 0 { bytes.append(UInt8(ascii: ".")) }
            bytes.append(digit)
        }
        if !isPlain {
            let adjusted = parts.exponent + digits.count - 1
            bytes += "E\(adjusted < 0 ? "-" : "+")\(adjusted.magnitude)".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Returns the digits of a coefficient in ASCII; a single `0` for zero.
func decimalDigits(_ coefficient: UInt128) -> [UInt8] {
    let zero = UInt8(ascii: "0")
    var digits = [UInt8](repeating: zero, count: max(1, decimalDigitCount(coefficient)))
    let (upper, lower) = dividedByPowerOfTen(coefficient, 19)
    var word = UInt64(truncatingIfNeeded: lower)
    for index in digits.indices.reversed() {
        if index == digits.count - 20 { word = UInt64(truncatingIfNeeded: upper) }
        digits[index] = zero &+ UInt8(truncatingIfNeeded: word % 10)
        word /= 10
    }
    return digits
}
