public import FoundationEssentials
import RegnumEngine

// MARK: - From other numbers

extension Decimal128 {
    /// Creates a decimal from an integer, rounded if it has more than 34 digits.
    public init(_ integer: some BinaryInteger) {
        if let short = Int64(exactly: integer) {
            self.init(DecimalBits(short))
        } else if let long = Int128(exactly: integer) {
            self.init(DecimalBits(long))
        } else {
            self.init(string: integer.description)
        }
    }

    /// Creates a decimal from an integer, or returns `nil` if the integer has more than 34 digits,
    /// not counting trailing zeros.
    public init?<Integer: BinaryInteger>(exactly integer: Integer) {
        if let short = Int64(exactly: integer) {
            self.init(DecimalBits(short))
        } else {
            guard let bits = DecimalBits(exactText: integer.description) else { return nil }
            self.init(bits)
        }
    }

    /// Creates the shortest decimal that converts back to the given double: 0.1 for the double 0.1,
    /// whose exact value is slightly greater.
    ///
    /// Doubles with up to 15 digits take a few divisions; others are converted via text.
    public init(_ double: Double) {
        self.init(DecimalBits(double))
    }

    /// Creates the shortest decimal that converts back to the given float.
    public init(_ float: Float) {
        self.init(DecimalBits(float))
    }

    /// Creates a decimal from a Foundation decimal, which may have up to 38 digits, rounded to 34.
    public init(_ decimal: Decimal) {
        self.init(string: decimal.description)
    }

    /// Creates a decimal like `init(_:)`.
    public init(number: some BinaryInteger) {
        self.init(number)
    }

    /// Creates the shortest decimal that converts back to the given floating-point number. Types
    /// other than `Float` and `Double` are converted to `Double` first.
    public init(number: some BinaryFloatingPoint) {
        if let float = number as? Float {
            self.init(float)
        } else {
            self.init(Double(number))
        }
    }

    /// Creates a decimal like `init(_:)`.
    public init(number: Decimal) {
        self.init(number)
    }

    /// Creates a decimal from a value of one of these types: `Decimal128`, `String`,
    /// integers, floating-point numbers, `Decimal`, and types whose description is a
    /// number, such as `NSNumber`.
    ///
    /// A string that is not a number becomes NaN.
    ///
    /// - Precondition: The value has one of these types.
    public init(value: Any) {
        switch withoutFoundation(value) ?? value {
        case let number as Decimal128: self = number
        case let text as String: self.init(string: text)
        case let integer as any BinaryInteger: self.init(integer)
        case let number as any BinaryFloatingPoint: self.init(number: number)
        case let decimal as Decimal: self.init(decimal)
        default:
            guard let bits = DecimalBits(text: "\(value)") else {
                fatalError(
                    "\(value), of type \(type(of: value)), cannot be converted to Decimal128."
                )
            }
            self.init(bits)
        }
    }
}

// MARK: - To other numbers

extension Decimal128 {
    /// The nearest double, as returned by `Double.init(_:)`.
    public var doubleValue: Double { bits.doubleValue }
}

extension Double {
    /// Creates the nearest double, with ties rounded to even. Values beyond the range of doubles
    /// become infinities or zeros; NaN remains NaN.
    public init(_ decimal: Decimal128) {
        self = decimal.bits.doubleValue
    }
}

extension Int {
    /// Creates an integer with the same value, or returns `nil` if the decimal has a fraction,
    /// doesn't fit, or is an infinity or NaN.
    public init?(exactly decimal: Decimal128) {
        guard let integer = decimal.bits.exactInt64 else { return nil }
        self = Int(integer)
    }

    /// Creates an integer by discarding the fraction, or returns `nil` if the result doesn't fit or
    /// the decimal is an infinity or NaN.
    public init?(truncating decimal: Decimal128) {
        guard let integer = decimal.bits.truncatedInt64 else { return nil }
        self = Int(integer)
    }
}

extension Decimal {
    /// Creates a Foundation decimal with the same value (NaN for NaN), or returns `nil` for values
    /// that it cannot represent: infinities, digits below 10^-128, and numbers of 10^165 and above.
    ///
    /// Trailing zeros and the sign of a zero are not preserved.
    public init?(exactly decimal: Decimal128) {
        guard !decimal.isNaN else {
            self = .nan
            return
        }
        guard var parts = decimal.bits.canonical.finiteParts else { return nil }
        // The maximum exponent is 127; higher ones are reduced by padding the
        // coefficient to 38 digits.
        while parts.exponent > 127, parts.coefficient < Self.maximumPadded {
            parts.coefficient *= 10
            parts.exponent -= 1
        }
        let text = "\(parts.isNegative ? "-" : "")\(parts.coefficient)E\(parts.exponent)"
        guard let number = Decimal(string: text), !number.isNaN, Decimal128(number) == decimal
        else { return nil }
        self = number
    }

    /// 10^37. A smaller coefficient has room for another digit.
    private static var maximumPadded: UInt128 { 10_000_000_000_000_000_000_000_000_000_000_000_000 }
}
