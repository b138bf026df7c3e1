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
        guard let sum = try sumFold(column, state.content).sum(of: column.type) else {
            throw StoreError(
                .invalidQuery,
                "The sum of \(tableName).\(column.name) does not fit into 64 bits.",
                className: tableName, property: column.name)
        }
        return sum
    }

    /// Returns the mean of an integer, double, decimal or `any` property over the matching rows,
    /// ignoring nulls; `nil` if there are no values. Integers are summed exactly. The mean is a
    /// decimal for decimals and `any` values, otherwise a double.
    ///
    /// Throws `invalidQuery` for other types, otherwise the errors of `evaluate`.
    package func average(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try sumFold(column, state.content).mean(of: column.type)
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
        let compiler = QueryCompiler(root.schema, tableName)
        let resolved = try compiler.resolvePath(column)
        guard types.contains(column.type) else { throw compiler.noAggregate(column) }
        return (query, resolved)
    }

    /// Passes the result's rows to `clusters`, a cluster at a time, if the values are in the rows
    /// themselves and may be taken in any order; else the values to `values`, in the order of the
    /// result.
    @inline(__always)
    private func visit(
        _ query: CompiledQuery, _ column: PathColumn, _ root: DatabaseContent,
        _ clusters: (Cluster, RowMask) -> Void, values: (Value) -> Void
    ) {
        var statistics = QueryStatistics()
        if source == .table, hasAllMatches, column.hops.isEmpty, column.isStored {
            query.forEachMatch(root, &statistics) { cluster, rows in
                clusters(cluster, rows)
                return true
            }
        } else {
            let keys = query.keys(self, root, max: .max, &statistics)
            query.forEachRow(keys, root) { values(column.value($0, $1, root)) }
        }
    }

    private func sumFold(
        _ column: ColumnReference, _ root: DatabaseContent
    ) throws(StoreError) -> SumFold {
        let (query, resolved) = try resolve(column, root, of: [.int, .double, .decimal, .any])
        var fold = SumFold()
        visit(query, resolved, root) {
            fold.add($0, $1, resolved.column)
        } values: {
            fold.add($0)
        }
        return fold
    }

    private func bound(
        of column: ColumnReference, _ root: DatabaseContent, isGreatest: Bool
    ) throws(StoreError) -> Value? {
        let (query, resolved) = try resolve(
            column, root, of: [.int, .double, .date, .decimal, .any])
        if column.type == .int {
            var fold = BoundFold<Int64>(isGreatest: isGreatest)
            visit(query, resolved, root) {
                fold.addInts($0, $1, resolved.column)
            } values: {
                if case .int(let x) = $0 { fold.add(x) }
            }
            return fold.best.map { .int($0) }
        }
        if column.type == .decimal || column.type == .any {
            return orderedBound(query, resolved, root, isGreatest: isGreatest)
        }
        var fold = BoundFold<Double>(isGreatest: isGreatest)
        visit(query, resolved, root) {
            fold.addDoubles($0, $1, resolved.column)
        } values: { value in
            switch value {
            case .double(let x) where !x.isNaN, .date(let x) where !x.isNaN: fold.add(x)
            default: break
            }
        }
        return fold.best.map { column.type == .date ? .date($0) : .double($0) }
    }

    private func orderedBound(
        _ query: CompiledQuery, _ column: PathColumn, _ root: DatabaseContent, isGreatest: Bool
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
        visit(query, column, root) { cluster, rows in
            rows.visit { row in
                add(column.column.value(cluster, row))
                return true
            }
        } values: {
            add($0)
        }
        return best
    }
}

extension SumFold {
    fileprivate mutating func add(_ cluster: Cluster, _ rows: RowMask, _ column: ResolvedColumn) {
        guard column.isStored(in: cluster) else {
            add(column.fallback, rows.count)
            return
        }
        var present = cluster.present(column.index, rows)
        if column.type == .decimal || column.type == .any {
            present.visit { row in
                add(column.value(cluster, row))
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
}

/// The least or greatest value so far.
private struct BoundFold<Number: Comparable & BitwiseCopyable> {
    let isGreatest: Bool
    var best: Number?

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
