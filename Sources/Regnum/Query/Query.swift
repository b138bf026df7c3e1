internal import RegnumEngine

/// An expression of `where`: an object, one of its properties, or a condition.
///
///     realm.objects(Message.self).where { $0.room == "general" && $0.editedAt != nil }
///     realm.objects(Person.self).where { $0.dog.age > 3 || $0.nicknames == "Bo" }
///     realm.objects(Person.self).where { $0.dogs.any { $0.age > 3 && $0.name.starts(with: "R") } }
///
/// The closure of `where` is called once, to build the condition; it sees no object. Compare with
/// `==`, `!=`, `<`, `<=`, `>`, `>=` (a property with a value, or with a property of the same
/// type) and combine with `&&`, `||` and `!`. A property of type `Bool` is a condition itself.
///
/// Null: only nil equals nil; `<` and `>` with nil are false, `<=` and `>=` hold for two nils.
/// `!` is the exact complement, so `!($0.age == 1)` matches objects whose age is nil. NaN equals
/// nothing. Strings compare by the bytes of their UTF-8 form.
///
/// Links: a property of a linked object (`$0.dog.name`, of any depth) is nil where there is no
/// object.
///
/// Lists and inverses: a condition on a property of their objects (`$0.dogs.age > 3`), or on the
/// values of a list, holds if it does for *one* of them, also `!=`. A path through several of them
/// asks for one of the first that has one of the second; `count`, `min`, `max`, `sum` and `avg` are
/// those of the last one on the path.
@dynamicMemberLookup
public struct Query<Value> {
    enum Node {
        /// What a path leads to from the object that the query is about: that object itself without
        /// a hop; the object of a link; the objects or values of a list; the origins of an inverse.
        case objects([Hop])
        /// A property of what a path leads to; the last of the hops, if there is one, leads to
        /// several.
        case column([Hop], ColumnReference)
        /// The value that a map has under a key; the hops lead to the entries of the map.
        case entry([Hop], String, ColumnReference)
        /// What lies in a value of any type.
        case nested(AnyPath)
        /// How many rows at the end of the second path match, for each row at the end of the first.
        case count([Hop], [Hop], Predicate)
        /// An aggregate of a property over the second path, for each row at the end of the first.
        case aggregate([Hop], [Hop], AggregateKind, ColumnReference)
        /// A condition.
        case predicate(Predicate)
    }

    let node: Node
    /// What the expression was built from.
    let scope: QueryScope

    init(_ node: Node, _ scope: QueryScope) {
        self.node = node
        self.scope = scope
    }
}

/// The object that a closure builds a condition on: expressions of two of them cannot be combined.
/// Confined to the closure's call.
final class QueryScope {
    /// The realm that is asked, nil where there is none.
    let realm: RealmCore?
    private let outer: QueryScope?
    /// The class that the element is of, nil where it is not known.
    let rootName: String?
    private var firstProblem: Realm.Error?

    init(realm: RealmCore?, rootName: String? = nil) {
        self.realm = realm
        self.rootName = rootName
        outer = nil
    }

    /// The scope of an element.
    init(inside outer: QueryScope, rootName: String? = nil) {
        self.rootName = rootName
        realm = outer.realm
        self.outer = outer
    }

    /// What is wrong with an operand, or with how expressions are combined.
    var problem: Realm.Error? { outer?.problem ?? firstProblem }

    func report(_ problem: Realm.Error) {
        if let outer { return outer.report(problem) }
        if firstProblem == nil { firstProblem = problem }
    }

    /// Makes the query fail when it is used.
    func refuse(_ message: String) { report(Realm.Error(.invalidQuery, message)) }

    /// What `condition` asks of `root`, an expression of this scope.
    func build<Root, Answer>(
        _ root: Query<Root>.Node, _ condition: (Query<Root>) -> Query<Answer>
    ) -> Predicate where Answer: QueryCondition {
        let found = condition(Query<Root>(root, self))
        requireSame(found.scope)
        return found.predicate
    }

    /// Refuses expressions of two closures.
    func requireSame(_ other: QueryScope) {
        if other === self { return }
        refuse(
            "A condition combines the element that its closure was given with the object of another "
                + "closure: a closure of where, any, all or none can use its own element only.")
    }
}

extension Query {
    /// The condition that the expression stands for.
    var predicate: Predicate {
        switch node {
        case .predicate(let predicate): predicate
        case .column(let hops, let column): .exists(hops, .compare(column, .equal, .bool(true)))
        case .entry: comparing(.equal, .bool(true))
        case .nested(let path): .nested(path, .equal, .bool(true))
        case .objects, .count, .aggregate: .constant(true)  // is no condition: does not compile
        }
    }

    func with<Other>(_ node: Query<Other>.Node) -> Query<Other> { Query<Other>(node, scope) }

    func condition(_ predicate: Predicate) -> Query<Bool> { with(.predicate(predicate)) }

    func compare(_ comparison: Comparison, _ value: RegnumEngine.Value) -> Query<Bool> {
        condition(comparing(comparison, value))
    }

    func comparing(_ comparison: Comparison, _ value: RegnumEngine.Value) -> Predicate {
        switch node {
        case .column(let hops, let column):
            return .exists(hops, .compare(column, comparison, value))
        case .entry(let hops, let key, let column):
            return .entry(hops, key, column, comparison, value)
        case .nested(let path):
            return .nested(path, comparison, value)
        case .count(let outer, let hops, let predicate):
            guard case .int(let number) = value else { return .constant(comparison == .notEqual) }
            return .exists(outer, .count(hops, predicate, comparison, number))
        case .aggregate(let outer, let hops, let kind, let column):
            return .exists(outer, .aggregate(hops, kind, column, comparison, value))
        case .predicate(let predicate):
            // A condition compared with true or false: true is above false.
            return predicate.compared(comparison, to: value)
        case .objects:
            return .constant(false)
        }
    }

    func compare(_ comparison: Comparison, _ other: Query) -> Query<Bool> {
        scope.requireSame(other.scope)
        switch (node, other.node) {
        case (.column(let hops, let left), .column(let others, let right)):
            requireOneElement(hops, others)
            return condition(.exists(hops, .compareColumns(left, comparison, right)))
        case (.predicate, .predicate), (.predicate, .column), (.column, .predicate):
            let (left, right) = (predicate, other.predicate)
            let both = Predicate.or([
                .and([right, left.compared(comparison, to: .bool(true))]),
                .and([.not(right), left.compared(comparison, to: .bool(false))]),
            ])
            return condition(both)
        default:
            scope.refuse(
                "A count, minimum, maximum, sum, average or entry of a map was compared with a "
                    + "property: it can be compared with a value.")
            return condition(.constant(false))
        }
    }

    /// Refuses a comparison of properties of two objects.
    func requireOneElement(_ hops: [Hop], _ others: [Hop]) {
        if hops == others { return }
        scope.refuse(
            "A property of the objects of \((hops.last ?? others.last)?.name ?? "") was compared "
                + "with a property of another object: use any { … } and properties of one object.")
    }
}

extension Predicate {
    /// Whether one of the rows at the end of the path matches; the row itself without a hop.
    static func exists(_ hops: [Hop], _ predicate: Predicate) -> Predicate {
        hops.isEmpty ? predicate : .related(hops, .any, predicate)
    }

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
