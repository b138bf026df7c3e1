// The overloads of `where` differ in the result type of the closure, which disambiguates them.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine
internal import RegnumStore

/// The query operations shared by confined, frozen and live results.
///
/// ``Results``, ``FrozenResults`` and ``LiveResults`` conform to it. Don't conform your own types.
public protocol Queryable<Model> {
    /// The class of the objects in the result.
    associatedtype Model: ObjectBase
    /// The query.
    var _plan: _Plan { get }
    /// The realm that is queried.
    var _realm: _QueryRealm { get }
    /// Returns the same kind of results for another query.
    func _with(_ plan: _Plan) -> Self
    /// Runs a computation on the query in the current state.
    func _ask<Answer>(_ question: _Question<Answer>) -> Answer

    // These are requirements, so that results have only one of each: see Docs/Decisions/035.

    /// Returns the objects that also match a condition, preserving their order.
    ///
    ///     realm.objects(Message.self).where { $0.room == "general" }
    ///
    /// - Complexity: O(1). The query is evaluated when the result is used.
    func `where`(_ condition: (Query<Model>) -> Query<Bool>) -> Self

    /// Returns the objects whose `Bool?` property is true.
    @_disfavoredOverload
    func `where`(_ condition: (Query<Model>) -> Query<Bool?>) -> Self

    /// Returns the objects that match a condition given as text, preserving their order.
    ///
    ///     let text = "age > %@ AND ANY dogs.name BEGINSWITH[c] %@ SORT(name ASC) LIMIT(20)"
    ///     let people = try realm.objects(Person.self).filter(text, 18, "re")
    ///
    /// `Docs/Predicates.md` describes the language, which is Realm's, with the spellings of
    /// `NSPredicate` as alternatives. Properties can be given by their Swift names or their stored
    /// names. Literals are parsed as the type of the property that they are compared with.
    ///
    /// - Parameters:
    ///   - predicate: The condition. Pass user input as values instead of interpolating it here.
    ///   - values: The values for `%@`, `%K`, `$0` and `$K0`: of the types that properties can
    ///     have, objects, or arrays or other sequences of these. `%K` and `$K0` take names of
    ///     properties.
    /// - Throws: `.invalidQuery` for text that isn't a predicate, names that the class doesn't
    ///   have, values that a property can't be compared with, and missing or superfluous values.
    ///   The message contains the position in the text.
    /// - Complexity: O(n) for n bytes of text. The query is evaluated when the result is used.
    func filter(_ predicate: String, _ values: Any?...) throws(Realm.Error) -> Self

    /// Returns the objects that match a condition given as text, with values given by name.
    /// Otherwise behaves like ``filter(_:_:)``.
    ///
    ///     let texts = try realm.objects(Message.self)
    ///         .filter("room == $room AND sentAt > $since", named: ["room": "home", "since": date])
    func filter(_ predicate: String, named values: [String: Any?]) throws(Realm.Error) -> Self

    /// Returns the objects sorted by a property of the object or of a linked object (`\.dog?.age`),
    /// in ascending order. A previous sort breaks ties; remaining ties keep their order.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    /// - Complexity: O(1). The query is evaluated when the result is used.
    func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>) -> Self

    /// Returns the objects sorted by a property in ascending or descending order. Otherwise behaves
    /// like ``sorted(by:)-(KeyPath<Model,V>)``.
    func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>, ascending: Bool) -> Self

    /// Returns the objects sorted by several properties, most significant first.
    func sorted(by orders: SortOrder<Model>...) -> Self

    /// Returns the objects sorted by several properties, most significant first. A query with more
    /// than 64 sort properties in total fails with `.invalidQuery`.
    func sorted(by orders: [SortOrder<Model>]) -> Self

    /// Returns the objects sorted by a property, given by its name or, for linked objects, by names
    /// separated by dots: `"dog.age"`. Projections are sorted by properties of their model.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a value, directly or through
    ///   links. The error names the property and its class.
    /// - Complexity: O(1). The query is evaluated when the result is used.
    func sorted(byKeyPath keyPath: String) throws(Realm.Error) -> Self

    /// Returns the objects sorted by a property in ascending or descending order. Otherwise behaves
    /// like ``sorted(byKeyPath:)``.
    func sorted(byKeyPath keyPath: String, ascending: Bool) throws(Realm.Error) -> Self

    /// Returns only the first of the objects that have the same values in all of the given
    /// properties. To choose which object remains, sort first. `nil` equals `nil`; objects for
    /// which a link on the path to a property is `nil` are omitted.
    ///
    ///     realm.objects(Message.self).sorted(by: \.sentAt, ascending: false).distinct(by: \.room)
    ///
    /// - Precondition: The key paths refer to stored properties, of the objects or of linked
    ///   objects, that are values.
    /// - Complexity: O(1). The query is evaluated when the result is used.
    func distinct(by keyPaths: PartialKeyPath<Model>...) -> Self

    /// Returns the distinct objects for an array of key paths, like `distinct(by:)`. An empty array
    /// has no effect.
    func distinct(by keyPaths: [PartialKeyPath<Model>]) -> Self

    /// Returns the distinct objects for properties given by name, like `distinct(by:)`:
    /// `["room", "author.name"]`. An empty array has no effect.
    ///
    /// - Throws: The errors of ``sorted(byKeyPath:)``.
    /// - Complexity: O(1). The query is evaluated when the result is used.
    func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Self
}

