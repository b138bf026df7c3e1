internal import RegnumEngine
internal import RegnumStore

/// The objects that a query finds in a transaction.
///
/// Live inside the body: every use shows the current, also uncommitted, state. A `for` loop walks
/// the objects found when it started, so that deleting and changing them inside is safe. Confined
/// to the body like the objects themselves.
///
/// `count`, subscripts and iteration evaluate the query once for each state of the class.
public struct Results<Model: ObjectBase> {
    let binding: ClassBinding
    public let _plan: _Plan
    private let cache = EvaluatedResults()

    init(_ binding: ClassBinding, plan: _Plan) {
        self.binding = binding
        self._plan = plan
    }

    /// The count of changes that the result depends on: those of its class where nothing else decides,
    /// else all of the transaction.
    private var changeCount: UInt64 {
        if cache.isOfOneClass == nil {
            cache.isOfOneClass = _plan.plan.isLocal
        }
        if cache.isOfOneClass == true { return binding.changeCount }
        return binding.core?.editCount ?? 0
    }

    /// What is known of the result in the current state.
    private var current: EvaluatedResults {
        let changeCount = changeCount
        if cache.changeCount != changeCount {
            cache.tree = nil
            cache.firstKeys = nil
            cache.count = nil
            cache.changeCount = changeCount
        }
        return cache
    }

    /// The keys of the rows found in the current state.
    func keys() -> ResultTree {
        guard let core = binding.core else { return ResultTree() }
        if case .ended = core.state { trapEnded(core) }
        let cache = current
        if let known = cache.tree { return known }
        let tree = ask(ResultTree()) { state throws(StoreError) in try _plan.plan.evaluate(state) }
        cache.tree = tree
        return tree
    }

    /// The first keys that are found in the current state: at least `count`, or all.
    func firstKeys(_ count: Int) -> [ObjectKey] {
        let cache = current
        if let tree = cache.tree { return tree.prefix(count).map { $0 } }
        if let known = cache.firstKeys, known.limit >= count { return known.keys }
        let keys = ask([]) { state throws(StoreError) in
            try _plan.plan.firstKeys(count, state)
        }
        cache.firstKeys = (keys, count)
        return keys
    }

    /// What `question` answers about the current state. An error fails the transaction, and the
    /// answer is a placeholder.
    func ask<Answer>(
        _ placeholder: @autoclosure () -> Answer,
        _ question: (QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        guard let core = binding.core else { return placeholder() }
        guard let state = core.queryState else { trapEnded(core) }
        if let problem = binding.mapping?.mismatch ?? _plan.problem {
            core.fail(problem)
            return placeholder()
        }
        do throws(StoreError) {
            return try question(state)
        } catch {
            core.fail(Realm.Error(error))
            return placeholder()
        }
    }

    private func trapEnded(_ core: TransactionCore) -> Never {
        fatalError(
            "Results<\(binding.tableName)> were used after the body of the transaction at "
                + "\(core.place) had returned.")
    }
}

/// What a query found, and in which state of its transaction.
private final class EvaluatedResults {
    var tree: ResultTree?
    /// What a search for the first `limit` keys found.
    var firstKeys: (keys: [ObjectKey], limit: Int)?
    var count: Int?
    var changeCount: UInt64 = 0
    /// Whether changes of other classes cannot change the result; nil before the first use.
    var isOfOneClass: Bool?
}

@available(*, unavailable, message: "results stay in their transaction: use a snapshot")
extension Results: Sendable {}

extension Results: Queryable {
    public func _with(_ plan: _Plan) -> Results {
        Results(binding, plan: plan)
    }

    public var _realm: _QueryRealm { _QueryRealm(core: binding.core?.realm) }

    public func _ask<Answer>(_ question: _Question<Answer>) -> Answer {
        ask(question.placeholder()) { state throws(StoreError) in
            try question.ask(_plan.plan, state)
        }
    }
}

extension Results: RandomAccessCollection {
    public typealias Element = Model

    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of objects found now.
    ///
    /// - Complexity: counts without finding the objects, if they were not found before.
    public var count: Int {
        if let core = binding.core, case .ended = core.state { trapEnded(core) }
        let cache = current
        if let count = cache.tree?.count ?? cache.count { return count }
        let count = ask(0) { state throws(StoreError) in try _plan.plan.count(state) }
        cache.count = count
        return count
    }

