/// What commits a subscription waits for. A commit concerns it if one of the terms holds; one that
/// changes the schema concerns everybody.
package struct Interest: Hashable, Sendable {
    package enum Term: Hashable, Sendable {
        /// Every commit.
        case all
        /// Something of the class changes.
        case table(String)
        /// Rows of the class are inserted, deleted or modified, or lists of theirs changed, that
        /// have the value in a property before the commit or after it.
        case value(tableName: String, column: String, Value)
        /// Elements of a list of one row are modified, or lists of theirs changed: rows of the class
        /// `tableName` that stand in the list before the commit or after it.
        case elements(tableName: String, listOf: String, list: String, row: ObjectKey)
    }

    package var terms: Set<Term>

    package init(_ terms: some Sequence<Term>) {
        self.terms = Set(terms)
    }

    /// Everything that changes one of the classes.
    package static func tables(_ names: some Sequence<String>) -> Interest {
        Interest(names.map { .table($0) })
    }

    /// Every commit.
    package static let all = Interest([.all])
}

/// The value of a property that all rows of a query have: commits that change only rows with other
/// values do not concern it.
package struct Route: Hashable, Sendable {
    package var tableName: String
    package var column: String
    package var value: Value

    package init(tableName: String, column: String, value: Value) {
        self.tableName = tableName
        self.column = column
        self.value = value
    }
}
