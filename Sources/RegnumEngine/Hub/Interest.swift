/// The commits that a subscription waits for. A commit concerns it if one of the terms matches; a
/// commit that changes the schema concerns every subscription.
package struct Interest: Hashable, Sendable {
    package enum Term: Sendable {
        /// Every commit.
        case all
        /// Any change to the class.
        case table(String)
        /// Insertions, deletions and modifications, including list changes, of rows of the class
        /// that have the value in the property before or after the commit.
        case value(tableName: String, column: String, Value)
        /// Modifications, including list changes, of elements of one row's list: rows of the class
        /// `tableName` that are in the list before or after the commit.
        case elements(tableName: String, listOf: String, list: String, row: ObjectKey)
    }

    package var terms: Set<Term>

    package init(_ terms: some Sequence<Term>) {
        self.terms = Set(terms)
    }

    /// An interest in every commit.
    package static let all = Interest([.all])
}

extension Interest.Term: Hashable {
    package static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.all, .all): true
        case (.table(let a), .table(let b)): equalUTF8(a, b)
        case (.value(let a, let m, let x), .value(let b, let n, let y)):
            x == y && equalUTF8(m, n) && equalUTF8(a, b)
        case (.elements(let a, let c, let m, let r), .elements(let b, let d, let n, let s)):
            r == s && equalUTF8(m, n) && equalUTF8(a, b) && equalUTF8(c, d)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .all:
            hasher.combine(0)
        case .table(let name):
            hasher.combine(1)
            hashUTF8(name, into: &hasher)
        case .value(let name, let column, let value):
            hasher.combine(2)
            hashUTF8(name, into: &hasher)
            hashUTF8(column, into: &hasher)
            hasher.combine(value)
        case .elements(let name, let owner, let list, let row):
            hasher.combine(3)
            hashUTF8(name, into: &hasher)
            hashUTF8(owner, into: &hasher)
            hashUTF8(list, into: &hasher)
            hasher.combine(row)
        }
    }
}
