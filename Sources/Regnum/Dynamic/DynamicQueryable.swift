internal import RegnumEngine
internal import RegnumStore

/// The query operations of objects whose class is given by name: ``DynamicObjects`` in a
/// transaction, ``FrozenDynamicObjects`` in a snapshot. Don't conform your own types.
///
///     let dogs = try snapshot.dynamicObjects("Dog").filter("age > %@ AND owner.name == 'Ann'", 3)
///     let oldest = try dogs.sorted(byKeyPath: "age", ascending: false).limited(to: 3)
///     let mean = try dogs.average(of: "age") as? Double
///
/// The program doesn't need to declare the class. Properties are identified by their stored names.
/// If the program declares the class, its property names work too, including those of inverses and
/// of properties that aren't stored yet. A name that only the declaration has throws
/// `.schemaMismatch` if a class on the path doesn't match the stored schema. `Docs/Predicates.md`
/// describes predicate strings and paths.
public protocol DynamicQueryable {
    /// The query.
    var _query: _DynamicQuery { get }
    /// Returns the same kind of collection for another query.
    func _with(_ query: _DynamicQuery) -> Self
    /// The classes in which names are looked up.
    var _classes: _DynamicClasses { get }
    /// Runs a computation on the query in the current state.
    func _ask<Answer>(_ question: _DynamicQuestion<Answer>) throws(Realm.Error) -> Answer
}

/// A query for objects of a class given by name. An implementation detail of ``DynamicQueryable``.
public struct _DynamicQuery: Sendable {
    var plan: QueryPlan {
        didSet { isAll = false }
    }
    /// Whether the query is for all objects of the class, in creation order.
    private(set) var isAll = true

    init(_ className: String) {
        plan = QueryPlan(tableName: className)
    }
}

/// A computation on a state. An implementation detail of ``DynamicQueryable``.
public struct _DynamicQuestion<Answer> {
    let ask: (QueryPlan, QueryState) throws(StoreError) -> Answer

    init(_ ask: @escaping (QueryPlan, QueryState) throws(StoreError) -> Answer) {
        self.ask = ask
    }
}

extension _DynamicQuestion where Answer == ResultTree {
    /// The rows that the query finds.
    static var rows: _DynamicQuestion {
        _DynamicQuestion { plan, state throws(StoreError) in try plan.evaluate(state) }
    }
}

/// The stored classes and those of the program. An implementation detail of ``DynamicQueryable``.
public struct _DynamicClasses {
    let realm: RealmCore
    let database: DatabaseSchema

    /// Looks up names in the stored class and, if that fails, in the program's class.
    ///
    /// - Parameter dependencies: Returns the classes that the answer leads through.
    /// - Throws: The errors of `body`; the mismatch of a class whose declaration was used: a newer
    ///   program may have renamed what it declares, which would then read as its default.
    fileprivate func bind<Answer>(
        _ className: String, _ arguments: PredicateArguments, _ objects: PredicateObjects,
        dependencies: (Answer) -> Set<StoredText>,
        _ body: (PredicateBinder) throws(Realm.Error) -> Answer
    ) throws(Realm.Error) -> Answer {
        var problem: Realm.Error?
        let stored = StoredClasses(database)
        if let schema = stored.schema(named: className) {
            let scope = QueryScope(realm: realm, rootName: className)
            do throws(Realm.Error) {
                return try body(
                    PredicateBinder(
                        schema, scope, arguments, stored: stored, objects: objects))
            } catch {
                problem = error
            }
        }
        guard let entry = realm.knownEntry(named: className) else {
            throw problem ?? .unknownClass(className)
        }
        let answer: Answer
        do throws(Realm.Error) {
            let scope = QueryScope(realm: realm, rootName: className)
            answer = try body(PredicateBinder(entry.schema, scope, arguments, objects: objects))
        } catch {
            throw problem ?? error
        }
        let mismatch =
            entry.mapping(in: database).mismatch
            ?? realm.mismatch(of: dependencies(answer), from: entry.schema, in: database)
        if let mismatch { throw mismatch }
        return answer
    }
}

extension DynamicQueryable {
    private var className: String { _query.plan.tableName }

    /// Returns the objects that match a predicate string.
    ///
    /// - Parameter values: The values for `%@`, `%K`, `$0` and `$K0`, as for
    ///   ``Queryable/filter(_:_:)``; objects can be dynamic, too.
    /// - Throws: The errors of ``Queryable/filter(_:_:)``.
    /// - Complexity: O(n) for n bytes of text. The query is evaluated when the result is used.
    public func filter(_ predicate: String, _ values: Any?...) throws(Realm.Error) -> Self {
        try filtered(predicate, .positions(values))
    }

    /// Returns the objects that match a predicate string with values given by name. Otherwise
    /// behaves like ``filter(_:_:)``.
    public func filter(
        _ predicate: String, named values: [String: Any?]
    ) throws(Realm.Error) -> Self {
        try filtered(predicate, .names(values))
    }

