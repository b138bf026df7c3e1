internal import RegnumEngine
internal import RegnumStore

/// An expression in the closure of `where`: an object, one of its properties, or a condition.
///
///     realm.objects(Message.self).where { $0.room == "general" && $0.editedAt != nil }
///     realm.objects(Person.self).where { $0.dog.age > 3 || $0.nicknames == "Bo" }
///     realm.objects(Person.self).where { $0.dogs.any { $0.age > 3 && $0.name.starts(with: "R") } }
///
/// The closure of `where` is called once, to build the condition; it isn't called for each object.
/// Compare a property with a value, or with another property of the same type, with `==`, `!=`,
/// `<`, `<=`, `>` and `>=`, and combine conditions with `&&`, `||` and `!`. A property of type
/// `Bool` is a condition itself.
///
/// `nil`: Only `nil` equals `nil`. `<` and `>` with `nil` are false; `<=` and `>=` hold if both
/// sides are `nil`. `!` is the exact complement, so `!($0.age == 1)` matches objects whose age is
/// `nil`. Strings are compared by their UTF-8 bytes.
///
/// NaN: It equals nothing, and `<`, `<=`, `>` and `>=` with it are false. But as a `Decimal128` or
/// `AnyRealmValue` it equals itself and is less than all other numbers.
///
/// Links: A property of a linked object (`$0.dog.name`, at any depth) is `nil` if there is no
/// object.
///
/// Lists and inverses: A condition on a property of their objects (`$0.dogs.age > 3`), or on the
/// values of a list, holds if it holds for at least *one* of them; this includes `!=`. If a path
/// goes through several lists or inverses, the condition holds if at least *one* object of the
/// first leads to *one* of the second that matches; `count`, `min`, `max`, `sum` and `avg` apply to
/// the last one on the path.
@dynamicMemberLookup
public struct Query<Value> {
    enum Node {
        /// The objects at the end of a path from the queried object: that object itself if the path
        /// is empty; the object of a link; the objects or values of a list; the origins of an
        /// inverse.
        case objects([Hop])
        /// A property of the rows at the end of a path. The last of the hops, if any, leads to
        /// several rows.
        case column([Hop], ColumnReference)
        /// The value of a map for a key; the hops lead to the entries of the map.
        case entry([Hop], String, ColumnReference)
        /// A value contained in a value of any type.
        case nested(AnyPath)
        /// The number of matching rows at the end of the second path, for each row at the end of
        /// the first.
        case count([Hop], [Hop], Predicate)
        /// An aggregate of a property over the second path, for each row at the end of the first.
        case aggregate([Hop], [Hop], AggregateKind, ColumnReference)
        /// A condition.
        case predicate(Predicate)
    }

    private enum Content {
        case node(Node)
        case chain(ConditionChain)
    }

    private let content: Content
    /// The scope that the expression was built in.
    let scope: QueryScope

    init(_ node: Node, _ scope: QueryScope) {
        content = .node(node)
        self.scope = scope
    }

    var node: Node {
        switch content {
        case .node(let node): node
        case .chain(let chain): .predicate(chain.predicate)
        }
    }

    /// The terms of a condition that `&&` or `||` has built, each of which was checked.
    var chain: ConditionChain? { if case .chain(let chain) = content { chain } else { nil } }
}

extension Query<Bool> {
    init(_ chain: ConditionChain, _ scope: QueryScope) {
        content = .chain(chain)
        self.scope = scope
    }
}

/// The scope of one closure that builds a condition: expressions of two scopes can't be combined.
/// Confined to the call of the closure.
final class QueryScope {
    /// The realm that is queried, if any.
    let realm: RealmCore?
    private let outer: QueryScope?
    /// The class of the scope's element; `nil` if unknown.
    let rootName: String?
    /// The class of the scope's element, if it may be a subclass of the parameter's type.
    private let root: ClassSchema?
    private var firstProblem: Realm.Error?
    /// The classes of the objects among the operands; those of all scopes in the outermost one.
    private(set) var operands: Set<OperandClass> = []
    /// The number of values of a prepared query.
    var parameterCount = 0

    init(realm: RealmCore?, rootName: String? = nil) {
        self.realm = realm
        self.rootName = rootName
        root = nil
        outer = nil
    }

    /// Creates the scope of a query for objects of a class.
    init(realm: RealmCore?, root: ClassSchema) {
        self.realm = realm
        self.root = root
        rootName = root.name
        outer = nil
    }

    /// Creates the scope of an element in an enclosing scope.
    init(inside outer: QueryScope, rootName: String? = nil) {
        self.rootName = rootName
        root = nil
        realm = outer.realm
        self.outer = outer
    }

