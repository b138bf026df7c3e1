internal import RegnumEngine
internal import RegnumStore

/// The objects that a query finds in one snapshot: a collection that can be sent and kept.
///
/// The query is evaluated once, at the first use of `count`, a subscript or iteration, on the task
/// that uses it; results of a change stream come evaluated. Without a sort the objects are in order
/// of creation.
public struct FrozenResults<Model: ObjectBase>: Sendable {
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
        case .lazy(let evaluation): evaluation.tree(self)
        }
    }

    /// The version of the snapshot.
    public var version: UInt64 { table.snapshot.root.version }

    /// What `question` answers about the snapshot. An error goes to the realm's log, and the answer
    /// is `nothing`.
    func ask<Answer>(
        _ nothing: Answer, _ question: (QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        do throws(Realm.Error) {
            if let mismatch = table.mismatch { throw mismatch }
            do throws(StoreError) {
                return try question(QueryState(table.snapshot.root))
            } catch {
                throw Realm.Error(error)
            }
        } catch {
            table.snapshot.realm.report(error)
            return nothing
        }
    }

    /// The result of the query, once it is known. Two tasks that ask at once may both do the work;
    /// both get an equal result.
    private final class Evaluation: Sendable {
        private let known = Guarded<ResultTree?>(nil)
        private let counted = Guarded<Int?>(nil)
        private let first = Guarded<(keys: [ObjectKey], limit: Int)?>(nil)

        var tree: ResultTree? { known.withLock { $0 } }

        func tree(_ results: FrozenResults) -> ResultTree {
            if let tree { return tree }
            let found = results.ask(ResultTree()) { state throws(StoreError) in
                try results._plan.plan.evaluate(state)
            }
            known.withLock { $0 = found }
            return found
        }

        /// How many there are.
        func count(_ results: FrozenResults) -> Int {
            if let known = tree?.count ?? counted.withLock({ $0 }) { return known }
            let found = results.ask(0) { state throws(StoreError) in
                try results._plan.plan.count(state)
            }
            counted.withLock { $0 = found }
            return found
        }

        /// The first keys, as far as they were found.
        var firstKeys: [ObjectKey] { first.withLock { $0?.keys ?? [] } }

        /// The first keys: at least `count`, or all.
        func firstKeys(_ count: Int, _ results: FrozenResults) -> [ObjectKey] {
            if let known = first.withLock({ $0 }), known.limit >= count { return known.keys }
            let found = results.ask([]) { state throws(StoreError) in
                try results._plan.plan.firstKeys(count, state)
            }
            first.withLock { $0 = (found, count) }
            return found
        }
    }

    /// The first keys: at least `count`, or all.
    private func firstKeys(_ count: Int) -> [ObjectKey] {
        switch outcome {
        case .known(let tree): return Array(tree.prefix(count))
        case .lazy(let evaluation):
            if let tree = evaluation.tree { return Array(tree.prefix(count)) }
            return evaluation.firstKeys(count, self)
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

    public var endIndex: Int { count }

    /// The number of objects.
    ///
    /// - Complexity: counts without finding the objects, if they were not found before.
    public var count: Int {
        if case .lazy(let evaluation) = outcome { return evaluation.count(self) }
        return tree.count
    }

    /// The first object, nil if there is none. Finds no more than that.
    public var first: Frozen<Model>? {
        firstKeys(1).first.map { Frozen(table, row: $0) }
    }

    /// The first objects. Finds and sorts no more than those.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenResults> {
        precondition(maxLength >= 0, "A prefix has a length of zero or more.")
        return Slice(base: self, bounds: 0..<Swift.min(maxLength, firstKeys(maxLength).count))
    }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) once the query is evaluated.
    public subscript(position: Int) -> Frozen<Model> {
        if case .lazy(let evaluation) = outcome {
            let first = evaluation.firstKeys
            if position >= 0, position < first.count { return Frozen(table, row: first[position]) }
        }
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
