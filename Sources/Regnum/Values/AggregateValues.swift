public import FoundationEssentials

/// A property type that can be aggregated, or its optional.
public protocol AggregatableValue: ScalarValue {
    /// The type without its optional.
    associatedtype Required: RequiredValue = Self
}

/// A property type that can be summed and averaged: the integers, `Float`, `Double`, `Decimal128`,
/// ``AnyRealmValue``, and their optionals.
public protocol SummableValue: AggregatableValue {
    /// The type of sums: `Int` for integers, otherwise the type without its optional.
    associatedtype Total: RequiredValue & OrderedValue = Self
    /// The type of averages: `Decimal128` for itself, `AnyRealmValue` for
    /// itself, otherwise `Double`.
    associatedtype Mean: RequiredValue & OrderedValue = Double
}

/// A property type that has a minimum and a maximum: the integers, `Float`, `Double`, `Decimal128`,
/// `Date`, ``AnyRealmValue``, and their optionals.
public protocol BoundedValue: AggregatableValue {}

extension Int: SummableValue, BoundedValue {}

extension Int8: SummableValue, BoundedValue {
    public typealias Total = Int
}

extension Int16: SummableValue, BoundedValue {
    public typealias Total = Int
}

extension Int32: SummableValue, BoundedValue {
    public typealias Total = Int
}

extension Int64: SummableValue, BoundedValue {
    public typealias Total = Int
}

extension Float: SummableValue, BoundedValue {}

extension Double: SummableValue, BoundedValue {}

extension Decimal128: SummableValue, BoundedValue {
    public typealias Mean = Decimal128
}

/// Numbers of all kinds are aggregated as decimals; other values are ignored.
extension AnyRealmValue: SummableValue, BoundedValue {
    public typealias Mean = AnyRealmValue
}

extension Date: BoundedValue {}

extension Optional: AggregatableValue where Wrapped: AggregatableValue & RequiredValue {
    public typealias Required = Wrapped
}

extension Optional: SummableValue where Wrapped: SummableValue & RequiredValue {
    public typealias Total = Wrapped.Total
    public typealias Mean = Wrapped.Mean
}

extension Optional: BoundedValue where Wrapped: BoundedValue & RequiredValue {}
