/// The commits that a subscription waits for. A commit concerns it if one of the terms matches; a
/// commit that changes the schema concerns every subscription.
package struct Interest: Hashable, Sendable {
    package enum Term: Hashable, Sendable {
        /// Every commit.
        case all
        /// Any change to the class.
        case table(StoredText)
        /// Insertions, deletions and modifications, including list changes, of rows of the class
        /// that have the value in the property before or after the commit.
        case value(tableName: StoredText, column: StoredText, Value)
        /// Modifications, including list changes, of elements of one row's list: rows of the class
        /// `tableName` that are in the list before or after the commit.
        case elements(
            tableName: StoredText, listOf: StoredText, list: StoredText, row: ObjectKey)
    }

    package var terms: Set<Term>
    /// A class whose changes can change the interest, which then includes the commits that do.
    package var source: StoredText?

    package init(_ terms: some Sequence<Term>, source: StoredText? = nil) {
        self.terms = Set(terms)
        self.source = source
    }

    /// An interest in every commit.
    package static let all = Interest([.all])
}