    /// Returns the class of the scope's element.
    func rootSchema<T: ObjectBase>(_ type: T.Type) -> ClassSchema {
        if let root, root.type is T.Type { return root }
        return ClassSchema.of(type)
    }

    /// The first error in an operand, or in how expressions are combined.
    var problem: Realm.Error? { outer?.problem ?? firstProblem }

    func report(_ problem: Realm.Error) {
        if let outer { return outer.report(problem) }
        if firstProblem == nil { firstProblem = problem }
    }

    /// Records the class of an operand that is identified by its row.
    func note(_ operand: OperandClass) {
        if let outer { return outer.note(operand) }
        operands.insert(operand)
    }

    /// Records an error that is reported when the query is used.
    func refuse(_ message: String) {
        report(Realm.Error(.invalidQuery, message, className: queriedName))
    }

    /// Records that a condition is nested too deeply.
    func refuseDepth() {
        refuse(
            "A condition is nested more than \(Limits.maximumConditionLevel) levels deep, "
                + "counting operators and the links and collections on its paths.")
    }

    /// The class of the queried objects; `nil` if unknown.
    private var queriedName: String? { outer.map { $0.queriedName } ?? rootName }

    /// Returns the predicate that `condition` builds for `root`, an expression of this scope.
    func build<Root, Answer>(
        _ root: Query<Root>.Node, _ condition: (Query<Root>) -> Query<Answer>
    ) -> Predicate where Answer: QueryCondition {
        predicate(of: condition(Query<Root>(root, self)))
    }

    /// Returns the predicate of a condition that was built in this scope.
    func predicate<Answer: QueryCondition>(of found: Query<Answer>) -> Predicate {
        requireSame(found.scope)
        // Only a condition was checked when it was built, not a property at the end of a path.
        if case .predicate(let predicate) = found.node { return predicate }
        return found.condition(found.predicate).predicate
    }

    /// Reports an error if the expressions belong to two closures.
    func requireSame(_ other: QueryScope) {
        if other === self { return }
        refuse(
            "A condition uses the parameter of another closure: the closures of where, any, all "
                + "and none can only use their own parameter.")
    }
}

extension Query {
    /// The condition that the expression represents.
    var predicate: Predicate {
        switch node {
        case .predicate(let predicate): predicate
        case .column(let hops, let column): .exists(hops, .compare(column, .equal, .bool(true)))
        case .entry, .nested: comparing(.equal, .bool(true))
        case .objects, .count, .aggregate: .constant(true)  // not a condition: doesn't compile
        }
    }

    func with<Other>(_ node: Query<Other>.Node) -> Query<Other> { Query<Other>(node, scope) }

    func condition(_ predicate: Predicate) -> Query<Bool> {
        condition(predicate, levelCount: predicate.levelCount)
    }

    /// Returns the condition, or reports an error if it is nested too deeply.
    func condition(_ predicate: Predicate, levelCount: Int) -> Query<Bool> {
        guard levelCount <= Limits.maximumConditionLevel else {
            scope.refuseDepth()
            return with(.predicate(.constant(false)))
        }
        return with(.predicate(predicate))
    }

    func compare(_ comparison: Comparison, _ value: RegnumEngine.Value) -> Query<Bool> {
        condition(comparing(comparison, value))
    }

    func comparing(_ comparison: Comparison, _ value: RegnumEngine.Value) -> Predicate {
        switch node {
        case .column(let hops, let column):
            return .exists(hops, .compare(column, comparison, value))
        case .entry(let hops, let key, let column):
            let holdsForNil = comparison.holds(forNilAnd: value, type: column.type)
            return .entry(
                hops, key, .compare(column, comparison, value), holdsForNil: holdsForNil)
        case .nested(let path):
            let holdsForNil = comparison.holds(forNilAnd: value)
            return .nested(path, holdsForNil: holdsForNil) { .compare($0, comparison, value) }
        case .count(let outer, let hops, let predicate):
            guard case .int(let number) = value else { return .constant(comparison == .notEqual) }
            return .exists(outer, .count(hops, predicate, comparison, number))
        case .aggregate(let outer, let hops, let kind, let column):
            return .exists(outer, .aggregate(hops, kind, column, comparison, value))
        case .predicate(let predicate):
            // A condition compared with true or false: true is greater than false.
            return predicate.compared(comparison, to: value)
        case .objects:
            return .constant(false)
        }
    }