    /// The first object that is found now, nil if there is none. Finds no more than that.
    public var first: Model? {
        firstKeys(1).first.map { binding.accessor(Model.self, row: $0) }
    }

    /// The first objects that are found now. Finds and sorts no more than those.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<Results> {
        precondition(maxLength >= 0, "A prefix has a length of zero or more.")
        let keys = firstKeys(maxLength)
        return Slice(base: self, bounds: 0..<Swift.min(maxLength, keys.count))
    }

    /// The object at a position, as an accessor of its own.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) after the evaluation.
    public subscript(position: Int) -> Model {
        let cache = current
        if cache.tree == nil, let first = cache.firstKeys?.keys, position >= 0,
            position < first.count
        {
            return binding.accessor(Model.self, row: first[position])
        }
        let keys = keys()
        guard position >= 0, position < keys.count else {
            if binding.core?.hasFailed == true {
                return binding.accessor(Model.self, row: .nowhere)
            }
            fatalError(
                "Index \(position) of Results<\(binding.tableName)> is out of range: there are "
                    + "\(keys.count) objects.")
        }
        return binding.accessor(Model.self, row: keys[position])
    }

    /// The objects at a range of positions. Finds and sorts no more than those up to its end.
    ///
    /// - Precondition: `0 <= bounds.lowerBound` and `bounds.upperBound <= count`.
    public subscript(bounds: Range<Int>) -> Slice<Results> {
        let known = current.tree?.count ?? firstKeys(bounds.upperBound).count
        guard bounds.lowerBound >= 0, bounds.upperBound <= known || binding.core?.hasFailed == true
        else {
            fatalError(
                "The range \(bounds) of Results<\(binding.tableName)> is out of range: there are "
                    + "\(count) objects.")
        }
        return Slice(base: self, bounds: bounds)
    }

    /// The last object that is found now, nil if there is none.
    ///
    /// - Complexity: O(log n) for all objects of a class, otherwise that of the evaluation.
    public var last: Model? {
        if let core = binding.core, case .ended = core.state { trapEnded(core) }
        let known = current.tree
        let last =
            known == nil
            ? ask(nil) { state throws(StoreError) in try _plan.plan.lastKey(state) } : known?.last
        return last.map { binding.accessor(Model.self, row: $0) }
    }

    /// The position of an object; nil if it is not found by the query, or unmanaged.
    ///
    /// A deleted object fails the transaction.
    ///
    /// - Precondition: the object is of the same realm.
    /// - Complexity: O(candidates); the result itself is not made.
    public func index(of object: Model) -> Int? {
        let object = object._storedObject
        guard let other = object._binding else { return nil }
        guard other.isSameRealm(as: binding) else {
            fatalError(
                "A \(other.tableName) of another realm was passed to index(of:) of "
                    + "Results<\(binding.tableName)>.")
        }
        guard other.isReadable(row: object._row) else {
            guard let core = other.core, core.schema != nil else { other.trapEnded(~0) }
            core.fail(.deletedArgument(other.tableName, "index(of:)", core.place))
            return nil
        }
        guard other.schema === binding.schema else { return nil }
        if let tree = current.tree { return tree.firstIndex { $0.rawValue == object._row } }
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.position(of: ObjectKey(rawValue: object._row), state)
        }
    }

    /// Whether an object is found by the query.
    ///
    /// - Precondition: as `index(of:)`.
    public func contains(_ object: Model) -> Bool { index(of: object) != nil }

    /// The objects at positions, in the order of the positions.
    ///
    /// - Precondition: all positions are in `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Model] { positions.map { self[$0] } }

    /// Walks the objects that are found now, whatever the loop does to them. One that was deleted
    /// meanwhile comes as an invalid object: ask `isInvalidated`.
    public func makeIterator() -> Iterator {
        Iterator(binding: binding, keys: keys().makeIterator())
    }

    /// Steps through the objects that were found when the loop started.
    public struct Iterator: IteratorProtocol {
        let binding: ClassBinding
        var keys: ResultTree.Iterator

        public mutating func next() -> Model? {
            keys.next().map { binding.accessor(Model.self, row: $0) }
        }
    }
}
