extension QueryPlan {
    /// What determines the order of a plain plan's rows: their keys, the ranks of one sort value,
    /// or the sort values.
    enum Shape { case keys, ranks, values }

    var shape: Shape { QueryPlan.shape(sort.map(\.column.type)) }

    /// Returns the shape of an order by values of these types.
    static func shape(_ types: [ValueType]) -> Shape {
        guard let first = types.first else { return .keys }
        return types.count == 1 && SortRank.decides(first) ? .ranks : .values
    }
}

/// The rank of a row's sort value, and its object key with the flag of `SortRank`. Has the layout
/// of the kernels' pairs.
struct RankedKey: BitwiseCopyable, Equatable, Sendable {
    var rank: UInt64
    var flaggedKey: UInt64

    var key: UInt64 { flaggedKey & ~SortRank.flag }
}

/// The sort key of a row in a result: its sort values, then its object key. Entries are equal if
/// they are stored identically, so that neither has to replace the other.
struct ResultEntry: Equatable, Sendable {
    /// The value of the first sort term; null if there are no terms.
    var first: Value = .null
    /// The values of the other sort terms.
    var rest: [Value] = []
    var key: UInt64
}

/// The order of a result. If bit i of `descending` is set, sort term i is descending; ties are
/// ordered by key.
struct ResultOrder: Sendable {
    let descending: UInt64

    @inline(__always)
    func compare(_ a: ResultEntry, _ b: ResultEntry) -> Int {
        let order = Value.compare(a.first, b.first)
        if order != 0 { return descending & 1 == 0 ? order : -order }
        if !a.rest.isEmpty {
            for index in a.rest.indices {
                let order = Value.compare(a.rest[index], b.rest[index])
                if order == 0 { continue }
                return descending >> UInt64(index + 1) & 1 == 0 ? order : -order
            }
        }
        return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1)
    }

    /// Returns the entry of a row below the cluster's `rowCount`.
    static func element(_ query: CompiledQuery, _ cluster: Cluster, _ row: Int) -> ResultEntry {
        var entry = ResultEntry(key: cluster.firstKey + UInt64(row))
        guard let first = query.sort.first else { return entry }
        entry.first = first.value(cluster, row)
        if query.sort.count > 1 {
            entry.rest = query.sort[1...].map { $0.value(cluster, row) }
        }
        return entry
    }
}

extension ResultOrder {
    /// Creates the order of terms, of which those after the first 64 count as ascending.
    init(areDescending: [Bool]) {
        var bits: UInt64 = 0
        for (index, isDescending) in areDescending.prefix(64).enumerated() where isDescending {
            bits |= 1 << UInt64(index)
        }
        self.init(descending: bits)
    }
}
