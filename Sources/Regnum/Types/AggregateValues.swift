public import FoundationEssentials

/// A property with a type that can be folded: the type itself or its optional.
public protocol AggregatableValue: ScalarValue {
    /// The type without its optional.
    associatedtype Required: RequiredValue
}

/// A property that can be added up: `Int`, `Double` and their optionals.
public protocol SummableValue: AggregatableValue {}

/// A property that has a least and a greatest value: `Int`, `Double`, `Date` and their optionals.
public protocol BoundedValue: AggregatableValue {}

extension Int: SummableValue, BoundedValue {
    public typealias Required = Int
}

extension Double: SummableValue, BoundedValue {
    public typealias Required = Double
}

extension Date: BoundedValue {
    public typealias Required = Date
}

extension Optional: AggregatableValue where Wrapped: AggregatableValue & RequiredValue {
    public typealias Required = Wrapped
}

extension Optional: SummableValue where Wrapped: SummableValue & RequiredValue {}
extension Optional: BoundedValue where Wrapped: BoundedValue & RequiredValue {}
