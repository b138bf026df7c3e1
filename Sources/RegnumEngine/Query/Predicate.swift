/// A property as a query names it: by name, so that the query outlives growth of the schema.
package struct ColumnReference: Hashable, Sendable {
    package var name: String
    package var type: ValueType
    /// What rows read while the stored class does not have the column.
    package var missing: Value
    /// Links from the row of the query to the row that has the property, each to one row. The value
    /// is null where one of them is.
    package var hops: [Hop]

    package init(name: String, type: ValueType, missing: Value, hops: [Hop] = []) {
        self.name = name
        self.type = type
        self.missing = missing
        self.hops = hops
    }

    package static func == (a: ColumnReference, b: ColumnReference) -> Bool {
        equalUTF8(a.name, b.name) && a.type == b.type && a.missing == b.missing && a.hops == b.hops
    }

    package func hash(into hasher: inout Hasher) {
        hashUTF8(name, into: &hasher)
        hasher.combine(type)
        hasher.combine(missing)
        hasher.combine(hops)
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
    /// The whole string.
    case equals
}

/// Of the rows at the end of a path, how many must match.
package enum Quantifier: UInt8, Hashable, Sendable, CaseIterable {
    /// One of them; false for no rows.
    case any
    /// Each of them; true for no rows.
    case all
    /// None of them; true for no rows.
    case none
}

/// How the values of the rows at the end of a path become one. Nulls are left out.
package enum AggregateKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The least and the greatest of integers, doubles, decimals or dates, NaN left out; null for none.
    case min, max
    /// Of integers, exact, or of doubles or decimals; 0 for none.
    case sum
    /// Of integers or doubles, as a double, or of decimals; null for none.
    case average
}

/// What a query asks of a row. Two-valued: `not` is the exact complement.
///
/// Paths (`[Hop]`) lead to rows of other classes, in the order of their lists and backlinks; a row
/// counts as often as they lead to it.
package indirect enum Predicate: Sendable {
    case constant(Bool)
    case compare(ColumnReference, Comparison, Value)
    case compareColumns(ColumnReference, Comparison, ColumnReference)
    /// A string column against a pattern; false for null.
    case matchText(ColumnReference, TextMatch, String, caseInsensitive: Bool)
    /// A string column against a pattern in another one; false if one of them is null.
    case matchTextColumns(ColumnReference, TextMatch, ColumnReference, caseInsensitive: Bool)
    /// A data column against bytes, in another way than `like`; false for null.
    case matchData(ColumnReference, TextMatch, [UInt8])
    /// Equal to one of the values, as `compare` with `equal` has it; false for none.
    case isIn(ColumnReference, [Value])
    /// The row is one of these; false for none.
    case isRow([ObjectKey])
    /// Whether the rows at the end of a path match.
    case related([Hop], Quantifier, Predicate)
    /// Compares how many of the rows at the end of a path match.
    case count([Hop], Predicate, Comparison, Int64)
    /// Compares an aggregate of a property of the rows at the end of a path. Integers are not rounded.
    case aggregate([Hop], AggregateKind, ColumnReference, Comparison, Value)
    /// All hold; true for none.
    case and([Predicate])
    /// One holds; false for none.
    case or([Predicate])
    case not(Predicate)
}