/// The query of some results. An implementation detail of ``Queryable``.
public struct _Plan: Sendable {
    var plan: QueryPlan
    /// An error in an operand, reported when the query is used.
    var problem: Realm.Error?
    /// The classes of the objects among the operands.
    var operands: Set<OperandClass> = []

    /// Returns the error of the query at a version, if any.
    func firstProblem(in schema: @autoclosure () -> DatabaseSchema?) -> Realm.Error? {
        if let problem { return problem }
        if operands.isEmpty { return nil }
        return schema().flatMap { operands.problem(in: $0) }
    }

    /// Adds what the operands of a condition require.
    mutating func add(_ scope: QueryScope) {
        problem = problem ?? scope.problem
        operands.formUnion(scope.operands)
    }

    /// Returns another query with the same operands.
    ///
    /// - Parameter problem: An error that precedes that of this query.
    func with(_ plan: QueryPlan, problem: Realm.Error? = nil) -> _Plan {
        _Plan(plan: plan, problem: problem ?? self.problem, operands: operands)
    }

    /// A query for all objects of a class.
    static func all(of type: ObjectBase.Type) -> _Plan {
        _Plan(plan: QueryPlan(tableName: ClassSchema.of(type).name))
    }
}

/// The realm that a query runs on. An implementation detail of ``Queryable``.
public struct _QueryRealm: Sendable {
    let core: RealmCore?
    /// The class of the objects, if it is known. `Model` may be a superclass of it: the static type
    /// of a metatype in a variable.
    var schema: ClassSchema?
    /// The error of the query in the current state, if any.
    var problem: Realm.Error?
}

/// A computation on a state. An implementation detail of ``Queryable``.
public struct _Question<Answer> {
    /// Returns an arbitrary answer for a state that can't be read. It is discarded.
    let placeholder: () -> Answer
    /// The classes that it reads through links, besides those of the query.
    let classes: Set<StoredText>
    let run: (QueryPlan, QueryState) throws(StoreError) -> Answer
}

extension Queryable {
    /// The class of the objects, which may be a subclass of `Model`.
    var modelSchema: ClassSchema { _realm.schema ?? ClassSchema.of(Model.self) }

    /// Returns at most the first `count` objects. Conditions, sorts and `distinct` apply before the
    /// limit, even if they are added later. If there are several limits, the lowest one applies. In
    /// a stream, objects that cross the limit appear as insertions and deletions.
    ///
    ///     realm.objects(Message.self).sorted(by: \.sentAt, ascending: false).limited(to: 20)
    ///
    /// A negative limit is an error (`.invalidQuery`), which is reported when the result is used.
    ///
    /// - Complexity: O(1). The query is evaluated when the result is used.
    public func limited(to count: Int) -> Self {
        var plan = _plan
        guard count >= 0 else {
            plan.problem =
                plan.problem
                ?? Realm.Error(
                    .invalidQuery, "The limit of results can't be negative: \(count).",
                    className: plan.plan.tableName)
            return _with(plan)
        }
        plan.plan.limit = Swift.min(plan.plan.limit ?? .max, count)
        return _with(plan)
    }

