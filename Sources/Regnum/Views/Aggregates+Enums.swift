internal import RegnumEngine
internal import RegnumStore

// Minimum and maximum of enums whose raw values have an order, by raw value. A raw value without a
// case (written by another version of the program) counts, and is an error if it is the minimum or
// maximum.

extension EnumValue where _Enum.RawValue: BoundedValue {
    /// Returns the enum case of an aggregated stored value, or `nil` for no value.
    ///
    /// - Throws: `.invalidValue` if there is no such case.
    static func folded(_ value: Value?) throws(StoreError) -> _Enum? {
        guard let value else { return nil }
        if let found = _Enum._decode(_StoredValue(value)) { return found }
        throw StoreError(
            .invalidValue,
            "The minimum or maximum \(_Enum.self) is stored as \(value.keyText), which isn't "
                + "one of its cases: another version of the program may have written it.")
    }
}

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
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try V.folded(plan.minimum(of: column, state))
        }
    }

    /// Returns the value of an enum property with the greatest raw value, ignoring `nil`, or `nil`
    /// if there are no values.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func max<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try V.folded(plan.maximum(of: column, state))
        }
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
        guard let values = _storedValues else { return enumBound { $0 < 0 } }
        let found = values.min(Element._Enum.RawValue?.self)?.engineValue
        return values.converted(nil) { () throws(StoreError) in try Element.folded(found) }
    }

    /// Returns the element with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        guard let values = _storedValues else { return enumBound { $0 > 0 } }
        let found = values.max(Element._Enum.RawValue?.self)?.engineValue
        return values.converted(nil) { () throws(StoreError) in try Element.folded(found) }
    }
}

extension FrozenValues where Element: EnumValue, Element._Enum.RawValue: BoundedValue & Sendable {
    /// Returns the value with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Element._Enum? {
        query.ask(nil) { state throws(StoreError) in
            try Element.folded(query.plan.minimum(of: column, state))
        }
    }

    /// Returns the value with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        query.ask(nil) { state throws(StoreError) in
            try Element.folded(query.plan.maximum(of: column, state))
        }
    }
}

extension Map where Value: EnumValue, Value._Enum.RawValue: BoundedValue {
    /// Returns the value with the smallest raw value, ignoring `nil`, or `nil` if there is none.
    public func min() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 < 0 } }
        let found = handle.min(Value._Enum.RawValue?.self)?.engineValue
        return handle.converted(nil) { () throws(StoreError) in try Value.folded(found) }
    }

    /// Returns the value with the greatest raw value, ignoring `nil`, or `nil` if there is none.
    public func max() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 > 0 } }
        let found = handle.max(Value._Enum.RawValue?.self)?.engineValue
        return handle.converted(nil) { () throws(StoreError) in try Value.folded(found) }
    }
}
