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
}

extension Query where Value: OrderedValue {
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

/// `Bool` and `Bool?`: what `&&`, `||` and `!` of queries take.
public protocol QueryCondition: ScalarValue {}
extension Bool: QueryCondition {}
extension Optional: QueryCondition where Wrapped == Bool {}

extension Query where Value: QueryCondition {
    /// Whether both conditions hold.
    public static func && <Other: QueryCondition>(left: Query, right: Query<Other>) -> Query<Bool> {
        Query<Bool>(.predicate(.and(left.conjuncts + right.conjuncts)))
    }

    /// Whether one of the conditions holds.
    public static func || <Other: QueryCondition>(left: Query, right: Query<Other>) -> Query<Bool> {
        Query<Bool>(.predicate(.or(left.disjuncts + right.disjuncts)))
    }

    /// The exact complement of a condition. Of a `Bool?` property: whether it is false, which nil
    /// is not.
    public static prefix func ! (condition: Query) -> Query<Bool> {
        switch condition.node {
        case .column(let column):
            Query<Bool>(.predicate(.compare(column, .equal, .bool(false))))
        case .predicate, .object:
            Query<Bool>(.predicate(.not(condition.predicate)))
        }
    }

    private var conjuncts: [Predicate] {
        if case .and(let terms) = predicate { terms } else { [predicate] }
    }

    private var disjuncts: [Predicate] {
        if case .or(let terms) = predicate { terms } else { [predicate] }
    }
}
