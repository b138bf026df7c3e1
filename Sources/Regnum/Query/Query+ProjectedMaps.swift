// Maps of projected types whose persisted type is a value, and ranges of such elements.

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: ScalarValue & MapValue
{
    /// The map with the values as what they are stored as.
    public var persistableValue: Query<Map<Value.Key, Value.Value._PersistedProperty>> {
        Query<Map<Value.Key, Value.Value._PersistedProperty>>(rawNode(), scope)
    }

    /// Whether one of the values is stored as the value.
    @_disfavoredOverload
    public func contains(_ value: Value.Value._PersistedProperty) -> Query<Bool> {
        persistableValue.contains(value)
    }

    /// Whether one of the values is stored as one of these.
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
    /// The least of the values; nil and NaN are left out; nil for none.
    public var min: Query<Value.Value._Projected?> { .init(persistableValue.min.rawNode(), scope) }

    /// The greatest of the values; nil and NaN are left out; nil for none.
    public var max: Query<Value.Value._Projected?> { .init(persistableValue.max.rawNode(), scope) }
}

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._PersistedProperty: SummableValue & MapValue
{
    /// The sum of what the values are stored as; nil is left out; 0 for none.
    public var sum: Query<Value.Value._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of what the values are stored as; nil is left out; nil for none.
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
    /// Whether the map has values and *all* of them are stored as something in the range, whose end
    /// is not part of it. Nil values are left out.
    public func contains(_ range: Range<Value.Value._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the map has values and *all* of them are stored as something in the range, its ends
    /// included. Nil values are left out.
    public func contains(
        _ range: ClosedRange<Value.Value._Projected.PersistedType>
    ) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the map has values and *all* of them are stored between the bounds, of which the
    /// upper one is not part. Nil values are left out.
    public func contains(_ range: Range<Value.Value._Projected>) -> Query<Bool>
    where Value.Value._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower..<upper) : persistableValue.containsAny(in: [])
    }

    /// Whether the map has values and *all* of them are stored between the bounds, or as one of
    /// them. Nil values are left out.
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
    /// Whether the list has elements and *all* of them are stored as something in the range, whose
    /// end is not part of it. Nil elements are left out.
    public func contains(_ range: Range<Value.Element._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the list has elements and *all* of them are stored as something in the range, its
    /// ends included. Nil elements are left out.
    public func contains(
        _ range: ClosedRange<Value.Element._Projected.PersistedType>
    ) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the list has elements and *all* of them are stored between the bounds, of which the
    /// upper one is not part. Nil elements are left out.
    public func contains(_ range: Range<Value.Element._Projected>) -> Query<Bool>
    where Value.Element._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower..<upper) : persistableValue.containsAny(in: [])
    }

    /// Whether the list has elements and *all* of them are stored between the bounds, or as one of
    /// them. Nil elements are left out.
    public func contains(_ range: ClosedRange<Value.Element._Projected>) -> Query<Bool>
    where Value.Element._Projected: Comparable {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower...upper) : persistableValue.containsAny(in: [])
    }
}
