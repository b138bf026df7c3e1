internal import RegnumEngine
internal import RegnumStore

/// The objects that a query finds in one snapshot: a collection that can be sent and kept.
///
/// The query is evaluated once, at the first use of `count`, a subscript or iteration, on the task
/// that uses it; results of a change stream come evaluated. Without a sort the objects are in order
/// of creation.
public struct FrozenResults<Model: Object>: Sendable {
    let table: FrozenTable
    public let _plan: _Plan
    private let outcome: Outcome

    /// What the query finds: known, or to be found at first use.
    private enum Outcome: Sendable {
        case known(ResultTree)
        case lazy(Evaluation)
    }

    /// Results to be evaluated at first use.
    init(_ table: FrozenTable, plan: _Plan) {
        self.table = table
        self._plan = plan
        outcome = .lazy(Evaluation())
    }

    /// Results that are known.
    init(_ table: FrozenTable, plan: _Plan, tree: ResultTree) {
        self.table = table
        self._plan = plan
        outcome = .known(tree)
    }

    /// The keys of the rows found.
    var tree: ResultTree {
        switch outcome {
        case .known(let tree): tree
        case .lazy(let evaluation): evaluation.tree(table, _plan.plan)
        }
    }

    /// The version of the snapshot.
    public var version: UInt64 { table.snapshot.root.version }

    /// The result of the query, once it is known.
    private final class Evaluation: Sendable {
        private let known = Guarded<ResultTree?>(nil)

        /// The result, evaluated at the first call. Two tasks that call at once may both do the
        /// work; both get an equal result.
        func tree(_ table: FrozenTable, _ plan: QueryPlan) -> ResultTree {
            if let tree = known.withLock({ $0 }) { return tree }
            var tree = ResultTree()
            do throws(Realm.Error) {
                if let mismatch = table.mismatch { throw mismatch }
                do throws(StoreError) {
                    tree = try plan.evaluate(table.snapshot.root)
                } catch {
                    throw Realm.Error(error)
                }
            } catch {
                table.snapshot.realm.report(error)
            }
            let found = tree
            known.withLock { $0 = found }
            return found
        }
    }
}

extension FrozenResults: Queryable {
    public func _with(_ plan: _Plan) -> FrozenResults {
        FrozenResults(table, plan: plan)
    }
}

extension FrozenResults: RandomAccessCollection {
    public typealias Element = Frozen<Model>

    public var startIndex: Int { 0 }

    public var endIndex: Int { tree.count }

    /// The number of objects.
    public var count: Int { tree.count }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) once the query is evaluated.
    public subscript(position: Int) -> Frozen<Model> {
        let tree = tree
        guard position >= 0, position < tree.count else {
            fatalError(
                "Index \(position) of FrozenResults<\(table.schema.name)> is out of range: there "
                    + "are \(tree.count) objects.")
        }
        return Frozen(table, row: tree[position])
    }

    public func makeIterator() -> Iterator {
        Iterator(table: table, keys: tree.makeIterator())
    }

    /// Steps through the objects in order.
    public struct Iterator: IteratorProtocol {
        let table: FrozenTable
        var keys: ResultTree.Iterator

        public mutating func next() -> Frozen<Model>? {
            keys.next().map { Frozen(table, row: $0) }
        }
    }
}

extension FrozenResults: Encodable {
    /// Encodes the objects as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for object in self { try container.encode(object) }
    }
}
