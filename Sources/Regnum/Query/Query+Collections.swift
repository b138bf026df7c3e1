internal import RegnumEngine

extension Query where Value: QueryCollection {
    /// The number of elements, counting duplicates and `nil` values.
    ///
    ///     realm.objects(Person.self).where { $0.dogs.count > 2 }
    public var count: Query<Int> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.count(outer, inner, .constant(true)))
    }
}

extension Query where Value: QueryCollection, Value.Element: ObjectBase {
    /// Whether the condition holds for at least one of the elements.
    ///
    ///     realm.objects(Person.self).where { $0.dogs.any { $0.age > 3 && $0.name == "Rex" } }
    public func any(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.any, .objects([]), condition)
    }

    /// Whether the condition holds for all of the elements; true if there are none.
    public func all(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.all, .objects([]), condition)
    }

    /// Whether the condition holds for none of the elements.
    public func none(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.none, .objects([]), condition)
    }
}

extension Query where Value: QueryCollection {
    fileprivate func quantified(
        _ quantifier: Quantifier, _ element: Query<Value.Element>.Node,
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        let predicate = QueryScope(inside: scope, rootName: hops.last?.target)
            .build(element, condition)
        let (outer, inner) = hops.splitBeforeLastCollection
        return self.condition(.exists(outer, .related(inner, quantifier, predicate)))
    }
}

// MARK: Lists of values

extension Query where Value: QueryCollection, Value.Element: ScalarValue {
    /// One of the elements.
    private var element: Query<Value.Element> {
        with(.column(hops, elementColumn))
    }

    /// The values, as a column of the hidden class of the list's elements.
    var elementColumn: ColumnReference { .element(Value.Element._storage) }

    /// A single element, which may be stored as an embedded object.
    private var elementNode: Query<Value.Element>.Node {
        Value.Element._embeddedClass == nil ? .column([], elementColumn) : .objects([])
    }

    /// Whether at least one of the elements has this value.
    public static func == (left: Query, right: Value.Element) -> Query<Bool> {
        left.element == right
    }

    /// Whether at least one of the elements has a different value.
    public static func != (left: Query, right: Value.Element) -> Query<Bool> {
        left.element != right
    }

    /// Whether the value is one of the elements.
    public func contains(_ value: Value.Element) -> Query<Bool> { element == value }

    /// Whether the collection contains any of the values.
    public func containsAny(in values: some Sequence<Value.Element>) -> Query<Bool> {
        element.in(values)
    }

    /// Whether the condition holds for at least one of the elements.
    public func any(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.any, elementNode, condition)
    }

    /// Whether the condition holds for all of the elements; true if there are none.
    public func all(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.all, elementNode, condition)
    }

    /// Whether the condition holds for none of the elements.
    public func none(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.none, elementNode, condition)
    }

    func aggregate<Result>(_ kind: AggregateKind) -> Query<Result> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.aggregate(outer, inner, kind, elementColumn))
    }
}

extension Query
where Value: QueryCollection, Value.Element: ScalarValue, Value.Element._Basis: OrderedValue {
    /// Whether at least one of the elements is less than the value.
    public static func < (left: Query, right: Value.Element) -> Query<Bool> {
        left.element < right
    }

    /// Whether at least one of the elements is less than or equal to the value.
    public static func <= (left: Query, right: Value.Element) -> Query<Bool> {
        left.element <= right
    }

    /// Whether at least one of the elements is greater than the value.
    public static func > (left: Query, right: Value.Element) -> Query<Bool> {
        left.element > right
    }

    /// Whether at least one of the elements is greater than or equal to the value.
    public static func >= (left: Query, right: Value.Element) -> Query<Bool> {
        left.element >= right
    }
}

extension Query where Value: QueryCollection, Value.Element: BoundedValue {
    /// The minimum of the elements, ignoring `nil` and NaN; `nil` if there are none.
    public var min: Query<Value.Element.Required?> { aggregate(.min) }

    /// The maximum of the elements, ignoring `nil` and NaN; `nil` if there are none.
    public var max: Query<Value.Element.Required?> { aggregate(.max) }
}

extension Query where Value: QueryCollection, Value.Element: SummableValue {
    /// The sum of the elements, ignoring `nil`; 0 if there are none.
    public var sum: Query<Value.Element.Total> { aggregate(.sum) }

    /// The mean of the elements, ignoring `nil`; `nil` if there are none.
    public var avg: Query<Value.Element.Mean?> { aggregate(.average) }
}

extension Query
where Value: QueryCollection, Value.Element: BoundedValue, Value.Element.Required: Comparable {
    /// Whether the list has elements and *all* of them are in the half-open range (as in Realm).
    /// `nil` and NaN elements are ignored.
    public func contains(_ range: Range<Value.Element.Required>) -> Query<Bool> {
        all(of: elementColumn, range.lowerBound, .less, range.upperBound)
    }

    /// Whether the list has elements and *all* of them are in the closed range (as in Realm). `nil`
    /// and NaN elements are ignored.
    public func contains(_ range: ClosedRange<Value.Element.Required>) -> Query<Bool> {
        all(of: elementColumn, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query {
    /// Whether one of the collections at the end of the path has values and all of them are in a
    /// range.
    func all<Bound: ScalarValue>(
        of column: ColumnReference, _ lower: Bound, _ comparison: Comparison, _ upper: Bound
    ) -> Query<Bool> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return condition(
            .exists(
                outer,
                .and([
                    .aggregate(inner, .min, column, .greaterOrEqual, lower.engineValue),
                    .aggregate(inner, .max, column, comparison, upper.engineValue),
                ])))
    }
}

// MARK: Properties of the objects of a collection

extension Query where Value: BoundedValue {
    /// The minimum of the property among the objects of a collection, as in `$0.dogs.age.min`,
    /// ignoring `nil` and NaN; `nil` if there are none.
    ///
    /// A path without a list or inverse is an error, which is reported when the query is used.
    public var min: Query<Value.Required?> { overObjects(.min) }

    /// The maximum of the property among the objects of a collection, ignoring `nil` and NaN; `nil`
    /// if there are none.
    ///
    /// A path without a list or inverse is an error, which is reported when the query is used.
    public var max: Query<Value.Required?> { overObjects(.max) }
}

extension Query where Value: SummableValue {
    /// The sum of a property over the objects of a collection, ignoring `nil`; 0 if there are none.
    ///
    /// A path without a list or inverse is an error, which is reported when the query is used.
    public var sum: Query<Value.Total> { overObjects(.sum) }

    /// The mean of a property over the objects of a collection, ignoring `nil`; `nil` if there are
    /// none.
    ///
    /// A path without a list or inverse is an error, which is reported when the query is used.
    public var avg: Query<Value.Mean?> { overObjects(.average) }
}

extension Query {
    func overObjects<Result>(_ kind: AggregateKind) -> Query<Result> {
        guard case .column(let hops, let column) = node, !hops.isEmpty else {
            scope.refuse(
                "min, max, sum and avg can't be used on the property of a single object, only on a "
                    + "list of values or on a property of the objects of a list.")
            return with(.count([], [], .constant(false)))
        }
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.aggregate(outer, inner, kind, column))
    }
}
