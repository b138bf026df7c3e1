/// Finds out whether one of the rows at the end of a path matches.
struct MatchFinder: EndVisitor {
    let predicate: CompiledPredicate
    var isFound = false

    init(_ predicate: CompiledPredicate) { self.predicate = predicate }

    mutating func take(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        isFound = predicate.matches(cluster, row, content)
        return !isFound
    }
}

/// Counts the matching rows at the end of a path, up to `max`.
struct MatchCounter: EndVisitor {
    let predicate: CompiledPredicate
    let max: Int
    var count = 0
    var rowCount = 0

    init(_ predicate: CompiledPredicate, max: Int) {
        self.predicate = predicate
        self.max = max
    }

    mutating func take(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        rowCount += 1
        if predicate.matches(cluster, row, content) { count += 1 }
        return count < max
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
    private var count = 0
    private var integerTotal: Int128 = 0
    private var total = 0.0
    private var decimalTotal = DecimalBits.zero
    private var best = Value.null

    init(_ aggregate: CompiledAggregate) { self.aggregate = aggregate }

    mutating func take(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        add(aggregate.column.value(cluster, row, content))
        return true
    }

    mutating func add(_ value: Value) {
        switch aggregate.kind {
        case .min:
            if !value.isNaN, !value.isNull, !value.isAnyReference,
                best.isNull || comesFirst(value, best)
            {
                best = value
            }
        case .max:
            if !value.isNaN, !value.isNull, !value.isAnyReference,
                best.isNull || comesFirst(best, value)
            {
                best = value
            }
        case .sum, .average:
            switch value {
            case .int(let x): integerTotal += Int128(x)
            case .double(let x): total += x
            case .decimal(let x): decimalTotal = .sum(decimalTotal, x)
            case .any:
                guard let number = value.anyContent?.number else { return }
                decimalTotal = .sum(decimalTotal, number.decimal)
            default: return
            }
            count += 1
        }
    }

    /// Whether `a` sorts before `b`. Values of any type use their total order, also across kinds.
    private func comesFirst(_ a: Value, _ b: Value) -> Bool {
        aggregate.column.column.type == .any
            ? Value.compare(a, b) < 0 : Comparison.less.holds(a, b)
    }

    /// Whether the aggregate satisfies the comparison.
    var holds: Bool {
        let (comparison, value) = (aggregate.comparison, aggregate.value)
        let isDouble = aggregate.column.column.type == .double
        let isDecimal = aggregate.column.column.type == .decimal
        let isAny = aggregate.column.column.type == .any
        switch aggregate.kind {
        case .min, .max:
            return comparison.holds(best, value)
        case .sum:
            if isDouble { return comparison.holds(.double(total), value) }
            if isDecimal { return comparison.holds(.decimal(decimalTotal), value) }
            if isAny { return comparison.holds(AnyContent.decimal(decimalTotal).value, value) }
            if let sum = Int64(exactly: integerTotal) { return comparison.holds(.int(sum), value) }
            return holdsBeyondInteger
        case .average:
            if count == 0 { return comparison.holds(.null, value) }
            if isDecimal {
                let mean = DecimalBits.quotient(decimalTotal, DecimalBits(Int64(count)))
                return comparison.holds(.decimal(mean), value)
            }
            if isAny {
                let mean = DecimalBits.quotient(decimalTotal, DecimalBits(Int64(count)))
                return comparison.holds(AnyContent.decimal(mean).value, value)
            }
            let sum = isDouble ? total : Double(integerTotal)
            return comparison.holds(.double(sum / Double(count)), value)
        }
    }

    /// The comparison of a sum of integers that doesn't fit into 64 bits, which is greater or less
    /// than every integer.
    private var holdsBeyondInteger: Bool {
        let comparison = aggregate.comparison
        if case .decimal = aggregate.value {
            return comparison.holds(.decimal(DecimalBits(integerTotal)), aggregate.value)
        }
        guard case .double(let x) = aggregate.value else {
            if aggregate.value.isNull { return comparison == .notEqual }
            return comparison.holds(.int(integerTotal > 0 ? 1 : -1), .int(0))
        }
        if x.isNaN { return comparison == .notEqual }
        let order: Int
        if abs(x) >= 0x1p126 {
            order = x > 0 ? -1 : 1
        } else {
            let whole = Int128(x)  // beyond 2^63 a double is whole
            order = integerTotal == whole ? 0 : (integerTotal < whole ? -1 : 1)
        }
        return comparison.holds(.int(Int64(order)), .int(0))
    }
}
