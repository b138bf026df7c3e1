internal import RegnumEngine

/// An expression of `where`: an object, one of its properties, or a condition.
///
///     realm.objects(Message.self).where { $0.room == "general" && $0.editedAt != nil }
///
/// The closure of `where` is called once, to build the condition; it sees no object. Compare with
/// `==`, `!=`, `<`, `<=`, `>`, `>=` (a property with a value, or with a property of the same
/// type) and combine with `&&`, `||` and `!`. A property of type `Bool` is a condition itself.
///
/// Null: only nil equals nil; `<` and `>` with nil are false, `<=` and `>=` hold for two nils.
/// `!` is the exact complement, so `!($0.age == 1)` matches objects whose age is nil. NaN equals
/// nothing. Strings compare by the bytes of their UTF-8 form.
@dynamicMemberLookup
public struct Query<Value> {
    enum Node {
        /// The object that the query is about.
        case object
        /// One of its properties.
        case column(ColumnReference)
        /// A condition.
        case predicate(Predicate)
    }

    let node: Node

    init(_ node: Node) {
        self.node = node
    }

    /// A property of the object.
    ///
    /// - Precondition: the key path names a stored property: computed ones cannot be queried.
    public subscript<Property: ScalarValue>(
        dynamicMember keyPath: KeyPath<Value, Property>
    ) -> Query<Property> where Value: ObjectBase {
        Query<Property>(.column(ClassSchema.of(Value.self).requireProperty(keyPath).reference))
    }
}

extension Query {
    /// The condition that the expression stands for.
    var predicate: Predicate {
        switch node {
        case .predicate(let predicate): predicate
        case .column(let column): .compare(column, .equal, .bool(true))
        case .object: .constant(true)
        }
    }

    func compare(_ comparison: Comparison, _ value: RegnumEngine.Value) -> Query<Bool> {
        switch node {
        case .column(let column):
            return Query<Bool>(.predicate(.compare(column, comparison, value)))
        case .predicate(let predicate):
            // A condition compared with true or false: true is above false.
            return Query<Bool>(.predicate(predicate.compared(comparison, to: value)))
        case .object:
            return Query<Bool>(.predicate(.constant(false)))
        }
    }

    func compare(_ comparison: Comparison, _ other: Query) -> Query<Bool> {
        switch (node, other.node) {
        case (.column(let left), .column(let right)):
            return Query<Bool>(.predicate(.compareColumns(left, comparison, right)))
        case (.object, _), (_, .object):
            return Query<Bool>(.predicate(.constant(false)))
        default:
            let (left, right) = (predicate, other.predicate)
            let both = Predicate.or([
                .and([right, left.compared(comparison, to: .bool(true))]),
                .and([.not(right), left.compared(comparison, to: .bool(false))]),
            ])
            return Query<Bool>(.predicate(both))
        }
    }
}

extension Predicate {
    /// The condition compared with a constant Bool.
    fileprivate func compared(_ comparison: Comparison, to value: Value) -> Predicate {
        guard case .bool(let constant) = value else {
            return .constant(comparison == .notEqual)
        }
        switch (comparison, constant) {
        case (.equal, true), (.notEqual, false), (.greater, false), (.greaterOrEqual, true):
            return self
        case (.equal, false), (.notEqual, true), (.less, true), (.lessOrEqual, false):
            return .not(self)
        case (.lessOrEqual, true), (.greaterOrEqual, false):
            return .constant(true)
        case (.less, false), (.greater, true):
            return .constant(false)
        }
    }
}
