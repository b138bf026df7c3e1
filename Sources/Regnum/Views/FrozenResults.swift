internal import RegnumEngine
internal import RegnumStore

/// The objects that a query finds in one snapshot: a collection that can be sent and kept.
///
///     let dogs = person.dogs.where { $0.age > 3 }.sorted(by: \.name)
///     for dog in dogs.prefix(10) { print(dog.name) }
///
/// It comes from a snapshot, from a list or inverse of a frozen object, from `freeze()` of a
/// confined collection, from a live one and from its streams. The query is evaluated once, at the
/// first use that needs it whole, on the task that uses it (see ``evaluated()``); `count`, `first`,
/// `prefix`, short slices, positions and aggregates do without. Without a sort the objects of a
/// class are in order of creation, those of a list in the list's order, as often as they are in it.
///
/// Results are equal if they have equal objects in the same order.
public struct FrozenResults<Model: ObjectBase>: Sendable {
    let query: FrozenQuery
    public let _plan: _Plan

    /// Results to be evaluated at first use.
    init(_ table: FrozenTable, plan: _Plan) {
        query = FrozenQuery(table, plan.plan, problem: plan.problem)
        _plan = plan
    }

    /// Results that are known.
    init(_ table: FrozenTable, plan: _Plan, tree: ResultTree) {
        query = FrozenQuery(table, plan.plan, problem: plan.problem, tree: tree)
        _plan = plan
    }

    var table: FrozenTable { query.table }

    /// The keys of the rows found.
    var tree: ResultTree { query.tree }

    /// The version of the snapshot.
    public var version: UInt64 { query.root.version }

    /// The same results, evaluated: every use from here on is quick.
    ///
    /// A query over a large class runs on a thread of the library, so that it takes none from the
    /// pool that all tasks share.
    public func evaluated() async -> FrozenResults {
        await query.evaluate()
        return self
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
    public var count: Int { query.count }

    /// Whether there are no objects. Finds no more than one.
    public var isEmpty: Bool { query.firstKeys(1).isEmpty }

    /// The first object, nil if there is none. Finds no more than that.
    public var first: Frozen<Model>? { query.firstKeys(1).first.map { Frozen(table, row: $0) } }

    /// The last object, nil if there is none.
    ///
    /// - Complexity: O(log n) for all objects of a class in order of creation; else evaluates.
    public var last: Frozen<Model>? { query.lastKey.map { Frozen(table, row: $0) } }

    /// The first objects. Finds and sorts no more than those.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenResults> {
        precondition(maxLength >= 0, "A prefix has a length of zero or more.")
        let count = query.firstKeys(maxLength).count
        return Slice(base: self, bounds: 0..<Swift.min(maxLength, count))
    }

    /// The objects at a range of positions. Finds and sorts those before its end, not the others.
    ///
    /// - Precondition: the range lies within `0..<count`.
    public subscript(bounds: Range<Int>) -> Slice<FrozenResults> {
        guard bounds.lowerBound >= 0, query.hasKeys(bounds.upperBound) else {
            fatalError(
                "The range \(bounds) of FrozenResults<\(table.schema.name)> is out of range: there "
                    + "are \(self.count) objects.")
        }
        return Slice(base: self, bounds: bounds)
    }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) once the query is evaluated, which positions from 32 on need.
    public subscript(position: Int) -> Frozen<Model> {
        guard let key = query.key(at: position) else {
            fatalError(
                position < 0
                    ? "FrozenResults<\(table.schema.name)> were given the negative index "
                        + "\(position)."
                    : "Index \(position) of FrozenResults<\(table.schema.name)> is out of range: "
                        + "there are \(count) objects.")
        }
        return Frozen(table, row: key)
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

extension FrozenResults: Equatable {
    /// Whether both have equal objects in the same order.
    ///
    /// - Complexity: O(1) for the same query on the same version; else O(n), evaluating both.
    public static func == (left: FrozenResults, right: FrozenResults) -> Bool {
        if left.query === right.query { return true }
        if left.query.root === right.query.root, left._plan.plan == right._plan.plan,
            left.table.schema === right.table.schema
        {
            return true
        }
        return left.count == right.count && left.elementsEqual(right)
    }
}
