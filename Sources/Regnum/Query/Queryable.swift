// The overloads of `where` differ in the result of the closure: the compiler tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine
internal import RegnumStore

/// What confined, frozen and live results have in common: the vocabulary of queries.
///
/// The library conforms ``Results``, ``FrozenResults`` and ``LiveResults``; do not conform types of
/// your own.
public protocol Queryable<Model> {
    /// The class whose objects are found.
    associatedtype Model: ObjectBase
    /// What is asked for.
    var _plan: _Plan { get }
    /// The realm that is asked.
    var _realm: _QueryRealm { get }
    /// The same place with another question.
    func _with(_ plan: _Plan) -> Self
    /// Asks the current state.
    func _ask<Answer>(_ question: _Question<Answer>) -> Answer

    // Requirements, so that results have one of each: see Docs/Decisions/035.

    /// The objects that also meet a condition. Sorting is kept.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    func `where`(_ condition: (Query<Model>) -> Query<Bool>) -> Self

    /// The objects whose `Bool?` property is true.
    @_disfavoredOverload
    func `where`(_ condition: (Query<Model>) -> Query<Bool?>) -> Self

    /// The objects sorted by a property, of the object or of a linked one (`\.dog?.age`), ascending. A
    /// sort that was there breaks ties; what is still tied keeps its order.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>) -> Self

    /// As ``sorted(by:)-(KeyPath<Model,V>)``, in either direction.
    func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>, ascending: Bool) -> Self

    /// The objects sorted by several properties, the first one first.
    func sorted(by orders: SortOrder<Model>...) -> Self

    /// The objects sorted by several properties, the first one first. At most 64 in all.
    func sorted(by orders: [SortOrder<Model>]) -> Self

    /// The objects sorted by a property, given by its name or, of linked objects, by names with dots
    /// between them: `"dog.age"`. A projection's objects go by the names of their model.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a value through links: it names the
    ///   property and the class reached.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    func sorted(byKeyPath keyPath: String) throws(Realm.Error) -> Self

    /// As ``sorted(byKeyPath:)``, in either direction.
    func sorted(byKeyPath keyPath: String, ascending: Bool) throws(Realm.Error) -> Self

    /// Of objects with the same values of all these properties the first one, in the order at this
    /// place: sort before to choose which. Nil equals nil; objects for which a link on the way to a
    /// property is nil are left out.
    ///
    /// - Precondition: the key paths name stored properties that are values, or those of linked
    ///   objects.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    func distinct(by keyPaths: PartialKeyPath<Model>...) -> Self

    /// As `distinct(by:)` of several key paths; none of them change nothing.
    func distinct(by keyPaths: [PartialKeyPath<Model>]) -> Self

    /// As `distinct(by:)`, with the names of properties: `["room", "author.name"]`. None of them change
    /// nothing.
    ///
    /// - Throws: as ``sorted(byKeyPath:)``.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Self
}

/// What a query asks for. Part of the contract of ``Queryable``.
public struct _Plan: Sendable {
    var plan: QueryPlan
    /// What is wrong with an operand: reported when the query is used.
    var problem: Realm.Error?

    init(plan: QueryPlan, problem: Realm.Error? = nil) {
        self.plan = plan
        self.problem = problem
    }

    /// All objects of a class.
    static func all(of type: ObjectBase.Type) -> _Plan {
        _Plan(plan: QueryPlan(tableName: ClassSchema.of(type).name))
    }
}

/// The realm that a query asks. Part of the contract of ``Queryable``.
public struct _QueryRealm: Sendable {
    let core: RealmCore?
}

/// Something that can be asked of a state. Part of the contract of ``Queryable``.
public struct _Question<Answer> {
    /// An arbitrary answer, to go on with where the state cannot be asked: it is discarded.
    let placeholder: () -> Answer
    /// The classes that it reads through links, besides those of the query.
    let classes: Set<String>
    let ask: (QueryPlan, QueryState) throws(StoreError) -> Answer
}

extension Queryable {
    /// The first objects, at most so many: conditions, sorts and `distinct` come before it, whenever
    /// they are added. Of several limits the least counts. In a stream objects slide in and out of it
    /// as insertions and deletions.
    ///
    /// - Precondition: `count >= 0`.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func limited(to count: Int) -> Self {
        precondition(count >= 0, "Results are limited to zero objects or more.")
        var plan = _plan
        plan.plan.limit = Swift.min(plan.plan.limit ?? .max, count)
        return _with(plan)
    }

    /// - Parameter condition: about the model, or the projection of it.
    func filtered<Object: ObjectBase, Condition: QueryCondition>(
        by condition: (Query<Object>) -> Query<Condition>
    ) -> Self {
        let scope = QueryScope(realm: _realm.core, rootName: ClassSchema.of(Object.self).name)
        let predicate = scope.build(.objects([]), condition)
        var plan = _plan
        plan.problem = plan.problem ?? scope.problem
        switch plan.plan.predicate {
        case .constant(true): plan.plan.predicate = predicate
        case .and(let terms): plan.plan.predicate = .and(terms + [predicate])
        default: plan.plan.predicate = .and([plan.plan.predicate, predicate])
        }
        return _with(plan)
    }

    /// The position of the first object that also meets a condition, nil if none does.
    ///
    /// - Complexity: O(candidates); the result itself is not made.
    public func index(matching condition: (Query<Model>) -> Query<Bool>) -> Int? {
        let scope = QueryScope(realm: _realm.core, rootName: ClassSchema.of(Model.self).name)
        let predicate = scope.build(.objects([]), condition)
        var plan = _plan
        plan.problem = plan.problem ?? scope.problem
        return _with(plan)._ask(nil, through: predicate.dependencies) {
            query, state throws(StoreError) in
            try query.firstPosition(where: predicate, state)
        }
    }

    func _ask<Answer>(
        _ placeholder: @autoclosure @escaping () -> Answer, through classes: Set<String>,
        _ question: @escaping (QueryPlan, QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        _ask(_Question(placeholder: placeholder, classes: classes, ask: question))
    }
}

extension Queryable {
    /// The objects sorted by terms, the first one first.
    func ordered(by terms: [SortTerm]) -> Self {
        var plan = _plan
        plan.plan.addSort(terms)
        return _with(plan)
    }

    /// Of objects with the same values in all the columns the first one; no columns change nothing.
    func reduced(by columns: [ColumnReference]) -> Self {
        if columns.isEmpty { return self }
        var plan = _plan
        plan.plan.steps.append(.distinct(columns))
        return _with(plan)
    }
}

extension QueryPlan {
    /// Sorts what the plan gives so far. The sort before it breaks ties, unless something lies between
    /// the two.
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
        // A property that is sorted by twice is decided by its first mention.
        for term in new + old where !terms.contains(where: { $0.column == term.column }) {
            terms.append(term)
        }
        return terms
    }
}
