internal import RegnumEngine

// Aggregates of maps of projected types: those of what is stored, as values of the projected type.

extension Map where Value: ProjectedValue, Value._PersistedProperty: SummableValue {
    /// The sum of the values as one of their type; nil is left out.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged map it
    /// ends the process.
    /// - Precondition: a value of the type can be made of the sum.
    public func sum() -> Value._Projected {
        let sum = handle?.sum(Value._PersistedProperty.self) ?? stored.engineSum()
        return Value.summed(sum.engineValue)
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
        let least =
            handle.map { $0.min(Value._PersistedProperty.self) }
            ?? stored.engineBound { $0 < 0 }
        return Value.folded(least?.engineValue)
    }

    /// The greatest value; nil and NaN are left out; nil for nothing.
    public func max() -> Value._Projected? {
        let greatest =
            handle.map { $0.max(Value._PersistedProperty.self) }
            ?? stored.engineBound { $0 > 0 }
        return Value.folded(greatest?.engineValue)
    }
}

extension Map where Value: ProjectedValue, Value._PersistedProperty: ScalarValue {
    /// The values as what is stored of them.
    fileprivate var stored: [Value._PersistedProperty] {
        values.map { Value._PersistedProperty.fromEngine($0.engineValue) }
    }
}