    /// - Parameter condition: A condition on the model, or on its projection.
    func filtered<Object: ObjectBase, Condition: QueryCondition>(
        by condition: (Query<Object>) -> Query<Condition>
    ) -> Self {
        let scope = QueryScope(realm: _realm.core, root: modelSchema)
        let predicate = scope.build(.objects([]), condition)
        var plan = _plan
        plan.add(scope)
        plan.plan.add(predicate)
        return _with(plan)
    }

    /// Returns the position of the first object that also matches a condition, or `nil` if there is
    /// none.
    ///
    /// - Complexity: O(m) for m candidate rows. The matching objects aren't collected.
    public func index(matching condition: (Query<Model>) -> Query<Bool>) -> Int? {
        let scope = QueryScope(realm: _realm.core, root: modelSchema)
        let predicate = scope.build(.objects([]), condition)
        var plan = _plan
        plan.add(scope)
        return _with(plan)._ask(nil, through: predicate.dependencies) {
            query, state throws(StoreError) in
            try query.firstPosition(where: predicate, state)
        }
    }

    func _ask<Answer>(
        _ placeholder: @autoclosure @escaping () -> Answer, through classes: Set<StoredText>,
        _ question: @escaping (QueryPlan, QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        _ask(_Question(placeholder: placeholder, classes: classes, run: question))
    }
}

extension Queryable {
    /// Returns the answer of a question, or throws the error that it encounters. In a transaction,
    /// the error also fails the transaction. Returns `nil` for results of a recorder (see
    /// `ReadTracer`).
    func answer<Answer>(
        through classes: Set<StoredText>,
        _ question: @escaping (QueryPlan, QueryState) throws(StoreError) -> Answer
    ) throws(Realm.Error) -> Answer? {
        let found = try ReadScope.runThrowing { () throws(Realm.Error) -> Answer? in
            _ask(nil, through: classes) { plan, state throws(StoreError) -> Answer? in
                try question(plan, state)
            }
        }
        if found != nil || _realm.core == nil { return found }
        throw ReadScope.failure
            ?? Realm.Error(
                .invalidQuery, "The query can't be evaluated.", className: modelSchema.name)
    }
}

extension Queryable {
    /// Returns the objects sorted by orders, most significant first.
    func ordered<Object: ObjectBase>(by orders: [SortOrder<Object>]) -> Self {
        ordered(by: terms(of: orders))
    }

    /// Returns the terms of orders, whose key paths may be those of a superclass.
    func terms<Object: ObjectBase>(of orders: [SortOrder<Object>]) -> [SortTerm] {
        let (schema, named) = (modelSchema, ClassSchema.of(Object.self))
        return orders.map { schema.term($0.term, of: named) }
    }

    /// Returns the objects sorted by terms, most significant first.
    func ordered(by terms: [SortTerm]) -> Self {
        var plan = _plan
        plan.plan.addSort(terms)
        return _with(plan)
    }

    /// Returns the first of the objects with the same values in all columns. Without columns,
    /// returns all objects.
    func reduced(by columns: [ColumnReference]) -> Self {
        if columns.isEmpty { return self }
        var plan = _plan
        plan.plan.steps.append(.distinct(columns))
        return _with(plan)
    }
}

extension QueryPlan {
    /// Adds a condition to those of the plan.
    mutating func add(_ condition: Predicate) {
        switch predicate {
        case .constant(true): predicate = condition
        case .and(let terms): predicate = .and(terms + [condition])
        default: predicate = .and([predicate, condition])
        }
    }

    /// Sorts the current result of the plan. The previous sort breaks ties, unless there is another
    /// step between the two.
    mutating func addSort(_ new: [SortTerm]) {
        guard case .sort(let old)? = steps.last else {
            if steps.isEmpty {
                sort = QueryPlan.merged(new, sort)
            } else {
                steps.append(.sort(new))
            }
            return
        }
        steps[steps.count - 1] = .sort(QueryPlan.merged(new, old))
    }

    private static func merged(_ new: [SortTerm], _ old: [SortTerm]) -> [SortTerm] {
        var terms: [SortTerm] = []
        // If a property is sorted by twice, its first mention counts.
        for term in new + old where !terms.contains(where: { $0.column == term.column }) {
            terms.append(term)
        }
        return terms
    }
}
