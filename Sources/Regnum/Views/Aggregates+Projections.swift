internal import RegnumEngine
internal import RegnumStore

// Aggregates of projected types: those of the persisted type, as values of the projected one.

extension ProjectedValue {
    /// What an aggregate of stored values is; nil for nothing, and what cannot be converted.
    static func folded(_ value: Value?) -> _Projected? {
        value.flatMap { _Projected._decode(_StoredValue($0)) }
    }

    /// What a sum of stored values is.
    static func summed(_ value: Value) -> _Projected {
        if let sum = _Projected._decode(_StoredValue(value)) { return sum }
        fatalError(
            "The sum of values of type \(_Projected.self) is stored as \(value.keyText), of which "
                + "no \(_Projected.self) can be made: sum up their persistableValue.")
    }
}

extension Queryable {
    /// The sum of a property of a projected type, as a value of that type; nil values are left out.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of frozen and live
    /// results it goes to the realm's log, and is 0.
    /// - Precondition: the key path names a stored property, or one of a linked object; a value of the
    ///   type can be made of the sum.
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        let zero = V._PersistedProperty.Total._storage.zero
        return V.summed(
            _ask(zero) { plan, state throws(StoreError) in try plan.sum(of: column, state) })
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
        return V.folded(
            _ask(nil) { plan, state throws(StoreError) in try plan.minimum(of: column, state) })
    }

    /// The value of a property of a projected type whose persisted value is the greatest; nil values
    /// and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return V.folded(
            _ask(nil) { plan, state throws(StoreError) in try plan.maximum(of: column, state) })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// As `Results.sum(of:)` of a projected type, each object as often as it is there.
    @_disfavoredOverload
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.sum(of: keyPath) }
        return V.summed(stored(keyPath).engineSum().engineValue)
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
        return V.folded(stored(keyPath).engineBound { $0 < 0 }?.engineValue)
    }

    /// As `Results.max(of:)` of a projected type.
    @_disfavoredOverload
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        if let results = objectResults { return results.max(of: keyPath) }
        return V.folded(stored(keyPath).engineBound { $0 > 0 }?.engineValue)
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
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged collection
    /// it ends the process.
    /// - Precondition: a value of the type can be made of the sum.
    public func sum() -> Element._Projected {
        let sum = _storedValues?.sum(Element._PersistedProperty.self) ?? stored.engineSum()
        return Element.summed(sum.engineValue)
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
        let values = _storedValues
        let least =
            values == nil
            ? stored.engineBound { $0 < 0 } : values?.min(Element._PersistedProperty.self)
        return Element.folded(least?.engineValue)
    }

    fileprivate var greatest: Element._Projected? {
        let values = _storedValues
        let greatest =
            values == nil
            ? stored.engineBound { $0 > 0 } : values?.max(Element._PersistedProperty.self)
        return Element.folded(greatest?.engineValue)
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
    /// A sum of integers that does not fit into an `Int` goes to the realm's log as an error, and is 0.
    /// - Precondition: a value of the type can be made of the sum.
    /// - Complexity: O(n).
    public func sum() -> Element._Projected {
        Element.summed(FrozenValues<Element._PersistedProperty>(query).sum().engineValue)
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
        Element.folded(FrozenValues<Element._PersistedProperty>(query).min()?.engineValue)
    }

    /// The greatest value; nil values and NaN are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func max() -> Element._Projected? {
        Element.folded(FrozenValues<Element._PersistedProperty>(query).max()?.engineValue)
    }
}
