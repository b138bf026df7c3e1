internal import RegnumEngine
internal import RegnumStore

// Aggregates of projected types: those of the persisted type, converted to the projected type.

extension ProjectedValue {
    /// Returns the projected value of a sum of stored values.
    ///
    /// - Throws: `.invalidValue` if it can't be converted.
    static func summed(_ value: Value) throws(StoreError) -> _Projected {
        if let sum = _Projected._decode(_StoredValue(value)) { return sum }
        throw StoreError(
            .invalidValue,
            "A sum of values of type \(_Projected.self) is stored as \(value.keyText), "
                + "which can't be converted to \(_Projected.self). Aggregate their "
                + "persistableValue instead.")
    }
}

extension Sequence where Element: ProjectedValue, Element._PersistedProperty: ScalarValue {
    /// The persisted values of the elements.
    var persisted: [Element._PersistedProperty] {
        map { Element._PersistedProperty.fromEngine($0.engineValue) }
    }
}

extension Sequence where Element: ProjectedValue, Element._PersistedProperty: SummableValue {
    /// The sum of the elements of an unmanaged collection. Traps if it can't be converted.
    var projectedSum: Element._Projected {
        do throws(StoreError) {
            return try Element.summed(persisted.engineSum().engineValue)
        } catch {
            fatalError(error.message)
        }
    }
}

extension Queryable {
    /// Returns the sum of a property of a projected type, as a value of that type, ignoring `nil`.
    ///
    /// Integer overflow, and a sum that can't be converted to the type, fail the transaction; for
    /// frozen and live results see ``Snapshot/read(_:)``.
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        let column = aggregated(keyPath)
        return _ask(V._Projected.placeholder(), through: column.dependencies) {
            plan, state throws(StoreError) in
            try V.summed(plan.sum(of: column, state))
        }
    }

    /// Returns the mean of the persisted values of a property of a projected type, ignoring `nil`,
    /// or `nil` if there are none.
    public func average<V: ProjectedValue>(
        of keyPath: KeyPath<Model, V>
    ) -> V._PersistedProperty.Mean?
    where V._PersistedProperty: SummableValue {
        queriedAverage(of: keyPath).map { V._PersistedProperty.Mean.fromEngine($0) }
    }

    /// Returns the value of a property of a projected type with the smallest persisted value,
    /// ignoring `nil` and NaN, or `nil` if there is none.
    public func min<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        queriedBound(.minimum, of: keyPath)
    }

    /// Returns the value of a property of a projected type with the greatest persisted value,
    /// ignoring `nil` and NaN, or `nil` if there is none.
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        queriedBound(.maximum, of: keyPath)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the sum of a property of a projected type, like `Results.sum(of:)`. Each occurrence
    /// of an object is counted.
    @_disfavoredOverload
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.sum(of: keyPath) }
        return map { $0[keyPath: keyPath] }.projectedSum
    }

    /// Returns the mean of a property of a projected type, like `Results.average(of:)`. Each
    /// occurrence of an object is counted.
    @_disfavoredOverload
    public func average<V: ProjectedValue>(
        of keyPath: KeyPath<Element, V>
    ) -> V._PersistedProperty.Mean?
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.average(of: keyPath) }
        return map { $0[keyPath: keyPath] }.persisted.engineAverage()
    }

    /// Returns the minimum of a property of a projected type, like `Results.min(of:)`.
    @_disfavoredOverload
    public func min<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        bound(.minimum, of: keyPath)
    }

    /// Returns the maximum of a property of a projected type, like `Results.max(of:)`.
    @_disfavoredOverload
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        bound(.maximum, of: keyPath)
    }
}

// MARK: Collections of values

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: SummableValue {
    /// Returns the sum of the elements as a value of their type, ignoring `nil`.
    ///
    /// Integer overflow, and a sum that can't be converted to the type, fail the transaction; for
    /// an unmanaged collection they trap.
    public func sum() -> Element._Projected {
        erased.storedValues?.projectedSum(Element.self) ?? projectedSum
    }

    /// Returns the mean of the elements' persisted values, ignoring `nil`, or `nil` if there are
    /// none.
    public func average() -> Element._PersistedProperty.Mean? {
        guard let values = erased.storedValues else { return persisted.engineAverage() }
        return values.average(Element._PersistedProperty.self)
    }
}

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: BoundedValue {
    /// Returns the minimum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func min() -> Element._Projected? { bound(.minimum) }

    /// Returns the maximum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func max() -> Element._Projected? { bound(.maximum) }
}

// The standard library has these for `Comparable` elements, so more specialized ones are needed.
extension RealmCollection
where Element: ProjectedValue & Comparable, Element._PersistedProperty: BoundedValue {
    /// Returns the minimum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func min() -> Element._Projected? { bound(.minimum) }

    /// Returns the maximum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func max() -> Element._Projected? { bound(.maximum) }
}

extension FrozenValues
where Element: ProjectedValue, Element._PersistedProperty: SummableValue & Sendable {
    /// Returns the sum of the values as a value of their type, ignoring `nil`.
    ///
    /// Integer overflow fails the read with `.invalidQuery`, and a sum that can't be converted to
    /// the type fails it with `.invalidValue`; see ``Snapshot/read(_:)``.
    ///
    /// - Complexity: O(n).
    public func sum() -> Element._Projected {
        query.run(Element._Projected.placeholder()) { state throws(StoreError) in
            try Element.summed(query.plan.sum(of: column, state))
        }
    }

    /// Returns the mean of the persisted values, ignoring `nil`, or `nil` if there are none.
    ///
    /// - Complexity: O(n).
    public func average() -> Element._PersistedProperty.Mean? {
        FrozenValues<Element._PersistedProperty>(query).average()
    }
}

extension FrozenValues
where Element: ProjectedValue, Element._PersistedProperty: BoundedValue & Sendable {
    /// Returns the minimum value, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    public func min() -> Element._Projected? { bound(.minimum) }

    /// Returns the maximum value, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    public func max() -> Element._Projected? { bound(.maximum) }
}
