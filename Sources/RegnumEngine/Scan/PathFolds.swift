/// Counts the matching rows at the end of a path, up to `max`.
struct MatchCounter: EndVisitor {
    let predicate: CompiledPredicate
    let max: Int
    var count = 0
    var rowCount = 0

    mutating func visit(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        rowCount += 1
        if predicate.matches(cluster, row, content) { count += 1 }
        return count < max
    }
}

/// Searches for a matching row at the end of a path, which conditions there may continue. Follows
/// each hop from a row only once, because the number of ways to the same rows grows exponentially
/// with the hops.
struct ReachSearch: EndVisitor {
    private var hops: [CompiledPath] = []
    /// The conditions on the rows that each hop leads to.
    private var conditions: [CompiledPredicate] = []
    /// The number of hops that lead to the row being visited.
    private var level = 0
    /// The rows visited at each level.
    private var visited: [Set<UInt64>]
    private var followedCount = 0
    private var isFound = false
    /// Whether the search ended because it would have to keep the rows of many levels.
    private var hasGivenUp = false

    /// The number of rows from which a search follows hops.
    private static let maximumFollowedCount = 1 << 14

    /// Returns `nil` if a condition along the way does more than to continue the path for some
    /// rows.
    init?(_ path: CompiledPath, _ predicate: CompiledPredicate) {
        var (path, end) = (path, predicate)
        while true {
            hops += path.hops.map { CompiledPath(hops: [$0]) }
            conditions += Array(repeating: .constant(true), count: path.hops.count)
            if end.pathLevelCount == 0 { break }
            guard let next = end.continuation else { return nil }
            conditions[conditions.count - 1] = next.condition
            (path, end) = (next.path, next.term)
        }
        conditions[conditions.count - 1] = end
        visited = Array(repeating: [], count: hops.count + 1)
    }

    /// Returns whether a row leads to a matching one.
    mutating func finds(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        _ = visit(cluster, row, content)
        if !hasGivenUp { return isFound }
        visited = []
        var first = RowCollector()
        hops[0].walk(cluster, row, content, &first)
        var rows = conditions[0].matching(first.ascending, hops[0].target, content)
        for index in hops.indices.dropFirst() {
            let ends = hops[index].ends(of: rows, hops[index - 1].target, content)
            rows = conditions[index].matching(ends, hops[index].target, content)
        }
        return !rows.isEmpty
    }

    /// Visits the row that the path starts from, or one that some of the hops lead to.
    mutating func visit(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        let isNew = visited[level].insert(cluster.firstKey + UInt64(row)).inserted
        if !isNew { return true }
        if level > 0, !conditions[level - 1].matches(cluster, row, content) { return true }
        if level == hops.count {
            isFound = true
        } else if followedCount == ReachSearch.maximumFollowedCount {
            hasGivenUp = true
        } else {
            followedCount += 1
            let hop = hops[level]
            level += 1
            hop.walk(cluster, row, content, &self)
            level -= 1
        }
        return !isFound && !hasGivenUp
    }
}

extension CompiledPredicate {
    /// The only path through lists that the condition follows, and the condition on the rows that
    /// follow it; `nil` if it isn't of that form.
    fileprivate var continuation:
        (condition: CompiledPredicate, path: CompiledPath, term: CompiledPredicate)?
    {
        switch self {
        case .related(let path, let term):
            return (.constant(true), path, term)
        case .and(let terms):
            let nested = terms.filter { $0.pathLevelCount > 0 }
            guard nested.count == 1, case .related(let path, let term) = nested[0] else {
                return nil
            }
            return (.and(terms.filter { $0.pathLevelCount == 0 }), path, term)
        default:
            return nil
        }
    }
}

extension CompiledPath {
    /// Whether the path leads through more than two lists or inverses. The ways through two of them
    /// are at most as many as the elements of all lists.
    var mayRepeatManyRows: Bool {
        hops.count > 2 && hops.count { !$0.leadsToOneRow } > 2
    }
}