    /// Returns the condition that the value meets a condition on a column.
    ///
    /// - Parameter holdsForNil: Whether it holds if there is no such entry or element.
    func holds(
        forNil holdsForNil: Bool = false, _ isHeld: (ColumnReference) -> Predicate
    ) -> Query<Bool> {
        switch node {
        case .column(let hops, let column): return condition(.exists(hops, isHeld(column)))
        case .entry(let hops, let key, let column):
            return condition(.entry(hops, key, isHeld(column), holdsForNil: holdsForNil))
        case .nested(let path):
            return condition(.nested(path, holdsForNil: holdsForNil, isHeld))
        default:
            scope.refuse("Text operators can't be used on an aggregate of AnyRealmValues.")
            return condition(.constant(false))
        }
    }

    func compare(_ comparison: Comparison, _ other: Query) -> Query<Bool> {
        if other.isParameter { return compare(comparison, withParameter: other) }
        if isParameter { return other.compare(comparison.mirrored, withParameter: self) }
        scope.requireSame(other.scope)
        switch (node, other.node) {
        case (.column(let hops, let left), .column(let others, let right)):
            requireOneElement(hops, others)
            return condition(.exists(hops, .compareColumns(left, comparison, right)))
        case (.predicate, .predicate), (.column, .predicate):
            return compare(comparison, withCondition: other.predicate)
        case (.predicate, .column):
            return other.compare(comparison.mirrored, withCondition: predicate)
        default:
            scope.refuse(
                "A count, minimum, maximum, sum, average or entry of a map can't be compared with "
                    + "a property, only with a value.")
            return condition(.constant(false))
        }
    }

    /// Compares a condition or a property, which may be `nil`, with a condition.
    private func compare(
        _ comparison: Comparison, withCondition other: Predicate
    ) -> Query<Bool> {
        repeating(
            .or([
                .and([other, comparing(comparison, .bool(true))]),
                .and([other.negated, comparing(comparison, .bool(false))]),
            ]))
    }

    /// Returns a condition that repeats others, or reports an error if it is too large: a chain of
    /// such conditions grows exponentially.
    func repeating(_ predicate: Predicate) -> Query<Bool> {
        guard predicate.hasTerms(upTo: Limits.maximumRepeatedTermCount) else {
            scope.refuse(
                "A condition has more than \(Limits.maximumRepeatedTermCount) terms: each "
                    + "comparison of two conditions repeats both, and so does each value of in.")
            return with(.predicate(.constant(false)))
        }
        return condition(predicate)
    }

    /// Reports an error for a comparison of properties of two objects.
    func requireOneElement(_ hops: [Hop], _ others: [Hop]) {
        if hops == others { return }
        scope.refuse(
            "A property of the objects of \((hops.last ?? others.last)?.name ?? "") was compared "
                + "with a property of another object: use any { … } and properties of one "
                + "object.")
    }
}

extension Comparison {
    /// Returns whether a missing entry or element compares to a value in this way.
    func holds(forNilAnd value: Value, type: ValueType? = nil) -> Bool {
        switch self {
        case .equal: value.isNull
        case .notEqual: !value.isNull
        case .less, .greater: false
        case .lessOrEqual, .greaterOrEqual: value.isNull && type != .string
        }
    }
}

extension Predicate {
    /// The condition that one of the rows at the end of the path matches, or the row itself if it
    /// is empty.
    static func exists(_ hops: [Hop], _ predicate: Predicate) -> Predicate {
        hops.isEmpty ? predicate : .related(hops, .any, predicate)
    }

    /// The condition that one of the rows at the end of the path matches.
    ///
    /// - Parameter holdsForNil: Whether it also holds if the list at the end of the path, or an
    ///   earlier one, doesn't have the element at a position.
    static func exists(
        _ hops: [Hop], _ predicate: Predicate, holdsForNil: Bool
    ) -> Predicate {
        guard holdsForNil, hops.last?.position != nil else { return .exists(hops, predicate) }
        let (outer, inner) = hops.splitBeforeLastCollection
        let element = Predicate.or([
            .related(inner, .any, predicate), .related(inner, .none, .constant(true)),
        ])
        return .exists(outer, element, holdsForNil: true)
    }

    /// The condition compared with a constant `Bool`.
    fileprivate func compared(_ comparison: Comparison, to value: Value) -> Predicate {
        guard case .bool(let constant) = value else {
            return .constant(comparison == .notEqual)
        }
        switch (comparison, constant) {
        case (.equal, true), (.notEqual, false), (.greater, false), (.greaterOrEqual, true):
            return self
        case (.equal, false), (.notEqual, true), (.less, true), (.lessOrEqual, false):
            return negated
        case (.lessOrEqual, true), (.greaterOrEqual, false):
            return .constant(true)
        case (.less, false), (.greater, true):
            return .constant(false)
        }
    }
}
