// Maps of projected types whose persisted type is a value, and ranges of such elements.

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: ScalarValue & MapValue
{
    /// The map with its values in the type that they are stored as.
    public var persistableValue: Query<Map<Value.Key, Value.Value._PersistedProperty>> {
        Query<Map<Value.Key, Value.Value._PersistedProperty>>(rawNode(), scope)
    }

    /// Whether one of the map's values is stored as the value.
    @_disfavoredOverload
    public func contains(_ value: Value.Value._PersistedProperty) -> Query<Bool> {
        persistableValue.contains(value)
    }

    /// Whether one of the map's values is stored as one of the values.
    @_disfavoredOverload
    public func containsAny(
        in values: some Sequence<Value.Value._PersistedProperty>
    ) -> Query<Bool> {
        persistableValue.containsAny(in: values)
    }
}

// MARK: Aggregates

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: BoundedValue & MapValue
{
    /// The minimum of the values, ignoring `nil` and NaN; `nil` if there are none.
    public var min: Query<Value.Value._Projected?> { .init(persistableValue.min.rawNode(), scope) }

    /// The maximum of the values, ignoring `nil` and NaN; `nil` if there are none.
    public var max: Query<Value.Value._Projected?> { .init(persistableValue.max.rawNode(), scope) }
}

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: SummableValue & MapValue
{
    /// The sum of the stored values, ignoring `nil`; 0 if there are none.
    public var sum: Query<Value.Value._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of the stored values, ignoring `nil`; `nil` if there are none.
    public var avg: Query<Value.Value._PersistedProperty.Mean?> { persistableValue.avg }
}

// MARK: Ranges

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: BoundedValue & MapValue,
    Value.Value._PersistedProperty.Required == Value.Value._Projected.PersistedType,
    Value.Value._Projected.PersistedType: Comparable
{
    /// Whether the map has values and the stored form of *all* of them is in the half-open range.
    /// `nil` values are ignored.
    public func contains(_ range: Range<Value.Value._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the map has values and the stored form of *all* of them is in the closed range.
    /// `nil` values are ignored.
    public func contains(
        _ range: ClosedRange<Value.Value._Projected.PersistedType>
    ) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the map has values and the stored form of *all* of them is between those of the
    /// bounds, excluding the upper one. `nil` values are ignored.
    public func contains(_ range: Range<Value.Value._Projected>) -> Query<Bool>
    where Value.Value._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower..<upper) : persistableValue.containsAny(in: [])
    }

    /// Whether the map has values and the stored form of *all* of them is between those of the
    /// bounds, including both. `nil` values are ignored.
    public func contains(_ range: ClosedRange<Value.Value._Projected>) -> Query<Bool>
    where Value.Value._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower...upper) : persistableValue.containsAny(in: [])
    }
}

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: BoundedValue & RealmCollectionValue,
    Value.Element._PersistedProperty.Required == Value.Element._Projected.PersistedType,
    Value.Element._Projected.PersistedType: Comparable
{
    /// Whether the list has elements and the stored form of *all* of them is in the half-open
    /// range. `nil` elements are ignored.
    public func contains(_ range: Range<Value.Element._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the list has elements and the stored form of *all* of them is in the closed range.
    /// `nil` elements are ignored.
    public func contains(
        _ range: ClosedRange<Value.Element._Projected.PersistedType>
    ) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the list has elements and the stored form of *all* of them is between those of the
    /// bounds, excluding the upper one. `nil` elements are ignored.
    public func contains(_ range: Range<Value.Element._Projected>) -> Query<Bool>
    where Value.Element._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower..<upper) : persistableValue.containsAny(in: [])
    }

    /// Whether the list has elements and the stored form of *all* of them is between those of the
    /// bounds, including both. `nil` elements are ignored.
    public func contains(_ range: ClosedRange<Value.Element._Projected>) -> Query<Bool>
    where Value.Element._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower...upper) : persistableValue.containsAny(in: [])
    }
}
