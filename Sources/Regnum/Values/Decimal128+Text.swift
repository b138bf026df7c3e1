import RegnumEngine

extension Decimal128 {
    /// Parses a number from text. Text that is not a number becomes NaN.
    ///
    /// Accepts an optional sign, digits with at most one decimal point, and an optional exponent,
    /// as in `-1.50e+7`; or `Inf`, `Infinity` and `NaN`, ignoring case. No other characters are
    /// allowed, including spaces. The digits are preserved, including trailing zeros; more than 34
    /// are rounded. To detect invalid text, use `init(_:)`.
    ///
    /// - Complexity: O(n) for n characters.
    public init(string: String) {
        self.init(DecimalBits(text: string) ?? .nan)
    }

    /// The canonical text without trailing zeros in the fraction: `1.5` for 1.50.
    public var stringValue: String { bits.trimmedText }
}

extension Decimal128: LosslessStringConvertible {
    /// Parses a number like `init(string:)`, but returns `nil` for text that is not a number.
    ///
    /// For a string literal, Swift prefers `init(stringLiteral:)`. Write `Decimal128.init("x")` to
    /// call this initializer.
    public init?(_ text: String) {
        guard let bits = DecimalBits(text: text) else { return nil }
        self.init(bits)
    }

    /// The canonical text: all digits, in scientific notation if the exponent is positive or
    /// more than five zeros would follow the decimal point, as in `1.50`, `1.50E+7`, `1.50E-7`,
    /// `-0`, `Infinity`, `NaN`.
    ///
    /// Parsing it returns the same number with the same digits. Source: General Decimal Arithmetic
    /// Specification, to-scientific-string, which is also how BSON formats decimals.
    public var description: String { bits.text }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// Creates a decimal from an integer literal of up to 38 digits, rounded to 34.
    public init(integerLiteral value: Int128) {
        self.init(DecimalBits(value))
    }

    /// Creates the shortest decimal that converts back to the given double, which is exactly the
    /// literal if that has up to 15 digits. Use a string literal for more digits.
    public init(floatLiteral value: Double) {
        self.init(value)
    }

    /// Parses a number from a string literal. Text that is not a number becomes NaN.
    public init(stringLiteral value: String) {
        self.init(string: value)
    }
}

extension Decimal128: Codable {
    /// Decodes a string, an integer or a floating-point number.
    ///
    /// If a number isn't encoded as a string, it depends on the decoder whether all of its digits
    /// are preserved.
    ///
    /// - Throws: `DecodingError` for anything else, and for a string that is not a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let number = Decimal128(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\"\(text.shortened)\" is not a Decimal128.")
            }
            self = number
        } else if let integer = try? container.decode(Int64.self) {
            self.init(DecimalBits(integer))
        } else if let integer = try? container.decode(UInt64.self) {
            self.init(DecimalBits(integer))
        } else {
            self.init(try container.decode(Double.self))
        }
    }

    /// Encodes `stringValue`, as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
