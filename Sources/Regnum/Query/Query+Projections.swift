internal import RegnumEngine

// Properties of projected types whose persisted type is a value. Arguments of the type itself go the
// way of all values; here are those of the persisted type.

extension Query where Value: ProjectedValue, Value._PersistedProperty: ScalarValue {
    /// The property as what it is stored as, for the operators of that type.
    public var persistableValue: Query<Value._PersistedProperty> {
        Query<Value._PersistedProperty>(rawNode(), scope)
    }

    /// Whether the property is stored as this value.
    @_disfavoredOverload
    public static func == (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue == right
    }

    /// The exact complement of `==`.
    @_disfavoredOverload
    public static func != (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue != right
    }

    /// Whether the property is stored as one of the values.
    @_disfavoredOverload
    public func `in`(_ values: some Sequence<Value._PersistedProperty>) -> Query<Bool> {
        persistableValue.in(values)
    }
}

extension Query
where
    Value: ProjectedValue, Value._PersistedProperty: ScalarValue,
    Value._PersistedProperty._Basis: OrderedValue
{
    /// Whether the property is stored as something below the value.
    @_disfavoredOverload
    public static func < (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue < right
    }

    /// Whether the property is stored as something below or equal to the value.
    @_disfavoredOverload
    public static func <= (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue <= right
    }

    /// Whether the property is stored as something above the value.
    @_disfavoredOverload
    public static func > (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue > right
    }

    /// Whether the property is stored as something above or equal to the value.
    @_disfavoredOverload
    public static func >= (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue >= right
    }
}

extension Query
where
    Value: ProjectedValue, Value._PersistedProperty: BoundedValue,
    Value._PersistedProperty.Required == Value._Projected.PersistedType,
    Value._Projected.PersistedType: Comparable
{
    /// Whether the property is stored as something in the range, whose end is not part of it.
    public func contains(_ range: Range<Value._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the property is stored as something in the range, its ends included.
    public func contains(_ range: ClosedRange<Value._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }
}

extension Query
where
    Value: ProjectedValue, Value._PersistedProperty: BoundedValue,
    Value._PersistedProperty.Required == Value._Projected.PersistedType,
    Value._Projected.PersistedType: Comparable, Value._Projected: Comparable
{
    /// Whether the property is stored between the bounds, of which the upper one is not part.
    public func contains(_ range: Range<Value._Projected>) -> Query<Bool> {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower..<upper) : persistableValue.in([])
    }

    /// Whether the property is stored between the bounds, or as one of them.
    public func contains(_ range: ClosedRange<Value._Projected>) -> Query<Bool> {
        let (lower, upper) = (range.lowerBound.persistableValue, range.upperBound.persistableValue)
        return lower <= upper
            ? persistableValue.contains(lower...upper) : persistableValue.in([])
    }
}

// MARK: Lists

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: ScalarValue & RealmCollectionValue
{
    /// The elements as what they are stored as.
    public var persistableValue: Query<List<Value.Element._PersistedProperty>> {
        Query<List<Value.Element._PersistedProperty>>(rawNode(), scope)
    }

    /// Whether one of the elements is stored as this value.
    @_disfavoredOverload
    public static func == (
        left: Query, right: Value.Element._PersistedProperty
    ) -> Query<Bool> {
        left.persistableValue == right
    }

    /// Whether one of the elements is stored as another value.
    @_disfavoredOverload
    public static func != (
        left: Query, right: Value.Element._PersistedProperty
    ) -> Query<Bool> {
        left.persistableValue != right
    }

    /// Whether one of the elements is stored as the value.
    @_disfavoredOverload
    public func contains(_ value: Value.Element._PersistedProperty) -> Query<Bool> {
        persistableValue.contains(value)
    }

    /// Whether one of the elements is stored as one of the values.
    @_disfavoredOverload
    public func containsAny(
        in values: some Sequence<Value.Element._PersistedProperty>
    ) -> Query<Bool> {
        persistableValue.containsAny(in: values)
    }
}

// MARK: Aggregates

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: BoundedValue & RealmCollectionValue
{
    /// The least of the elements; nil and NaN are left out; nil for none.
    public var min: Query<Value.Element._Projected?> {
        .init(persistableValue.min.rawNode(), scope)
    }

    /// The greatest of the elements; nil and NaN are left out; nil for none.
    public var max: Query<Value.Element._Projected?> {
        .init(persistableValue.max.rawNode(), scope)
    }
}

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: SummableValue & RealmCollectionValue
{
    /// The sum of what the elements are stored as; nil is left out; 0 for none.
    public var sum: Query<Value.Element._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of what the elements are stored as; nil is left out; nil for none.
    public var avg: Query<Value.Element._PersistedProperty.Mean?> { persistableValue.avg }
}

extension Query where Value: ProjectedValue, Value._PersistedProperty: BoundedValue {
    /// The least value that the objects of a collection have in the property; nil and NaN are left
    /// out; nil for none.
    ///
    /// - Precondition: the path leads through a list or inverse.
    public var min: Query<Value._Projected?> { .init(persistableValue.min.rawNode(), scope) }

    /// The greatest value that the objects of a collection have in the property; nil and NaN are left
    /// out; nil for none.
    ///
    /// - Precondition: the path leads through a list or inverse.
    public var max: Query<Value._Projected?> { .init(persistableValue.max.rawNode(), scope) }
}

extension Query where Value: ProjectedValue, Value._PersistedProperty: SummableValue {
    /// The sum of what a property of the objects of a collection is stored as; nil is left out; 0 for
    /// none.
    ///
    /// - Precondition: the path leads through a list or inverse.
    public var sum: Query<Value._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of what a property of the objects of a collection is stored as; nil is left out; nil for
    /// none.
    ///
    /// - Precondition: the path leads through a list or inverse.
    public var avg: Query<Value._PersistedProperty.Mean?> { persistableValue.avg }
}
