// Minimum and maximum of enums whose raw values have an order, by raw value. A raw value without a
// case (written by another version of the program) counts, and is an error if it is the minimum or
// maximum.

extension Queryable {
    /// Returns the value of an enum property with the smallest raw value, ignoring `nil`, or `nil`
    /// if there are no values. Accepts the same key paths as `sum(of:)`.
    public func min<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        queriedBound(.minimum, of: keyPath)
    }

    /// Returns the value of an enum property with the greatest raw value, like `min(of:)`.
    public func max<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        queriedBound(.maximum, of: keyPath)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the value of an enum property with the smallest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    @_disfavoredOverload
    public func min<V: EnumValue>(of keyPath: KeyPath<Element, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        bound(.minimum, of: keyPath)
    }

    /// Returns the value of an enum property with the greatest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    @_disfavoredOverload
    public func max<V: EnumValue>(of keyPath: KeyPath<Element, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        bound(.maximum, of: keyPath)
    }
}

// MARK: Collections of enums

// For `Comparable` enums the standard library's methods take precedence: the program's order
// counts.

extension RealmCollection where Element: EnumValue, Element._Enum.RawValue: BoundedValue {
    /// Returns the element with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    @_disfavoredOverload
    public func min() -> Element._Enum? { bound(.minimum) }

    /// Returns the element with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    @_disfavoredOverload
    public func max() -> Element._Enum? { bound(.maximum) }
}

extension FrozenValues where Element: EnumValue, Element._Enum.RawValue: BoundedValue & Sendable {
    /// Returns the value with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Element._Enum? { bound(.minimum) }

    /// Returns the value with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max() -> Element._Enum? { bound(.maximum) }
}

extension Map where Value: EnumValue, Value._Enum.RawValue: BoundedValue {
    /// Returns the value with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    public func min() -> Value._Enum? { bound(.minimum) }

    /// Returns the value with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    public func max() -> Value._Enum? { bound(.maximum) }
}
