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

    /// Like `summed`, for an unmanaged collection.
    static func summed(unmanaged value: Value) -> _Projected {
        do throws(StoreError) {
            return try summed(value)
        } catch {
            fatalError(error.sentence)
        }
    }
}

extension Queryable {
    /// Returns the sum of a property of a projected type, as a value of that type, ignoring `nil`.
    ///
    /// Integer overflow, and a sum that can't be converted to the type, fail the transaction; for
    /// frozen and live results see ``Snapshot/read(_:)``.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(V._Projected.placeholder(), through: column.dependencies) {
            plan, state throws(StoreError) in
            try V.summed(plan.sum(of: column, state))
        }
    }

    /// Returns the mean of the persisted values of a property of a projected type, ignoring `nil`,
    /// or `nil` if there are none.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func average<V: ProjectedValue>(
        of keyPath: KeyPath<Model, V>
    ) -> V._PersistedProperty.Mean?
    where V._PersistedProperty: SummableValue {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try plan.average(of: column, state)
        }
        .map { V._PersistedProperty.Mean.fromEngine($0) }
    }

    /// Returns the value of a property of a projected type with the smallest persisted value,
    /// ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func min<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        least(of: keyPath, as: V._Projected.self)
    }

    /// Returns the value of a property of a projected type with the greatest persisted value,
    /// ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func max<V: ProjectedValue>(of keyPath: KeyPath<Model, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        greatest(of: keyPath, as: V._Projected.self)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the sum of a property of a projected type, like `Results.sum(of:)`. Each occurrence
    /// of an object is counted.
    @_disfavoredOverload
    public func sum<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.sum(of: keyPath) }
        return V.summed(unmanaged: stored(keyPath).engineSum().engineValue)
    }

    /// Returns the mean of a property of a projected type, like `Results.average(of:)`. Each
    /// occurrence of an object is counted.
    @_disfavoredOverload
    public func average<V: ProjectedValue>(
        of keyPath: KeyPath<Element, V>
    ) -> V._PersistedProperty.Mean?
    where V._PersistedProperty: SummableValue {
        if let results = objectResults { return results.average(of: keyPath) }
        return stored(keyPath).engineAverage()
    }

    /// Returns the minimum of a property of a projected type, like `Results.min(of:)`.
    @_disfavoredOverload
    public func min<V: ProjectedValue>(of keyPath: KeyPath<Element, V>) -> V._Projected?
    where V._PersistedProperty: BoundedValue {
        if let results = objectResults { return results.min(of: keyPath) }
        return stored(keyPath).engineBound { $0 < 0 }.map { V.summed(unmanaged: $0.engineValue) }
    }

    /// Returns the maximum of a property of a projected type, like `Results.max(of:)`.
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
    /// Returns the sum of the elements as a value of their type, ignoring `nil`.
    ///
    /// Integer overflow, and a sum that can't be converted to the type, fail the transaction; for
    /// an unmanaged collection they trap.
    public func sum() -> Element._Projected {
        guard let values = erased.storedValues else {
            return Element.summed(unmanaged: stored.engineSum().engineValue)
        }
        let sum = values.sum(Element._PersistedProperty.self).engineValue
        return values.converted(Element._Projected.placeholder()) { () throws(StoreError) in
            try Element.summed(sum)
        }
    }

    /// Returns the mean of the elements' persisted values, ignoring `nil`, or `nil` if there are
    /// none.
    public func average() -> Element._PersistedProperty.Mean? {
        guard let values = erased.storedValues else { return stored.engineAverage() }
        return values.average(Element._PersistedProperty.self)
    }
}

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: BoundedValue {
    /// Returns the minimum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func min() -> Element._Projected? { least }

    /// Returns the maximum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func max() -> Element._Projected? { greatest }

    fileprivate var least: Element._Projected? {
        guard let values = erased.storedValues else {
            return stored.engineBound { $0 < 0 }.map { Element.summed(unmanaged: $0.engineValue) }
        }
        return values.min(as: Element._Projected.self)
    }

    fileprivate var greatest: Element._Projected? {
        guard let values = erased.storedValues else {
            return stored.engineBound { $0 > 0 }.map { Element.summed(unmanaged: $0.engineValue) }
        }
        return values.max(as: Element._Projected.self)
    }
}

// The standard library has these for `Comparable` elements, so more specialized ones are needed.
extension RealmCollection
where Element: ProjectedValue & Comparable, Element._PersistedProperty: BoundedValue {
    /// Returns the minimum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func min() -> Element._Projected? { least }

    /// Returns the maximum element, ignoring `nil` and NaN, or `nil` if there is none.
    public func max() -> Element._Projected? { greatest }
}

extension RealmCollection where Element: ProjectedValue, Element._PersistedProperty: ScalarValue {
    /// The persisted values of the elements.
    fileprivate var stored: [Element._PersistedProperty] {
        map { Element._PersistedProperty.fromEngine($0.engineValue) }
    }
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
        query.ask(Element._Projected.placeholder()) { state throws(StoreError) in
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
    public func min() -> Element._Projected? {
        least(as: Element._Projected.self)
    }

    /// Returns the maximum value, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    public func max() -> Element._Projected? {
        greatest(as: Element._Projected.self)
    }
}
