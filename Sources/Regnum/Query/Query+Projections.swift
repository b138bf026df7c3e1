internal import RegnumEngine

// Properties of projected types whose persisted type is a value. Operands of the projected type use
// the operators of all values; the operators here take the persisted type.

extension Query where Value: ProjectedValue, Value._PersistedProperty: ScalarValue {
    /// The property as its persisted type, for the operators of that type.
    public var persistableValue: Query<Value._PersistedProperty> {
        Query<Value._PersistedProperty>(rawNode(), scope)
    }

    /// Whether the property has this persisted value.
    @_disfavoredOverload
    public static func == (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue == right
    }

    /// The exact complement of `==`.
    @_disfavoredOverload
    public static func != (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue != right
    }

    /// Whether the property has one of these persisted values.
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
    /// Whether the persisted value is less than the given one.
    @_disfavoredOverload
    public static func < (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue < right
    }

    /// Whether the persisted value is less than or equal to the given one.
    @_disfavoredOverload
    public static func <= (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue <= right
    }

    /// Whether the persisted value is greater than the given one.
    @_disfavoredOverload
    public static func > (left: Query, right: Value._PersistedProperty) -> Query<Bool> {
        left.persistableValue > right
    }

    /// Whether the persisted value is greater than or equal to the given one.
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
    /// Whether the persisted value is in the half-open range.
    public func contains(_ range: Range<Value._Projected.PersistedType>) -> Query<Bool> {
        persistableValue.contains(range)
    }

    /// Whether the persisted value is in the closed range.
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
    /// Whether the persisted value is between those of the bounds, excluding the upper one.
    public func contains(_ range: Range<Value._Projected>) -> Query<Bool> {
        between(range.lowerBound, .less, range.upperBound)
    }

    /// Whether the persisted value is between those of the bounds, including both.
    public func contains(_ range: ClosedRange<Value._Projected>) -> Query<Bool> {
        between(range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

// MARK: Lists

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: ScalarValue & RealmCollectionValue
{
    /// The elements as their persisted type.
    public var persistableValue: Query<List<Value.Element._PersistedProperty>> {
        Query<List<Value.Element._PersistedProperty>>(rawNode(), scope)
    }

    /// Whether at least one of the elements has this persisted value.
    @_disfavoredOverload
    public static func == (
        left: Query, right: Value.Element._PersistedProperty
    ) -> Query<Bool> {
        left.persistableValue == right
    }

    /// Whether at least one of the elements has a different persisted value.
    @_disfavoredOverload
    public static func != (
        left: Query, right: Value.Element._PersistedProperty
    ) -> Query<Bool> {
        left.persistableValue != right
    }

    /// Whether at least one of the elements has the given persisted value.
    @_disfavoredOverload
    public func contains(_ value: Value.Element._PersistedProperty) -> Query<Bool> {
        persistableValue.contains(value)
    }

    /// Whether at least one of the elements has one of the given persisted values.
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
    /// The minimum of the elements, ignoring `nil` and NaN; `nil` if there are none.
    public var min: Query<Value.Element._Projected?> { aggregate(.min) }

    /// The maximum of the elements, ignoring `nil` and NaN; `nil` if there are none.
    public var max: Query<Value.Element._Projected?> { aggregate(.max) }
}

extension Query
where
    Value: QueryCollection, Value.Element: ProjectedValue,
    Value.Element._PersistedProperty: SummableValue & RealmCollectionValue
{
    /// The sum of the elements' persisted values, ignoring `nil`; 0 if there are none.
    public var sum: Query<Value.Element._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of the elements' persisted values, ignoring `nil`; `nil` if there are none.
    public var avg: Query<Value.Element._PersistedProperty.Mean?> { persistableValue.avg }
}

extension Query where Value: ProjectedValue, Value._PersistedProperty: BoundedValue {
    /// The minimum of the property among the objects of a collection. Otherwise behaves like `min`
    /// of a property of the persisted type.
    public var min: Query<Value._Projected?> { overObjects(.min) }

    /// The maximum of the property among the objects of a collection. Otherwise behaves like `max`
    /// of a property of the persisted type.
    public var max: Query<Value._Projected?> { overObjects(.max) }
}

extension Query where Value: ProjectedValue, Value._PersistedProperty: SummableValue {
    /// The sum of the persisted values of a property over the objects of a collection.
    public var sum: Query<Value._PersistedProperty.Total> { persistableValue.sum }

    /// The mean of the persisted values of a property over the objects of a collection.
    public var avg: Query<Value._PersistedProperty.Mean?> { persistableValue.avg }
}
