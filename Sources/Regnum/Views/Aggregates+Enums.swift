internal import RegnumEngine
internal import RegnumStore

// The least and greatest values of enums whose raw values have such, by the raw values. A raw value that is no
// case (another version of the program wrote it) counts, and is an error where it is the least or
// greatest.

extension EnumValue where _Enum.RawValue: BoundedValue {
    /// The case of what a fold of stored values is; nil for nothing.
    ///
    /// - Throws: `.invalidValue` for what is no case.
    static func folded(_ value: Value?) throws(StoreError) -> _Enum? {
        guard let value else { return nil }
        if let found = _Enum._decode(_StoredValue(value)) { return found }
        throw StoreError(
            .invalidValue,
            "The least or greatest \(_Enum.self) is stored as \(value.keyText), which is none of its "
                + "cases: another version of the program may have written it.")
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
        return _ask(nil) { plan, state throws(StoreError) in
            try V.folded(plan.minimum(of: column, state))
        }
    }

    /// The value of an enum property whose raw value is the greatest; nil values are left out; nil for
    /// nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func max<V: EnumValue>(of keyPath: KeyPath<Model, V>) -> V._Enum?
    where V._Enum.RawValue: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in
            try V.folded(plan.maximum(of: column, state))
        }
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
        let found = values.min(Element._Enum.RawValue?.self)?.engineValue
        return values.converted(nil) { () throws(StoreError) in try Element.folded(found) }
    }

    /// The element whose raw value is the greatest; nil is left out; nil for nothing.
    @_disfavoredOverload
    public func max() -> Element._Enum? {
        guard let values = _storedValues else { return enumBound { $0 > 0 } }
        let found = values.max(Element._Enum.RawValue?.self)?.engineValue
        return values.converted(nil) { () throws(StoreError) in try Element.folded(found) }
    }
}

extension FrozenValues where Element: EnumValue, Element._Enum.RawValue: BoundedValue & Sendable {
    /// The value whose raw value is the least; nil values are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Element._Enum? {
        query.ask(nil) { state throws(StoreError) in
            try Element.folded(query.plan.minimum(of: column, state))
        }
    }

    /// The value whose raw value is the greatest; nil values are left out; nil for nothing.
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
    /// The value whose raw value is the least; nil is left out; nil for nothing.
    public func min() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 < 0 } }
        let found = handle.min(Value._Enum.RawValue?.self)?.engineValue
        return handle.converted(nil) { () throws(StoreError) in try Value.folded(found) }
    }

    /// The value whose raw value is the greatest; nil is left out; nil for nothing.
    public func max() -> Value._Enum? {
        guard let handle else { return values.enumBound { $0 > 0 } }
        let found = handle.max(Value._Enum.RawValue?.self)?.engineValue
        return handle.converted(nil) { () throws(StoreError) in try Value.folded(found) }
    }
}
