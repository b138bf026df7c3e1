internal import RegnumEngine

// Maps of projected types whose persisted type is a value, and ranges of such elements.

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: ScalarValue & MapValue
{
    /// The map with its values as their persisted type.
    public var persistableValue: Query<Map<Value.Key, Value.Value._PersistedProperty>> {
        Query<Map<Value.Key, Value.Value._PersistedProperty>>(rawNode(), scope)
    }

    /// Whether at least one of the map's values has this persisted value.
    @_disfavoredOverload
    public func contains(_ value: Value.Value._PersistedProperty) -> Query<Bool> {
        persistableValue.contains(value)
    }

    /// Whether at least one of the map's values has one of these persisted values.
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
    public var min: Query<Value.Value._Projected?> { aggregate(.min) }

    /// The maximum of the values, ignoring `nil` and NaN; `nil` if there are none.
    public var max: Query<Value.Value._Projected?> { aggregate(.max) }
}

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: SummableValue & MapValue
{
    /// The sum of the persisted values, ignoring `nil`; 0 if there are none.
    public var sum: Query<Value.Value._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of the persisted values, ignoring `nil`; `nil` if there are none.
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
    /// Whether the map has values and the persisted values of *all* of them are in the half-open
    /// range. `nil` and NaN values are ignored.
    public func contains(_ range: Range<Value.Value._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the map has values and the persisted values of *all* of them are in the closed
    /// range. `nil` and NaN values are ignored.
    public func contains(
        _ range: ClosedRange<Value.Value._Projected.PersistedType>
    ) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the map has values and the persisted values of *all* of them are between those of
    /// the bounds, excluding the upper one. `nil` and NaN values are ignored.
    public func contains(_ range: Range<Value.Value._Projected>) -> Query<Bool>
    where Value.Value._Projected: Comparable {
        all(of: valueColumn, range.lowerBound, .less, range.upperBound)
    }

    /// Whether the map has values and the persisted values of *all* of them are between those of
    /// the bounds, including both. `nil` and NaN values are ignored.
    public func contains(_ range: ClosedRange<Value.Value._Projected>) -> Query<Bool>
    where Value.Value._Projected: Comparable {
        all(of: valueColumn, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: BoundedValue & RealmCollectionValue,
    Value.Element._PersistedProperty.Required == Value.Element._Projected.PersistedType,
    Value.Element._Projected.PersistedType: Comparable
{
    /// Whether the list has elements and the persisted values of *all* of them are in the half-open
    /// range. `nil` and NaN elements are ignored.
    public func contains(_ range: Range<Value.Element._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the list has elements and the persisted values of *all* of them are in the closed
    /// range. `nil` and NaN elements are ignored.
    public func contains(
        _ range: ClosedRange<Value.Element._Projected.PersistedType>
    ) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the list has elements and the persisted values of *all* of them are between those of
    /// the bounds, excluding the upper one. `nil` and NaN elements are ignored.
    public func contains(_ range: Range<Value.Element._Projected>) -> Query<Bool>
    where Value.Element._Projected: Comparable {
        all(of: elementColumn, range.lowerBound, .less, range.upperBound)
    }

    /// Whether the list has elements and the persisted values of *all* of them are between those of
    /// the bounds, including both. `nil` and NaN elements are ignored.
    public func contains(_ range: ClosedRange<Value.Element._Projected>) -> Query<Bool>
    where Value.Element._Projected: Comparable {
        all(of: elementColumn, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}
