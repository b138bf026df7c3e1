internal import RegnumEngine
internal import RegnumStore

// Aggregates of projected types: those of the persisted type, as values of the projected one.

extension ProjectedValue {
    /// What an aggregate of stored values is; nil for nothing.
    ///
    /// - Throws: `.invalidValue` for what cannot be converted.
    static func folded(_ value: Value?) throws(StoreError) -> _Projected? {
        guard let value else { return nil }
        return try summed(value)
    }

    /// What a sum of stored values is.
    ///
    /// - Throws: `.invalidValue` for what cannot be converted.
    static func summed(_ value: Value) throws(StoreError) -> _Projected {
        if let sum = _Projected._decode(_StoredValue(value)) { return sum }
        throw StoreError(
            .invalidValue,
            "An aggregate of values of type \(_Projected.self) is stored as \(value.keyText), of which "
                + "no \(_Projected.self) can be made: ask for that of their persistableValue.")
    }

    /// As `summed`, of an unmanaged collection.
    static func summed(unmanaged value: Value) -> _Projected {
        do throws(StoreError) {
            return try summed(value)
        } catch {
            fatalError(error.sentence)
        }
    }
}

extension Queryable {
    /// The sum of a property of a projected type, as a value of that type; nil values are left out.
    ///
    /// A sum of integers that does not fit into an `Int`, and one of which no value of the type can
    /// be made, fail the transaction; of frozen and live results see ``Snapshot/read(_:)``.
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(V._Projected.placeholder()) { plan, state throws(StoreError) in
            try V.summed(plan.sum(of: column, state))
        }
    }

    /// The mean of what a property of a projected type is stored as; nil values are left out; nil for
    /// nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func average<V: ProjectedValue>(
        of keyPath: KeyPath<Model, V>
    ) -> V._PersistedProperty.Mean?
    where V._PersistedProperty: SummableValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in try plan.average(of: column, state) }
            .map { V._PersistedProperty.Mean.fromEngine($0) }
    }

    /// The value of a property of a projected type whose persisted value is the least; nil values and
    /// NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func min<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in
            try V.folded(plan.minimum(of: column, state))
        }
    }

    /// The value of a property of a projected type whose persisted value is the greatest; nil values
    /// and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in
            try V.folded(plan.maximum(of: column, state))
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// As `Results.sum(of:)` of a projected type, each object as often as it is there.
    @_disfavoredOverload
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.sum(of: keyPath) }
        return V.summed(unmanaged: stored(keyPath).engineSum().engineValue)
    }

    /// As `Results.average(of:)` of a projected type, each object as often as it is there.
    @_disfavoredOverload
    public func average<V: ProjectedValue>(
        of keyPath: KeyPath<Element, V>
    ) -> V._PersistedProperty.Mean?
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.average(of: keyPath) }
        return stored(keyPath).engineAverage()
    }

    /// As `Results.min(of:)` of a projected type.
    @_disfavoredOverload
    public func min<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        if let results = objectResults { return results.min(of: keyPath) }
        return stored(keyPath).engineBound { $0 < 0 }.map { V.summed(unmanaged: $0.engineValue) }
    }

    /// As `Results.max(of:)` of a projected type.
    @_disfavoredOverload
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        if let results = objectResults { return results.max(of: keyPath) }
        return stored(keyPath).engineBound { $0 > 0 }.map { V.summed(unmanaged: $0.engineValue) }
    }

    private func stored<V: ProjectedValue>(
        _ keyPath: KeyPath<Element, V>
    ) -> [V._PersistedProperty] where V._PersistedProperty: ScalarValue {
        map { V._PersistedProperty.fromEngine($0[keyPath: keyPath].engineValue) }
    }
}

// MARK: Collections of values

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: SummableValue {
    /// The sum of the elements as a value of their type; nil is left out.
    ///
    /// A sum of integers that does not fit into an `Int`, and one of which no value of the type can
    /// be made, fail the transaction; of an unmanaged collection they end the process.
    public func sum() -> Element._Projected {
        guard let values = _storedValues else {
            return Element.summed(unmanaged: stored.engineSum().engineValue)
        }
        let sum = values.sum(Element._PersistedProperty.self).engineValue
        return values.converted(Element._Projected.placeholder()) { () throws(StoreError) in
            try Element.summed(sum)
        }
    }

    /// The mean of what the elements are stored as; nil is left out; nil for nothing.
    public func average() -> Element._PersistedProperty.Mean? {
        guard let values = _storedValues else { return stored.engineAverage() }
        return values.average(Element._PersistedProperty.self)
    }
}

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: BoundedValue {
    /// The least element; nil and NaN are left out; nil for nothing.
    public func min() -> Element._Projected? { least }

    /// The greatest element; nil and NaN are left out; nil for nothing.
    public func max() -> Element._Projected? { greatest }

    fileprivate var least: Element._Projected? {
        guard let values = _storedValues else {
            return stored.engineBound { $0 < 0 }.map { Element.summed(unmanaged: $0.engineValue) }
        }
        let least = values.min(Element._PersistedProperty.self)?.engineValue
        return values.converted(nil) { () throws(StoreError) in try Element.folded(least) }
    }

    fileprivate var greatest: Element._Projected? {
        guard let values = _storedValues else {
            return stored.engineBound { $0 > 0 }.map { Element.summed(unmanaged: $0.engineValue) }
        }
        let greatest = values.max(Element._PersistedProperty.self)?.engineValue
        return values.converted(nil) { () throws(StoreError) in try Element.folded(greatest) }
    }
}

// The standard library has these for what is `Comparable`: the more special ones are meant.
extension RealmCollection
where Element: ProjectedValue & Comparable, Element._PersistedProperty: BoundedValue {
    /// The least element; nil and NaN are left out; nil for nothing.
    public func min() -> Element._Projected? { least }

    /// The greatest element; nil and NaN are left out; nil for nothing.
    public func max() -> Element._Projected? { greatest }
}

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: ScalarValue {
    /// The elements as what is stored of them.
    fileprivate var stored: [Element._PersistedProperty] {
        map { Element._PersistedProperty.fromEngine($0.engineValue) }
    }
}

extension FrozenValues
where Element: ProjectedValue, Element._PersistedProperty: SummableValue & Sendable {
    /// The sum of the values as one of their type; nil values are left out.
    ///
    /// A sum of integers that does not fit into an `Int` is an `.invalidQuery`, and one of which no
    /// value of the type can be made an `.invalidValue`: see ``Snapshot/read(_:)``.
    /// - Complexity: O(n).
    public func sum() -> Element._Projected {
        query.ask(Element._Projected.placeholder()) { state throws(StoreError) in
            try Element.summed(query.plan.sum(of: column, state))
        }
    }

    /// The mean of what the values are stored as; nil values are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func average() -> Element._PersistedProperty.Mean? {
        FrozenValues<Element._PersistedProperty>(query).average()
    }
}

extension FrozenValues
where Element: ProjectedValue, Element._PersistedProperty: BoundedValue & Sendable {
    /// The least value; nil values and NaN are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func min() -> Element._Projected? {
        query.ask(nil) { state throws(StoreError) in
            try Element.folded(query.plan.minimum(of: column, state))
        }
    }

    /// The greatest value; nil values and NaN are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func max() -> Element._Projected? {
        query.ask(nil) { state throws(StoreError) in
            try Element.folded(query.plan.maximum(of: column, state))
        }
    }
}