extension CompiledHop {
    var leadsToOneRow: Bool {
        switch self {
        case .link, .element: true
        case .list, .linkOrigins, .listOrigins, .entryTargets, .entryOrigins: false
        }
    }
}

/// A comparison of a constant with an aggregate of a property over the rows at the end of a path.
struct CompiledAggregate: Sendable {
    let kind: AggregateKind
    let column: PathColumn
    let comparison: Comparison
    let value: Value

    /// The result if there are no values.
    var whenEmpty: Bool { AggregateFold(self).holds }
}

/// The running aggregate of the values visited so far.
struct AggregateFold: EndVisitor {
    let aggregate: CompiledAggregate
    private var sum = SumFold()
    private var best = Value.null

    init(_ aggregate: CompiledAggregate) { self.aggregate = aggregate }

    mutating func visit(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        add(aggregate.column.value(cluster, row, content))
        return true
    }

    mutating func add(_ value: Value) {
        switch aggregate.kind {
        case .min, .max:
            if value.isNaN || value.isNull || value.isAnyReference { return }
            let isLeast = aggregate.kind == .min
            if best.isNull || (isLeast ? sortsBefore(value, best) : sortsBefore(best, value)) {
                best = value
            }
        case .sum, .average:
            sum.add(value)
        }
    }

    /// Whether `a` sorts before `b`. Values of any type use their total order, also across kinds.
    private func sortsBefore(_ a: Value, _ b: Value) -> Bool {
        aggregate.column.column.type == .any
            ? Value.compare(a, b) < 0 : Comparison.less.holds(a, b)
    }

    /// Whether the aggregate satisfies the comparison.
    var holds: Bool {
        let (comparison, value) = (aggregate.comparison, aggregate.value)
        let type = aggregate.column.column.type
        switch aggregate.kind {
        case .min, .max:
            return comparison.holds(best, value)
        case .sum:
            // a sum of integers beyond 64 bits has fewer digits than a decimal can have
            let total = sum.sum(of: type) ?? .decimal(DecimalBits(sum.integerTotal))
            return comparison.holds(total, value)
        case .average:
            return comparison.holds(sum.mean(of: type) ?? .null, value)
        }
    }
}

/// A sum and count of numbers. Other values don't count.
struct SumFold {
    var count = 0
    var integerTotal: Int128 = 0
    var total = 0.0
    private var decimalTotal = DecimalBits.zero

    @inline(__always)
    mutating func add(_ value: Value, _ times: Int = 1) {
        switch value {
        case .int(let x): integerTotal += Int128(x) * Int128(times)
        case .double(let x): total += x * Double(times)
        default:
            guard let x = SumFold.decimal(value) else { return }
            let sum = times == 1 ? x : .product(x, DecimalBits(Int64(times)))
            decimalTotal = .sum(decimalTotal, sum)
        }
        count += times
    }

    private static func decimal(_ value: Value) -> DecimalBits? {
        if case .decimal(let x) = value { x } else { value.anyContent?.number?.decimal }
    }

    /// Returns the sum of values of a property's type; `nil` if a sum of integers doesn't fit into
    /// 64 bits.
    func sum(of type: ValueType) -> Value? {
        switch type {
        case .double: .double(total)
        case .decimal: .decimal(decimalTotal)
        case .any: AnyContent.decimal(decimalTotal).value
        default: Int64(exactly: integerTotal).map { .int($0) }
        }
    }

    /// Returns the mean of values of a property's type; `nil` if there are none.
    func mean(of type: ValueType) -> Value? {
        if count == 0 { return nil }
        if type == .decimal || type == .any {
            let mean = DecimalBits.quotient(decimalTotal, DecimalBits(Int64(count)))
            return type == .any ? AnyContent.decimal(mean).value : .decimal(mean)
        }
        return .double((type == .double ? total : Double(integerTotal)) / Double(count))
    }
}
