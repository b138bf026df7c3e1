internal import RegnumEngine

// Minimum and maximum of enums whose raw values have an order, by raw value. A raw value without a
// case (written by another version of the program) counts, and is an error if it is the minimum or
// maximum.

extension Sequence where Element: EnumValue, Element._Enum.RawValue: BoundedValue {
    /// Like `engineBound`, for the raw values.
    func enumBound(_ precedes: (Int) -> Bool) -> Element._Enum? {
        let values = map { Element._Enum.RawValue?.fromEngine($0.engineValue) }
        return values.engineBound(precedes).flatMap { Element._Enum(rawValue: $0) }
    }
}

extension Queryable {
    /// Returns the value of an enum property with the smallest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func min<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        least(of: keyPath, as: V._Enum.self)
    }

    /// Returns the value of an enum property with the greatest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func max<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        greatest(of: keyPath, as: V._Enum.self)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the value of an enum property with the smallest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    @_disfavoredOverload
    public func min<V: EnumValue>(of keyPath: KeyPath<Element, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        if let results = objectResults { return results.min(of: keyPath) }
        return map { $0[keyPath: keyPath] }.enumBound { $0 < 0 }
    }

    /// Returns the value of an enum property with the greatest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    @_disfavoredOverload
    public func max<V: EnumValue>(of keyPath: KeyPath<Element, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        if let results = objectResults { return results.max(of: keyPath) }
        return map { $0[keyPath: keyPath] }.enumBound { $0 > 0 }
    }
}

// MARK: Collections of enums

// For `Comparable` enums the standard library's methods take precedence: the program's order
// counts.

extension RealmCollection where Element: EnumValue, Element._Enum.RawValue: BoundedValue {
    /// Returns the element with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    @_disfavoredOverload
    public func min() -> Element._Enum? {
        guard let values = erased.storedValues else { return enumBound { $0 < 0 } }
        return values.min(as: Element._Enum.self)
    }

    /// Returns the element with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        guard let values = erased.storedValues else { return enumBound { $0 > 0 } }
        return values.max(as: Element._Enum.self)
    }
}

extension FrozenValues where Element: EnumValue, Element._Enum.RawValue: BoundedValue & Sendable {
    /// Returns the value with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Element._Enum? {
        least(as: Element._Enum.self)
    }

    /// Returns the value with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        greatest(as: Element._Enum.self)
    }
}

extension Map where Value: EnumValue, Value._Enum.RawValue: BoundedValue {
    /// Returns the value with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    public func min() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 < 0 } }
        return handle.min(as: Value._Enum.self)
    }

    /// Returns the value with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    public func max() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 > 0 } }
        return handle.max(as: Value._Enum.self)
    }
}
