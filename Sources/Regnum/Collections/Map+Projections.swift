internal import RegnumEngine
internal import RegnumStore

// Aggregates of maps of projected types: those of what is stored, as values of the projected type.

extension Map where Value: ProjectedValue, Value._PersistedProperty: SummableValue {
    /// The sum of the values as one of their type; nil is left out.
    ///
    /// A sum of integers that does not fit into an `Int`, and one of which no value of the type can
    /// be made, fail the transaction; of an unmanaged map they end the process.
    public func sum() -> Value._Projected {
        guard let handle else { return Value.summed(unmanaged: stored.engineSum().engineValue) }
        let sum = handle.sum(Value._PersistedProperty.self).engineValue
        return handle.converted(Value._Projected.placeholder()) { () throws(StoreError) in
            try Value.summed(sum)
        }
    }

    /// The mean of what the values are stored as; nil is left out; nil for nothing.
    public func average() -> Value._PersistedProperty.Mean? {
        guard let handle else { return stored.engineAverage() }
        return handle.average(Value._PersistedProperty.self)
    }
}

extension Map where Value: ProjectedValue, Value._PersistedProperty: BoundedValue {
    /// The least value; nil and NaN are left out; nil for nothing.
    public func min() -> Value._Projected? {
        guard let handle else {
            return stored.engineBound { $0 < 0 }.map { Value.summed(unmanaged: $0.engineValue) }
        }
        let least = handle.min(Value._PersistedProperty.self)?.engineValue
        return handle.converted(nil) { () throws(StoreError) in try Value.folded(least) }
    }

    /// The greatest value; nil and NaN are left out; nil for nothing.
    public func max() -> Value._Projected? {
        guard let handle else {
            return stored.engineBound { $0 > 0 }.map { Value.summed(unmanaged: $0.engineValue) }
        }
        let greatest = handle.max(Value._PersistedProperty.self)?.engineValue
        return handle.converted(nil) { () throws(StoreError) in try Value.folded(greatest) }
    }
}

extension Map where Value: ProjectedValue, Value._PersistedProperty: ScalarValue {
    /// The values as what is stored of them.
    fileprivate var stored: [Value._PersistedProperty] {
        values.map { Value._PersistedProperty.fromEngine($0.engineValue) }
    }
}
