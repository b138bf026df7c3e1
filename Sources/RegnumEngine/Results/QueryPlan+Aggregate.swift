import CRegnum
package import RegnumStore

extension QueryPlan {
    /// Returns the sum of an integer, double, decimal or `any` property over the matching rows,
    /// ignoring nulls; zero of the property's type if there are no values, and NaN if one of the
    /// doubles or decimals is NaN. For `any` properties, returns the sum of the numbers as a
    /// decimal. Doubles are added in a fixed scheme (`cregnum_sum_doubles`), so that every
    /// processor gives the same bits. If the property or the result is reached through links, or
    /// the plan is distinct or limited, they are added in the order of the result.
    ///
    /// Throws `invalidQuery` for other types, and if a sum of integers doesn't fit into 64 bits;
    /// otherwise the errors of `evaluate`.
    package func sum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value {
        let fold = try sumFold(column, state.content, of: [.int, .double, .decimal, .any])
        if column.type == .any { return AnyContent.decimal(fold.decimalTotal).value }
        if column.type == .double { return .double(fold.total) }
        if column.type == .decimal { return .decimal(fold.decimalTotal) }
        guard let sum = Int64(exactly: fold.integerTotal) else {
            throw StoreError(
                .invalidQuery,
                "The sum of \(tableName).\(column.name) does not fit into 64 bits.",
                className: tableName, property: column.name)
        }
        return .int(sum)
    }

    /// Returns the mean of an integer, double, decimal or `any` property over the matching rows,
    /// ignoring nulls; `nil` if there are no values. Integers are summed exactly. The mean is a
    /// decimal for decimals and `any` values, otherwise a double.
    ///
    /// Throws `invalidQuery` for other types, otherwise the errors of `evaluate`.
    package func average(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        let fold = try sumFold(column, state.content, of: [.int, .double, .decimal, .any])
        if fold.count == 0 { return nil }
        if column.type == .any {
            let mean = DecimalBits.quotient(fold.decimalTotal, DecimalBits(Int64(fold.count)))
            return AnyContent.decimal(mean).value
        }
        if column.type == .decimal {
            return .decimal(.quotient(fold.decimalTotal, DecimalBits(Int64(fold.count))))
        }
        let total = column.type == .double ? fold.total : Double(fold.integerTotal)
        return .double(total / Double(fold.count))
    }

    /// Returns the least value of an integer, double, decimal, date or `any` property over the
    /// matching rows, ignoring nulls and NaN; `nil` if there are no values.
    ///
    /// Throws as `average`.
    /// - Complexity: clusters whose bounds can't change the result are skipped.
    package func minimum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try bound(of: column, state.content, isGreatest: false)
    }

    /// Returns the greatest value; otherwise as `minimum`.
    package func maximum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try bound(of: column, state.content, isGreatest: true)
    }

    private func resolve(
        _ column: ColumnReference, _ root: DatabaseContent, of types: [ValueType]
    ) throws(StoreError) -> (CompiledQuery, PathColumn) {
        let query = try CompiledQuery(self, root.schema)
        let compiler = QueryCompiler(
            schema: root.schema, tableName: tableName, table: root.schema.table(named: tableName))
        let resolved = try compiler.resolvePath(column)
        guard types.contains(column.type) else { throw compiler.noAggregate(column) }
        return (query, resolved)
    }

    /// Whether the result consists of all matching rows of the table, in any order.
    private var isWholeTable: Bool { source == .table && hasAllMatches }

    /// Calls `body` with the values of the result's rows, in the order of the result.
    private func forEachValue(
        _ query: CompiledQuery, _ column: PathColumn, _ root: DatabaseContent,
        _ body: (Value) -> Void
    ) {
        var statistics = QueryStatistics()
        let keys = query.keys(self, root, max: .max, &statistics)
        guard let key = query.table, let table = root.table(key) else { return }
        var finder = RowFinder(table)
        for key in keys {
            guard let place = finder.place(key) else { continue }
            body(column.value(place.cluster, place.row, root))
        }
    }

    private func sumFold(
        _ column: ColumnReference, _ root: DatabaseContent, of types: [ValueType]
    ) throws(StoreError) -> SumFold {
        let (query, resolved) = try resolve(column, root, of: types)
        var fold = SumFold()
        guard isWholeTable, column.hops.isEmpty else {
            forEachValue(query, resolved, root) { fold.add($0, 1) }
            return fold
        }
        var statistics = QueryStatistics()
        query.forEachMatch(root, &statistics) { cluster, rows in
            fold.add(cluster, rows, resolved.column)
            return true
        }
        return fold
    }

    private func bound(
        of column: ColumnReference, _ root: DatabaseContent, isGreatest: Bool
    ) throws(StoreError) -> Value? {
        let (query, resolved) = try resolve(
            column, root, of: [.int, .double, .date, .decimal, .any])
        var statistics = QueryStatistics()
        let isWhole = isWholeTable && column.hops.isEmpty
        if column.type == .int {
            var fold = BoundFold<Int64>(isGreatest: isGreatest)
            if isWhole {
                query.forEachMatch(root, &statistics) { cluster, rows in
                    fold.addInts(cluster, rows, resolved.column)
                    return true
                }
            } else {
                forEachValue(query, resolved, root) { if case .int(let x) = $0 { fold.add(x) } }
            }
            return fold.best.map { .int($0) }
        }
        if column.type == .decimal || column.type == .any {
            return orderedBound(query, resolved, root, isWhole: isWhole, isGreatest: isGreatest)
        }
        var fold = BoundFold<Double>(isGreatest: isGreatest)
        if isWhole {
            query.forEachMatch(root, &statistics) { cluster, rows in
                fold.addDoubles(cluster, rows, resolved.column)
                return true
            }
        } else {
            forEachValue(query, resolved, root) { value in
                switch value {
                case .double(let x) where !x.isNaN, .date(let x) where !x.isNaN: fold.add(x)
                default: break
                }
            }
        }
        return fold.best.map { column.type == .date ? .date($0) : .double($0) }
    }

    private func orderedBound(
        _ query: CompiledQuery, _ column: PathColumn, _ root: DatabaseContent, isWhole: Bool,
        isGreatest: Bool
    ) -> Value? {
        var best: Value?
        func add(_ value: Value) {
            if value.isNull || value.isNaN || value.isAnyReference { return }
            if let best {
                let order = Value.compare(value, best)
                if isGreatest ? order <= 0 : order >= 0 { return }
            }
            best = value
        }
        if isWhole {
            var statistics = QueryStatistics()
            query.forEachMatch(root, &statistics) { cluster, rows in
                rows.visit { row in
                    add(column.column.value(cluster, row))
                    return true
                }
                return true
            }
        } else {
            forEachValue(query, column, root) { add($0) }
        }
        return best
    }
}

