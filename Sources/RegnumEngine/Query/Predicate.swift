/// A property in a query. Refers to it by name, so that the query outlives additions to the schema.
package struct ColumnReference: Hashable, Sendable {
    @StoredText package var name: String
    package var type: ValueType
    /// The value of rows while the stored class doesn't have the column.
    package var missing: Value
    /// Hops to follow from the row of the query to the row that has the property, each to at most
    /// one row: links and, in sorts and distinct steps, also elements of lists and entries of maps.
    /// The value is null if one of them leads to no row.
    package var hops: [Hop]
    /// Whether the program declares a full-text index.
    package var isFullTextIndexed = false
    /// The number of the value that takes the place of the property before the query is evaluated;
    /// `nil` for a property. See `Predicate.bound(to:)`.
    package var parameter: Int?

    package init(name: String, type: ValueType, missing: Value, hops: [Hop] = []) {
        self.name = name
        self.type = type
        self.missing = missing
        self.hops = hops
    }
}

/// A comparison of two values.
///
/// Null equals only null; `<` and `>` with a null are false; `<=` and `>=` are true for two nulls.
/// Against a constant null, a string column is `>` and `>=` for every string and not for null, and
/// never `<` or `<=`. A double that is NaN equals nothing and every ordering with it is false, but
/// `notEqual` is true; in decimals and any values, NaN equals itself and is less than all other
/// numbers. Numbers of different types compare by their mathematical values. Strings, data, UUIDs
/// and ObjectIds are ordered by bytes, and `false` before `true`.
package enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// The kinds of matching a string with a pattern, by UTF-8 bytes.
///
/// If differences are ignored, the folded forms of both are compared instead, also by `?`. Every
/// string contains the empty pattern.
package enum TextMatch: UInt8, Hashable, Sendable, CaseIterable {
    case contains, beginsWith, endsWith
    /// The whole string: `?` matches any one code point, `*` any number of them.
    case like
    /// The whole string.
    case equals
}

/// The number of rows at the end of a path that must match.
package enum Quantifier: UInt8, Hashable, Sendable, CaseIterable {
    /// At least one of them; false if there are no rows.
    case any
    /// Each of them; true if there are no rows.
    case all
    /// None of them; true if there are no rows.
    case none
}

/// The functions that aggregate the values of the rows at the end of a path. Nulls are ignored.
package enum AggregateKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The least or greatest of numbers, dates or any values, ignoring NaN; null if there are no
    /// values.
    case min, max
    /// The sum of integers (exact), doubles, decimals or numbers of any type; 0 if there are no
    /// values.
    case sum
    /// The mean: a double for integers and doubles, a decimal for decimals and numbers of any type;
    /// null if there are no values.
    case average
}

/// The condition of a query on a row. Two-valued: `not` is the exact complement.
///
/// Paths (`[Hop]`) lead to rows of other classes, in the order of their lists and backlinks. A row
/// counts as often as the path leads to it.
package indirect enum Predicate: Hashable, Sendable {
    case constant(Bool)
    case compare(ColumnReference, Comparison, Value)
    case compareColumns(ColumnReference, Comparison, ColumnReference)
    /// Matches a string column with a pattern; false for null.
    case matchText(ColumnReference, TextMatch, StoredText, ignoring: TextFolding)
    /// Matches a string column with the pattern in another one; false if either is null.
    case matchTextColumns(ColumnReference, TextMatch, ColumnReference, ignoring: TextFolding)
    /// Matches a data column with bytes; false for null. `like` isn't supported.
    case matchData(ColumnReference, TextMatch, [UInt8])
    /// Whether a string column with a declared full-text index has the words of a search
    /// (`WordSearch`). Null has none.
    case matchWords(ColumnReference, StoredText)
    /// Equals one of the values, by the rules of `compare` with `equal`; false without values.
    case isIn(ColumnReference, [Value])
    /// The row is one of these; false without keys.
    case isRow([ObjectKey])
    /// The row is a point in an area; false for a row that isn't a valid point.
    case within(GeoLayout, GeoArea)
    /// Whether as many rows at the end of a path match as the quantifier requires.
    case related([Hop], Quantifier, Predicate)
    /// Compares the number of matching rows at the end of a path.
    case count([Hop], Predicate, Comparison, Int64)
    /// Compares an aggregate of a property over the rows at the end of a path. Integers aren't
    /// rounded.
    case aggregate([Hop], AggregateKind, ColumnReference, Comparison, Value)
    /// Compares two numbers. A null compares as that of a column.
    case compareNumbers(NumericExpression, Comparison, NumericExpression)
    /// Whether a value of any type has one of these kinds; for null, `orNull`.
    case isKind(ColumnReference, Set<AnyKind>, orNull: Bool)
    /// All terms hold; true without terms.
    case and([Predicate])
    /// At least one term holds; false without terms.
    case or([Predicate])
    case not(Predicate)
}