    private func filtered(
        _ text: String, _ arguments: PredicateArguments
    ) throws(Realm.Error) -> Self {
        var query = _query
        query.plan = try _classes.bind(
            className, arguments, objects, dependencies: { $0.linkedDependencies },
            { (binder) throws(Realm.Error) in
                var plan = query.plan
                try plan.add(text, binder, className)
                if let problem = binder.scope.operands.problem(in: _classes.database) {
                    throw problem
                }
                return plan
            })
        return _with(query)
    }

    /// Returns the objects sorted by a property, which may belong to a linked object (`owner.name`)
    /// or have a position or key (`prices['EUR']`). A previous sort breaks ties.
    ///
    /// - Throws: `.invalidQuery` for a path that doesn't lead to a single value.
    public func sorted(
        byKeyPath path: String, ascending: Bool = true
    ) throws(Realm.Error) -> Self {
        var query = _query
        query.plan.addSort([SortTerm(column: try column(path).column, ascending: ascending)])
        return _with(query)
    }

    /// Returns only the first of the objects that have the same values in all of the given
    /// properties.
    ///
    /// - Throws: `.invalidQuery` for a path that doesn't lead to a single value.
    public func distinct(byKeyPaths paths: [String]) throws(Realm.Error) -> Self {
        if paths.isEmpty { return self }
        var columns: [ColumnReference] = []
        for path in paths { columns.append(try column(path).column) }
        var query = _query
        query.plan.steps.append(.distinct(columns))
        return _with(query)
    }

    /// Returns at most the first `count` objects. Conditions and sorts apply before the limit, even
    /// if they are added later.
    ///
    /// - Throws: `.invalidQuery` for a negative limit.
    public func limited(to count: Int) throws(Realm.Error) -> Self {
        guard count >= 0 else {
            throw Realm.Error(
                .invalidQuery, "The limit of results can't be negative: \(count).",
                className: className)
        }
        var query = _query
        query.plan.limit = Swift.min(query.plan.limit ?? .max, count)
        return _with(query)
    }

    /// Returns the rows of a page of the result.
    func rowPage(after cursor: PageCursor?, limit: Int) throws(Realm.Error) -> FoundPage {
        let request = try PageRequest(
            _query.plan, after: cursor, limit: limit, _classes.realm)
        let answer = try _ask(
            _DynamicQuestion { plan, state throws(StoreError) in try request.ask(plan, state) })
        return try request.found(answer)
    }

    private var objects: PredicateObjects {
        PredicateObjects(
            content: { (schema, key) throws(Realm.Error) in
                try _ask(
                    _DynamicQuestion { _, state in
                        state.link(to: schema.name, primaryKey: key)
                    })
            },
            key: { table, row in
                try? _ask(_DynamicQuestion { _, state in state.object(table, row) })
            })
    }

    private func column(
        _ path: String
    ) throws(Realm.Error) -> (column: ColumnReference, storage: _StorageType) {
        try _classes.bind(
            className, .positions([]), objects, dependencies: { $0.column.dependencies },
            { (binder) throws(Realm.Error) in try binder.singleColumn(path, of: className) })
    }
}

// MARK: Aggregates

extension DynamicQueryable {
    /// Returns the sum of a numeric property of the objects or of linked objects, ignoring `nil`:
    /// an `Int`, a `Double` or, for ``Decimal128`` and ``AnyRealmValue`` properties, a
    /// ``Decimal128``.
    ///
    /// - Throws: `.invalidQuery` for a path that doesn't lead to a single number, and if a sum of
    ///   integers doesn't fit into 64 bits.
    /// - Complexity: O(n).
    public func sum(of path: String) throws(Realm.Error) -> Any? {
        let (column, _) = try column(path)
        let value = try _ask(
            _DynamicQuestion { plan, state throws(StoreError) in try plan.sum(of: column, state) })
        return value.number
    }

    /// Returns the mean of a numeric property, ignoring `nil`: a `Double` or a ``Decimal128``;
    /// `nil` if there are no values.
    ///
    /// - Throws: `.invalidQuery` for a path that doesn't lead to a single number.
    public func average(of path: String) throws(Realm.Error) -> Any? {
        let (column, _) = try column(path)
        return try _ask(
            _DynamicQuestion { plan, state throws(StoreError) in
                try plan.average(of: column, state)
            })?.number
    }

    /// Returns the minimum of a number or date, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Throws: `.invalidQuery` for a path that doesn't lead to a single number or date.
    public func min(of path: String) throws(Realm.Error) -> Any? { try bound(.minimum, of: path) }

    /// Returns the maximum of a number or date, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Throws: `.invalidQuery` for a path that doesn't lead to a single number or date.
    public func max(of path: String) throws(Realm.Error) -> Any? { try bound(.maximum, of: path) }

    private func bound(_ extreme: Extreme, of path: String) throws(Realm.Error) -> Any? {
        let (column, storage) = try column(path)
        return try _ask(
            _DynamicQuestion { plan, state throws(StoreError) in
                try extreme.find(plan, column, state)
            })?.anyValue(as: storage.scalar)
    }
}

extension Value {
    /// A sum or mean as a Swift value.
    fileprivate var number: Any? {
        switch self {
        case .int: anyValue(as: .int)
        case .double: anyValue(as: .double)
        case .decimal: anyValue(as: .decimal)
        default: nil
        }
    }
}
