/// A property as a query names it: by name, so that the query outlives growth of the schema.
package struct ColumnReference: Hashable, Sendable {
    package var name: String
    package var type: ValueType
    /// What rows read while the stored class does not have the column.
    package var missing: Value

    package init(name: String, type: ValueType, missing: Value) {
        self.name = name
        self.type = type
        self.missing = missing
    }

    package static func == (a: ColumnReference, b: ColumnReference) -> Bool {
        equalUTF8(a.name, b.name) && a.type == b.type && a.missing == b.missing
    }

    package func hash(into hasher: inout Hasher) {
        hashUTF8(name, into: &hasher)
        hasher.combine(type)
        hasher.combine(missing)
    }
}

/// A comparison of two values.
///
/// Null: equal to null only; `<` and `>` with a null are false; `<=` and `>=` are true for two
/// nulls. Against a constant null, a string column is `>` and `>=` for every string and no null, and
/// never `<` or `<=`. NaN: equal to nothing, every order with it is false, `notEqual` true.
/// Integers and doubles compare by their mathematical values. Strings, data, UUIDs and ObjectIds go
/// by bytes, false comes before true.
package enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// How a string is compared with a pattern, by UTF-8 bytes.
///
/// Without regard to case: the lowercase mapping of both (`String.lowercased()`, which knows no
/// locale) is compared instead. The empty pattern is contained in every string.
package enum TextMatch: UInt8, Hashable, Sendable, CaseIterable {
    case contains, beginsWith, endsWith
    /// The whole string: `?` stands for any one code point, `*` for any number of them.
    case like
}

/// What a query asks of a row. Two-valued: `not` is the exact complement.
package indirect enum Predicate: Hashable, Sendable {
    case constant(Bool)
    case compare(ColumnReference, Comparison, Value)
    case compareColumns(ColumnReference, Comparison, ColumnReference)
    /// A string column against a pattern; false for null.
    case matchText(ColumnReference, TextMatch, String, caseInsensitive: Bool)
    /// Equal to one of the values, as `compare` with `equal` has it; false for none.
    case isIn(ColumnReference, [Value])
    /// All hold; true for none.
    case and([Predicate])
    /// One holds; false for none.
    case or([Predicate])
    case not(Predicate)
}

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

/// A query over the rows of one class: which rows, and in which order.
///
/// The first sort term is the primary one; remaining ties, and everything where there is no term,
/// go by object key, that is by creation. A class that does not exist has no rows.
package struct QueryPlan: Hashable, Sendable {
    package var tableName: String
    package var predicate: Predicate
    /// At most 64 terms.
    package var sort: [SortTerm]

    package init(
        tableName: String, predicate: Predicate = .constant(true), sort: [SortTerm] = []
    ) {
        self.tableName = tableName
        self.predicate = predicate
        self.sort = sort
    }

    package static func == (a: QueryPlan, b: QueryPlan) -> Bool {
        equalUTF8(a.tableName, b.tableName) && a.predicate == b.predicate && a.sort == b.sort
    }

    package func hash(into hasher: inout Hasher) {
        hashUTF8(tableName, into: &hasher)
        hasher.combine(predicate)
        hasher.combine(sort)
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
