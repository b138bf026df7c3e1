import RegnumEngine

extension Decimal128 {
    /// The number that a text tells; NaN for a text that is no number.
    ///
    /// An optional sign, digits with at most one point, an optional exponent as in `-1.50e+7`; or
    /// `Inf`, `Infinity`, `NaN` in either case. Nothing before, between or behind, no spaces. The
    /// digits are kept, trailing zeros too; more than 34 are rounded. Linear time. `init(_:)` tells
    /// what is no number.
    public init(string: String) {
        self.init(DecimalBits(text: string) ?? .nan)
    }

    /// The canonical text without the zeros at the end of its fraction: `1.5` for 1.50.
    public var stringValue: String { bits.trimmedText }
}

extension Decimal128: LosslessStringConvertible {
    /// The number that a text tells, as `init(string:)` reads it; nil for a text that is no number.
    ///
    /// With a literal, Swift takes `init(stringLiteral:)` for this one: write
    /// `Decimal128.init("x")` to have nil.
    public init?(_ text: String) {
        guard let bits = DecimalBits(text: text) else { return nil }
        self.init(bits)
    }

    /// The canonical text: all digits, with an exponent where the last one stands before the point
    /// or more than five zeros follow it, as in `1.50`, `1.50E+7`, `1.50E-7`, `-0`, `Infinity`, `NaN`.
    ///
    /// It gives the same number with the same digits back. Source: General Decimal Arithmetic
    /// Specification, to-scientific-string, as BSON writes decimals.
    public var description: String { bits.text }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// The integer, with up to 38 digits, of which 34 are kept.
    public init(integerLiteral value: Int128) {
        self.init(DecimalBits(value))
    }

    /// The number with the fewest digits that gives the double back: what is written, up to 15 digits.
    /// For more, write a string.
    public init(floatLiteral value: Double) {
        self.init(value)
    }

    /// The number that the text tells; NaN for a text that is no number.
    public init(stringLiteral value: String) {
        self.init(string: value)
    }
}

extension Decimal128: Codable {
    /// Reads a string, an integer or a floating point number.
    ///
    /// Whether a decoder passes on all digits of a number that is no string is its own affair.
    ///
    /// - Throws: `DecodingError` for anything else, and for a string that is no number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let number = Decimal128(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\"\(text)\" is not a Decimal128.")
            }
            self = number
        } else if let integer = try? container.decode(Int64.self) {
            self.init(DecimalBits(integer))
        } else {
            self.init(try container.decode(Double.self))
        }
    }

    /// Writes `stringValue`, as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
