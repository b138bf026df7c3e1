internal import RegnumEngine
internal import RegnumStore

/// The objects that match a query in one snapshot: an immutable, `Sendable` collection.
///
///     let dogs = person.dogs.where { $0.age > 3 }.sorted(by: \.name)
///     for dog in dogs.prefix(10) { print(dog.name) }
///
/// Results come from a snapshot, from a list or inverse of a frozen object, from `freeze()` of a
/// confined collection, and from live collections and their streams. The query is evaluated once,
/// by the first use that needs the whole result, on the calling thread (see ``evaluated()``);
/// `count`, `first`, `prefix`, short slices, positions and aggregates don't need it. Unless they
/// are sorted, the objects of a class are in creation order, and those of a list in list order,
/// once for each occurrence.
///
/// Results are equal if they have equal objects in the same order.
public struct FrozenResults<Model: ObjectBase>: Sendable {
    let query: FrozenQuery
    public let _plan: _Plan

    /// - Parameter tree: The result; `nil` to evaluate the query when it is first used.
    init(_ table: FrozenTable, plan: _Plan, tree: ResultTree? = nil) {
        let problem = plan.firstProblem(in: table.snapshot.root.schema)
        query = FrozenQuery(table, plan.plan, problem: problem, tree: tree)
        _plan = plan
    }

    var table: FrozenTable { query.table }

    /// The version of the snapshot.
    public var version: UInt64 { query.root.version }

    /// Evaluates the query, so that all later uses are fast, and returns the same results.
    ///
    /// A query over a large class runs on one of the library's threads, so that it doesn't occupy a
    /// thread of the cooperative pool.
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
    /// - Complexity: O(1) if the query was already evaluated. Otherwise counts the matches without
    ///   collecting them.
    public var count: Int { query.count }

    /// Whether there are no objects. Stops searching at the first match.
    public var isEmpty: Bool { query.firstKeys(1).isEmpty }

    /// The first object, or `nil` if there is none. Stops searching at the first match.
    public var first: Frozen<Model>? {
        query.firstKeys(1).first.map { Frozen(table, row: $0) }
    }

    /// The last object, or `nil` if there is none.
    ///
    /// - Complexity: O(log n) for all objects of a class in order of creation; otherwise evaluates
    ///   the query.
    public var last: Frozen<Model>? { query.lastKey.map { Frozen(table, row: $0) } }

    /// Returns up to `maxLength` objects from the start of the results. Finds and sorts only as
    /// many objects as needed.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenResults> {
        let bounds = query.positions(ofPrefix: maxLength, "FrozenResults<\(table.schema.name)>")
        return Slice(base: self, bounds: bounds)
    }

    /// The objects in a range of positions. Finds and sorts only as many objects as needed.
    ///
    /// - Precondition: The range is within `0..<count`.
    public subscript(bounds: Range<Int>) -> Slice<FrozenResults> {
        query.check(bounds, "FrozenResults<\(table.schema.name)>")
        return Slice(base: self, bounds: bounds)
    }

    /// The objects in a range of positions such as `2...4` or `3...`.
    public subscript(range: some RangeExpression<Int>) -> Slice<FrozenResults> {
        self[range.positions(from: 0, to: endIndex)]
    }

    /// Returns the objects from a position to the end.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func suffix(from position: Int) -> Slice<FrozenResults> { self[position...] }

    /// Returns the objects before a position.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func prefix(upTo position: Int) -> Slice<FrozenResults> { self[..<position] }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) once the query is evaluated. Accessing a position of 32 or more may
    ///   evaluate it.
    public subscript(position: Int) -> Frozen<Model> {
        guard let key = query.key(at: position) else {
            let message =
                position < 0
                ? "The index of FrozenResults<\(table.schema.name)> is negative: \(position)."
                : "Index \(position) of FrozenResults<\(table.schema.name)> is out of range: "
                    + "the count is \(count)."
            fatalError(message + table.snapshot.callSiteMessage)
        }
        return Frozen(table, row: key)
    }

    public func makeIterator() -> Iterator {
        Iterator(table: table, keys: query.keys)
    }

    /// An iterator over the objects in order.
    public struct Iterator: IteratorProtocol {
        let table: FrozenTable
        var keys: FrozenKeys

        public mutating func next() -> Frozen<Model>? {
            guard let key = keys.next() else { return nil }
            return Frozen(table, row: key)
        }
    }
}

extension FrozenResults: Equatable {
    /// Returns whether both results have equal objects in the same order.
    ///
    /// - Complexity: O(1) for the same query on the same version; otherwise O(n), evaluating both.
    public static func == (left: FrozenResults, right: FrozenResults) -> Bool {
        if left.query === right.query { return true }
        if left.query.isSame(as: right.query), left.table.schema === right.table.schema {
            return true
        }
        return left.count == right.count && left.elementsEqual(right)
    }
}
