/// One term of a sort. Ascending order puts null first, NaN before the other doubles, and strings
/// by UTF-8 bytes; descending order is the reverse.
package struct SortTerm: Hashable, Sendable {
    package var column: ColumnReference
    package var ascending: Bool

    package init(column: ColumnReference, ascending: Bool) {
        self.column = column
        self.ascending = ascending
    }
}

/// The source of a query's rows, which defines their order before any sort.
package enum QuerySource: Hashable, Sendable {
    /// All rows of the class, ascending by key, which is the order of creation.
    case table
    /// The elements of a row's list, in order, including repeated ones.
    case list(tableName: StoredText, row: ObjectKey, name: StoredText)
    /// The rows of the class whose link or list `name` contains a row of the class `target`,
    /// ascending; rows that contain it several times repeat.
    case backlinks(name: StoredText, target: StoredText, row: ObjectKey)
}

/// A step applied to the sorted rows of a query.
package enum QueryStep: Hashable, Sendable {
    /// Keeps the first of the rows with equal values (null equals null and, here, NaN equals NaN),
    /// and none for which a link on the path to a value is null. Has no effect without columns. The
    /// value of an element or entry that doesn't exist is null.
    case distinct([ColumnReference])
    /// Sorts the remaining rows by at most 64 terms. Rows with equal values keep their order.
    case sort([SortTerm])
    /// Keeps the first rows. A negative limit counts as 0.
    case limit(Int)
}

/// A query over the rows of one class.
///
/// Takes the rows of the source, keeps those that match the predicate, sorts them, applies the
/// steps one after the other and keeps the first `limit` rows. The first sort term is the primary
/// one; ties, and all rows if there are no terms, keep the order of the source. A class that
/// doesn't exist has no rows.
package struct QueryPlan: Hashable, Sendable {
    /// The class of the rows of the result.
    @StoredText package var tableName: String
    package var source: QuerySource
    package var predicate: Predicate
    /// The sort terms, at most 64.
    package var sort: [SortTerm]
    package var steps: [QueryStep]
    /// The maximum number of rows in the result; `nil` for no limit. A negative limit counts as 0.
    package var limit: Int?

    /// - Parameter distinct: distinct steps to apply before `steps`.
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
}

/// The work done by an evaluation, for tests and diagnostics.
package struct QueryStatistics: Sendable, Hashable {
    /// Rows on which the predicate was evaluated.
    package var rowsEvaluated = 0
    /// Index entries read to find candidates.
    package var indexEntriesRead = 0
    /// Whether the rows were found through the primary key or an index instead of a scan.
    package var usedIndex = false

    package init() {}
}

extension QueryPlan {
    /// Whether the sort reads rows other than those of the result.
    var isSortedThroughLinks: Bool { sort.contains { !$0.column.hops.isEmpty } }

    /// Whether the result consists of rows of the table, each at most once, in an order determined
    /// by their columns (`QueryPlan.shape`).
    var isPlain: Bool {
        source == .table && limit == nil && !isSortedThroughLinks && steps.isEmpty
    }

    /// Whether the condition rules out all rows, as that of a collection without an owner does.
    package var findsNothing: Bool {
        switch predicate {
        case .constant(let holds): !holds
        case .and(let terms): terms.contains(.constant(false))
        default: false
        }
    }

    /// Whether the result contains all matching rows of the source.
    var hasAllMatches: Bool { limit == nil && !steps.contains { $0.omitsRows } }

    /// The maximum number of rows in the result.
    var maximumKeyCount: Int { limit.map { max($0, 0) } ?? .max }
}

extension QueryStep {
    /// Whether the step leaves out rows.
    fileprivate var omitsRows: Bool {
        switch self {
        case .distinct(let columns): !columns.isEmpty
        case .sort: false
        case .limit: true
        }
    }
}
