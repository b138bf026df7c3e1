public import FoundationEssentials
import RegnumEngine

// MARK: - From other numbers

extension Decimal128 {
    /// The integer, rounded if it has more than 34 digits.
    public init(_ integer: some BinaryInteger) {
        if let short = Int64(exactly: integer) {
            self.init(DecimalBits(short))
        } else if let long = Int128(exactly: integer) {
            self.init(DecimalBits(long))
        } else {
            self.init(string: integer.description)
        }
    }

    /// The integer, or nil if it has more than 34 digits that are not zeros at its end.
    public init?<Integer: BinaryInteger>(exactly integer: Integer) {
        if let short = Int64(exactly: integer) {
            self.init(DecimalBits(short))
        } else {
            guard let bits = DecimalBits(exactText: integer.description) else { return nil }
            self.init(bits)
        }
    }

    /// The number with the fewest digits that gives the double back: 0.1 for the double 0.1, which
    /// itself is a little more.
    ///
    /// Doubles of up to 15 digits take some divisions; others are written as text and read.
    public init(_ double: Double) {
        self.init(DecimalBits(double))
    }

    /// The number with the fewest digits that gives the float back.
    public init(_ float: Float) {
        self.init(DecimalBits(float))
    }

    /// The Foundation decimal, which may have up to 38 digits, rounded to 34.
    public init(_ decimal: Decimal) {
        self.init(string: decimal.description)
    }

    /// The same as `init(_:)`.
    public init(number: some BinaryInteger) {
        self.init(number)
    }

    /// The number with the fewest digits that gives the floating point number back; of one that is
    /// neither `Float` nor `Double`, its double.
    public init(number: some BinaryFloatingPoint) {
        if let float = number as? Float {
            self.init(float)
        } else {
            self.init(Double(number))
        }
    }

    /// The same as `init(_:)`.
    public init(number: Decimal) {
        self.init(number)
    }

    /// The number in a value of one of these types: `Decimal128`, `String`, the integers, the floating
    /// point numbers, `Decimal`, and what describes itself as a number, such as `NSNumber`.
    ///
    /// A string that is no number gives NaN.
    ///
    /// - Precondition: the value is of such a type.
    public init(value: Any) {
        switch withoutFoundation(value) ?? value {
        case let number as Decimal128: self = number
        case let text as String: self.init(string: text)
        case let integer as any BinaryInteger: self.init(integer)
        case let number as any BinaryFloatingPoint: self.init(number: number)
        case let decimal as Decimal: self.init(decimal)
        default:
            guard let bits = DecimalBits(text: "\(value)") else {
                fatalError("A \(type(of: value)) cannot be made a Decimal128.")
            }
            self.init(bits)
        }
    }
}

// MARK: - To other numbers

extension Decimal128 {
    /// The double nearest to the decimal, as `Double.init(_:)` gives it.
    public var doubleValue: Double { bits.doubleValue }
}

extension Double {
    /// The double nearest to the decimal, the even one of two; an infinity beyond the greatest, zero
    /// below the least; NaN for NaN.
    public init(_ decimal: Decimal128) {
        self = decimal.bits.doubleValue
    }
}

extension Int {
    /// The same number, or nil if it has a fraction, does not fit, or is an infinity or NaN.
    public init?(exactly decimal: Decimal128) {
        guard let integer = decimal.bits.exactInt64 else { return nil }
        self = Int(integer)
    }

    /// The number without its fraction, or nil if that does not fit, or it is an infinity or NaN.
    public init?(truncating decimal: Decimal128) {
        guard let integer = decimal.bits.truncatedInt64 else { return nil }
        self = Int(integer)
    }
}

extension Decimal {
    /// The same number (NaN for NaN), or nil for one that Foundation decimals do not have: an
    /// infinity, one with digits below 10^-128, one of 10^165 and more.
    ///
    /// Its trailing zeros and the sign of a zero are not kept.
    public init?(exactly decimal: Decimal128) {
        guard !decimal.isNaN else {
            self = .nan
            return
        }
        guard var parts = decimal.bits.canonical.finiteParts else { return nil }
        // Exponents end at 127, where there is room for 38 digits.
        while parts.exponent > 127, parts.coefficient < Self.paddedMax {
            parts.coefficient *= 10
            parts.exponent -= 1
        }
        let text = "\(parts.isNegative ? "-" : "")\(parts.coefficient)E\(parts.exponent)"
        guard let number = Decimal(string: text), !number.isNaN, Decimal128(number) == decimal
        else { return nil }
        self = number
    }

    /// 10^37: what is below it, takes another digit.
    private static var paddedMax: UInt128 { 10_000_000_000_000_000_000_000_000_000_000_000_000 }
}