/// A sum and count of non-null values.
private struct SumFold {
    var count = 0
    var integerTotal: Int128 = 0
    var total = 0.0
    var decimalTotal = DecimalBits.zero

    mutating func add(_ cluster: Cluster, _ rows: RowMask, _ column: ResolvedColumn) {
        guard column.isStored(in: cluster) else {
            add(column.fallback, rows.count)
            return
        }
        var present = cluster.present(column.index, rows)
        if column.type == .decimal || column.type == .any {
            present.visit { row in
                add(column.value(cluster, row), 1)
                return true
            }
            return
        }
        count += present.count
        let word = cluster.chunk(column.index)
        present.withWords { mask in
            if column.type == .int {
                var low: UInt64 = 0
                var high: Int64 = 0
                cregnum_sum_ints(
                    Cluster.rows(word), cluster.rowCount, Int32(truncatingIfNeeded: word & 63),
                    mask, &low, &high)
                integerTotal += Int128(high) << 64 + Int128(low)
            } else {
                total += cregnum_sum_doubles(Cluster.rows(word), cluster.rowCount, mask)
            }
        }
    }

    mutating func add(_ value: Value, _ times: Int) {
        switch value {
        case .int(let x):
            integerTotal += Int128(x) * Int128(times)
            count += times
        case .double(let x):
            total += x * Double(times)
            count += times
        case .decimal(let x):
            let sum = times == 1 ? x : .product(x, DecimalBits(Int64(times)))
            decimalTotal = .sum(decimalTotal, sum)
            count += times
        case .any:
            guard let number = value.anyContent?.number else { return }
            add(.decimal(number.decimal), times)
        default: break
        }
    }
}

/// The least or greatest value so far.
private struct BoundFold<Number: Comparable & BitwiseCopyable> {
    let isGreatest: Bool
    var best: Number?

    init(isGreatest: Bool) { self.isGreatest = isGreatest }

    @inline(__always)
    mutating func add(_ value: Number) {
        if let best, isGreatest ? value <= best : value >= best { return }
        best = value
    }

    /// Whether the cluster can be skipped, because the bounds of its column can't change the
    /// result.
    @inline(__always)
    func canPass(_ cluster: Cluster, _ column: Int) -> Bool {
        let slot = cluster.slot(column)
        guard let best, slot.flags.contains(.bounds) else { return false }
        return isGreatest ? best >= slot.load(8) : best <= slot.load(0)
    }
}

extension BoundFold<Int64> {
    mutating func addInts(_ cluster: Cluster, _ rows: RowMask, _ column: ResolvedColumn) {
        guard column.isStored(in: cluster) else {
            if case .int(let x) = column.fallback, !rows.isEmpty { add(x) }
            return
        }
        if canPass(cluster, column.index) { return }
        var present = cluster.present(column.index, rows)
        let word = cluster.chunk(column.index)
        var least: Int64 = 0
        var greatest: Int64 = 0
        let isFound = present.withWords {
            cregnum_bounds_ints(
                Cluster.rows(word), cluster.rowCount, Int32(truncatingIfNeeded: word & 63), $0,
                &least, &greatest)
        }
        if isFound { add(isGreatest ? greatest : least) }
    }
}

extension BoundFold<Double> {
    mutating func addDoubles(_ cluster: Cluster, _ rows: RowMask, _ column: ResolvedColumn) {
        guard column.isStored(in: cluster) else {
            switch column.fallback {
            case .double(let x) where !x.isNaN && !rows.isEmpty, .date(let x) where !rows.isEmpty:
                add(x)
            default: break
            }
            return
        }
        if canPass(cluster, column.index) { return }
        var present = cluster.present(column.index, rows)
        var least = 0.0
        var greatest = 0.0
        let isFound = present.withWords {
            cregnum_bounds_doubles(
                cluster.rows(column.index), cluster.rowCount, $0, &least, &greatest)
        }
        if isFound { add(isGreatest ? greatest : least) }
    }
}
