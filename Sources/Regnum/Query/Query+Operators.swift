internal import RegnumEngine

extension Query where Value: ScalarValue {
    /// Whether the property has this value. Only nil equals nil, and NaN equals nothing.
    public static func == (left: Query, right: Value) -> Query<Bool> {
        left.compare(.equal, right.engineValue)
    }

    /// The exact complement of `==`.
    public static func != (left: Query, right: Value) -> Query<Bool> {
        left.compare(.notEqual, right.engineValue)
    }

    /// Whether two properties have the same value.
    public static func == (left: Query, right: Query) -> Query<Bool> {
        left.compare(.equal, right)
    }

    /// The exact complement of `==`.
    public static func != (left: Query, right: Query) -> Query<Bool> {
        left.compare(.notEqual, right)
    }

    /// Whether the property has one of the values, as `==` compares; false for no values.
    public func `in`(_ values: some Sequence<Value>) -> Query<Bool> {
        let values = values.map(\.engineValue)
        guard case .column(let hops, let column) = node else {
            return condition(.or(values.map { comparing(.equal, $0) }))
        }
        return condition(.exists(hops, .isIn(column, values)))
    }
}

extension Query where Value: ScalarValue, Value._Basis: OrderedValue {
    /// Whether the property is below the value. False if either is nil.
    public static func < (left: Query, right: Value) -> Query<Bool> {
        left.compare(.less, right.engineValue)
    }

    /// Whether the property is below or equal to the value. With nil: whether both are; a text
    /// property is never `<= nil`.
    public static func <= (left: Query, right: Value) -> Query<Bool> {
        left.compare(.lessOrEqual, right.engineValue)
    }

    /// Whether the property is above the value. False if either is nil, but every text is `> nil`
    /// (as in Realm).
    public static func > (left: Query, right: Value) -> Query<Bool> {
        left.compare(.greater, right.engineValue)
    }

    /// Whether the property is above or equal to the value. With nil: whether both are; of text
    /// properties, whether it is not nil.
    public static func >= (left: Query, right: Value) -> Query<Bool> {
        left.compare(.greaterOrEqual, right.engineValue)
    }

    /// Whether one property is below another.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        left.compare(.less, right)
    }

    /// Whether one property is below or equal to another.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        left.compare(.lessOrEqual, right)
    }

    /// Whether one property is above another.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        left.compare(.greater, right)
    }

    /// Whether one property is above or equal to another.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        left.compare(.greaterOrEqual, right)
    }
}

extension Query where Value: BoundedValue, Value.Required: Comparable {
    /// Whether the value is in the range, whose end is not part of it. False for nil.
    public func contains(_ range: Range<Value.Required>) -> Query<Bool> {
        between(range.lowerBound.engineValue, .less, range.upperBound.engineValue)
    }

    /// Whether the value is in the range, its ends included. False for nil.
    public func contains(_ range: ClosedRange<Value.Required>) -> Query<Bool> {
        between(range.lowerBound.engineValue, .lessOrEqual, range.upperBound.engineValue)
    }

    private func between(
        _ lower: RegnumEngine.Value, _ comparison: Comparison, _ upper: RegnumEngine.Value
    ) -> Query<Bool> {
        guard case .column(let hops, let column) = node else {
            return condition(
                .and([comparing(.greaterOrEqual, lower), comparing(comparison, upper)]))
        }
        // of several objects, one has to meet both bounds
        return condition(
            .exists(
                hops,
                .and([
                    .compare(column, .greaterOrEqual, lower), .compare(column, comparison, upper),
                ])))
    }
}

/// `Bool` and `Bool?`: what `&&`, `||` and `!` of queries take.
public protocol QueryCondition: ScalarValue {}
extension Bool: QueryCondition {}
extension Optional: QueryCondition where Wrapped == Bool {}

extension Query where Value: QueryCondition {
    /// Whether both conditions hold.
    public static func && <Other: QueryCondition>(left: Query, right: Query<Other>) -> Query<Bool> {
        left.scope.requireSame(right.scope)
        return left.condition(.and(left.conjuncts + right.conjuncts))
    }

    /// Whether one of the conditions holds.
    public static func || <Other: QueryCondition>(left: Query, right: Query<Other>) -> Query<Bool> {
        left.scope.requireSame(right.scope)
        return left.condition(.or(left.disjuncts + right.disjuncts))
    }

    /// The exact complement of a condition. Of a `Bool` or `Bool?` property: whether it is false, which
    /// nil is not.
    public static prefix func ! (condition: Query) -> Query<Bool> {
        if case .entry = condition.node { return condition.compare(.equal, .bool(false)) }
        if case .column = condition.node { return condition.compare(.equal, .bool(false)) }
        return condition.condition(.not(condition.predicate))
    }

    private var conjuncts: [Predicate] {
        if case .and(let terms) = predicate { terms } else { [predicate] }
    }

    private var disjuncts: [Predicate] {
        if case .or(let terms) = predicate { terms } else { [predicate] }
    }
}
