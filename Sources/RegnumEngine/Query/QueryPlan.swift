/// One term of a sort. Ascending: null first, NaN before the other doubles, strings by UTF-8 bytes;
/// descending: the reverse.
package struct SortTerm: Hashable, Sendable {
    package var column: ColumnReference
    package var ascending: Bool

    package init(column: ColumnReference, ascending: Bool) {
        self.column = column
        self.ascending = ascending
    }
}

/// Where a query takes its rows from, and their order before any sort.
package enum QuerySource: Sendable {
    /// All rows of the class, ascending by key, that is by creation.
    case table
    /// The list of a row, in order, each element as often as it is there.
    case list(tableName: String, row: ObjectKey, name: String)
    /// The rows of the class whose link or list `name` holds a row of the class `target`: ascending,
    /// each as often as it does.
    case backlinks(name: String, target: String, row: ObjectKey)
}

/// What is done with the rows of a query once they are sorted.
package enum QueryStep: Hashable, Sendable {
    /// Of the rows with equal values the first stays (null equals null, and NaN equals NaN here), and
    /// none for which a link on the way to a value is null. Without columns it changes nothing.
    case distinct([ColumnReference])
    /// Sorts what is left; at most 64 terms. Rows with equal values keep their order.
    case sort([SortTerm])
}

/// A query over the rows of one class: which rows, and in which order.
///
/// It takes the rows of the source, leaves those that match the predicate, sorts them, takes the
/// steps one after the other and leaves the first `limit` rows. The first sort term is the primary one; remaining
/// ties, and everything where there is no term, keep the order of the source. A class that does not
/// exist has no rows.
package struct QueryPlan: Hashable, Sendable {
    /// The class of the rows of the result.
    package var tableName: String
    package var source: QuerySource
    package var predicate: Predicate
    /// At most 64 terms.
    package var sort: [SortTerm]
    package var steps: [QueryStep]
    /// The most rows of the result; nil for all. Below zero it is none.
    package var limit: Int?

    /// - Parameter distinct: the first steps.
    package init(
        tableName: String, source: QuerySource = .table, predicate: Predicate = .constant(true),
        sort: [SortTerm] = [], distinct: [[ColumnReference]] = [],
        steps: [QueryStep] = [], limit: Int? = nil
    ) {
        self.tableName = tableName
        self.source = source
        self.predicate = predicate
        self.sort = sort
        self.steps = distinct.map { .distinct($0) } + steps
        self.limit = limit
    }

    package static func == (a: QueryPlan, b: QueryPlan) -> Bool {
        equalUTF8(a.tableName, b.tableName) && a.source == b.source && a.predicate == b.predicate
            && a.sort == b.sort && a.steps == b.steps && a.limit == b.limit
    }

    package func hash(into hasher: inout Hasher) {
        hashUTF8(tableName, into: &hasher)
        hasher.combine(source)
        hasher.combine(predicate)
        hasher.combine(sort)
        hasher.combine(steps)
        hasher.combine(limit)
    }
}

extension QuerySource: Hashable {
    package static func == (a: QuerySource, b: QuerySource) -> Bool {
        switch (a, b) {
        case (.table, .table):
            true
        case (.list(let a, let r, let m), .list(let b, let s, let n)),
            (.backlinks(let m, let a, let r), .backlinks(let n, let b, let s)):
            equalUTF8(a, b) && r == s && equalUTF8(m, n)
        default:
            false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .table:
            hasher.combine(0)
        case .list(let tableName, let row, let name):
            hasher.combine(1)
            hashUTF8(tableName, into: &hasher)
            hasher.combine(row)
            hashUTF8(name, into: &hasher)
        case .backlinks(let name, let target, let row):
            hasher.combine(2)
            hashUTF8(name, into: &hasher)
            hashUTF8(target, into: &hasher)
            hasher.combine(row)
        }
    }
}

/// What an evaluation did, for tests and diagnostics.
package struct QueryStatistics: Sendable, Hashable {
    /// Rows on which the predicate was evaluated.
    package var rowsEvaluated = 0
    /// Entries that were read from indexes to find candidates.
    package var indexEntriesRead = 0
    /// Whether the rows came from the primary key or an index instead of a scan.
    package var usedIndex = false

    package init() {}
}

extension QueryPlan {
    /// Whether the sort reads other rows than those of the result.
    var isSortedThroughLinks: Bool { sort.contains { !$0.column.hops.isEmpty } }
}
