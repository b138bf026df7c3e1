internal import RegnumEngine
internal import RegnumStore

/// The objects that match a query in a transaction.
///
///     let recent = tx.objects(Message.self).where { $0.room == "general" }
///     for message in recent { message.isRead = true }
///
/// Results are live inside the body: every use shows the current state, including uncommitted
/// changes. A `for` loop iterates over the objects that matched when it started, so it is safe to
/// delete and change them inside the loop. Confined to the body, like the objects themselves.
///
/// `count`, subscripts and iteration evaluate the query once, and again only after a change to data
/// that it depends on.
public struct Results<Model: ObjectBase> {
    let binding: ClassBinding
    public let _plan: _Plan
    private let cache = EvaluatedResults()

    init(_ binding: ClassBinding, plan: _Plan) {
        self.binding = binding
        self._plan = plan
    }

    /// The counter of the changes that the result depends on: those of its class if nothing else
    /// affects it, otherwise all of the transaction's.
    private var changeCount: UInt64 {
        if cache.isOfOneClass == nil {
            cache.isOfOneClass = _plan.plan.isLocal
        }
        if cache.isOfOneClass == true { return binding.changeCount }
        return binding.core?.editCount ?? 0
    }

    /// The cached parts of the result for the current state.
    private var current: EvaluatedResults {
        if let core = binding.core, case .ended = core.state { trapEnded(core) }
        let changeCount = changeCount
        if cache.changeCount != changeCount {
            cache.tree = nil
            cache.firstKeys = nil
            cache.count = nil
            cache.changeCount = changeCount
        }
        return cache
    }

    /// Returns the keys of the rows found in the current state.
    func keys() -> ResultTree {
        if binding.isRecorder { return ResultTree(binding.recordedKeys) }
        let cache = current
        if let known = cache.tree { return known }
        let tree = run(ResultTree()) { state throws(StoreError) in try _plan.plan.evaluate(state) }
        cache.tree = tree
        return tree
    }

    /// Returns the first keys found in the current state: at least `count`, or all of them.
    func firstKeys(_ count: Int) -> [ObjectKey] {
        if binding.isRecorder { return Array(binding.recordedKeys.prefix(count)) }
        let cache = current
        if let tree = cache.tree { return tree.prefix(count).map { $0 } }
        if let known = cache.firstKeys, known.limit >= count { return known.keys }
        let keys = run([]) { state throws(StoreError) in
            try _plan.plan.firstKeys(count, state)
        }
        cache.firstKeys = (keys, count)
        return keys
    }

    /// Returns the answer of `question` for the current state. An error fails the transaction and
    /// returns the placeholder.
    ///
    /// - Parameter classes: The classes that the question reads through links, besides those of the
    ///   query.
    func run<Answer>(
        _ placeholder: @autoclosure () -> Answer, through classes: Set<StoredText> = [],
        _ question: (QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        guard let core = binding.core else { return placeholder() }
        guard let state = core.queryState, let schema = core.schema else { trapEnded(core) }
        let isOfOneClass = cache.isOfOneClass == true
        let linked = isOfOneClass ? classes : _plan.plan.linkedDependencies.union(classes)
        let problem =
            binding.mapping?.mismatch ?? _plan.firstProblem(in: schema)
            ?? core.realm.mismatch(of: linked, from: binding.schema, in: schema)
        if let problem {
            core.fail(problem)
            return placeholder()
        }
        return core.attempt { () throws(StoreError) in try question(state) } ?? placeholder()
    }

    private func trapEnded(_ core: TransactionCore) -> Never {
        fatalError(
            "Results<\(binding.tableName)> were used after the body of the transaction at "
                + "\(core.place) had returned.")
    }
}

/// A query's cached result, and the state of the transaction that it belongs to.
private final class EvaluatedResults {
    var tree: ResultTree?
    /// The result of a search for the first `limit` keys.
    var firstKeys: (keys: [ObjectKey], limit: Int)?
    var count: Int?
    var changeCount: UInt64 = 0
    /// Whether changes of other classes can't change the result; `nil` before the first use.
    var isOfOneClass: Bool?
}

@available(*, unavailable, message: "results are confined to their transaction: use a snapshot")
extension Results: Sendable {}

extension Results: Queryable {
    public func _with(_ plan: _Plan) -> Results {
        if binding.isRecorder { binding.noteQuery(plan.plan.hops) }
        return Results(binding, plan: plan)
    }

    public var _realm: _QueryRealm {
        _QueryRealm(
            core: binding.core?.realm, schema: binding.schema,
            problem: _plan.firstProblem(in: binding.core?.schema))
    }

    public func _ask<Answer>(_ question: _Question<Answer>) -> Answer {
        run(question.placeholder(), through: question.classes) { state throws(StoreError) in
            try question.run(_plan.plan, state)
        }
    }
}

extension Results: RandomAccessCollection {
    public typealias Element = Model

