internal import RegnumEngine
internal import RegnumStore

// The least and greatest values of enums whose raw values have such, by the raw values. A raw value that is no
// case (another version of the program wrote it) counts, and gives nil where it is the least or greatest.

extension EnumValue where _Enum.RawValue: BoundedValue {
    /// The case of what a fold of stored values is; nil for nothing, and what is no case.
    static func folded(_ value: Value?) -> _Enum? {
        value.flatMap { _Enum._decode(_StoredValue($0)) }
    }
}

extension Sequence where Element: EnumValue, Element._Enum.RawValue: BoundedValue {
    /// As `engineBound` of the raw values.
    func enumBound(_ precedes: (Int) -> Bool) -> Element._Enum? {
        let values = map { Element._Enum.RawValue?.fromEngine($0.engineValue) }
        return values.engineBound(precedes).flatMap { Element._Enum(rawValue: $0) }
    }
}

extension Queryable {
    /// The value of an enum property whose raw value is the least; nil values are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func min<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return V.folded(
            _ask(nil) { plan, state throws(StoreError) in try plan.minimum(of: column, state) })
    }

    /// The value of an enum property whose raw value is the greatest; nil values are left out; nil for
    /// nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func max<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return V.folded(
            _ask(nil) { plan, state throws(StoreError) in try plan.maximum(of: column, state) })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The value of an enum property whose raw value is the least; nil values are left out; nil for nothing.
    @_disfavoredOverload
    public func min<V: EnumValue>(of keyPath: KeyPath<Element, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        if let results = objectResults { return results.min(of: keyPath) }
        return map { $0[keyPath: keyPath] }.enumBound { $0 < 0 }
    }

    /// The value of an enum property whose raw value is the greatest; nil values are left out; nil for
    /// nothing.
    @_disfavoredOverload
    public func max<V: EnumValue>(of keyPath: KeyPath<Element, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        if let results = objectResults { return results.max(of: keyPath) }
        return map { $0[keyPath: keyPath] }.enumBound { $0 > 0 }
    }
}

// MARK: Collections of enums

// The standard library's for what is `Comparable` go before these: the program's order counts then.

extension RealmCollection where Element: EnumValue, Element._Enum.RawValue: BoundedValue {
    /// The element whose raw value is the least; nil is left out; nil for nothing.
    @_disfavoredOverload
    public func min() -> Element._Enum? {
        guard let values = _storedValues else { return enumBound { $0 < 0 } }
        return values.min(Element._Enum.RawValue?.self).flatMap { Element._Enum(rawValue: $0) }
    }

    /// The element whose raw value is the greatest; nil is left out; nil for nothing.
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        guard let values = _storedValues else { return enumBound { $0 > 0 } }
        return values.max(Element._Enum.RawValue?.self).flatMap { Element._Enum(rawValue: $0) }
    }
}

extension FrozenValues where Element: EnumValue, Element._Enum.RawValue: BoundedValue & Sendable {
    /// The value whose raw value is the least; nil values are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Element._Enum? {
        FrozenValues<Element._Enum.RawValue?>(query).min().flatMap { Element._Enum(rawValue: $0) }
    }

    /// The value whose raw value is the greatest; nil values are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        FrozenValues<Element._Enum.RawValue?>(query).max().flatMap { Element._Enum(rawValue: $0) }
    }
}

extension Map where Value: EnumValue, Value._Enum.RawValue: BoundedValue {
    /// The value whose raw value is the least; nil is left out; nil for nothing.
    public func min() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 < 0 } }
        return handle.min(Value._Enum.RawValue?.self).flatMap { Value._Enum(rawValue: $0) }
    }

    /// The value whose raw value is the greatest; nil is left out; nil for nothing.
    public func max() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 > 0 } }
        return handle.max(Value._Enum.RawValue?.self).flatMap { Value._Enum(rawValue: $0) }
    }
}
