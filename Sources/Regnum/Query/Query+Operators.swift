internal import RegnumEngine
internal import RegnumStore

extension Query where Value: ScalarValue {
    /// Whether the property has this value. Only `nil` equals `nil`; NaN is described at ``Query``.
    /// An `AnyRealmValue` with an object from another realm is an error, which is reported when the
    /// query is used.
    public static func == (left: Query, right: Value) -> Query<Bool> {
        left.compare(.equal, left.scope.operand(right))
    }

    /// The exact complement of `==`.
    public static func != (left: Query, right: Value) -> Query<Bool> {
        left.compare(.notEqual, left.scope.operand(right))
    }

    /// Whether two properties have the same value.
    public static func == (left: Query, right: Query) -> Query<Bool> {
        left.compare(.equal, right)
    }

    /// The exact complement of `==`.
    public static func != (left: Query, right: Query) -> Query<Bool> {
        left.compare(.notEqual, right)
    }

    /// Whether the property has one of the values, compared as by `==`; false if there are no
    /// values.
    public func `in`(_ values: some Sequence<Value>) -> Query<Bool> {
        let values = values.map { scope.operand($0) }
        switch node {
        case .column, .entry, .nested:
            return holds(forNil: values.contains(.null)) { .isIn($0, values) }
        default:
            if values.isEmpty {
                // false, but still a condition on the same path
                let isNil = comparing(.equal, .null)
                return condition(.and([isNil, .not(isNil)]))
            }
            let found = Predicate.or(values.map { comparing(.equal, $0) })
            return hasCondition ? repeating(found) : condition(found)
        }
    }
}

extension Query where Value: ScalarValue, Value._Basis: OrderedValue {
    /// Whether the property is less than the value. False if either is `nil`.
    public static func < (left: Query, right: Value) -> Query<Bool> {
        left.compare(.less, left.scope.operand(right))
    }

    /// Whether the property is less than or equal to the value. With `nil`: whether both are `nil`;
    /// a string property is never `<= nil`.
    public static func <= (left: Query, right: Value) -> Query<Bool> {
        left.compare(.lessOrEqual, left.scope.operand(right))
    }

    /// Whether the property is greater than the value. False if either is `nil`, but every string
    /// is `> nil` (as in Realm).
    public static func > (left: Query, right: Value) -> Query<Bool> {
        left.compare(.greater, left.scope.operand(right))
    }

    /// Whether the property is greater than or equal to the value. With `nil`: whether both are
    /// `nil`; for string properties, whether the property isn't `nil`.
    public static func >= (left: Query, right: Value) -> Query<Bool> {
        left.compare(.greaterOrEqual, left.scope.operand(right))
    }

    /// Whether one property is less than another.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        left.compare(.less, right)
    }

    /// Whether one property is less than or equal to another.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        left.compare(.lessOrEqual, right)
    }

    /// Whether one property is greater than another.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        left.compare(.greater, right)
    }

    /// Whether one property is greater than or equal to another.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        left.compare(.greaterOrEqual, right)
    }
}

extension Query where Value: BoundedValue, Value.Required: Comparable {
    /// Whether the value is in the half-open range. False for `nil`.
    public func contains(_ range: Range<Value.Required>) -> Query<Bool> {
        between(range.lowerBound, .less, range.upperBound)
    }

    /// Whether the value is in the closed range. False for `nil`.
    public func contains(_ range: ClosedRange<Value.Required>) -> Query<Bool> {
        between(range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query {
    func between<Bound: ScalarValue>(
        _ lower: Bound, _ comparison: Comparison, _ upper: Bound
    ) -> Query<Bool> {
        let (lower, upper) = (lower.engineValue, upper.engineValue)
        // among several objects, a single one has to meet both bounds
        switch node {
        case .column, .entry:
            return holds {
                .and([.compare($0, .greaterOrEqual, lower), .compare($0, comparison, upper)])
            }
        default:
            let (outer, one) = ofOneRow
            let found = Predicate.exists(
                outer,
                .and([one.comparing(.greaterOrEqual, lower), one.comparing(comparison, upper)]))
            return hasCondition ? repeating(found) : condition(found)
        }
    }
}

extension Query {
    /// Whether it is a condition, or counts the objects that meet one.
    fileprivate var hasCondition: Bool {
        switch node {
        case .predicate: true
        case .count(_, _, .constant): false
        case .count: true
        case .objects, .column, .entry, .nested, .aggregate: false
        }
    }

    /// For a count or an aggregate of each row at the end of a path: the path, and the same for one
    /// of its rows.
    private var ofOneRow: (outer: [Hop], one: Query) {
        switch node {
        case .count(let outer, let hops, let predicate): (outer, with(.count([], hops, predicate)))
        case .aggregate(let outer, let hops, let kind, let column):
            (outer, with(.aggregate([], hops, kind, column)))
        default: ([], self)
        }
    }
}

/// `Bool` and `Bool?`: the operands of `&&`, `||` and `!` in queries.
public protocol QueryCondition: ScalarValue {}
extension Bool: QueryCondition {}
extension Optional: QueryCondition where Wrapped == Bool {}

extension Query where Value: QueryCondition {
    /// Whether both conditions hold.
    public static func && <Other: QueryCondition>(left: Query, right: Query<Other>) -> Query<Bool> {
        left.joined(with: right, isAll: true)
    }

    /// Whether at least one of the conditions holds.
    public static func || <Other: QueryCondition>(left: Query, right: Query<Other>) -> Query<Bool> {
        left.joined(with: right, isAll: false)
    }

    /// The exact complement of a condition. For a `Bool` or `Bool?` property, whether it is
    /// `false`, which `nil` is not.
    public static prefix func ! (condition: Query) -> Query<Bool> {
        if case .entry = condition.node { return condition.compare(.equal, .bool(false)) }
        if case .column = condition.node { return condition.compare(.equal, .bool(false)) }
        return condition.condition(condition.predicate.negated)
    }

    private func joined<Other: QueryCondition>(
        with other: Query<Other>, isAll: Bool
    ) -> Query<Bool> {
        scope.requireSame(other.scope)
        let (a, b) = (terms(isAll: isAll), other.terms(isAll: isAll))
        guard 1 + Swift.max(a.levelCount, b.levelCount) <= Limits.maximumConditionLevel else {
            scope.refuseDepth()
            return with(.predicate(.constant(false)))
        }
        return Query<Bool>(a.chain.adding(b.chain), scope)
    }

    /// The terms of the condition as one of `&&` or `||`, and the depth of those not checked yet.
    fileprivate func terms(isAll: Bool) -> (chain: ConditionChain, levelCount: Int) {
        if let chain, chain.isAll == isAll { return (chain, 0) }
        let predicate = predicate
        switch predicate {
        case .and(let terms) where isAll, .or(let terms) where !isAll:
            return (ConditionChain(terms, isAll: isAll), uncheckedLevelCount)
        default: return (ConditionChain([predicate], isAll: isAll), predicate.levelCount)
        }
    }

    /// The nesting depth, or 0 for a condition that was checked when it was built. So
    /// the terms of a long chain aren't visited again for each operator.
    private var uncheckedLevelCount: Int {
        if case .predicate = node { 0 } else { predicate.levelCount }
    }
}
