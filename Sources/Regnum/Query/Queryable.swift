// The overloads of `where` differ in the result of the closure: the compiler tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

/// What confined, frozen and live results have in common: the vocabulary of queries.
///
/// The library conforms ``Results``, ``FrozenResults`` and ``LiveResults``; do not conform types of
/// your own.
public protocol Queryable<Model> {
    /// The class whose objects are found.
    associatedtype Model: ObjectBase
    /// What is asked for.
    var _plan: _Plan { get }
    /// The same place with another question.
    func _with(_ plan: _Plan) -> Self
}

/// What a query asks for. Part of the contract of ``Queryable``.
public struct _Plan: Sendable {
    var plan: QueryPlan

    /// All objects of a class.
    static func all(of type: ObjectBase.Type) -> _Plan {
        _Plan(plan: QueryPlan(tableName: ClassSchema.of(type).name))
    }
}

extension Queryable {
    /// The objects that also meet a condition. Sorting is kept.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`(_ condition: (Query<Model>) -> Query<Bool>) -> Self {
        filtered(by: condition(Query<Model>(.object)).predicate)
    }

    /// The objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Model>) -> Query<Bool?>) -> Self {
        filtered(by: condition(Query<Model>(.object)).predicate)
    }

    /// The objects sorted by a property. A sort that was there breaks ties; what is still tied
    /// stays in order of creation.
    ///
    /// - Precondition: the key path names a stored property.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Model, V>, ascending: Bool = true
    ) -> Self {
        sorted(by: [SortOrder(keyPath, ascending: ascending)])
    }

    /// The objects sorted by several properties, the first one first.
    public func sorted(by orders: SortOrder<Model>...) -> Self {
        sorted(by: orders)
    }

    /// The objects sorted by several properties, the first one first. At most 64 in all.
    public func sorted(by orders: [SortOrder<Model>]) -> Self {
        var plan = _plan
        var terms = orders.map(\.term)
        // A property that is sorted by twice is decided by its first mention.
        for term in plan.plan.sort where !terms.contains(where: { $0.column == term.column }) {
            terms.append(term)
        }
        plan.plan.sort = terms
        return _with(plan)
    }

    private func filtered(by predicate: Predicate) -> Self {
        var plan = _plan
        switch plan.plan.predicate {
        case .constant(true): plan.plan.predicate = predicate
        case .and(let terms): plan.plan.predicate = .and(terms + [predicate])
        default: plan.plan.predicate = .and([plan.plan.predicate, predicate])
        }
        return _with(plan)
    }
}
