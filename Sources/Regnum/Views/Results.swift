internal import RegnumEngine
internal import RegnumStore

/// The objects that a query finds in a transaction.
///
/// Live inside the body: every use shows the current, also uncommitted, state. A `for` loop walks
/// the objects found when it started, so that deleting and changing them inside is safe. Confined
/// to the body like the objects themselves.
///
/// `count`, subscripts and iteration evaluate the query once for each state of the class.
public struct Results<Model: Object> {
    let binding: ClassBinding
    public let _plan: _Plan
    private let cache = EvaluatedResults()

    init(_ binding: ClassBinding, plan: _Plan) {
        self.binding = binding
        self._plan = plan
    }

    /// The keys of the rows found in the current state.
    func keys() -> ResultTree {
        guard let core = binding.core else { return ResultTree() }
        guard let root = core.root else {
            fatalError(
                "Results<\(binding.tableName)> were used after the body of the transaction at "
                    + "\(core.place) had returned.")
        }
        if let known = cache.tree, cache.changeCount == binding.changeCount { return known }
        var tree = ResultTree()
        if binding.mapping?.mismatch == nil {
            do throws(StoreError) {
                tree = try _plan.plan.evaluate(root)
            } catch {
                core.fail(Realm.Error(error))
            }
        }
        cache.tree = tree
        cache.changeCount = binding.changeCount
        return tree
    }
}

/// What a query found, and in which state of its transaction.
private final class EvaluatedResults {
    var tree: ResultTree?
    var changeCount: UInt64 = 0
}

@available(*, unavailable, message: "results stay in their transaction: use a snapshot")
extension Results: Sendable {}

extension Results: Queryable {
    public func _with(_ plan: _Plan) -> Results {
        Results(binding, plan: plan)
    }
}

extension Results: RandomAccessCollection {
    public typealias Element = Model

    public var startIndex: Int { 0 }

    public var endIndex: Int { keys().count }

    /// The number of objects found now.
    public var count: Int { keys().count }

    /// The object at a position, as an accessor of its own.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) after the evaluation.
    public subscript(position: Int) -> Model {
        let keys = keys()
        guard position >= 0, position < keys.count else {
            fatalError(
                "Index \(position) of Results<\(binding.tableName)> is out of range: there are "
                    + "\(keys.count) objects.")
        }
        return binding.accessor(Model.self, row: keys[position])
    }

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
