internal import RegnumEngine
internal import RegnumStore

// Aggregates of maps of projected types, computed from the persisted values.

extension Map where Value: ProjectedValue, Value._PersistedProperty: SummableValue {
    /// Returns the sum of the values as a value of the projected type, ignoring `nil`.
    ///
    /// Integer overflow, and a sum that cannot be converted to the projected type, fail the
    /// transaction; for an unmanaged map they trap.
    public func sum() -> Value._Projected {
        guard let handle else { return Value.summed(unmanaged: stored.engineSum().engineValue) }
        let sum = handle.sum(Value._PersistedProperty.self).engineValue
        return handle.converted(Value._Projected.placeholder()) { () throws(StoreError) in
            try Value.summed(sum)
        }
    }

    /// Returns the average of the persisted values, ignoring `nil`; `nil` if there are no values.
    public func average() -> Value._PersistedProperty.Mean? {
        guard let handle else { return stored.engineAverage() }
        return handle.average(Value._PersistedProperty.self)
    }
}

extension Map where Value: ProjectedValue, Value._PersistedProperty: BoundedValue {
    /// Returns the minimum value, ignoring `nil` and NaN; `nil` if there are no values.
    public func min() -> Value._Projected? {
        guard let handle else {
            return stored.engineBound { $0 < 0 }.map { Value.summed(unmanaged: $0.engineValue) }
        }
        return handle.min(as: Value._Projected.self)
    }

    /// Returns the maximum value, ignoring `nil` and NaN; `nil` if there are no values.
    public func max() -> Value._Projected? {
        guard let handle else {
            return stored.engineBound { $0 > 0 }.map { Value.summed(unmanaged: $0.engineValue) }
        }
        return handle.max(as: Value._Projected.self)
    }
}

extension Map where Value: ProjectedValue, Value._PersistedProperty: ScalarValue {
    /// The persisted values.
    fileprivate var stored: [Value._PersistedProperty] {
        values.map { Value._PersistedProperty.fromEngine($0.engineValue) }
    }
}
