internal import RegnumEngine

extension Query where Value: QueryCollection {
    /// The number of elements, each as often as it is there, nil values included.
    public var count: Query<Int> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.count(outer, inner, .constant(true)))
    }
}

extension Query where Value: QueryCollection, Value.Element: ObjectBase {
    /// Whether the condition holds for one of the elements.
    public func any(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.any, .objects([]), condition)
    }

    /// Whether the condition holds for each of the elements; true for none.
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

    /// The values, as the hidden class of a list's elements has them.
    private var elementColumn: ColumnReference {
        let storage = Value.Element._storage
        return ColumnReference(name: "value", type: storage.valueType, missing: storage.zero)
    }

    /// An element by itself, which may be stored as an embedded object.
    private var elementNode: Query<Value.Element>.Node {
        Value.Element._embeddedClass == nil ? .column([], elementColumn) : .objects([])
    }

    /// Whether one of the elements has this value.
    public static func == (left: Query, right: Value.Element) -> Query<Bool> {
        left.element == right
    }

    /// Whether one of the elements has another value.
    public static func != (left: Query, right: Value.Element) -> Query<Bool> {
        left.element != right
    }

    /// Whether the value is one of the elements.
    public func contains(_ value: Value.Element) -> Query<Bool> { element == value }

    /// Whether one of the values is one of the elements.
    public func containsAny(in values: some Sequence<Value.Element>) -> Query<Bool> {
        element.in(values)
    }

    /// Whether the condition holds for one of the elements.
    public func any(
        _ condition: (Query<Value.Element>) -> Query<Bool>
    ) -> Query<Bool> {
        quantified(.any, elementNode, condition)
    }

    /// Whether the condition holds for each of the elements; true for none.
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

    fileprivate func aggregate<Result>(_ kind: AggregateKind) -> Query<Result> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.aggregate(outer, inner, kind, elementColumn))
    }
}

extension Query
where Value: QueryCollection, Value.Element: ScalarValue, Value.Element._Basis: OrderedValue {
    /// Whether one of the elements is below the value.
    public static func < (left: Query, right: Value.Element) -> Query<Bool> {
        left.element < right
    }

    /// Whether one of the elements is below or equal to the value.
    public static func <= (left: Query, right: Value.Element) -> Query<Bool> {
        left.element <= right
    }

    /// Whether one of the elements is above the value.
    public static func > (left: Query, right: Value.Element) -> Query<Bool> {
        left.element > right
    }

    /// Whether one of the elements is above or equal to the value.
    public static func >= (left: Query, right: Value.Element) -> Query<Bool> {
        left.element >= right
    }
}

extension Query where Value: QueryCollection, Value.Element: BoundedValue {
    /// The least of the elements; nil and NaN are left out; nil for none.
    public var min: Query<Value.Element.Required?> { aggregate(.min) }

    /// The greatest of the elements; nil and NaN are left out; nil for none.
    public var max: Query<Value.Element.Required?> { aggregate(.max) }
}

extension Query where Value: QueryCollection, Value.Element: SummableValue {
    /// The sum of the elements; nil is left out; 0 for none.
    public var sum: Query<Value.Element.Total> { aggregate(.sum) }

    /// The mean of the elements; nil is left out; nil for none.
    public var avg: Query<Value.Element.Mean?> { aggregate(.average) }
}

extension Query
where Value: QueryCollection, Value.Element: BoundedValue, Value.Element.Required: Comparable {
    /// Whether the list has elements and *all* of them are in the range, whose end is not part of
    /// it (as in Realm). Nil elements are left out.
    public func contains(_ range: Range<Value.Element.Required>) -> Query<Bool> {
        within(range.lowerBound.engineValue, .less, range.upperBound.engineValue)
    }

    /// Whether the list has elements and *all* of them are in the range, its ends included (as in
    /// Realm). Nil elements are left out.
    public func contains(_ range: ClosedRange<Value.Element.Required>) -> Query<Bool> {
        within(range.lowerBound.engineValue, .lessOrEqual, range.upperBound.engineValue)
    }

    private func within(
        _ lower: RegnumEngine.Value, _ comparison: Comparison, _ upper: RegnumEngine.Value
    ) -> Query<Bool> {
        all(of: elementColumn, lower, comparison, upper)
    }
}

extension Query {
    /// Whether a collection, of those at the end of the path, has values and all of them are in a
    /// range.
    func all(
        of column: ColumnReference, _ lower: RegnumEngine.Value, _ comparison: Comparison,
        _ upper: RegnumEngine.Value
    ) -> Query<Bool> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return condition(
            .exists(
                outer,
                .and([
                    .aggregate(inner, .min, column, .greaterOrEqual, lower),
                    .aggregate(inner, .max, column, comparison, upper),
                ])))
    }
}

// MARK: Properties of the objects of a collection

extension Query where Value: BoundedValue {
    /// The least value that the objects of a collection have in the property, as in
    /// `$0.dogs.age.min`; nil and NaN are left out; nil for none.
    ///
    /// A path that leads through no list or inverse is an error, which the query reports when it is
    /// used.
    public var min: Query<Value.Required?> { overObjects(.min) }

    /// The greatest value that the objects of a collection have in the property; nil and NaN are
    /// left out; nil for none.
    ///
    /// A path that leads through no list or inverse is an error, which the query reports when it is
    /// used.
    public var max: Query<Value.Required?> { overObjects(.max) }
}

extension Query where Value: SummableValue {
    /// The sum of a property of the objects of a collection; nil is left out; 0 for none.
    ///
    /// A path that leads through no list or inverse is an error, which the query reports when it is
    /// used.
    public var sum: Query<Value.Total> { overObjects(.sum) }

    /// The mean of a property of the objects of a collection; nil is left out; nil for none.
    ///
    /// A path that leads through no list or inverse is an error, which the query reports when it is
    /// used.
    public var avg: Query<Value.Mean?> { overObjects(.average) }
}

extension Query {
    func overObjects<Result>(_ kind: AggregateKind) -> Query<Result> {
        guard case .column(let hops, let column) = node, !hops.isEmpty else {
            scope.refuse(
                "min, max, sum and avg were asked of a property of a single object: they are those "
                    + "of a list of values, or of a property of a list's objects.")
            return with(.count([], [], .constant(false)))
        }
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.aggregate(outer, inner, kind, column))
    }
}
