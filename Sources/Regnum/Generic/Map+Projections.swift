// Aggregates of maps of projected types, computed from the persisted values.

extension Map where Value: ProjectedValue, Value._PersistedProperty: SummableValue {
    /// Returns the sum of the values as a value of the projected type, ignoring `nil`.
    ///
    /// Integer overflow, and a sum that cannot be converted to the projected type, fail the
    /// transaction; for an unmanaged map they trap.
    public func sum() -> Value._Projected {
        managed?.projectedSum(Value.self) ?? values.projectedSum
    }

    /// Returns the average of the persisted values, ignoring `nil`; `nil` if there are no values.
    public func average() -> Value._PersistedProperty.Mean? {
        guard let managed else { return values.persisted.engineAverage() }
        return managed.average(Value._PersistedProperty.self)
    }
}

extension Map where Value: ProjectedValue, Value._PersistedProperty: BoundedValue {
    /// Returns the minimum value, ignoring `nil` and NaN; `nil` if there are no values.
    public func min() -> Value._Projected? { bound(.minimum) }

    /// Returns the maximum value, ignoring `nil` and NaN; `nil` if there are no values.
    public func max() -> Value._Projected? { bound(.maximum) }
}
