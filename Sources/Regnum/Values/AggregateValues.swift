public import FoundationEssentials

/// A property type that has a minimum and a maximum: the integers, `Float`, `Double`, `Decimal128`,
/// `Date`, ``AnyRealmValue``, and their optionals.
public protocol BoundedValue: ScalarValue {
    /// The non-optional form of the type.
    associatedtype Required: RequiredValue = Self
}

/// A property type that can be summed and averaged: the integers, `Float`, `Double`, `Decimal128`,
/// ``AnyRealmValue``, and their optionals.
public protocol SummableValue: BoundedValue {
    /// The type of sums: `Int` for integers, otherwise the non-optional form of the type.
    associatedtype Total: RequiredValue & OrderedValue = Self
    /// The type of averages: `Decimal128` for `Decimal128`, `AnyRealmValue` for `AnyRealmValue`,
    /// otherwise `Double`.
    associatedtype Mean: RequiredValue & OrderedValue = Double
}

extension Int: SummableValue {}

extension SummableValue where Self: FixedWidthInteger {
    public typealias Total = Int
}

extension Int8: SummableValue {}

extension Int16: SummableValue {}

extension Int32: SummableValue {}

extension Int64: SummableValue {}

extension Float: SummableValue {}

extension Double: SummableValue {}

extension Decimal128: SummableValue {
    public typealias Mean = Decimal128
}

/// Numbers of all kinds are aggregated as decimals; other values are ignored.
extension AnyRealmValue: SummableValue {
    public typealias Mean = AnyRealmValue
}

extension Date: BoundedValue {}

extension Optional: BoundedValue where Wrapped: BoundedValue & RequiredValue {
    public typealias Required = Wrapped
}

extension Optional: SummableValue where Wrapped: SummableValue & RequiredValue {
    public typealias Total = Wrapped.Total
    public typealias Mean = Wrapped.Mean
}