    /// The number of matching objects in the current state.
    ///
    /// - Complexity: O(1) if the query was already evaluated. Otherwise counts the matches without
    ///   collecting them.
    public var count: Int {
        let cache = current
        if let count = cache.tree?.count ?? cache.count { return count }
        if binding.isRecorder { return binding.recordedKeys.count }
        let count = run(0) { state throws(StoreError) in try _plan.plan.count(state) }
        cache.count = count
        return count
    }

    /// The first matching object in the current state, or `nil` if there is none. Stops searching
    /// at the first match.
    public var first: Model? {
        firstKeys(1).first.map { binding.accessor(Model.self, row: $0) }
    }

    /// The object at a position, as a separate accessor.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) once the query is evaluated.
    public subscript(position: Int) -> Model {
        let cache = current
        if cache.tree == nil, let first = cache.firstKeys?.keys, position >= 0,
            position < first.count
        {
            return binding.accessor(Model.self, row: first[position])
        }
        let keys = keys()
        guard position >= 0, position < keys.count else {
            if binding.core?.hasFailed == true || !binding.recordedKeys.isEmpty {
                return binding.accessor(Model.self, row: .nowhere)
            }
            fatalError(
                "Index \(position) of Results<\(binding.tableName)> is out of range: the count is "
                    + "\(keys.count)." + ReadScope.callSiteMessage)
        }
        return binding.accessor(Model.self, row: keys[position])
    }

    /// The last matching object in the current state, or `nil` if there is none.
    ///
    /// - Complexity: O(log n) for all objects of a class in creation order; otherwise that of
    ///   evaluating the query.
    public var last: Model? {
        if binding.isRecorder { return first }
        let known = current.tree
        let last =
            known == nil
            ? run(nil) { state throws(StoreError) in try _plan.plan.lastKey(state) } : known?.last
        return last.map { binding.accessor(Model.self, row: $0) }
    }

    /// Returns the position of an object, or `nil` if it doesn't match the query or is unmanaged.
    ///
    /// Passing a deleted object fails the transaction.
    ///
    /// - Precondition: The object belongs to the same realm.
    /// - Complexity: O(m) for m candidate rows. The matching objects aren't collected.
    public func index(of object: Model) -> Int? {
        let object = object._storedObject
        guard let other = object._binding, !binding.isRecorder else { return nil }
        guard other.isSameRealm(as: binding) else {
            fatalError(
                "The \(other.tableName) passed to index(of:) of Results<\(binding.tableName)> "
                    + "belongs to another realm.")
        }
        guard other.isReadable(row: object._row) else {
            guard let core = other.core, core.schema != nil else { other.trapEnded(~0) }
            core.fail(.deletedArgument(other.tableName, "index(of:)", core.place))
            return nil
        }
        guard other.schema === binding.schema else { return nil }
        if let tree = current.tree { return tree.firstIndex { $0.rawValue == object._row } }
        return run(nil) { state throws(StoreError) in
            try _plan.plan.position(of: ObjectKey(rawValue: object._row), state)
        }
    }

    /// Returns whether an object matches the query.
    ///
    /// - Precondition: The object belongs to the same realm.
    /// - Complexity: That of ``index(of:)``.
    public func contains(_ object: Model) -> Bool { index(of: object) != nil }

    /// Returns up to `limit` objects, the most relevant to the full-text searches of the query
    /// first. See ``FrozenResults/mostRelevant(limit:)``.
    public func mostRelevant(limit: Int) throws(Realm.Error) -> [SearchHit<Model>] {
        let rows =
            try scoredRows(limit: limit)
            ?? binding.recordedKeys.map { ScoredRow(key: $0, score: 0) }
        return rows.map {
            SearchHit(object: binding.accessor(Model.self, row: $0.key), score: $0.score)
        }
    }

    /// Returns an iterator over the objects that match when the loop starts, even if the loop
    /// changes them. An object that was deleted in the meantime is returned as an invalidated
    /// object; check `isInvalidated`.
    public func makeIterator() -> Iterator {
        Iterator(binding: binding, keys: keys().makeIterator())
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Model> {
        // a range up to the end uses the same result as a loop over all objects
        let isToTheEnd = current.count.map { positions.upperBound >= $0 } ?? false
        guard let tree = isToTheEnd ? keys() : current.tree else {
            let keys = firstKeys(positions.upperBound)
            let positions = positions.clamped(to: 0..<keys.count)
            return binding.loopElements(Model.self, positions) { keys[$0] }
        }
        return binding.loopElements(Model.self, positions.clamped(to: 0..<tree.count)) { tree[$0] }
    }

    public func _end(upTo limit: Int) -> Int {
        current.tree?.count ?? firstKeys(Swift.max(limit, 0)).count
    }

    public var _hasFailed: Bool { binding.core?.hasFailed ?? false }

    /// An iterator over the objects that matched when the loop started.
    public struct Iterator: IteratorProtocol {
        let binding: ClassBinding
        var keys: ResultTree.Iterator

        public mutating func next() -> Model? {
            // not `map`, which isn't specialized here
            guard let key = keys.next() else { return nil }
            return binding.accessor(Model.self, row: key)
        }
    }
}
